import copy
import re
from collections.abc import Callable

import numpy
import pytest

import impl as torch
from impl._legacy.tensor_types import CUDA_TENSORS, LEGACY_TENSORS, set_default_tensor_type
from impl._tensor.typed_storage import typed_storage

Tensor = torch.Tensor
FloatTensor, ByteTensor = LEGACY_TENSORS["FloatTensor"], LEGACY_TENSORS["ByteTensor"]
DoubleTensor, CudaTensor = LEGACY_TENSORS["DoubleTensor"], CUDA_TENSORS["FloatTensor"]


def failure(run: Callable[[], object]) -> str:
    with pytest.raises(Exception) as caught:  # noqa: PT011
        run()
    return f"{caught.type.__name__}: {caught.value}"


def ones(*size: int, **keywords: object) -> Tensor:
    return torch.ones(*size, **keywords)


@pytest.mark.parametrize(
    ("args", "shape"),
    [((), (0,)), ((0,), (0,)), ((2, 3), (2, 3)), ((torch.Size([2, 3]),), (2, 3)),
     ((torch.Size([]),), ()), ((numpy.int64(2),), (2,))],
)  # fmt: skip
def test_tensor_of_sizes(args: tuple[object], shape: tuple[int, ...]) -> None:
    x = Tensor(*args)
    assert (type(x), x.shape, x.dtype) == (Tensor, shape, torch.float32)
    assert Tensor(size=list(shape)).shape == shape


@pytest.mark.parametrize(
    ("data", "values"),
    [([2, 3], [2.0, 3.0]), ((2,), [2.0]), ([[1], [2]], [[1.0], [2.0]]), ([], []),
     (range(2), [0.0, 1.0]), (numpy.ones(2), [1.0, 1.0]), (bytearray(b"a"), [97.0])],
)  # fmt: skip
def test_tensor_of_data(data: object, values: list[object]) -> None:
    assert Tensor(data).tolist() == Tensor(data=data).tolist() == values
    assert Tensor(data, device="cpu").dtype is torch.float32


def test_arrays_of_the_dtype_are_shared() -> None:
    array = numpy.zeros(2, numpy.float32)
    shared, copied = FloatTensor(array), DoubleTensor(array)
    array[0] = 5
    assert (shared.tolist(), copied.tolist()) == ([5.0, 0.0], [0.0, 0.0])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Tensor(2.5), "TypeError: new(): data must be a sequence (got float)"),
        (lambda: Tensor({1}), "TypeError: new(): data must be a sequence (got set)"),
        (lambda: Tensor("ab"), "TypeError: new(): invalid data type 'str'"),
        (lambda: Tensor([1j]), "TypeError: must be real number, not complex"),
        (lambda: Tensor(-1),
         "RuntimeError: Trying to create tensor with negative dimension -1: [-1]"),
        (lambda: Tensor(2, 3.5), "TypeError: new(): argument 'size' failed to unpack the object at"
         ' pos 2 with error "type must be tuple of ints,but got float"'),
        (lambda: Tensor(2, "a", device="cuda"), "RuntimeError: legacy constructor expects device"
         " type: cpu but device type: cuda was passed"),
        (lambda: ByteTensor([300]),
         "RuntimeError: value cannot be converted to type uint8 without overflow"),
        (lambda: Tensor(ones(1), device="cpu"), "RuntimeError: Legacy tensor constructor of the"
         " form torch.Tensor(tensor, device=device) is not supported.  Use torch.tensor(...) or"
         " torch.as_tensor(...) instead."),
        (lambda: ones(1).new(ones(1), device="cpu"), "RuntimeError: Legacy tensor new of the form"
         " tensor.new(tensor, device=device) is not supported.  Use torch.as_tensor(...) instead."),
        (lambda: CudaTensor(2), "TypeError: type torch.cuda.FloatTensor not available."
         " Torch not compiled with CUDA enabled."),
    ],
)  # fmt: skip
def test_constructors_refuse(make: Callable[[], object], message: str) -> None:
    assert failure(make) == message


def test_what_no_signature_takes() -> None:
    message = failure(lambda: Tensor([2], dtype=torch.int8))
    assert message.startswith("TypeError: new() received an invalid combination of arguments - got")
    assert " * (tuple of ints size, *, torch.device device = None)\n" in message
    assert "cdata" not in message


