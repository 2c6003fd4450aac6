"""NumPy arrays, DLPack, copies, pickles, shared memory and membership."""

import copy
import gc
import os
import pickle
import subprocess
import sys
from decimal import Decimal

import numpy as np
import pytest

import impl as torch
import impl._ops.indexing.contains
import impl.serialization  # adds its methods to Tensor
from impl._ops.creation.from_data import from_numpy, tensor
from impl._ops.methods.numpy_dlpack import DLDeviceType, from_dlpack, to_dlpack
from impl._tensor.tensor import new_tensor


def geometry(x):
    return tuple(x.shape), x.stride(), x.storage_offset()


def test_numpy_shares_and_forbids_resizing():
    x = torch.ones(3, 4)[1:, ::2]
    array = x.numpy()
    array[0, 0] = 9
    assert x[0, 0].item() == 9
    assert array.strides == (16, 8)
    assert not x.untyped_storage().resizable()
    assert torch.empty_strided((1, 3), (7, 1)).numpy().strides == (28, 4)
    assert np.asarray(x, dtype="i1").dtype == np.int8


def test_numpy_refuses():
    leaf = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match=r"^Can't call numpy\(\) on Tensor that requires grad"):
        leaf.numpy()
    assert leaf.numpy(force=True).tolist() == [1, 1]
    with pytest.raises(TypeError, match=r"^Got unsupported ScalarType BFloat16$"):
        np.asarray(torch.ones(2, dtype=torch.bfloat16))
    with pytest.raises(TypeError, match=r"^numpy\(\): argument 'force' must be bool, not int$"):
        leaf.numpy(force=1)


def test_functions_of_numpy_give_tensors():
    x = torch.ones(2)
    assert x.__array_wrap__(np.ones(2)).dtype is torch.float64
    assert x.__array_wrap__(np.ones(2) > 0).dtype is torch.uint8
    assert not hasattr(x, "__cuda_array_interface__")


