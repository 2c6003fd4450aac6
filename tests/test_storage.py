import copy
import pickle
import warnings
from collections.abc import Callable

import numpy
import pytest

import impl as torch
from impl._legacy.storage_types import CUDA_STORAGES, LEGACY_STORAGES, default_storage, is_storage
from impl._tensor.typed_storage import TypedStorage, _reset_warn_typed_storage_removal

UntypedStorage = torch.UntypedStorage
FloatStorage, ByteStorage = LEGACY_STORAGES["FloatStorage"], LEGACY_STORAGES["ByteStorage"]


@pytest.fixture(autouse=True)
def _the_removal_is_known() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        TypedStorage(0)


def failure(run: Callable[[], object]) -> str:
    with pytest.raises(Exception) as caught:  # noqa: PT011
        run()
    return f"{caught.type.__name__}: {caught.value}"


def storage(*content: int) -> UntypedStorage:
    return UntypedStorage(content)


@pytest.mark.parametrize(
    ("source", "content"),
    [
        ([1, 2, 300], [1, 2, 44]),
        ((-1, 256, True), [255, 0, 1]),
        (range(3), [0, 1, 2]),
        (b"ab", [97, 98]),
        ([], []),
    ],
)
def test_untyped_storage_is_made_of_the_low_bits_of_integers(
    source: object, content: list[int]
) -> None:
    storage = UntypedStorage(source)
    assert storage.tolist() == [*storage] == content
    assert storage.nbytes() == storage.size() == len(storage) == len(content)
    assert storage.resizable()


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ([1.0], "RuntimeError: torch.UntypedStorage(): tried to construct a storage from a sequence"
         " (list), but one of the items was of type float instead of int"),
        ([numpy.int64(1)], "RuntimeError: torch.UntypedStorage(): tried to construct a storage from"
         " a sequence (list), but one of the items was of type numpy.int64 instead of int"),
        ({1}, "RuntimeError: torch.UntypedStorage(): Expected a sequence type, but got set"),
        (-1,
         "RuntimeError: [enforce fail at alloc_cpu.cpp:98] ((ptrdiff_t)nbytes) >= 0. alloc_cpu()"
         " seems to have been called with negative number: 18446744073709551615"),
    ],
)  # fmt: skip
def test_untyped_storage_refuses(source: object, message: str) -> None:
    assert failure(lambda: UntypedStorage(source)) == message


def test_storages_are_on_the_cpu_only() -> None:
    for device, message in (
        ("cuda", "AssertionError: Torch not compiled with CUDA enabled"),
        ("xla", "RuntimeError: torch.UntypedStorage(): Storage device not recognized: xla"),
        ("hpu", "ModuleNotFoundError: No module named 'torch.hpu'"),
        ("maia", "RuntimeError: PyTorch is not linked with support for maia devices"),
    ):
        assert failure(lambda device=device: UntypedStorage(1, device=device)) == message  # type: ignore[misc]
    assert UntypedStorage(1, device="cpu:0").device == torch.device("cpu")


def test_items_are_read_from_both_ends_and_set_from_one() -> None:
    x = storage(1, 2, 3)
    assert (x[0], x[-1], x[numpy.int64(1)]) == (1, 3, 2)
    x[0] = -1
    assert x.tolist() == [255, 2, 3]
    assert failure(lambda: x[3]) == "IndexError: index 3 out of range for storage of size 3"
    assert failure(lambda: x[-4]) == "IndexError: index -1 out of range for storage of size 3"
    assert failure(lambda: x[2**64]) == "ValueError: Overflow when unpacking long long"
    assert failure(lambda: x[True]) == "TypeError: can't index a torch.UntypedStorage with bool"
    assert failure(lambda: x.__setitem__(-1, 1)) == "RuntimeError: out of bounds"
    assert failure(lambda: x.__setitem__("a", None)) == (
        "RuntimeError: can only set storage content with a int types, but got NoneType instead"
    )


