"""Factories with the properties of another tensor: empty_like, new_zeros and the others."""

from collections.abc import Callable
from typing import Any, NoReturn

from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._autograd.autograd_meta import bump_version
from ..._autograd.tracking import bump_version_if_filled, is_tracked_inside
from ..._devices.availability import resolve_device
from ..._devices.device import CPU, META, device
from ..._dtypes.constants import COMPLEX32
from ..._dtypes.table import as_dtype
from ..._geometry import extents
from ..._geometry.geometry import dense, on_device
from ..._geometry.layout import preserve_format, sparse_coo, strided
from ..._runtime.errors import NotDense, check
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.allocation import (
    check_new,
    check_zeroed,
    empty_on_meta,
    empty_tensor,
    empty_with,
    full_of_raw,
    full_scalar,
    new_code,
    warn_complex32,
    write_zeros,
)
from ..._tensor.data_access import raw_array, write_raw
from ..._tensor.factories import OPTIONS, check_options, new_strided, python_scalar
from ..._tensor.out_autograd import set_requires_grad_if
from ..._tensor.sparse_missing import could_not_run, missing_kernel, sparse_backend
from ..._tensor.tensor import Tensor
from ..common.array_plans import is_noting, note_arrays, with_array_plans
from ..common.clone import empty_like_geometry
from ..common.conj_neg_fallback import late_warnings, resolve_conj_neg, run_resolved
from ..common.meta_reference import in_reference, is_on_meta
from ..common.registration import Op, register_operator

_FORMAT = "MemoryFormat? memory_format=None"

_IGNORES_CONJ_NEG = ("empty_like", "full_like")
"""The factories that ignore conj/neg bits (ATen/native/MathBitFallThroughLists.h)."""


def _result_device(name: str, tensor: Tensor, layout: Any, device: Any, pin: Any) -> Any:
    """Return the device of the result: the one of ``tensor`` if ``device`` is None."""
    return check_options(name, layout, tensor.device if device is None else device, pin, meta=True)


def check_layout_like(
    name: str, tensor: Tensor, layout: Any, memory_format: Any, device: Any, pin: Any
) -> None:
    """Raise if the result is sparse and its memory format is given, or if both are sparse."""
    is_sparse = tensor._geometry.is_sparse
    if layout is sparse_coo or (is_sparse and layout is None):
        if is_dense_on_meta(tensor) and name != "zeros_like":
            _raise_sparse_like(name, resolve_device(device or META), pin, memory_format)
        check(
            memory_format is None,
            lambda: "memory format option is only supported by strided tensors",
        )
        if is_sparse:
            raise NotDense


def is_dense_on_meta(tensor: Tensor) -> bool:
    """Return whether a tensor is dense and on meta, so that its factories are references."""
    return tensor._geometry.device is META and not tensor._geometry.is_sparse


def _raise_sparse_like(name: str, device: device, pin: Any, memory_format: Any) -> NoReturn:
    """Raise as the references of a dense tensor on meta do for a sparse result (_refs.empty_like).

    They call empty_permuted, or empty with a memory format.
    """
    check(not pin, lambda: "Only dense CPU tensors can be pinned")
    permutes = memory_format in (None, preserve_format)
    if not permutes and name == "empty_like":
        raise NotDense
    kernel = "as_strided" if permutes else missing_kernel(name, ())
    raise could_not_run(kernel, sparse_backend(device))


def _like(name: str, value: int | None, extra: str = "") -> None:
    def run(tensor: Tensor, *args: Any) -> Tensor:
        fill, memory_format, dtype, layout, device, pin, grad = args if extra else (value, *args)
        number = None if fill is None else python_scalar(fill)
        check_layout_like(name, tensor, layout, memory_format, device, pin)
        device = _result_device(name, tensor, layout, device, pin)
        dtype = tensor._dtype if dtype is None else as_dtype(dtype)
        has_bits = name not in _IGNORES_CONJ_NEG and not tensor._geometry.is_sparse
        if has_bits and late_warnings((tensor,)):
            return run_resolved(lambda resolved: run(resolved, *args), (tensor,))
        source = resolve_conj_neg(tensor) if has_bits else tensor
        by_reference = is_dense_on_meta(tensor)
        if dtype is COMPLEX32:
            warn_complex32(by_reference=by_reference)
        geometry = empty_like_geometry(source, memory_format, dtype, device)
        if device is META:
            needed = extents.storage_size(geometry.shape, geometry.stride) * dtype.itemsize
            result = empty_on_meta(geometry, needed, dtype)
        else:
            result = empty_with(geometry, dtype, device, warns=False)
        if name == "zeros_like" and not by_reference:
            write_zeros(result)
        elif fill is not None:
            write_raw(result, new_code(number, dtype, result._geometry.shape, device))
        if fill is not None and is_noting() and device is CPU and geometry.numel:
            note_filled(result, tensor)
        elif name == "empty_like" and not grad and is_noting() and device is CPU:
            shape, elements = geometry.shape, numpy_storage_dtype(dtype)
            note_arrays(lambda _: np.empty(shape, elements), result, tensor)
        return set_requires_grad_if(result, grad)

    run.__doc__ = f"{name}(input, ...): a new tensor of the same size, dtype and memory format."
    register_operator(
        Op(
            name,
            {f"{extra}*, {_FORMAT}, {OPTIONS}": run},
            method=False,
            checks_device_first=True,
            wrap=with_array_plans,
        )
    )


