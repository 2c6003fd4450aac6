"""The factories linspace and logspace, after aten/src/ATen/native/RangeFactories.cpp.

>>> import impl as torch
>>> torch.linspace(0, 1, 3), torch.logspace(0, 2, 3)
(tensor([0.0000, 0.5000, 1.0000]), tensor([  1.,  10., 100.]))
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from ..._argparser.parser import Parser
from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._autograd.tracking import inplace_error
from ..._devices.device import META
from ..._dtypes.constants import COMPLEX32, COMPLEX64, COMPLEX128
from ..._dtypes.cpp_names import cpp_type
from ..._dtypes.default_dtype import get_default_dtype
from ..._dtypes.table import as_dtype, dtype, spec_of
from ..._geometry.geometry import dense, on_device
from ..._geometry.layout import strided
from ..._kernels.sequences import linspace_elements, logspace_elements, power
from ..._numerics.encode_scalar import ScalarPath, encode_scalar
from ..._runtime.device_modes import DEVICE_MODE_THREADS
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._runtime.torch_function import overridable_part
from ..._tensor.allocation import empty_tensor, warn_complex32
from ..._tensor.data_access import tensor_from_raw
from ..._tensor.factories import OPTIONS, check_options
from ..._tensor.out_autograd import check_no_leaf, check_no_out, record_out, set_requires_grad_if
from ..._tensor.tensor import Tensor
from ..common.conj_neg_fallback import resolve_operands, through_clone
from ..common.device_checks import check_copied_out
from ..common.meta_reference import into_meta, is_on_meta
from ..common.out_argument import bind_factory
from .sequence_common import (
    as_double,
    check_allocatable,
    check_kernel,
    plain_number,
    resize_row,
    write_row,
)


def _is_plain(number: Any) -> bool:
    """Return whether a number is a float, or an int that torch's parser takes without a check."""
    return type(number) is float or (type(number) is int and -(2**53) < number < 2**53)


_MAX_STEPS = 2**27
"""The number of elements up to which no check of sizes is needed."""


def _spaced_factory(name: str, extra: str, kernel: Callable[..., Any]) -> Callable[..., Tensor]:
    parse = Parser(
        *(
            f"{name}({start} start, {end} end, int64_t steps, {extra}*, Tensor out=None, {OPTIONS})"
            for start, end in (
                ("Tensor", "Tensor"), ("Scalar", "Tensor"), ("Tensor", "Scalar"),
                ("Scalar", "Scalar"),
            )
        )
    )  # fmt: skip

    def function(*args: Any, **keywords: Any) -> Tensor:
        if len(args) == 3 and not keywords and not DEVICE_MODE_THREADS:
            start, end, steps = args
            is_plain = _is_plain(start) and _is_plain(end) and type(steps) is int
            if is_plain and 1 < steps < _MAX_STEPS:
                dtype = get_default_dtype()
                bases = [10.0] if extra else []
                elements = _raw_elements(name, kernel, start, end, bases, steps, dtype)
                return tensor_from_raw(elements, dtype)
        return bind(args, keywords)

    @overridable_part(name)
    def bind(args: Any, keywords: Any) -> Tensor:
        overload, bound = bind_factory(parse, args, keywords)
        start, end, steps, *base, out, dtype, layout, device, pin, grad = bound
        sources = tuple(value for value in (start, end) if isinstance(value, Tensor))
        if any(x._geometry.is_sparse for x in (*sources, out) if x is not None):
            if out is not None:
                check_no_out(f"aten::{name}", inplace_error(out, *sources) is None)
            _check_zero_dim(name, start, end, is_meta=False)
            plain_number(start), plain_number(end)  # which have no elements on meta
        if out is not None:
            check_no_leaf(f"aten::{name}", out, *sources)
        is_strided = layout in (None, strided)
        is_reference = is_on_meta(out, *sources) or (
            out is None and device is not None and device.type == "meta"
        )
        if is_reference and is_strided:
            result = _spaced_on_meta(name, start, end, steps, dtype, out)
            return (
                set_requires_grad_if(result, grad)
                if out is None
                else record_out(result, grad, sources)
            )
        start, end = resolve_operands((start, end))
        if overload < 3:
            _check_zero_dim(name, start, end, is_meta=False)
        first, last = plain_number(start), plain_number(end)
        check(steps >= 0, lambda: "number of steps must be non-negative")
        compute = partial(_raw_elements, name, kernel, first, last, base)
        if out is not None:
            return _write_out(out, steps, compute, grad, sources)
        dtype = _infer_dtype(name, first, last, dtype)
        device = check_options(name, layout, device, pin, meta=True)
        if dtype is COMPLEX32:
            warn_complex32()
        check_allocatable((steps,), dtype)
        elements = compute(steps, dtype) if steps else np.empty(0, numpy_storage_dtype(dtype))
        return set_requires_grad_if(tensor_from_raw(elements, dtype, device), grad)

    function.__name__ = function.__qualname__ = name
    return function