def test_slices_share_the_memory() -> None:
    x = storage(1, 2, 3, 4)
    part = x[1:3]
    part.fill_(9)
    assert x.tolist() == [1, 9, 9, 4]
    x[-1:] = 257
    assert x.tolist() == [1, 9, 9, 1]
    assert not part.resizable()
    assert failure(lambda: part.resize_(9)) == (
        "RuntimeError: Trying to resize storage that is not resizable"
    )
    assert failure(lambda: x[::2]) == (
        "RuntimeError: Trying to slice with a step of 2, but only a step of 1 is supported"
    )


def test_what_c_functions_say_of_arguments() -> None:
    x = storage(1, 2, 3)
    assert failure(lambda: x.fill_()) == (
        "TypeError: StorageBase.fill_() takes exactly one argument (0 given)"
    )
    assert failure(lambda: x.resize_(size=1)) == (
        "TypeError: StorageBase.resize_() takes no keyword arguments"
    )
    assert failure(lambda: x.nbytes(1)) == (
        "TypeError: StorageBase.nbytes() takes no arguments (1 given)"
    )
    assert failure(lambda: x.clone(1)) == (
        "TypeError: _StorageBase.clone() takes 1 positional argument but 2 were given"
    )
    assert failure(lambda: x.fill_(1.0)) == "RuntimeError: fill_ expects int, but got float"
    assert failure(lambda: x.what) == (
        "AttributeError: 'torch.storage.UntypedStorage' object has no attribute 'what'"
    )
    assert failure(lambda: setattr(x, "device", 1)) == (
        "AttributeError: attribute 'device' of 'torch._C.StorageBase' objects is not writable"
    )


def test_copying() -> None:
    x = storage(1, 2, 3)
    assert x.copy_(storage(7, 8, 9)) is x
    assert x.tolist() == [7, 8, 9]
    assert failure(lambda: x.copy_(storage(1))) == (
        "RuntimeError: size does not match, self was 3 bytes but src was 1 bytes"
    )
    for twin in (x.clone(), copy.copy(x), copy.deepcopy(x), x.to(device="cpu:0")):
        assert twin.tolist() == [7, 8, 9]
        assert twin.data_ptr() != x.data_ptr()
    first, second = copy.deepcopy([x, x])
    assert first is second
    assert x.to(device="cpu") is x
    assert x.cpu() is x.untyped() is x


def test_an_untyped_storage_can_be_pickled_and_not_be_loaded() -> None:
    assert failure(lambda: pickle.loads(pickle.dumps(storage(1)))) == (
        "AttributeError: type object 'torch.storage.UntypedStorage' has no attribute 'dtype'"
    )


def test_resizing_keeps_what_remains() -> None:
    x = storage(1, 2, 3)
    assert x.resize_(2).tolist() == [1, 2]
    assert x.resize_(4)[:2].tolist() == [1, 2]
    assert failure(lambda: x.resize_(True)) == "RuntimeError: resize_ expects an int, but got bool"
    assert failure(lambda: x.resize_(-1)).startswith("RuntimeError: [enforce fail")
    assert x.nbytes() == 4


def test_byteswap() -> None:
    x = storage(1, 2, 3, 4, 5, 6, 7, 8)
    x.byteswap(torch.int16)
    assert x.tolist() == [2, 1, 4, 3, 6, 5, 8, 7]
    x.byteswap(torch.complex64)
    assert x.tolist() == [3, 4, 1, 2, 7, 8, 5, 6]
    assert failure(lambda: x[:3].byteswap(torch.int32)) == (
        "RuntimeError: the length of data is not a multiple of 4"
    )
    assert failure(lambda: x.byteswap(2)) == (
        "RuntimeError: expected torch.dtype, but got <class 'int'>"
    )