def note_filled(result: Tensor, tensor: Tensor) -> None:
    """Note the function of an array that makes one of a shape with equal elements."""
    shape, raw = result._geometry.shape, raw_array(result)
    element, dtype = raw.reshape(-1)[:1].copy(), raw.dtype

    def filled(_: Any) -> Any:
        made = np.empty(shape, dtype)
        made[...] = element
        return made

    note_arrays(filled, result, tensor)


_like("empty_like", None)
_like("zeros_like", 0)
_like("ones_like", 1)
_like("full_like", None, "Scalar fill_value, ")

zeros_like: Callable[..., Tensor] = PUBLIC["zeros_like"]
ones_like: Callable[..., Tensor] = PUBLIC["ones_like"]


def _new(name: str, value: int | None, extra: str = "") -> None:
    def run(tensor: Tensor, size: tuple[int, ...], *args: Any) -> Tensor:
        fill, dtype, layout, device, pin, grad = args if extra else (value, *args)
        number = python_scalar(fill)
        if tensor._geometry.is_sparse and layout is not strided:
            raise NotDense
        check(
            layout is not sparse_coo or fill is None or not is_dense_on_meta(tensor),
            lambda: "full(...) is not implemented for sparse layout",  # its reference calls full()
        )
        device = _result_device(name, tensor, layout, device, pin)
        tensor = tensor if tensor._geometry.is_sparse else resolve_conj_neg(tensor)
        extents.check_nonnegative(size)
        dtype = tensor._dtype if dtype is None else as_dtype(dtype)
        by_reference = is_dense_on_meta(tensor)
        if fill is None:
            result = empty_tensor(size, dtype, device, by_reference=by_reference)
        elif name == "new_zeros":
            check_new(size, dtype, by_reference=by_reference)
            check_zeroed(on_device(dense(size), device), dtype)
            result = full_of_raw(size, 0, dtype, device)
        else:
            check_new(size, dtype, by_reference=by_reference)
            result = full_scalar(size, number, dtype, device)
        if is_tracked_inside(result, tensor):
            bump_version_if_filled(result)
            if fill is not None:
                bump_version(result)
        return set_requires_grad_if(result, grad)

    run.__doc__ = f"Tensor.{name}(size, ...): a new tensor of the same dtype."
    register_operator(
        Op(
            name,
            {f"SymIntArrayRef size, {extra}*, {OPTIONS}": run},
            function=False,
            checks_device_first=True,
        )
    )


_new("new_empty", None)
_new("new_zeros", 0)
_new("new_ones", 1)
_new("new_full", None, "Scalar fill_value, ")


def _new_empty_strided(tensor: Tensor, size: Any, stride: Any, *options: Any) -> Tensor:
    """Tensor.new_empty_strided(size, stride, ...): a new tensor of the same dtype."""
    dtype, layout, device, pin, grad = options
    if tensor._geometry.is_sparse:
        raise could_not_run("new_empty_strided", sparse_backend(tensor._geometry.device))
    tensor = resolve_conj_neg(tensor)
    dtype = tensor._dtype if dtype is None else as_dtype(dtype)
    device = tensor.device if device is None else device
    arguments = size, stride, dtype, "new_empty_strided", layout, device, pin
    on_meta = is_on_meta(tensor)
    result = in_reference(new_strided, *arguments) if on_meta else new_strided(*arguments)
    if is_tracked_inside(result, tensor):
        bump_version_if_filled(result)
    return set_requires_grad_if(result, grad)


register_operator(
    Op(
        "new_empty_strided",
        {f"SymIntArrayRef size, SymIntArrayRef stride, *, {OPTIONS}": _new_empty_strided},
        function=False,
    )
)