def _spaced_on_meta(
    name: str, start: Any, end: Any, steps: int, dtype: Any, out: Tensor | None
) -> Tensor:
    """Return the result for an endpoint or ``out`` on meta (meta_linspace_logspace)."""
    if out is not None:
        check_copied_out(name, (start,), out)
    _check_zero_dim(name, start, end, is_meta=True)
    dtype = (None if dtype is None else as_dtype(dtype)) if out is None else out._dtype
    if isinstance(start, complex) or isinstance(end, complex):
        default = get_default_dtype().to_complex()
        check(
            dtype is None or dtype.is_complex,
            lambda: (
                f"linspace(): inferred dtype {default} can't be safely cast to passed dtype {dtype}"
            ),
        )
        dtype = dtype or default
    dtype = dtype or get_default_dtype()
    check(steps >= 0, lambda: "number of steps must be non-negative")
    result = empty_tensor((steps,), dtype, META, by_reference=True)
    if out is None:
        return result
    return into_meta(name, out, on_device(dense((steps,)), META), dtype)


@through_clone
def _write_out(
    out: Tensor, steps: int, compute: Callable[[int, dtype], Any], grad: Any, sources: Any
) -> Tensor:
    resize_row(out, steps)
    if steps:
        write_row(out, compute(steps, out._dtype))
    return record_out(out, grad, sources)


def _check_zero_dim(name: str, start: Any, end: Any, is_meta: bool) -> None:
    """Raise if an endpoint has dimensions; on meta the error is the decomposition's."""
    ranks = [
        (label, value._geometry.rank)
        for label, value in (("start", start), ("end", end))
        if isinstance(value, Tensor)
    ]
    check(
        not is_meta or not any(rank for _, rank in ranks),
        lambda: "linspace only supports 0-dimensional start and end tensors",
    )
    check(
        not any(rank for _, rank in ranks),
        lambda: (
            f"{name} only supports 0-dimensional start and end tensors, but got "
            + " and ".join(f"{label} with {rank} dimension(s)" for label, rank in ranks)
            + "."
        ),
    )


def _infer_dtype(name: str, start: Any, end: Any, dtype: Any) -> dtype:
    """Return the result dtype (linspace_logspace_infer_options in TensorFactories.cpp)."""
    dtype = None if dtype is None else as_dtype(dtype)
    if not isinstance(start, complex) and not isinstance(end, complex):
        return dtype or get_default_dtype()
    default = get_default_dtype().to_complex()
    check(
        dtype is None or dtype.is_complex,
        lambda: (
            f"torch.{name}(): inferred dtype {cpp_type(default)} can't be safely cast to"
            f" passed dtype {spec_of(dtype).cpp_name}"
        ),
    )
    return dtype or default


def _raw_elements(
    name: str,
    kernel: Callable[..., Any],
    start: Any,
    end: Any,
    base: list[float],
    steps: int,
    dtype: dtype,
) -> Any:
    if steps == 1:
        value = start
        if base:
            value = power(base[0], complex(start) if dtype.is_complex else as_double(start))
        element = encode_scalar(value, dtype, ScalarPath.SCALAR_ZERO_DIM)
        return np.full(1, element, numpy_storage_dtype(dtype))
    check_kernel(f"{name}_cpu", dtype, COMPLEX64, COMPLEX128)
    first, last = (encode_scalar(value, dtype, ScalarPath.SCALAR) for value in (start, end))
    return kernel(first, last, steps, dtype, *base)


linspace = _spaced_factory("linspace", "", linspace_elements)
linspace.__doc__ = (
    "linspace(start, end, steps, ...): ``steps`` numbers from ``start`` to ``end``; the second half"
    " is counted from the end."
)
logspace = _spaced_factory("logspace", "double base=10.0, ", logspace_elements)
logspace.__doc__ = (
    "logspace(start, end, steps, base=10.0, ...): powers of ``base``, the exponents evenly spaced."
)

PUBLIC["linspace"], PUBLIC["logspace"] = linspace, logspace
