"""The strides of results of torch's references, which compose most operators of simpler ones.

Each function here has the operators of a reference in torch/_refs, of which only the layouts
matter: ``result`` is the layout of any elementwise operator.
"""

from collections.abc import Callable

from ..._argparser.types import is_integral_dtype
from ..._dtypes.constants import BFLOAT16, BOOL, COMPLEX32, FLOAT16, INT64
from ..._dtypes.table import DTYPES, dtype
from ..._geometry import broadcasting, strides
from ..._geometry.extents import Layout
from ..._numerics.promotion import is_in_lattice

# None stands for the layout of a number.

COMPUTED_IN_ANOTHER = frozenset({BFLOAT16, FLOAT16, COMPLEX32})
"""The dtypes to which references convert back what they compute in a wider dtype."""


def result(*operands: Layout | None) -> Layout:
    """Return the layout of the result of an elementwise operator."""
    tensors = tuple([operand for operand in operands if operand is not None])
    shape: tuple[int, ...] = ()
    for size, _ in tensors:
        shape = broadcasting.broadcast_pair(shape, size)
    return shape, strides.by_reference(shape, tensors)


def composed_result(
    name: str,
    kernel: str,
    common: dtype,
    operands: tuple[Layout | None, ...],
    *,
    scaled: bool,
    converts: bool,
) -> Layout:
    """Return the layout of an operator's result.

    scaled: whether alpha multiplies the last operand
    converts: whether there is a reference, which converts its operands if it computes in another
        dtype
    """
    if not converts:
        return result(*operands)
    if common in COMPUTED_IN_ANOTHER:
        operands = tuple([None if operand is None else _converted(operand) for operand in operands])
    is_floor = kernel == "div_floor_cpu"
    is_integral = is_integral_dtype(common, or_bool=True)
    if is_floor and is_integral:
        operands = tuple(map(_as_tensor, operands))
    if is_floor or scaled or name in _BROADCASTS:
        shape, _ = result(*operands)
        operands = tuple(
            [
                None if operand is None else (shape, strides.expand_stride(shape, *operand))
                for operand in operands
            ]
        )
    if is_floor:
        compose: Callable[..., Layout] = _floor_of_integers if is_integral else _floor
        return compose(common, *operands)
    if scaled:
        return result(operands[0], result(operands[1]) if operands[1] else None)
    if kernel == "clamp_scalar_cpu":
        operands = *operands, None, None
    elif kernel.startswith("clamp_m") and name != "relu":
        operands = *operands, *[None] * (2 - len(operands))
    return _COMPOSED.get(name, _elementwise)(common, *operands)


def _converted(operand: Layout | None) -> Layout | None:
    """Return the layout of a tensor in another dtype; a number has none."""
    if operand is None:
        return None
    shape, stride = operand
    return shape, strides.like(shape, stride)


def _beside_integers(common: dtype, operand: Layout | None) -> Layout | None:
    """Return the layout of an operand where a reference joins it with an int: it converts bools."""
    return _converted(operand) if common is BOOL else operand


def _beside_floats(common: dtype, operand: Layout | None) -> Layout | None:
    """Return the layout of an operand where a reference joins it with floats, which convert it."""
    return _converted(operand) if is_integral_dtype(common, or_bool=True) else operand


def _elementwise(common: dtype, *operands: Layout | None) -> Layout:
    return result(*operands)


def _as_tensor(operand: Layout | None) -> Layout:
    return operand or ((), ())


def _where(condition: Layout, a: Layout | None, b: Layout | None) -> Layout:
    return result(condition, _as_tensor(a), _as_tensor(b))


def _doubled(operand: Layout) -> Layout:
    """Return the layout of the real parts of complex numbers."""
    shape, stride = operand
    return shape, tuple([2 * step for step in stride])


def _floor(common: dtype, a: Layout | None, b: Layout | None) -> Layout:
    a, b = _as_tensor(a), _as_tensor(b)
    basic, remainder = result(a, b), result(a, b)
    quotient = result(result(a, remainder), b)
    mask = result(result(remainder), result(result(a), result(b)))
    quotient = result(mask, result(quotient), quotient)
    floored = result(quotient)
    floored = result(result(result(quotient, floored)), result(floored), floored)
    floored = result(result(quotient), floored, result(((), ()), basic))
    return result(result(b), floored, basic)


def _floor_of_integers(common: dtype, a: Layout, b: Layout) -> Layout:
    if not common.is_signed:
        return result(a, b)
    offset = result(result(result(a), result(b)), result(result(a, b)))
    return result(result(a, b), offset)