def test_repr_and_type() -> None:
    assert (
        repr(storage(1, 2))
        == str(storage(1, 2))
        == (" 1\n 2\n[torch.storage.UntypedStorage(device=cpu) of size 2]")
    )
    assert repr(storage()) == " \n[torch.storage.UntypedStorage(device=cpu) of size 0]"
    x = storage(1)
    assert x.type() == "torch.storage.UntypedStorage"
    assert x.type(UntypedStorage) is x
    assert failure(lambda: x.type("torch.what")) == (
        "AttributeError: module 'torch' has no attribute 'what'"
    )


def test_a_subclass_makes_its_own() -> None:
    class Mine(UntypedStorage):
        pass

    assert type(Mine(2)) is type(Mine([1]).clone()) is Mine
    assert repr(Mine([1])).endswith("Mine(device=cpu) of size 1]")
    assert not is_storage(Mine(1))


def test_pinning_needs_an_accelerator() -> None:
    assert not storage(1).is_pinned()
    assert failure(storage(1).pin_memory) == (
        "RuntimeError: Cannot access accelerator device when none is available."
    )
    with pytest.warns(DeprecationWarning, match=r"Tensor.is_pinned\(\) is deprecated"):
        assert not storage(1).is_pinned("cpu")


@pytest.mark.parametrize(
    ("args", "keywords", "content"),
    [
        ((b"abc",), {"dtype": torch.uint8}, [97, 98, 99]),
        ((b"abcd", "big"), {"dtype": torch.int16}, [98, 97, 100, 99]),
        ((b"abcd", "native", 1, 2, torch.int16), {}, [99, 100]),
        ((b"\0\2",), {"byte_order": "big", "dtype": torch.bool}, [0, 1]),
        ((b"abcdefgh", "big"), {"dtype": torch.complex64}, [100, 99, 98, 97, 104, 103, 102, 101]),
        ((b"abcd", "what"), {"dtype": torch.int8, "count": 0}, []),
    ],
)
def test_from_buffer(args: tuple[object], keywords: dict[str, object], content: list[int]) -> None:
    assert UntypedStorage.from_buffer(*args, **keywords).tolist() == content


@pytest.mark.parametrize(
    ("args", "keywords", "message"),
    [
        ((), {}, "TypeError: function missing required argument 'buffer' (pos 1)"),
        ((b"",), {}, "RuntimeError: argument 'dtype' cannot be None"),
        ((b"",), {"dtype": None}, "RuntimeError: argument 'dtype' must be of type torch.dtype"),
        ((b"",), {"dtype": torch.int16},
         "RuntimeError: function missing required argument 'byte_order' (pos 2)"),
        ((b"", "what"), {"dtype": torch.int16},
         "ValueError: invalid byte_order 'what' (expected 'big', 'little', or 'native')"),
        ((b"abc", "big"), {"dtype": torch.int16},
         "ValueError: buffer size (3) must be a multiple of element size (2)"),
        ((b"abc",), {"dtype": torch.int8, "offset": 4},
         "ValueError: offset must be non-negative and no greater than buffer length (4) , but got"
         " 3"),
        ((b"abc",), {"dtype": torch.int8, "offset": 1, "count": 3},
         "ValueError: buffer has only 2 elements after offset 1, but specified a size of 3"),
        (("abc",), {"dtype": torch.int8}, "TypeError: a bytes-like object is required, not 'str'"),
        ((b"", 1), {"dtype": torch.int8}, "TypeError: argument 2 must be str, not int"),
        ((b"", "big"), {"dtype": torch.uint16}, "RuntimeError: Unknown type: UInt16"),
        ((b"",), {"buffer": b"", "dtype": torch.int8},
         "TypeError: argument for function given by name ('buffer') and position (1)"),
        ((1, 2, 3, 4, 5, 6), {}, "TypeError: function takes at most 5 arguments (6 given)"),
    ],
)  # fmt: skip
def test_from_buffer_refuses(
    args: tuple[object], keywords: dict[str, object], message: str
) -> None:
    assert failure(lambda: UntypedStorage.from_buffer(*args, **keywords)) == message


