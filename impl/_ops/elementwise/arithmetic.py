"""Addition, subtraction, multiplication and division."""

from functools import partial
from typing import Any

from ..._argparser.types import is_integral_dtype
from ..._dtypes.constants import BOOL
from ..._dtypes.scalars import scalar_dtype
from ..._dtypes.table import Kind, dtype, spec_of
from ..._geometry.extents import as_int64
from ..._kernels import elementwise
from ..._kernels.elementwise import ByKind
from ..._runtime.errors import check
from ..._tensor.factories import python_scalar
from ..._tensor.out_autograd import gradient_check, with_gradient_check
from ..._tensor.sparse_dispatch import sparse_first
from ..._tensor.tensor import Tensor
from ..common.caches import remember
from ..common.conj_neg_fallback import resolves_conj_neg
from ..common.device_checks import check_number_has_data
from ..common.meta_reference import (
    NO_BOOL_DIFFERENCE,
    Step,
    check_nothing,
    check_quotient,
    check_sum,
    is_on_meta,
)
from .binding import Overload, checked_overload, install_operator
from .iterator import Operator
from .plan import (
    BOOLS,
    COMPLEX,
    FLOAT8,
    FLOATS,
    HALF_COMPLEX,
    NUMBERS,
    WIDE_UNSIGNED,
    Pointwise,
    Result,
)
from .scalar_args import ScalarArg

_ALL = BOOLS | NUMBERS | COMPLEX | HALF_COMPLEX


def _plus(sign: int) -> ByKind:
    """Return the kernels of a + b and a - b; complex ones multiply b by the sign (0 * inf)."""
    return ByKind("add" if sign > 0 else "subtract", complex=partial(elementwise.add_scaled, sign))


_ADD = Pointwise("add", "add_stub", _ALL, _plus(1), "AddBackward0", inplace_on_meta=check_sum)
_SUB = Pointwise("sub", "add_stub", _ALL, _plus(-1), "SubBackward0", inplace_on_meta=check_sum)
_MUL = Pointwise(
    "mul",
    "mul_cpu",
    _ALL | FLOAT8 | WIDE_UNSIGNED,
    ByKind("multiply", complex=elementwise.multiply_complex),
    "MulBackward0",
    unrounded=True,
    inplace_on_meta=check_nothing,
)
_DIV = Pointwise(
    "div",
    "div_cpu",
    FLOATS | COMPLEX,
    ByKind("true_divide"),
    "DivBackward0",
    result=Result.FLOAT,
    unrounded=True,
    inplace_on_meta=check_quotient,
)
_DIV_TRUNC, _DIV_FLOOR = (
    Pointwise(
        "div",
        f"div_{mode}_cpu",
        NUMBERS,
        ByKind(kernel, integer=integer_kernel, narrow=kernel),
        "DivBackward2",
        unrounded=True,
    )
    for mode, kernel, integer_kernel in (
        ("trunc", elementwise.divide_trunc, elementwise.divide_trunc_integers),
        ("floor", elementwise.divide_floor, elementwise.divide_floor_integers),
    )
)

ADD, SUB, MUL, DIV = map(Operator, (_ADD, _SUB, _MUL, _DIV))
RSUB, RSUB_NUMBER = (
    Operator(_SUB._replace(name="rsub", node=f"RsubBackward{index}")) for index in (0, 1)
)
SUB_NUMBER = Operator(_SUB._replace(node="SubBackward1"))
DIV_TRUNC, DIV_FLOOR = Operator(_DIV_TRUNC), Operator(_DIV_FLOOR)
_DIV_NOT_ROUNDED = Operator(_DIV._replace(node=_DIV_TRUNC.node, inplace_on_meta=None))
FLOOR_DIVIDE = Operator(
    _DIV_FLOOR._replace(name="floor_divide", node="NotImplemented", structured=False)
)