def test_tensor_of_a_tensor_is_a_view() -> None:
    x = ones(2, dtype=torch.int8)
    view = Tensor(x)
    assert view is not x
    assert (view._base is x, view.dtype, view.data_ptr()) == (True, torch.int8, x.data_ptr())
    assert failure(lambda: FloatTensor(x)) == (
        "TypeError: expected TensorOptions(dtype=float, device=cpu, layout=Strided,"
        " requires_grad=false (default), pinned_memory=false (default), memory_format=(nullopt))"
        " (got TensorOptions(dtype=signed char, device=cpu, layout=Strided, requires_grad=false"
        " (default), pinned_memory=false (default), memory_format=(nullopt)))"
    )
    history = type(Tensor(ones(2, requires_grad=True)).grad_fn)
    assert history.__name__ == "AliasBackward0"


def test_tensor_of_a_storage_shares_it() -> None:
    x = ones(2)
    assert Tensor(x.untyped_storage()).data_ptr() == x.data_ptr()
    assert FloatTensor(typed_storage(x.untyped_storage(), torch.float32)).tolist() == [1.0, 1.0]
    doubles = typed_storage(x.untyped_storage(), torch.float64)
    start = "RuntimeError: Expected a Storage of type Float or an UntypedStorage, but got"
    assert failure(lambda: Tensor(doubles)) == f"{start} type Double for argument 1 'storage'"
    torch.storage._reset_warn_typed_storage_removal()
    with pytest.warns(UserWarning, match=r"^TypedStorage is deprecated\."):
        assert failure(lambda: Tensor(data=doubles)) == f"{start} Double"


def test_the_default_dtype_decides() -> None:
    torch.set_default_dtype(torch.float64)
    assert Tensor([1]).dtype is ones(1, dtype=torch.int8).type(Tensor).dtype is torch.float64


def test_new_keeps_the_dtype() -> None:
    x = ones(2, dtype=torch.int8)
    assert (x.new([1, 2]).dtype, x.new(2, 3).shape) == (torch.int8, (2, 3))
    assert (x.new(x.size()).shape, x.new().shape) == ((2,), (0,))


@pytest.mark.parametrize(
    ("name", "dtype"),
    [("Float", "float32"), ("Double", "float64"), ("Half", "float16"), ("BFloat16", "bfloat16"),
     ("Byte", "uint8"), ("Char", "int8"), ("Short", "int16"), ("Int", "int32"), ("Long", "int64"),
     ("Bool", "bool")],
)  # fmt: skip
def test_a_legacy_class_names_a_dtype(name: str, dtype: str) -> None:
    tensor_type, wanted = LEGACY_TENSORS[f"{name}Tensor"], getattr(torch, dtype)
    assert (tensor_type.dtype, tensor_type.layout, tensor_type.is_cuda) == (
        wanted,
        torch.strided,
        False,
    )
    assert (tensor_type.is_sparse, tensor_type.is_xpu, tensor_type.is_sparse_csr) == (
        False,
        False,
        False,
    )
    x = tensor_type([1, 0])
    assert (type(x), x.dtype) == (Tensor, wanted)
    assert [cls for cls in LEGACY_TENSORS.values() if isinstance(x, cls)] == [tensor_type]
    assert x.type() == f"torch.{name}Tensor"
    assert ones(2, dtype=torch.int16).type(tensor_type).dtype is wanted
    assert ones(2, dtype=torch.int16).type(f"torch.{name}Tensor").dtype is wanted
    assert (tensor_type.__name__, tensor_type.__qualname__) == (f"{name}Tensor", f"{name}Tensor")
    assert CUDA_TENSORS[f"{name}Tensor"].is_cuda


def test_legacy_classes_are_closed() -> None:
    assert not issubclass(Tensor, FloatTensor)
    assert not issubclass(FloatTensor, Tensor)
    assert not isinstance(1, FloatTensor)
    assert not isinstance(ones(1), CudaTensor)
    assert FloatTensor.view is Tensor.view
    assert failure(lambda: FloatTensor.what) == (
        "AttributeError: type object 'torch.FloatTensor' has no attribute 'what'"
    )
    assert failure(lambda: setattr(FloatTensor, "x", 1)) == (
        "TypeError: cannot set 'x' attribute of immutable type 'torch.FloatTensor'"
    )
    assert failure(lambda: type("X", (FloatTensor,), {})).startswith("TypeError: ")
    assert type(FloatTensor).__name__ == "tensortype"