# Typed storages.


def test_typed_storages_warn_once() -> None:
    _reset_warn_typed_storage_removal()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        TypedStorage(2).fill_(1)
    assert str(caught[0].message).startswith("TypedStorage is deprecated. It will be removed")
    assert [warning.filename for warning in caught] == [__file__]


def test_a_legacy_class_makes_typed_storages() -> None:
    x = FloatStorage([1, 2.5])
    assert type(x) is TypedStorage
    assert isinstance(x, FloatStorage)
    assert not isinstance(x, ByteStorage | CUDA_STORAGES["FloatStorage"])
    assert issubclass(FloatStorage, TypedStorage)
    assert (x.dtype, FloatStorage.dtype, x.element_size()) == (torch.float32, torch.float32, 4)
    assert (x.size(), len(x), x.nbytes(), x.tolist(), x[-1]) == (2, 2, 8, [1.0, 2.5], 2.5)
    assert x.type() == "torch.FloatStorage"
    assert is_storage(x)
    assert not is_storage(FloatStorage)


def test_typed_storages_are_printed_by_element() -> None:
    assert repr(ByteStorage([1, 2])) == (
        " 1\n 2\n[torch.storage.TypedStorage(dtype=torch.uint8, device=cpu) of size 2]"
    )


def test_typed_items() -> None:
    x = FloatStorage([1, 2, 3])
    x[1:] = 7
    x[0] = -1
    assert x.tolist() == [-1.0, 7.0, 7.0]
    assert x.fill_(2).tolist() == [2.0] * 3
    assert failure(lambda: x[0:1]) == (
        "RuntimeError: slices are only supported in UntypedStorage.__getitem__"
    )
    assert failure(lambda: x["a"]) == (
        "RuntimeError: can't index a <class 'torch.storage.TypedStorage'> with <class 'str'>"
    )
    assert failure(lambda: x[True]).startswith("TypeError: can't index a")
    assert failure(lambda: x[3]) == "IndexError: index 3 out of range for storage of size 3"
    assert failure(lambda: x.__setitem__(0, x)) == (
        "RuntimeError: cannot set item with value type <class 'torch.storage.TypedStorage'>"
    )


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: FloatStorage(1, 2), "Too many positional arguments"),
        (lambda: FloatStorage(1.5), "Argument type not recognized: <class 'float'>"),
        (lambda: FloatStorage(1, dtype=torch.int8), "Keyword argument 'dtype' cannot be specified"),
        (lambda: FloatStorage(wrap_storage=1),
         "Argument 'wrap_storage' must be UntypedStorage, but got <class 'int'>"),
        (lambda: CUDA_STORAGES["FloatStorage"](wrap_storage=storage()),
         "Device of 'wrap_storage' must be cuda, but got cpu"),
        (lambda: TypedStorage(1, 2), "Too many positional arguments"),
        (lambda: TypedStorage(wrap_storage=storage()), "Argument 'dtype' must be specified"),
        (lambda: TypedStorage({1}), "Argument type not recognized: <class 'set'>"),
    ],
)  # fmt: skip
def test_constructors_of_typed_storages_refuse(make: Callable[[], object], text: str) -> None:
    message = failure(make)
    assert message.endswith(f"\n{text}")
    assert "received an invalid combination of arguments. Expected one of:\n" in message


def test_dtypes_without_limits_have_no_size() -> None:
    assert failure(lambda: TypedStorage(2, dtype=torch.bits8)) == (
        "TypeError: torch.iinfo() requires an integer input type."
        " Use torch.finfo to handle 'torch.iinfo'"
    )
    assert failure(lambda: TypedStorage(2, dtype=1)) == (
        "RuntimeError: expected torch.dtype, but got <class 'int'>"
    )