def _xlogy(common: dtype, a: Layout | None, b: Layout | None) -> Layout:
    a, b = _as_tensor(a), _as_tensor(b)
    return _where(result(b), None, _where(result(a), None, result(a, result(b))))


def _logaddexp(common: dtype, a: Layout, b: Layout) -> Layout:
    left, right = map(_doubled, (a, b)) if common.is_complex else (a, b)
    mask = result(left, right)
    larger, smaller = result(mask, a, b), result(mask, b, a)
    is_infinite = result(result(_isfinite(common, left)), result(left, right))
    total = result(larger, result(result(smaller, larger)))
    if not common.is_complex:
        return result(is_infinite, _beside_floats(common, a), total)
    log = result(result(result(smaller), result(larger)))
    infinite = result(result(_doubled(smaller)), smaller, log)
    return _where(result(smaller), None, result(is_infinite, infinite, total))


def _logaddexp2(common: dtype, a: Layout, b: Layout) -> Layout:
    mask = result(a, b)
    larger, smaller = result(mask, a, b), result(mask, b, a)
    total = result(larger, result(result(smaller, larger)))
    is_infinite = result(_isinf(common, a), result(a, b))
    return result(is_infinite, _beside_floats(common, a), total)


def _heaviside(common: dtype, a: Layout | None, values: Layout | None) -> Layout:
    a = _beside_integers(common, a)
    is_negative = result(result(a), result(a))
    # A dtype outside the lattice is higher than int64, so that it stays.
    if is_integral_dtype(common, or_bool=True) and is_in_lattice(common) and common is not INT64:
        values = _converted(values)
    return result(result(a), values, _where(is_negative, None, None))


def _copysign(common: dtype, a: Layout, b: Layout | None) -> Layout:
    return _where(result(_as_tensor(b)), result(result(a)), result(a))


def _logical(common: dtype, *operands: Layout) -> Layout:
    masks = operands if common is BOOL else map(result, operands)
    return result(*masks)


def _sinc(common: dtype, a: Layout) -> Layout:
    scaled = result(a)
    return _where(result(scaled), None, result(result(scaled), scaled))


def _logit(common: dtype, a: Layout) -> Layout:
    for _ in range(2):
        a = _where(result(a), None, a)
    return result(result(a, result(a)))


def _lcm(common: dtype, a: Layout | None, b: Layout | None) -> Layout:
    if common in _WIDENED:
        a, b = _converted(a), _converted(b)
    divisor = result(a, b)
    divisor = _where(result(divisor), None, divisor)
    return result(result(result(a, divisor), b))


_WIDENED = DTYPES["int8"], DTYPES["int16"]
"""The dtypes in which lcm may overflow, so that its reference computes in int32."""


def _relu(common: dtype, a: Layout | None) -> Layout:
    a = _beside_integers(common, a)
    return _where(result(a), None, a)


def _sgn(common: dtype, a: Layout) -> Layout:
    if not common.is_complex:
        return result(a)
    magnitude = result(a)
    return _where(result(magnitude), None, result(a, magnitude))


def _clamp(common: dtype, a: Layout, *bounds: Layout | None) -> Layout:
    for bound in bounds:
        a = _where(result(result(a, bound), result(a)), a, bound)
    return a


def _isinf(common: dtype, *parts: Layout) -> Layout:
    masks = [result(result(part)) for part in parts]
    return result(*masks) if len(masks) > 1 else masks[0]


def _isfinite(common: dtype, a: Layout, *imaginary: Layout) -> Layout:
    return result(result(a), result(result(a)))


_COMPOSED: dict[str, Callable[..., Layout]] = {
    "xlogy": _xlogy, "logaddexp": _logaddexp, "logaddexp2": _logaddexp2, "heaviside": _heaviside,
    "copysign": _copysign, "sinc": _sinc, "logit": _logit, "lcm": _lcm,
    "relu": _relu, "sgn": _sgn, "isinf": _isinf, "isfinite": _isfinite,
    **dict.fromkeys(("clamp", "clamp_min", "clamp_max"), _clamp),
    **dict.fromkeys(("logical_and", "logical_or", "logical_xor"), _logical),
}  # fmt: skip

UNCONVERTED = frozenset(
    {"addcdiv", "addcmul", "angle", "conj_physical", "lerp", "nan_to_num", "nextafter", "round",
     "sigmoid", "SubBackward1"}
)  # fmt: skip
"""The operators, or nodes of overloads, whose operands on meta no reference converts."""

_BROADCASTS = frozenset(
    {"copysign", "heaviside", "lcm", "logaddexp", "logaddexp2", "logical_and", "logical_or",
     "logical_xor"}
)  # fmt: skip
"""The references that broadcast their operands first."""