def test_type_is_a_conversion() -> None:
    x = ones(2, 3, 2, 2)
    assert x.type() == x.type(None) == "torch.FloatTensor"
    assert x.type(torch.float32) is x.type(FloatTensor) is x.type_as(x) is x
    assert x.type("torch.sparse.IntTensor").dtype is torch.int32
    assert x.type(b"torch.UInt16Tensor").dtype is torch.uint16
    assert x.type_as(ones(1, dtype=torch.bool)).dtype is torch.bool
    assert x.type(torch.int8, memory_format=torch.channels_last).stride() == (12, 1, 6, 3)


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (1, "TypeError: dtype must be a type, str, or dtype object"),
        ("torch.float32", "ValueError: invalid type: 'torch.float32'"),
        (float, "ValueError: invalid type: 'float'"),
        (numpy.float32, "ValueError: invalid type: 'numpy.float32'"),
        (torch.dtype, "ValueError: invalid type: 'torch.dtype'"),
        ("torch.meta.FloatTensor", "ValueError: invalid type: 'torch.meta.FloatTensor'"),
        ("torch.xpu.FloatTensor", "AssertionError: Torch not compiled with XPU enabled"),
    ],
)
def test_type_refuses(wanted: object, message: str) -> None:
    assert failure(lambda: ones(1).type(wanted)) == message


def test_types_of_cuda_are_not_looked_at() -> None:
    for wanted in (CudaTensor, "torch.cuda.what"):
        message = failure(lambda wanted=wanted: ones(1).type(wanted))  # type: ignore[misc]
        assert message.startswith("RuntimeError: Cannot initialize CUDA without ATen_cuda library.")


@pytest.mark.filterwarnings("ignore:torch.set_default_tensor_type")
def test_set_default_tensor_type() -> None:
    for wanted in (DoubleTensor, LEGACY_TENSORS["HalfTensor"], FloatTensor):
        set_default_tensor_type(wanted)
        assert torch.get_default_dtype() is wanted.dtype
    not_a_type = "invalid type object: only floating-point types are supported as the default type"
    for bad, message in (
        (Tensor, f"TypeError: {not_a_type}"),
        ("torch.float64", f"TypeError: {not_a_type}"),
        (ByteTensor, "TypeError: only floating-point types are supported as the default type"),
        (CudaTensor, "TypeError: type torch.cuda.FloatTensor not available. Torch not compiled"
         " with CUDA enabled."),
        ("torch.what", "AttributeError: module 'torch' has no attribute 'what'"),
        ("", "ValueError: Empty module name"),
    ):  # fmt: skip
        assert failure(lambda bad=bad: set_default_tensor_type(bad)) == message  # type: ignore[misc]
    assert torch.get_default_dtype() is torch.float32


class Mine(Tensor):
    pass


def test_subclasses_make_their_own() -> None:
    x = ones(2)
    for tensor in (Mine([1, 1]), Mine(x), x.as_subclass(Mine), Tensor._make_subclass(Mine, x)):
        assert (type(tensor), tensor.tolist()) == (Mine, [1.0, 1.0])
        assert isinstance(tensor, FloatTensor)
    assert type(Tensor(Mine([1]))) is type(Mine([1]).as_subclass(Tensor)) is Tensor
    assert type(Mine([1]).view(1)) is type(Mine([1]).new([2])) is Mine
    view = x.as_subclass(Mine)
    assert (view._base is x, view.data_ptr()) == (True, x.data_ptr())


def test_make_subclass() -> None:
    x = ones(2, requires_grad=True)
    result = Tensor._make_subclass(Mine, x)
    assert (result.requires_grad, result._base) == (False, None)
    assert Tensor._make_subclass(Mine, x, True).requires_grad
    assert failure(lambda: Tensor._make_subclass(Mine, ones(1, dtype=torch.int8), True)) == (
        "RuntimeError: Only Tensors of floating point and complex dtype can require gradients"
    )
    assert failure(lambda: x.as_subclass(1)) == "TypeError: cls must be a type (got int)"
    assert re.match(
        "TypeError: Creating a Tensor subclass from a class that does not inherit from Tensor",
        failure(lambda: x.as_subclass(int)),
    )


def test_make_subclass_checks_the_class_first() -> None:
    data = torch.ones(2, dtype=torch.int64)
    for require_grad in (False, True):
        with pytest.raises(TypeError, match="does not inherit from Tensor"):
            torch.Tensor._make_subclass(int, data, require_grad)
    with pytest.raises(RuntimeError, match="can require gradients"):
        torch.Tensor._make_subclass(torch.Tensor, data, True)


def test_a_copy_of_a_subclass_instance_is_a_view() -> None:
    class Subclass(torch.Tensor):
        pass

    copied = copy.copy(torch.ones(2).as_subclass(Subclass))
    assert (type(copied), copied._version, copied._is_view()) == (Subclass, 1, True)


def test_read_only_attributes_name_the_c_class() -> None:
    with pytest.raises(AttributeError, match="attribute 'is_cpu' of"):
        torch.ones(2).is_cpu = True