def test_quantized_storages_hold_integers() -> None:
    x = TypedStorage([1, 200], dtype=torch.quint8)
    assert (x.tolist(), x.type()) == ([1, 200], "torch.QUInt8Storage")
    assert failure(x.cuda) == "RuntimeError: Cannot create CUDA storage with quantized dtype"


def test_typed_copies() -> None:
    x = FloatStorage([1, 2])
    assert x.cpu().data_ptr() == x.data_ptr() == x.to(device="cpu").data_ptr()
    for twin in (x.clone(), copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert (twin.tolist(), twin.dtype) == ([1.0, 2.0], torch.float32)
        assert twin.data_ptr() != x.data_ptr()
    # Bytes are copied without conversion.
    assert FloatStorage([0] * 2).copy_(ByteStorage([0, 0, 128, 63] * 2)).tolist() == [1.0, 1.0]
    assert x.resize_(3) is None
    assert x.size() == 3
    assert failure(lambda: pickle.dumps(TypedStorage(1, dtype=torch.uint16))) == (
        "KeyError: 'dtype torch.uint16 is not recognized'"
    )


def test_conversions_make_new_typed_storages() -> None:
    x = FloatStorage([1.5, -2])
    assert (x.int().tolist(), x.bool().tolist()) == ([1, -2], [True, True])
    assert (x.float().tolist(), x.float().data_ptr() == x.data_ptr()) == ([1.5, -2.0], False)
    assert storage(1, 2).half().tolist() == [1.0, 2.0]
    assert storage(1, 2).byte().dtype is torch.uint8
    assert failure(lambda: storage(1).float(1)) == (
        "TypeError: _StorageBase.float() takes 1 positional argument but 2 were given"
    )
    # A storage converted by class has one element per byte.
    assert failure(lambda: x.type(FloatStorage)) == (
        "RuntimeError: size does not match, self was 32 bytes but src was 8 bytes"
    )
    assert x.type(ByteStorage).size() == 8


def test_typed_from_buffer() -> None:
    assert ByteStorage.from_buffer(b"ab").tolist() == [97, 98]
    assert TypedStorage.from_buffer(b"ab", "big", dtype=torch.int16).tolist() == [24930]
    assert failure(lambda: ByteStorage.from_buffer(b"", dtype=torch.int8)) == (
        "RuntimeError: from_buffer: 'dtype' can only be specified in UntypedStorage.from_buffer"
        " and TypedStorage.from_buffer"
    )


def test_tensors_and_storages() -> None:
    x = torch.ones(2)
    assert x.storage().data_ptr() == x.data_ptr()
    assert (x.storage().tolist(), x.storage_type()) == ([1.0, 1.0], FloatStorage)
    assert torch.ones(2, dtype=torch.uint16).storage_type() is None
    assert x.set_(FloatStorage([3, 4])).tolist() == [3.0, 4.0]
    assert failure(lambda: x.set_(ByteStorage([3]))) == (
        "RuntimeError: Expected a Storage of type float or an UntypedStorage,"
        " but got type Byte for argument 1 'storage'"
    )
    assert x.untyped_storage().copy_(FloatStorage([5, 6])) is x.untyped_storage()
    assert x.tolist() == [5.0, 6.0]


def test_the_default_storage_follows_the_default_dtype() -> None:
    assert default_storage() is FloatStorage
    torch.set_default_dtype(torch.float64)
    assert default_storage() is LEGACY_STORAGES["DoubleStorage"]


def test_storages_of_cuda_cannot_be_made() -> None:
    double = CUDA_STORAGES["DoubleStorage"]
    assert double.dtype is torch.float64
    assert failure(double) == "AssertionError: Torch not compiled with CUDA enabled"
    assert failure(lambda: double.from_buffer(b"")) == (
        "RuntimeError: from_buffer: Not available for CUDA storage"
    )
