"""Binary operators other than arithmetic, powers, bitwise operators and comparisons."""

from typing import Any

from ..._arrays.numpy_bridge import np
from ..._autograd.tracking import check_inplace
from ..._dtypes.table import dtype
from ..._kernels import binary
from ..._kernels.elementwise import ByKind, ForDtype, KeepsNans
from ..._runtime.errors import check
from ..._tensor.out_autograd import with_gradient_check
from ..._tensor.tensor import Tensor
from ..common.conj_neg_fallback import resolves_conj_neg, resolves_conj_neg_in_place
from ..common.meta_reference import Step, is_on_meta, promoted_on_meta
from .binding import Overload, checked_overload, install_operator
from .iterator import Operator
from .plan import BOOLS, COMPLEX, FLOAT8, FLOATS, INTEGERS, NUMBERS, Pointwise, Result

_ORDERED = BOOLS | NUMBERS


def _node(name: str, overload: int = 0) -> str:
    return f"{name.capitalize()}Backward{overload}"


# maximum, minimum, fmax and fmin


def _binary(
    name: str,
    compute: ByKind | ForDtype | KeepsNans,
    dtypes: Any = FLOATS,
    node: str = "",
    **fields: Any,
) -> Operator:
    return Operator(Pointwise(name, f"{name}_cpu", dtypes, compute, node or _node(name), **fields))


def _nan_ignoring_kernel(kernel: Any, integer_kernel: str) -> ForDtype:
    """Return the kernel of fmax or fmin: integers are never NaN."""

    def compute(dtype: dtype, left: Any, right: Any) -> Any:
        if dtype.is_floating_point:
            return kernel(dtype, left, right)
        return getattr(np, integer_kernel)(left, right)

    return ForDtype(compute)


def _real_only(operator: Operator) -> Any:
    """Return the function of an operator; it raises for complex tensors, after gradient checks."""
    name = operator.spec.name

    def run(left: Tensor, right: Tensor, out: Tensor | None = None) -> Tensor:
        check(
            not (left._dtype.is_complex or right._dtype.is_complex) or is_on_meta(left, right, out),
            lambda: f"{name} not implemented for complex tensors.",
        )
        return operator(left, right, out=out)

    return resolves_conj_neg(run, name)


_LARGER: dict[str, Any] = {"dtypes": _ORDERED, "integer_kernel": "maximum_cpu"}
_SMALLER: dict[str, Any] = {"dtypes": _ORDERED, "integer_kernel": "minimum_cpu"}
MAXIMUM = _binary("maximum", ByKind(binary.larger, integer="maximum"), **_LARGER)
MINIMUM = _binary("minimum", ByKind(binary.smaller, integer="minimum"), **_SMALLER)
FMAX = _binary("fmax", _nan_ignoring_kernel(binary.fmax, "maximum"), **_LARGER)
FMIN = _binary("fmin", _nan_ignoring_kernel(binary.fmin, "minimum"), **_SMALLER)
maximum, minimum, fmax, fmin = map(_real_only, (MAXIMUM, MINIMUM, FMAX, FMIN))
for _operator, _function, _doc in (
    (MAXIMUM, maximum, "Return the larger of two elements; NaN if one of them is."),
    (MINIMUM, minimum, "Return the smaller of two elements; NaN if one of them is."),
    (FMAX, fmax, "Return the larger of two elements, or the one that is not NaN."),
    (FMIN, fmin, "Return the smaller of two elements, or the one that is not NaN."),
):
    _overload = Overload("Tensor other", _function)
    install_operator(_operator.spec.name, _overload, doc=_doc, fast_path=_operator)


# Operators without scalar overloads


ATAN2 = _binary("atan2", ByKind(binary.atan2), result=Result.FLOAT)
HYPOT = _binary("hypot", ByKind(binary.hypot))
NEXTAFTER = _binary("nextafter", ForDtype(binary.nextafter), allows_cpu_scalars=False)
LOGADDEXP = _binary(
    "logaddexp",
    ByKind(binary.logaddexp, complex=binary.complex_logaddexp),
    FLOATS | COMPLEX,
)
LOGADDEXP2 = _binary("logaddexp2", ByKind(binary.logaddexp2))
GCD = _binary("gcd", ByKind(binary.gcd), INTEGERS, "NotImplemented")
LCM = _binary("lcm", ByKind(binary.lcm), INTEGERS, "NotImplemented")

for _name, _operator, _has_inplace, _doc in (
    ("atan2", ATAN2, True, "Return the angle of the point (other, input)."),
    ("arctan2", ATAN2, True, "Return the angle of the point (other, input)."),
    ("hypot", HYPOT, True, "Return the root of the sum of squares."),
    ("logaddexp", LOGADDEXP, False, "Return log(exp(input) + exp(other))."),
    ("logaddexp2", LOGADDEXP2, False, "Return log2(2**input + 2**other)."),
    ("gcd", GCD, True, "Return the greatest common divisor."),
    ("lcm", LCM, True, "Return the least common multiple."),
):
    install_operator(
        _name,
        Overload("Tensor other", _operator, _operator.inplace if _has_inplace else None),
        doc=_doc,
        in_place_function=_name in ("gcd", "lcm"),
    )

