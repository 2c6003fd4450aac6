"""Tensors from data: copies, shared memory and errors."""

import array
import warnings

import numpy as np
import pytest

import impl as torch
from impl._ops.creation.from_data import as_tensor, asarray, from_numpy, scalar_tensor, tensor
from impl._ops.creation.frombuffer import frombuffer

FOUR = bytearray(b"abcd")


def read_only():
    array = np.ones(2)
    array.flags.writeable = False
    return array


def shares(tensor_, source):
    source[...] = 7
    return tensor_.tolist() == np.asarray(source).tolist()


def warnings_of(run):
    """Return the start of each warning."""
    torch.set_warn_always(True)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            run()
    finally:
        torch.set_warn_always(False)
    return [str(warning.message)[:30] for warning in caught]


def test_data_of_python():
    x = tensor([[1.0, 2, 3], [4, 5, 6]])
    assert (x.dtype, x.shape, x.stride()) == (torch.float32, (2, 3), (3, 1))
    assert tensor(5).dtype is torch.int64
    assert tensor([True, 2]).tolist() == [1, 2]
    assert tensor([1], dtype=float).dtype is torch.float64
    assert tensor([]).dtype is torch.float32
    assert as_tensor([1, 2j]).dtype is torch.complex64
    assert asarray(range(3)).tolist() == [0, 1, 2]
    assert tensor(bytearray(b"ab")).tolist() == [97, 98]
    assert tensor([1.0], requires_grad=True).requires_grad
    assert torch.ones(2, dtype=torch.int16).new_tensor([1.5, 2]).tolist() == [1, 2]


def test_arrays_are_copied_or_shared():
    assert not shares(tensor(source := np.ones((2, 3))), source)
    assert shares(as_tensor(source := np.ones((2, 3))), source)
    assert shares(asarray(source := np.ones(3)), source)
    assert shares(from_numpy(source := np.ones((4, 6))[1::2, ::3].T), source)
    assert not shares(as_tensor(source := np.ones(2), dtype=torch.float32), source)
    assert not shares(as_tensor(source := np.ones(2), device="cpu:0"), source)
    assert not shares(asarray(source := np.ones(2), copy=True), source)
    # A 0-dimensional array is read as a scalar.
    assert not shares(asarray(source := np.ones(()), copy=False), source)
    assert tensor(np.ones((2, 3)).T).stride() == (1, 3)
    assert from_numpy(np.zeros(3, [("a", "f4"), ("b", "i4")])["b"]).stride() == (2,)


def test_storage_of_an_array():
    x = from_numpy(np.ones((3, 4))[:, 1:])
    assert (x.storage_offset(), x.untyped_storage().nbytes()) == (0, 88)
    assert not x.untyped_storage().resizable()
    assert asarray(np.float32(1)).untyped_storage().resizable()


def test_read_only_arrays_are_written_to():
    source = read_only()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x = from_numpy(source)
    x.fill_(3)
    assert source.tolist() == [3, 3]
    assert warnings_of(lambda: from_numpy(read_only())) == ["The given NumPy array is not w"]
    assert warnings_of(lambda: as_tensor(read_only(), dtype=torch.int32)) == warnings_of(
        lambda: asarray(read_only())
    )
    assert warnings_of(lambda: tensor(read_only())) == []
    assert warnings_of(lambda: asarray(read_only(), dtype=torch.int32)) == []


def test_arrays_that_cannot_be_shared():
    with pytest.raises(TypeError, match=r"^expected np.ndarray \(got list\)$"):
        from_numpy([1])
    with pytest.raises(TypeError, match=r"can't convert np.ndarray of type numpy.ulonglong"):
        from_numpy(np.ones(2, np.ulonglong))
    with pytest.raises(ValueError, match=r"strides not a multiple of the element byte size"):
        from_numpy(np.zeros(1, [("a", "f4"), ("b", "i1")])["a"])
    with pytest.raises(ValueError, match=r"At least one stride in the given numpy array is neg"):
        tensor(np.ones((1, 4))[::-1])
    with pytest.raises(TypeError, match=r"from_numpy\(\) takes no keyword arguments$"):
        from_numpy(ndarray=1)


def test_tensors_as_data():
    source = torch.ones(2, requires_grad=True)
    assert as_tensor(source) is source
    assert as_tensor(source, dtype=torch.float64).grad_fn.name() == "ToCopyBackward0"
    assert warnings_of(lambda: tensor(source)) == ["To copy construct from a tenso"]
    with pytest.warns(UserWarning, match=r"rather than torch.tensor\(sourceTensor\)\.$"):
        x = tensor(source)
    assert x.is_leaf
    assert not x.requires_grad