EXPORTED = [
    "bool", "uint8", "int64", "uint16", "float16", "float64", "bfloat16", "complex32", "complex128",
    "float8_e5m2", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e8m0fnu", "float4_e2m1fn_x2",
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:ComplexHalf")
@pytest.mark.parametrize("version", [None, (1, 0)])
@pytest.mark.parametrize("name", EXPORTED)
def test_dlpack_to_itself(name, version):
    source = torch.empty((3, 4), dtype=getattr(torch, name))[1:, ::2]
    capsule = source.__dlpack__(max_version=version)
    x = from_dlpack(capsule)
    assert x.dtype is source.dtype
    assert geometry(x) == ((2, 2), (4, 2), 0)
    assert x.data_ptr() == source.data_ptr()
    assert not x.untyped_storage().resizable()
    assert '"used_dltensor' in repr(capsule)
    with pytest.raises(RuntimeError, match=r"^from_dlpack received an invalid capsule. "):
        from_dlpack(capsule)


def test_dlpack_strides_are_kept():
    for source in (
        torch.ones(3, 1, 2), torch.empty_strided((1, 3), (7, 1)), torch.ones(1).expand(3),
        torch.ones(0, 3), torch.ones(()),
    ):  # fmt: skip
        assert geometry(from_dlpack(source)) == geometry(source)


def test_dlpack_with_numpy():
    source = np.ones((3, 4))[1:, ::2]
    x = from_dlpack(source)
    source[0, 0] = 5
    assert x[0, 0].item() == 5
    array = np.from_dlpack(x)
    x.fill_(6)
    assert array.tolist() == source.tolist() == [[6, 6], [6, 6]]
    assert from_dlpack(np.ones((1, 4))[::-1]).stride() == (4, 1)
    with pytest.raises(RuntimeError, match=r"overflowed with sizes=\[2\] and strides=\[-1\]$"):
        from_dlpack(np.ones(2)[::-1])


def test_dlpack_copies():
    source = torch.ones(2)
    x = from_dlpack(source, copy=True)
    source.fill_(2)
    assert x.tolist() == [1, 1]
    # NumPy and torch refuse the argument, so the call omits it.
    assert from_dlpack(source, copy=3).data_ptr() == source.data_ptr()


def test_dlpack_keeps_memory_alive():
    x = from_dlpack(tensor([1.0, 2.0, 3.0]))
    array = np.from_dlpack(tensor([4.0, 5.0]))
    capsule = to_dlpack(tensor([6.0]))
    gc.collect()
    others = [torch.zeros(3) for _ in range(1000)]
    assert (x.tolist(), array.tolist(), len(others)) == ([1, 2, 3], [4, 5], 1000)
    assert from_dlpack(capsule).tolist() == [6]


@pytest.mark.parametrize(
    ("options", "cls", "message"),
    [
        ({"stream": 1}, AssertionError, "^stream should be None on cpu.$"),
        ({"stream": "a"}, TypeError, "^stream must be ``int`` or ``none``$"),
        ({"copy": 3}, TypeError, r"^_to_dlpack\(\): argument 'copy' must be bool, not int$"),
        ({"dl_device": (1,)}, RuntimeError, "^dl_device must be either None or a tuple of ints$"),
        ({"dl_device": (3, 0)}, BufferError, "^Unsupported device_type: 3$"),
        ({"dl_device": (2, 200), "copy": False}, ValueError, "from cpu to cuda:-56 without"),
    ],
)
def test_dlpack_refuses(options, cls, message):
    with pytest.raises(cls, match=message):
        torch.ones(2).__dlpack__(**options)


def test_dlpack_refuses_tensors():
    with pytest.raises(BufferError, match=r"^Can't export tensors that require gradient"):
        torch.ones(2, requires_grad=True).__dlpack__()
    with pytest.raises(BufferError, match=r"^Bit types are not supported by dlpack$"):
        to_dlpack(torch.empty(2, dtype=torch.bits8))
    with pytest.raises(AssertionError, match=r"^device and copy kwargs not supported when"):
        from_dlpack(3, copy=True)
    with pytest.raises(BufferError, match=r"^Cannot pack tensors on meta$"):
        from_dlpack(torch.ones(2), device="meta")
    assert torch.ones(2).__dlpack_device__() == (DLDeviceType.kDLCPU, 0)


def test_copy_shares_and_deepcopy_does_not():
    source = torch.ones(3, 4, requires_grad=True).detach()[1:, ::2]
    shallow, deep = copy.copy(source), copy.deepcopy(source)
    assert geometry(shallow) == geometry(deep) == geometry(source)
    assert shallow.untyped_storage() is source.untyped_storage()
    assert deep.untyped_storage().data_ptr() != source.untyped_storage().data_ptr()
    assert deep.untyped_storage().nbytes() == 48
    one, two, three = copy.deepcopy([source, source.t(), source])
    assert one is three
    assert one.untyped_storage() is two.untyped_storage()


def test_deepcopy_of_attributes_and_gradients():
    source = torch.ones(2, requires_grad=True)
    source.note = [1]
    deep = copy.deepcopy(source)
    assert deep.requires_grad
    assert (deep.note, deep.note is source.note) == ([1], False)
    assert copy.copy(source).note is source.note
    with pytest.raises(RuntimeError, match=r"^Only Tensors created explicitly by the user"):
        copy.deepcopy(source.view(2))


@pytest.mark.parametrize("protocol", range(6))
def test_pickles(protocol):
    source = torch.ones(3, 4)[1:, ::2].requires_grad_()
    source.note = "n"
    x, again = pickle.loads(pickle.dumps([source, source], protocol))
    assert x is again
    assert geometry(x) == geometry(source)
    assert (x.requires_grad, x.is_leaf, x.note) == (True, True, "n")
    assert x.untyped_storage().nbytes() == 48


def test_plain_pickle_does_not_keep_sharing():
    source = torch.ones(3)
    one, two = pickle.loads(pickle.dumps([source, source.view(3)]))
    one.fill_(5)
    assert two.tolist() == [1, 1, 1]


def test_late_dtypes_are_pickled_but_not_read():
    content = pickle.dumps(torch.ones(2, dtype=torch.uint16))
    with pytest.raises(AttributeError, match=r"UntypedStorage' has no attribute 'dtype'$"):
        pickle.loads(content)
    with pytest.raises(KeyError, match=r"dtype torch.uint4 is not recognized"):
        pickle.dumps(torch.empty(2, dtype=torch.uint4))


def test_pickle_across_processes():
    content = pickle.dumps(tensor([1.5, 2.5], dtype=torch.bfloat16))
    code = f"import pickle; print(pickle.loads({content!r}).tolist())"
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert process.stdout == "[1.5, 2.5]\n"


class Noted(torch.Tensor):
    """A subclass."""


def test_subclasses_stay():
    source = new_tensor(*parts_of(torch.ones(2)), Noted)
    assert type(pickle.loads(pickle.dumps(source))) is Noted
    with pytest.raises(RuntimeError, match="another instance of the same subclass"):
        copy.deepcopy(source)


def parts_of(x):
    return x._storage, x._geometry, x._offset, x._dtype


def test_setstate():
    x = torch.ones(3)
    x.__setstate__((True, None, {}))
    assert x.requires_grad
    other = torch.ones(3)
    other.__setstate__((torch.ones(2).untyped_storage(), 0, (2,), (1,)))
    assert other.tolist() == [1, 1]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_shared_memory_is_seen_after_a_fork():
    x = torch.ones(2)
    view = x[1:]
    assert x.share_memory_() is x
    assert (x.is_shared(), view.is_shared(), torch.ones(2).is_shared()) == (True, True, False)
    child = os.fork()
    if not child:
        view.fill_(8)
        os._exit(0)
    os.waitpid(child, 0)
    assert x.tolist() == [1, 8]
    assert not copy.deepcopy(x).is_shared()


@pytest.mark.parametrize(
    ("element", "data", "dtype", "expected"),
    [
        (200, [-56], torch.int8, True),
        (2**31, [-(2**31)], torch.int32, True),
        (0.1, [0.1], torch.bfloat16, True),
        (1e300, [float("inf")], torch.float32, True),
        (float("nan"), [float("nan")], torch.float64, False),
        (1.5, [1], torch.uint16, False),
        (1j, [1.0], torch.float32, False),
        (2, [True], torch.bool, False),
        (1, [], torch.float32, False),
        (np.float32(1), [1], torch.int64, True),
    ],
)
def test_membership(element, data, dtype, expected):
    assert (element in tensor(data, dtype=dtype)) is expected


def test_membership_of_tensors_and_others():
    matrix = tensor([[1, 5], [6, 7]])
    assert tensor([1, 2]) in matrix
    with pytest.raises(RuntimeError, match=r"^The size of tensor a \(3\) must match"):
        tensor([1, 2, 3]) in matrix  # noqa: B015
    with pytest.raises(RuntimeError, match=r"only supports Tensor or scalar, but you passed in a"):
        "a" in matrix  # noqa: B015
    with pytest.raises(AttributeError, match=r"^'bool' object has no attribute 'any'$"):
        Decimal(1) in matrix  # noqa: B015
    with pytest.raises(NotImplementedError, match="not implemented for 'UInt4'"):
        1 in torch.empty(1, dtype=torch.uint4)  # noqa: B015


def test_small_questions():
    assert tensor([0.5]).is_nonzero()
    assert torch.ones(2).get_device() == -1
    x = from_numpy(np.ones(2))
    x.note = 1
    assert "note" in dir(x)


def test_numpy_needs_no_detach_without_grad_mode():
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="Can't call numpy"):
        x.numpy()
    with torch.no_grad():
        assert x.numpy().tolist() == [1, 1]