install_operator(
    "nextafter",
    checked_overload(
        "nextafter",
        "Tensor other",
        lambda left, right: (NEXTAFTER, promoted_on_meta(left, right)),
        NEXTAFTER.spec.node,
    ),
    doc="Return the next number after input towards other.",
)


# heaviside

HEAVISIDE = _binary(
    "heaviside",
    ByKind(binary.heaviside),
    _ORDERED,
    "NotImplemented",
    reference_step=Step((0,), "lt_cpu", lambda dtype: dtype.is_complex or dtype in FLOAT8),
)


def _check_heaviside(*tensors: Tensor | None) -> None:
    if is_on_meta(*tensors):
        return
    dtypes = {tensor._dtype for tensor in tensors if tensor is not None}
    check(
        not any(dtype.is_complex for dtype in dtypes),
        lambda: "heaviside is not yet implemented for complex tensors.",
    )
    check(
        len(dtypes) == 1,
        lambda: "heaviside is not yet implemented for tensors with different dtypes.",
    )


@resolves_conj_neg
def _heaviside(left: Tensor, right: Tensor, out: Tensor | None = None) -> Tensor:
    if out is not None:
        HEAVISIDE.check_gradients((left, right), out)
    _check_heaviside(left, right, out)
    return HEAVISIDE(left, right, out=out)


with_gradient_check(_heaviside, HEAVISIDE.check_gradients)


@resolves_conj_neg_in_place
def _heaviside_(left: Tensor, right: Tensor) -> Tensor:
    check_inplace(left)
    _check_heaviside(left, right)
    return HEAVISIDE.inplace(left, right)


install_operator(
    "heaviside",
    Overload("Tensor values", _heaviside, _heaviside_),
    doc="Return 0 for negative elements, 1 for positive ones, and values for zero.",
)


# Operators with scalar overloads


def _overloads(
    name: str, count: int, dtypes: frozenset[dtype], compute: ByKind | KeepsNans, **fields: Any
) -> list[Operator]:
    """Return the operators of the overloads, which differ in the grad_fn name."""
    return [_binary(name, compute, dtypes, _node(name, index), **fields) for index in range(count)]


COPYSIGN, COPYSIGN_NUMBER = _overloads(
    "copysign",
    2,
    FLOATS,
    KeepsNans(ByKind("copysign"), binary.copysign_bfloat16),
    result=Result.FLOAT,
)
FMOD_NUMBER, FMOD = _overloads("fmod", 2, NUMBERS, ByKind("fmod", integer=binary.fmod_integers))
REMAINDER_NUMBER, REMAINDER = _overloads(
    "remainder", 2, NUMBERS, ByKind(binary.remainder, integer=binary.remainder_integers)
)
REMAINDER_OF_NUMBER = Operator(REMAINDER.spec._replace(node="NotImplemented"))
XLOGY, XLOGY_OF_NUMBER, XLOGY_NUMBER = _overloads(
    "xlogy",
    3,
    FLOATS,
    ByKind(binary.xlogy, narrow=binary.xlogy),
    result=Result.FLOAT,
    reference_step=Step((1,), "log_vml_cpu", FLOAT8.__contains__),
)

for _name, _tensor_operator, _scalar_operator, _doc in (
    ("copysign", COPYSIGN, COPYSIGN_NUMBER, "Return input with the sign of other."),
    ("fmod", FMOD, FMOD_NUMBER, "Return the remainder of input / other, with input's sign."),
):
    install_operator(
        _name,
        Overload("Tensor other", _tensor_operator, _tensor_operator.inplace),
        Overload("Scalar other", _scalar_operator, _scalar_operator.inplace),
        doc=_doc,
    )
install_operator(
    "remainder",
    Overload("Tensor other", REMAINDER, REMAINDER.inplace),
    Overload("Tensor other", REMAINDER_OF_NUMBER, input="Scalar self", out=False),
    Overload("Scalar other", REMAINDER_NUMBER, REMAINDER_NUMBER.inplace),
    doc="Return the remainder of input / other, with other's sign.",
)
install_operator(
    "xlogy",
    Overload("Tensor other", XLOGY, XLOGY.inplace),
    Overload("Tensor other", XLOGY_OF_NUMBER, input="Scalar self"),
    Overload("Scalar other", XLOGY_NUMBER, XLOGY_NUMBER.inplace),
    doc="Return input * log(other); zero where input is.",
    in_place_function=True,
)


def remainder(left: Tensor, right: Any) -> Tensor:
    """Return ``left % right`` for a tensor and a tensor or number."""
    return (REMAINDER if isinstance(right, Tensor) else REMAINDER_NUMBER)(left, right)
