"""Operators on two tensors that are neither arithmetic nor comparisons."""

from typing import Any

from ..._arrays.numpy_bridge import np
from ..._autograd.tracking import check_writable
from ..._dtypes.table import dtype
from ..._kernels import binary
from ..._kernels.elementwise import ByKind, ForDtype
from ..._runtime.errors import check
from ..._tensor.tensor import Tensor
from ..common.conj_neg_fallback import resolves_conj_neg, resolves_conj_neg_in_place
from .binding import Overload, install_operator, run_of
from .iterator import Operator
from .plan import BOOLS, COMPLEX, FLOATS, INTEGERS, NUMBERS, Pointwise, Result

_ORDERED = BOOLS | NUMBERS


def _node(name: str, overload: int = 0) -> str:
    return f"{name.capitalize()}Backward{overload}"


# The larger and the smaller of two.


def _choose(name: str, kernel: str, compute: ByKind | ForDtype) -> Operator:
    return Operator(
        Pointwise(
            name, f"{name}_cpu", _ORDERED, compute, _node(name), integer_kernel=f"{kernel}_cpu"
        )
    )


def _number_kernel(kernel: Any, integer_kernel: str) -> ForDtype:
    """Return the kernel of fmax or fmin: integers are never NaN."""

    def compute(dtype: dtype, left: Any, right: Any) -> Any:
        if dtype.is_floating_point:
            return kernel(dtype, left, right)
        return getattr(np, integer_kernel)(left, right)

    return ForDtype(compute)


def _of_real(operator: Operator) -> Any:
    """Return what runs an operator that refuses complex tensors before all but gradients."""
    name = operator.row.name

    def run(left: Tensor, right: Tensor, out: Tensor | None = None) -> Tensor:
        check(
            not (left._dtype.is_complex or right._dtype.is_complex),
            lambda: f"{name} not implemented for complex tensors.",
        )
        return operator(left, right) if out is None else operator.into(out, left, right)

    return resolves_conj_neg(run, name)


MAXIMUM = _choose("maximum", "maximum", ByKind(binary.larger, integer="maximum"))
MINIMUM = _choose("minimum", "minimum", ByKind(binary.smaller, integer="minimum"))
FMAX = _choose("fmax", "maximum", _number_kernel(binary.fmax, "maximum"))
FMIN = _choose("fmin", "minimum", _number_kernel(binary.fmin, "minimum"))
maximum, minimum, fmax, fmin = map(_of_real, (MAXIMUM, MINIMUM, FMAX, FMIN))
for _name, _run, _doc in (
    ("maximum", maximum, "Return the larger of two elements; NaN if one of them is."),
    ("minimum", minimum, "Return the smaller of two elements; NaN if one of them is."),
    ("fmax", fmax, "Return the larger of two elements, or the one that is not NaN."),
    ("fmin", fmin, "Return the smaller of two elements, or the one that is not NaN."),
):
    install_operator(_name, Overload("Tensor other", _run), doc=_doc)


# Those of two tensors alone.


def _pair(
    name: str, compute: ByKind | ForDtype, dtypes: Any = FLOATS, node: str = "", **fields: Any
) -> Operator:
    return Operator(Pointwise(name, f"{name}_cpu", dtypes, compute, node or _node(name), **fields))


ATAN2 = _pair("atan2", ByKind(binary.angle_of), result=Result.FLOAT)
HYPOT = _pair("hypot", ByKind(binary.hypotenuse))
NEXTAFTER = _pair("nextafter", ForDtype(binary.next_after), meets_numbers=False)
LOGADDEXP = _pair(
    "logaddexp",
    ByKind(binary.logarithm_of_sum, complex=binary.logarithm_of_complex_sum),
    FLOATS | COMPLEX,
)
LOGADDEXP2 = _pair("logaddexp2", ByKind(binary.binary_logarithm_of_sum))
GCD = _pair("gcd", ByKind("gcd"), INTEGERS, "NotImplemented")
LCM = _pair("lcm", ByKind(binary.least_common_multiple), INTEGERS, "NotImplemented")

for _name, _operator, _in_place, _doc in (
    ("atan2", ATAN2, True, "Return the angle of the point (other, input)."),
    ("arctan2", ATAN2, True, "Return the angle of the point (other, input)."),
    ("hypot", HYPOT, True, "Return the root of the sum of squares."),
    ("nextafter", NEXTAFTER, True, "Return the next number after input towards other."),
    ("logaddexp", LOGADDEXP, False, "Return log(exp(input) + exp(other))."),
    ("logaddexp2", LOGADDEXP2, False, "Return log2(2**input + 2**other)."),
    ("gcd", GCD, True, "Return the greatest common divisor."),
    ("lcm", LCM, True, "Return the least common multiple."),
):
    install_operator(
        _name,
        Overload("Tensor other", run_of(_operator), _operator.change if _in_place else None),
        doc=_doc,
        in_place_function=_name in ("gcd", "lcm"),
    )