def test_asarray_and_gradients():
    leaf = torch.ones(2, requires_grad=True)
    assert asarray(leaf, requires_grad=True, copy=True).grad_fn.name() == "CloneBackward0"
    view = leaf.view(2)
    assert asarray(view, requires_grad=True) is view
    assert asarray(view, requires_grad=False).grad_fn is None
    assert warnings_of(lambda: asarray(leaf)) == ["torch.asarray: unspecified req"]
    assert asarray(leaf, requires_grad=False) is leaf
    assert not leaf.requires_grad
    with pytest.raises(RuntimeError, match=r"^Only Tensors of floating point and complex dtype"):
        asarray(torch.ones(2, dtype=torch.int8), requires_grad=True)


def test_asarray_refuses_to_copy():
    for data, options, message in (
        ([1.0], {}, "can't alias arbitrary sequence into a tensor."),
        (torch.ones(2), {"dtype": torch.int32}, "dtype 'Float' into dtype 'Int'"),
        (torch.ones(2), {"device": "cpu:0"}, "from device 'cpu' to 'cpu:0'"),
    ):
        with pytest.raises(ValueError, match=message):
            asarray(data, copy=False, **options)
    with pytest.raises(RuntimeError, match=r"^can't alias NumPy scalars. "):
        asarray(np.float32(1), copy=False)
    with pytest.raises(ValueError, match=r"'Bool' into dtype 'Char'"):
        asarray(np.bool_(True), copy=True, dtype=torch.int8)


def test_storages_as_data():
    storage = torch.UntypedStorage([1, 2, 3, 4])
    x = tensor(storage, dtype=torch.uint8)
    storage[0] = 9
    assert x.tolist() == [9, 2, 3, 4]
    assert tensor(storage).shape == (0,)
    assert tensor(torch.UntypedStorage(0)).dtype is torch.float32


def test_what_is_refused_first():
    with pytest.raises(ValueError, match=r"expected sequence of length 1 at dim 1"):
        tensor([[1], [2, 3]], device="cuda")
    with pytest.raises(RuntimeError, match=r"^pin_memory=True requires a CUDA"):
        tensor([[1], [2, 3]], pin_memory=True)
    with pytest.raises(RuntimeError, match=r"^Could not infer dtype of NoneType$"):
        tensor([None], pin_memory=True)
    with pytest.raises(RuntimeError, match=r"^Can't pin tensor constructed from numpy$"):
        tensor(np.ones(2), pin_memory=True)
    with pytest.raises(TypeError, match=r"^tensor\(\) takes 1 positional argument but 2 were"):
        tensor(1, torch.float32)


def test_scalar_tensor():
    assert scalar_tensor(3).dtype is torch.float32
    assert scalar_tensor(-1, dtype=torch.uint8).item() == 255
    with pytest.raises(RuntimeError, match=r"type uint8_t without overflow"):
        scalar_tensor(300, dtype=torch.uint8)
    with pytest.raises(NotImplementedError, match="not implemented for 'Bits8'"):
        scalar_tensor(1, dtype=torch.bits8)


def test_buffers():
    source = bytearray(range(8))
    x = frombuffer(source, dtype=torch.int16, count=2, offset=1)
    assert x.tolist() == [0x201, 0x403]
    source[1] = 0
    assert x.tolist() == [0x200, 0x403]
    assert (x.storage_offset(), x.untyped_storage().nbytes()) == (0, 4)
    assert frombuffer(array.array("d", [1, 2]), dtype=torch.float64).tolist() == [1, 2]
    assert frombuffer(np.ones((2, 3)), dtype=torch.int8).shape == (48,)
    assert asarray(bytearray(8)).dtype is torch.float32
    assert warnings_of(lambda: frombuffer(b"ab", dtype=torch.int8)) == [
        "The given buffer is not writab"
    ]


@pytest.mark.parametrize(
    ("buffer", "options", "cls", "message"),
    [
        (FOUR, {"count": 0}, ValueError, r"both buffer length \(4\) and count \(0\) must not be 0"),
        (FOUR, {"offset": 4}, ValueError, r"offset \(4 bytes\) must be non-negative"),
        (FOUR, {"offset": 1}, ValueError, r"must be a multiple of element size \(2\)"),
        (FOUR, {"count": 3}, ValueError, r"requested buffer length \(3 \* 2 bytes\) after offset"),
        ([1], {}, ValueError, "object does not implement Python buffer protocol."),
        (memoryview(FOUR)[::2], {}, RuntimeError, "could not retrieve buffer from object"),
        (np.ones((2, 3)).T, {}, RuntimeError, "could not retrieve buffer from object"),
    ],
)
def test_buffers_that_do_not_fit(buffer, options, cls, message):
    with pytest.raises(cls, match=message):
        frombuffer(buffer, dtype=torch.int16, **options)