def _scaled(operator: Operator, dtype: dtype, alpha: Any) -> Operator:
    spec = operator.spec
    scale = 1 * alpha
    if spec.name.endswith("sub"):  # c10::Scalar negates in int64, which wraps around
        scale = as_int64(-as_int64(alpha)) if type(alpha) is int else -scale
    compute = ByKind(
        partial(elementwise.add_scaled, scale),
        boolean=partial(elementwise.add_scaled_booleans, bool(alpha)),
        narrow=partial(elementwise.add_scaled_narrow, scale),
    )
    return Operator(
        spec._replace(
            compute=compute,
            check=partial(check_alpha, dtype),
            check_reference=(
                None
                if operator is SUB_NUMBER
                else partial(_check_alpha_type, alpha, is_sub=spec.name.endswith("sub"))
            ),
            scalar_args=(ScalarArg(scale),),
            reference_step=Step((1,), "mul_cpu_reduced_float", FLOAT8.__contains__),
            rounds_outside_vectors=True,
        )
    )


def _with_alpha(operator: Operator, alpha: Any) -> Operator:
    if type(alpha) is int and alpha == 1:
        return operator
    number = python_scalar(alpha)
    dtype = alpha._dtype if isinstance(alpha, Tensor) else scalar_dtype(number)
    key = operator, dtype, repr(number)
    scaled = _SCALED.get(key)
    if scaled is None:
        scaled = _scaled(operator, dtype, number)
        remember(_SCALED, key, scaled)
    return scaled


_SCALED: dict[tuple[Operator, dtype, str], Operator] = {}
"""The operators with alpha, by the operator without it, and by the dtype and the text of alpha."""


def _check_alpha_type(number: Any, common: dtype, is_sub: bool) -> None:
    """Raise if alpha has a higher Python type than the result (add and sub in torch/_refs).

    The reference of add takes any alpha for bool, that of sub only one of the value 1.
    """
    if number == 1 if is_sub else common is BOOL:
        return
    result = (
        complex if common.is_complex
        else float if common.is_floating_point
        else bool if common is BOOL
        else int
    )  # fmt: skip
    order = bool, int, float, complex
    check(
        order.index(type(number)) <= order.index(result),
        lambda: f"alpha argument of type {type(number)} cannot be safely cast to type {result}!",
        ValueError,
    )


def check_alpha(dtype: dtype, common: dtype) -> None:
    """Raise if alpha has a higher category than the result (ATen/native/BinaryOps.h)."""
    is_bool = spec_of(dtype).kind is Kind.BOOL
    check(
        not is_bool or common is BOOL,
        lambda: "Boolean alpha only supported for Boolean results.",
    )
    check(
        common.is_floating_point
        or common.is_complex
        or not (dtype.is_floating_point or dtype.is_complex),
        lambda: "For integral input tensors, argument alpha must not be a floating point number.",
    )
    check(
        common.is_complex or not dtype.is_complex,
        lambda: "For non-complex input tensors, argument alpha must not be a complex number.",
    )


def _check_product(tensor: Any, number: Any, alpha: Any) -> None:
    """Raise if a reference cannot pass the product of two ints that it adds to integers."""
    are_ints = type(number) is int and type(alpha) is int
    if are_ints and is_on_meta(tensor) and is_integral_dtype(tensor._dtype, or_bool=True):
        scalar_dtype(number * alpha)


def _add(left: Any, right: Any, alpha: Any = 1, out: Tensor | None = None) -> Tensor:
    _check_product(left, right, alpha)
    return _with_alpha(ADD, alpha)(left, right, out=out)


def _add_(left: Tensor, right: Any, alpha: Any = 1) -> Tensor:
    return _with_alpha(ADD, alpha).inplace(left, right)


def _check_sub(*operands: Any) -> None:
    if is_on_meta(*operands):
        return
    are_bool = [(x._dtype if isinstance(x, Tensor) else scalar_dtype(x)) is BOOL for x in operands]
    check(
        not all(are_bool),
        lambda: NO_BOOL_DIFFERENCE,
    )
    check(
        not any(are_bool),
        lambda: (
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying"
            " to invert a mask, use the `~` or `logical_not()` operator instead."
        ),
    )


def _checked_sub(left: Any, right: Any, alpha: Any = 1) -> tuple[Operator, tuple[Any, ...]]:
    check_number_has_data(alpha)
    _check_sub(left, right)
    return _with_alpha(SUB, alpha), (left, right)


def _checked_sub_number(left: Any, right: Any, alpha: Any = 1) -> tuple[Operator, tuple[Any, ...]]:
    check_number_has_data(right)
    check_number_has_data(alpha)
    _check_sub(left, right)
    return _with_alpha(SUB_NUMBER, alpha), (left, right)


