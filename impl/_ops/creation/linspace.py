"""The functions that make tensors of evenly spaced numbers: linspace and logspace.

The rules are in aten/src/ATen/native/RangeFactories.cpp.

>>> import impl as torch
>>> torch.linspace(0, 1, 3), torch.logspace(0, 2, 3)
(tensor([0.0000, 0.5000, 1.0000]), tensor([  1.,  10., 100.]))
"""

from collections.abc import Callable
from typing import Any

from ..._argparser.parser import Parser
from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._devices.device import META
from ..._dtypes.constants import COMPLEX32, COMPLEX64, COMPLEX128, FLOAT32, FLOAT64
from ..._dtypes.default_dtype import get_default_dtype
from ..._dtypes.table import as_dtype, dtype, spec_of
from ..._kernels.sequences import linspace_codes, logspace_codes, power
from ..._numerics.encode_scalar import ScalarPath, encode_scalar
from ..._numerics.from_python import stand_in
from ..._numerics.rounding import USUAL, raise_not_implemented
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.data_access import tensor_from_raw
from ..._tensor.factories import OPTIONS, check_options, empty_tensor, warn_of_complex32
from ..._tensor.out_autograd import check_no_leaf, require_grad_if, returned
from ..._tensor.tensor import Tensor
from ..common.conj_neg_fallback import write_to_clone
from ..common.out_argument import bind_factory
from .sequence_common import as_double, check_memory, plain_number, resize_row, write_row


def _spaced(name: str, extra: str, make: Callable[..., Any]) -> Callable[..., Tensor]:
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
        which, bound = bind_factory(parse, args, keywords)
        start, end, steps, *base, out, kind, layout, device, pin, grad = bound
        sources = tuple(each for each in (start, end) if isinstance(each, Tensor))
        if out is not None:
            check_no_leaf(f"aten::{name}", out, *sources)
        if which < 3:
            _check_zero_dim(name, start, end)
        known = _known if _is_for_meta(out, device, sources) else plain_number
        first, last = known(start), known(end)
        check(steps >= 0, lambda: "number of steps must be non-negative")
        if out is not None:
            return _into(
                out, steps, lambda kind: make(first, last, steps, kind, *base), grad, sources
            )
        wanted = _inferred(name, first, last, kind)
        where = check_options(name, layout, device, pin, meta=True)
        if where is META:
            if wanted is COMPLEX32:
                warn_of_complex32()
            if wanted not in _USUAL_ONES or not _is_small(first, last):
                make(first, last, min(steps, 2), wanted, *base)  # for what it refuses
            return require_grad_if(empty_tensor((steps,), wanted, META), grad)
        check_memory(steps, wanted)
        if wanted is COMPLEX32:
            warn_of_complex32()
        if steps:
            elements = make(first, last, steps, wanted, *base)
        else:
            elements = np.empty(0, numpy_storage_dtype(wanted))
        return require_grad_if(tensor_from_raw(elements, wanted, where), grad)

    function.__name__ = function.__qualname__ = name
    return function


def _is_for_meta(out: Tensor | None, where: Any, sources: tuple[Tensor, ...]) -> bool:
    """Tell whether ends are tensors without elements, and so is the result."""
    if not any(each._geometry.device is META for each in sources):
        return False
    return where is META if out is None else out._geometry.device is META


def _known(end: Any) -> Any:
    """Return the number of an end, or any of its kind for one on meta."""
    is_meta = isinstance(end, Tensor) and end._geometry.device is META
    return stand_in(end) if is_meta else plain_number(end)


def _into(
    out: Tensor, steps: int, elements: Callable[[dtype], Any], grad: Any, sources: Any
) -> Tensor:
    if out._conj_neg:
        return write_to_clone(out, lambda clone: _into(clone, steps, elements, grad, sources))
    resize_row(out, steps)
    if steps:
        write_row(out, elements(out._dtype))
    return returned(out, grad, sources)


_USUAL_ONES = (FLOAT32, FLOAT64)


def _is_small(*numbers: Any) -> bool:
    """Tell whether numbers are in range of all usual dtypes."""
    return all(isinstance(each, int | float) and abs(each) < 1e30 for each in numbers)


def _check_zero_dim(name: str, start: Any, end: Any) -> None:
    given = [
        (label, each._geometry.rank)
        for label, each in (("start", start), ("end", end))
        if isinstance(each, Tensor)
    ]
    check(
        not any(rank for _, rank in given),
        lambda: (
            f"{name} only supports 0-dimensional start and end tensors, but got "
            + " and ".join(f"{label} with {rank} dimension(s)" for label, rank in given)
            + "."
        ),
    )


def _inferred(name: str, start: Any, end: Any, kind: Any) -> dtype:
    """Return the dtype of a result (linspace_logspace_infer_options in TensorFactories.cpp)."""
    given = None if kind is None else as_dtype(kind)
    if not isinstance(start, complex) and not isinstance(end, complex):
        return given or get_default_dtype()
    default = get_default_dtype().to_complex()
    check(
        given is None or given.is_complex,
        lambda: (
            f"torch.{name}(): inferred dtype {_CPP_COMPLEX[default]} can't be safely cast to"
            f" passed dtype {spec_of(given).cpp_name}"  # type: ignore[arg-type]
        ),
    )
    return given or default


_CPP_COMPLEX = {
    COMPLEX32: "c10::complex<c10::Half>",
    COMPLEX64: "c10::complex<float>",
    COMPLEX128: "c10::complex<double>",
}


def _one(value: Any, dtype: dtype) -> Any:
    """Return the one element that fill_ writes."""
    return np.full(
        1, encode_scalar(value, dtype, ScalarPath.SCALAR_ZERO_DIM), numpy_storage_dtype(dtype)
    )


def _check_spaced(name: str, dtype: dtype) -> None:
    if dtype not in USUAL and dtype is not COMPLEX64 and dtype is not COMPLEX128:
        raise_not_implemented(name, dtype)


def _linspace_codes(start: Any, end: Any, steps: int, dtype: dtype) -> Any:
    if steps == 1:
        return _one(start, dtype)
    _check_spaced("linspace_cpu", dtype)
    return linspace_codes(
        encode_scalar(start, dtype, ScalarPath.SCALAR),
        encode_scalar(end, dtype, ScalarPath.SCALAR),
        steps,
        dtype,
    )


def _logspace_codes(start: Any, end: Any, steps: int, dtype: dtype, base: float) -> Any:
    if steps == 1:
        exponent = complex(start) if dtype.is_complex else as_double(start)
        return _one(power(base, exponent), dtype)
    _check_spaced("logspace_cpu", dtype)
    return logspace_codes(
        encode_scalar(start, dtype, ScalarPath.SCALAR),
        encode_scalar(end, dtype, ScalarPath.SCALAR),
        steps,
        dtype,
        base,
    )


linspace = _spaced("linspace", "", _linspace_codes)
linspace.__doc__ = (
    "linspace(start, end, steps, ...): ``steps`` numbers from ``start`` to ``end``; the second half"
    " is counted from the end."
)
logspace = _spaced("logspace", "double base=10.0, ", _logspace_codes)
logspace.__doc__ = (
    "logspace(start, end, steps, base=10.0, ...): powers of ``base``, the exponents evenly spaced."
)

PUBLIC["linspace"], PUBLIC["logspace"] = linspace, logspace
