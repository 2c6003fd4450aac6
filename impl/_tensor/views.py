"""Views and shallow copies of tensors, and the grad_fn of new tensors."""

from .._autograd.autograd_meta import (
    INFERENCE_VERSION_COUNTER,
    AutogradMeta,
    is_inference,
    version,
    version_counter,
)
from .._autograd.tracking import record_inputs, record_view
from .._dtypes.table import dtype
from .._geometry.extents import INT64_MAX, Ints
from .._geometry.geometry import Geometry, on_device, strided
from .._geometry.view_checks import wrapped_offset
from .._runtime.grad_modes import NON_DEFAULT_THREADS
from .sparse_missing import could_not_run, sparse_backend
from .tensor import Tensor, new_tensor, shallow_copy

_new = object.__new__


def detach(tensor: Tensor) -> Tensor:
    """Return a shallow copy that shares the version counter (Tensor.detach)."""
    return with_version_of(shallow_copy(tensor), tensor)


def with_version_of(result: Tensor, tensor: Tensor) -> Tensor:
    """Return a new tensor that shares the version counter of another one."""
    if not is_inference(tensor):
        result._version_counter = version_counter(tensor)
    return result


def plain_view(tensor: Tensor, sizes: Ints, steps: Ints, offset: int = 0) -> Tensor:
    """Return a view without autograd metadata, so many elements after the tensor's offset."""
    return new_tensor(
        tensor._storage, strided(sizes, steps), tensor._offset + offset, tensor._dtype
    )


def view_of(
    tensor: Tensor, geometry: Geometry, offset: int, function: str, output: int | None = None
) -> Tensor:
    """Return a view of a tensor; ``function`` is the name of its grad_fn.

    ``output`` is the index among several views from one function.
    """
    if offset > INT64_MAX:
        offset = wrapped_offset(offset)
    view: Tensor = _new(Tensor)
    view._storage = tensor._storage
    device = tensor._geometry.device
    view._geometry = geometry if geometry.device is device else on_device(geometry, device)
    view._offset = offset
    view._dtype = tensor._dtype
    view._conj_neg = tensor._conj_neg
    view._array = None
    view._autograd_meta = None
    view._version_counter = None
    base = tensor if tensor._view_base is None else tensor._view_base
    view._view_base = base
    counter = base._version_counter
    if counter is None:
        view._view_version = 0
    elif counter.is_inference:
        # Autograd does not track views of inference tensors.
        view._view_base, view._version_counter = None, INFERENCE_VERSION_COUNTER
        return view
    else:
        current_version = counter.version
        view._view_version = version(base) if current_version is None else current_version
    if (
        base._autograd_meta is not None
        or tensor._autograd_meta is not None
        or output is not None
        or NON_DEFAULT_THREADS
    ):
        record_view(view, tensor, function, output)
        check_replay(view, tensor)
    return view


def view_with_dtype(
    tensor: Tensor, geometry: Geometry, offset: int, dtype: dtype, function: str
) -> Tensor:
    """Return a view of another dtype, which autograd regenerates by its function."""
    view = new_tensor(tensor._storage, geometry, offset, dtype, conj_neg=tensor._conj_neg)
    if is_inference(tensor):
        view._version_counter = INFERENCE_VERSION_COUNTER
        return view
    view._version_counter = None
    view._view_base = tensor if tensor._view_base is None else tensor._view_base
    view._view_version = version(tensor)
    record_view(view, tensor, function, typed=True)
    check_replay(view, tensor)
    return view


def check_replay(view: Tensor, tensor: Tensor) -> None:
    """Let a view of a view of a sparse tensor raise when autograd regenerates its grad_fn.

    If one of both views has another dtype, torch calls the other as as_strided.
    """
    base, meta, parent = tensor._view_base, view._autograd_meta, tensor._autograd_meta
    if base is None or not base._geometry.is_sparse or meta is None:
        return
    parent = AutogradMeta() if parent is None else parent
    is_checked = parent.check_base is _raise_no_as_strided
    if is_checked or meta.is_typed != parent.is_typed:
        meta.check_base = _raise_no_as_strided


def _raise_no_as_strided(base: Tensor) -> None:
    raise could_not_run("as_strided", sparse_backend(base._geometry.device))


def record_grad_fn(
    result: Tensor, sources: tuple[Tensor, ...], function: str, *inner: str
) -> Tensor:
    """Record the grad_fn of a new tensor if autograd tracks a source, and return the tensor.

    ``inner`` are the functions by which torch writes the result.  Autograd records
    them if all sources are inference tensors.
    """
    for source in sources:
        counter, base = source._version_counter, source._view_base
        if (
            source._autograd_meta is not None
            or (base is not None and base._autograd_meta is not None)
            or (counter is not None and counter.is_inference)
        ):
            record_inputs(result, sources, function, inner)
            break
    return result


def record_outputs(
    results: list[Tensor], sources: tuple[Tensor, ...], function: str
) -> tuple[Tensor, ...]:
    """Record the grad_fn of the new tensors of one function, and return them."""
    for output, result in enumerate(results):
        record_grad_fn(result, sources, function)
        if result._autograd_meta is not None:
            result._autograd_meta.output_nr = output
    return tuple(results)