@resolves_conj_neg
def _rsub(left: Tensor, right: Any, alpha: Any = 1) -> Tensor:
    check_number_has_data(alpha)
    _check_sub(right, left)
    operator = RSUB if isinstance(right, Tensor) else RSUB_NUMBER
    return _with_alpha(operator, alpha)(right, left)


def _checked_div(
    left: Any, right: Any, rounding_mode: str | None
) -> tuple[Operator, tuple[Any, ...]]:
    operators = {None: _DIV_NOT_ROUNDED, "trunc": DIV_TRUNC, "floor": DIV_FLOOR}
    on_meta = is_on_meta(left, right)
    check(
        rounding_mode in operators,
        lambda: (
            "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found"
            + (f" {rounding_mode}." if on_meta else f" '{rounding_mode}'")
        ),
        ValueError if on_meta else RuntimeError,
    )
    return operators[rounding_mode], (left, right)


_ALPHA = "Tensor other, *, Scalar alpha=1"
_ADD_ALPHA = Overload(_ALPHA, _add, _add_)
_CHECKED_SUB = checked_overload("sub", _ALPHA, _checked_sub)


def _sub(left: Any, right: Any, alpha: Any = 1, out: Tensor | None = None) -> Tensor:
    _check_product(left, right, alpha)
    result: Tensor = _CHECKED_SUB.run(left, right, alpha, out=out)
    return result


_SUB_ALPHA = _CHECKED_SUB._replace(run=_sub)

for _run in (_add, _sub):
    with_gradient_check(_run, gradient_check(_run.__name__[1:], of=slice(2)))


def _deprecated(name: str, run: Any) -> Any:
    """Return the implementation of a deprecated overload, which has alpha before the tensor."""
    function = sparse_first(name, run)
    return with_gradient_check(
        lambda left, alpha, right, **out: function(left, right, alpha, **out),
        gradient_check(name, of=slice(3)),
    )


for _name, _doc, _operator, _overload in (
    ("add", "Return input + alpha * other.", ADD, _ADD_ALPHA),
    ("sub", "Return input - alpha * other.", SUB, _SUB_ALPHA),
):
    install_operator(
        _name,
        Overload(
            "Scalar alpha, Tensor other",
            _deprecated(_name, _overload.run),
            _deprecated(f"{_name}_", _overload.inplace),
            deprecated=True,
        ),
        _overload,
        doc=_doc,
        fast_path=_operator,
    )
_SCALAR_ALPHA = "Scalar other, Scalar alpha=1"
install_operator(
    "subtract",
    _SUB_ALPHA,
    checked_overload("sub", _SCALAR_ALPHA, _checked_sub_number)._replace(out=False),
    doc="Return input - alpha * other.",
)
install_operator(
    "rsub",
    Overload(_ALPHA, _rsub, out=False),
    Overload(_SCALAR_ALPHA, _rsub, out=False),
    doc="Return other - alpha * input.",
    method=False,
)
install_operator(
    "mul", Overload("Tensor other", MUL, MUL.inplace), doc="Return input * other.", fast_path=MUL
)
_MODE = checked_overload(
    "div", "Tensor other, *, c10::string_view? rounding_mode", _checked_div, DIV_FLOOR.spec.node
)
_SCALAR_MODE = _MODE._replace(
    parameters="Scalar other, *, c10::string_view? rounding_mode", out=False
)
install_operator(
    "div",
    Overload("Tensor other", DIV, DIV.inplace),
    _MODE,
    _SCALAR_MODE,
    doc="Return input / other, rounded if a rounding_mode is given.",
    fast_path=DIV,
)
install_operator(
    "divide",
    Overload("Tensor other", DIV, DIV.inplace),
    _MODE,
    Overload("Scalar other", DIV, DIV.inplace, out=False),
    _SCALAR_MODE,
    doc="Return input / other, rounded if a rounding_mode is given.",
)
for _name, _operator, _doc in (
    ("multiply", MUL, "Return input * other."),
    ("true_divide", DIV, "Return input / other."),
    ("floor_divide", FLOOR_DIVIDE, "Return input / other, rounded down."),
):
    install_operator(
        _name,
        Overload("Tensor other", _operator, _operator.inplace),
        Overload("Scalar other", _operator, _operator.inplace, out=False),
        doc=_doc,
    )