# Heaviside's step.

HEAVISIDE = _pair("heaviside", ByKind(binary.heaviside), _ORDERED, "NotImplemented")


def _check_step(*tensors: Tensor) -> None:
    check(
        not any(each._dtype.is_complex for each in tensors),
        lambda: "heaviside is not yet implemented for complex tensors.",
    )
    check(
        len({each._dtype for each in tensors}) == 1,
        lambda: "heaviside is not yet implemented for tensors with different dtypes.",
    )


@resolves_conj_neg
def _heaviside(left: Tensor, right: Tensor, out: Tensor | None = None) -> Tensor:
    _check_step(left, right, *(() if out is None else (out,)))
    return HEAVISIDE(left, right) if out is None else HEAVISIDE.into(out, left, right)


@resolves_conj_neg_in_place
def _heaviside_(left: Tensor, right: Tensor) -> Tensor:
    check_writable(left)
    _check_step(left, right)
    return HEAVISIDE.change(left, right)


install_operator(
    "heaviside",
    Overload("Tensor values", _heaviside, _heaviside_),
    doc="Return 0 for negative elements, 1 for positive ones, and values for zero.",
)


# Those of a tensor and a tensor or a number.


def _overloads(name: str, *nodes: str, **fields: Any) -> tuple[Operator, ...]:
    """Return an operator once for each overload, which autograd tells apart."""
    first = Pointwise(name, f"{name}_cpu", node="", **fields)
    return tuple(Operator(first._replace(node=each)) for each in nodes)


COPYSIGN, COPYSIGN_NUMBER = _overloads(
    "copysign", _node("copysign"), _node("copysign", 1),
    dtypes=FLOATS, compute=ByKind("copysign"), result=Result.FLOAT,
)  # fmt: skip
FMOD_NUMBER, FMOD = _overloads(
    "fmod", _node("fmod"), _node("fmod", 1),
    dtypes=NUMBERS, compute=ByKind("fmod", integer=binary.fmod_integers),
)  # fmt: skip
REMAINDER_NUMBER, REMAINDER, REMAINDER_OF_NUMBER = _overloads(
    "remainder", _node("remainder"), _node("remainder", 1), "NotImplemented",
    dtypes=NUMBERS,
    compute=ByKind(binary.remainder, integer=binary.remainder_integers),
)  # fmt: skip
XLOGY, XLOGY_OF_NUMBER, XLOGY_NUMBER = _overloads(
    "xlogy", _node("xlogy"), _node("xlogy", 1), _node("xlogy", 2),
    dtypes=FLOATS,
    compute=ByKind(binary.times_logarithm, narrow=binary.times_logarithm),
    result=Result.FLOAT,
)  # fmt: skip

for _name, _tensors, _number, _doc in (
    ("copysign", COPYSIGN, COPYSIGN_NUMBER, "Return input with the sign of other."),
    ("fmod", FMOD, FMOD_NUMBER, "Return the remainder of input / other, with input's sign."),
):
    install_operator(
        _name,
        Overload("Tensor other", run_of(_tensors), _tensors.change),
        Overload("Scalar other", run_of(_number), _number.change),
        doc=_doc,
    )
install_operator(
    "remainder",
    Overload("Tensor other", run_of(REMAINDER), REMAINDER.change),
    Overload("Tensor other", run_of(REMAINDER_OF_NUMBER), input="Scalar self", out=False),
    Overload("Scalar other", run_of(REMAINDER_NUMBER), REMAINDER_NUMBER.change),
    doc="Return the remainder of input / other, with other's sign.",
)
install_operator(
    "xlogy",
    Overload("Tensor other", run_of(XLOGY), XLOGY.change),
    Overload("Tensor other", run_of(XLOGY_OF_NUMBER), input="Scalar self"),
    Overload("Scalar other", run_of(XLOGY_NUMBER), XLOGY_NUMBER.change),
    doc="Return input * log(other); zero where input is.",
    in_place_function=True,
)


def remainder(left: Tensor, right: Any) -> Tensor:
    """Return what ``left % right`` is, of a tensor and a tensor or a number."""
    return (REMAINDER if isinstance(right, Tensor) else REMAINDER_NUMBER)(left, right)
