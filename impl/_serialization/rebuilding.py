"""The functions that pickles of tensors call (torch/_utils.py and torch/_tensor.py).

A file decides the arguments, so each check, and its order, is torch's.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from .._dtypes.table import dtype
from .._geometry.extents import Ints
from .._geometry.layout import sparse_coo
from .._numerics.conj_neg import CONJUGATE, NEGATIVE
from .._ops.sparse.construct import check_sparse_invariants
from .._runtime.errors import check
from .._runtime.lazy_exports import PUBLIC, public_in
from .._runtime.warnings import is_python_frame
from .._tensor.factories import empty, empty_strided
from .._tensor.parameter import Parameter
from .._tensor.sparse_invariants import check_sparse_tensor_invariants
from .._tensor.tensor import Tensor
from .options import THREAD_OPTIONS


@public_in("serialization")
@is_python_frame
def _rebuild_tensor(storage: Any, storage_offset: int, size: Ints, stride: Ints) -> Tensor:
    """Return a tensor from a file of an early version of torch."""
    tensor: Any = empty((0,), dtype=storage.dtype, device=storage._untyped_storage.device)
    return tensor.set_(  # type: ignore[no-any-return]
        storage._untyped_storage, storage_offset, size, stride
    )


@public_in("serialization")
def _rebuild_tensor_v2(
    storage: Any,
    storage_offset: int,
    size: Ints,
    stride: Ints,
    requires_grad: bool,
    backward_hooks: Any,
    metadata: Any = None,
) -> Tensor:
    """Return a tensor from a pickle or copy, with the dtype of the typed storage."""
    tensor: Tensor = _rebuild_tensor(storage, storage_offset, size, stride)
    tensor.requires_grad = requires_grad
    if metadata:
        _set_metadata(tensor, metadata)
    return tensor


@public_in("serialization")
@is_python_frame
def _rebuild_tensor_v3(
    storage: Any,
    storage_offset: int,
    size: Ints,
    stride: Ints,
    requires_grad: bool,
    backward_hooks: Any,
    dtype: dtype,
    metadata: Any = None,
) -> Tensor:
    """Return a tensor from a pickle or copy.

    Torch 2.13 expects a typed storage, but the new dtypes have an untyped one.  So it can pickle
    their tensors, but neither load them with plain pickle nor copy them with copy.copy.
    """
    untyped = storage._untyped_storage
    tensor: Any = empty((0,), dtype=dtype, device=untyped.device, requires_grad=requires_grad)
    tensor.set_(untyped, storage_offset, size, stride)
    if metadata:
        _set_metadata(tensor, metadata)
    return tensor  # type: ignore[no-any-return]


_BITS = {"conj": CONJUGATE, "neg": NEGATIVE}


def metadata_of(tensor: Tensor) -> dict[str, bool]:
    """Return the metadata of a tensor in a pickle: its conj and neg bits, if they are set."""
    # Torch makes new strings, as pickles show.
    return {"".join([*name]): True for name in ("neg", "conj") if tensor._conj_neg & _BITS[name]}


def _set_metadata(tensor: Tensor, metadata: Any) -> None:
    """Set the bits that metadata names, whatever their values."""
    if not isinstance(metadata, dict):
        raise AssertionError(f"expected dict, got {type(metadata).__name__}")
    if not all(map(_is_name_of_flag, metadata, metadata.values())):
        raise TypeError(
            "_set_tensor_metadata(): incompatible function arguments. The following argument types"
            " are supported:\n    1. (arg0: torch.Tensor, arg1: collections.abc.Mapping[str, bool])"
            f" -> None\n\nInvoked with: {tensor!r}, {metadata!r}"
        )
    names: Mapping[str, int] = {
        name: bit for name, bit in _BITS.items() if name in metadata or name.encode() in metadata
    }
    check("conj" not in names or tensor._dtype.is_complex, lambda: _NOT_COMPLEX)
    tensor._conj_neg |= sum(names.values())


def _is_name_of_flag(name: Any, value: Any) -> bool:
    """Return whether pybind11 converts an item to a C string and a bool."""
    return type(name) in (str, bytes) and (value is None or hasattr(type(value), "__bool__"))


_NOT_COMPLEX = (
    "isComplexType(typeMetaToScalarType(dtype())) INTERNAL ASSERT FAILED at"
    ' "/__w/pytorch/pytorch/c10/core/TensorImpl.h":1470, please report a bug to PyTorch. '
)


@public_in("serialization")
@is_python_frame
def _rebuild_meta_tensor_no_storage(
    dtype: dtype, size: Any, stride: Any, requires_grad: bool
) -> Tensor:
    """Return a tensor on meta, which shares no storage with the pickled one."""
    return empty_strided(size, stride, dtype=dtype, device="meta", requires_grad=requires_grad)


@public_in("serialization")
@is_python_frame
def _rebuild_parameter(data: Any, requires_grad: bool, backward_hooks: Any) -> Tensor:
    """Return a parameter from a pickle or copy."""
    return Parameter(data, requires_grad)


@public_in("serialization")
def _rebuild_parameter_with_state(
    data: Any, requires_grad: bool, backward_hooks: Any, state: Any
) -> Tensor:
    """Return a parameter with attributes from a pickle or copy."""
    parameter = _rebuild_parameter(data, requires_grad, backward_hooks)
    return _set_state(parameter, state)  # type: ignore[no-any-return]


@public_in("serialization")
def _rebuild_from_type_v2(
    func: Any, new_type: type[Tensor], args: tuple[Any, ...], state: Any
) -> Tensor:
    """Return a tensor of a subclass, or with attributes of its own."""
    tensor = func(*args)
    if type(tensor) is not new_type:
        tensor = tensor.as_subclass(new_type)
    own: Any = Tensor.__setstate__  # type: ignore[attr-defined]
    if getattr(type(tensor), "__setstate__", own) is not own:
        tensor.__setstate__(state)
        return tensor  # type: ignore[no-any-return]
    return _set_state(tensor, state)  # type: ignore[no-any-return]


def _set_state(target: Any, state: Any) -> Any:
    """Set the attributes and slots of a pickled object, and return it."""
    check(
        not isinstance(state, tuple) or len(state) == 2,
        lambda: f"Invalid serialized state: {state}",
    )
    for part in state if isinstance(state, tuple) else (state,):
        if part:
            for name, value in part.items():
                setattr(target, name, value)
    return target


@public_in("serialization")
@is_python_frame
def _rebuild_sparse_tensor(layout: Any, data: tuple[Any, ...]) -> Tensor:
    """Return a sparse tensor from a pickle or copy; its indices are not checked."""
    if layout is not sparse_coo:
        raise NotImplementedError(f"rebuilding sparse tensor for layout {layout}")
    is_coalesced = None
    if len(data) == 3:
        indices, values, size = data
    else:
        indices, values, size, is_coalesced = data
    result: Tensor = PUBLIC["sparse_coo_tensor"](
        indices, values, size, check_invariants=False, is_coalesced=is_coalesced
    )
    if THREAD_OPTIONS.loaded_sparse is not None:
        THREAD_OPTIONS.loaded_sparse.append(result)
    return result


@contextmanager
def sparse_tensors_validated() -> Iterator[None]:
    """Return a context that validates the sparse tensors of a file at its end.

    A legacy file has the elements of indices after its tensors.
    """
    former, THREAD_OPTIONS.loaded_sparse = THREAD_OPTIONS.loaded_sparse, []
    try:
        yield
        if check_sparse_tensor_invariants.is_enabled():
            for tensor in THREAD_OPTIONS.loaded_sparse:
                parts = tensor._indices(), tensor._values()
                check_sparse_invariants(*parts, tensor._geometry.shape, tensor.is_coalesced())
    finally:
        THREAD_OPTIONS.loaded_sparse = former
