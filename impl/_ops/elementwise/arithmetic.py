"""Addition, subtraction, multiplication and division."""

from functools import partial
from typing import Any

from ..._autograd.tracking import check_writable
from ..._dtypes.constants import BOOL
from ..._dtypes.scalars import scalar_dtype
from ..._dtypes.table import Kind, dtype, spec_of
from ..._kernels import elementwise
from ..._kernels.elementwise import ByKind
from ..._runtime.errors import check
from ..._tensor.factories import number_of
from ..._tensor.sparse_dispatch import sparse_first
from ..._tensor.tensor import Tensor
from ..common.conj_neg_fallback import resolves_conj_neg, resolves_conj_neg_in_place
from .binding import Overload, install_operator
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
    """Return the kernels of a + b and a - b; complex ones multiply by 1 or -1 first, which shows (0 * inf)."""
    return ByKind("add" if sign > 0 else "subtract", complex=partial(elementwise.add_scaled, sign))


_ADD = Pointwise("add", "add_stub", _ALL, _plus(1), "AddBackward0")
_SUB = Pointwise("sub", "add_stub", _ALL, _plus(-1), "SubBackward0")
_MUL = Pointwise(
    "mul",
    "mul_cpu",
    _ALL | FLOAT8 | WIDE_UNSIGNED,
    ByKind("multiply", complex=elementwise.multiply_complex),
    "MulBackward0",
    unrounded=True,
)
_DIV = Pointwise(
    "div",
    "div_cpu",
    FLOATS | COMPLEX,
    ByKind("true_divide"),
    "DivBackward0",
    result=Result.FLOAT,
    unrounded=True,
)
_DIV_TRUNC = Pointwise(
    "div",
    "div_trunc_cpu",
    NUMBERS,
    ByKind(
        elementwise.divide_trunc,
        integer=elementwise.divide_trunc_integers,
        narrow=elementwise.divide_trunc,
    ),
    "DivBackward2",
    unrounded=True,
)
_DIV_FLOOR = _DIV_TRUNC._replace(
    kernel="div_floor_cpu",
    compute=ByKind(
        elementwise.divide_floor,
        integer=elementwise.divide_floor_integers,
        narrow=elementwise.divide_floor,
    ),
)

ADD, SUB, MUL, DIV = map(Operator, (_ADD, _SUB, _MUL, _DIV))
RSUB, RSUB_NUMBER = (
    Operator(_SUB._replace(name="rsub", node=f"RsubBackward{each}")) for each in (0, 1)
)
DIV_TRUNC, DIV_FLOOR = Operator(_DIV_TRUNC), Operator(_DIV_FLOOR)
_DIV_NOT_ROUNDED = Operator(_DIV._replace(node=_DIV_TRUNC.node))
FLOOR_DIVIDE = Operator(
    _DIV_FLOOR._replace(name="floor_divide", node="NotImplemented", structured=False)
)


def _scaled(operator: Operator, dtype: dtype, alpha: Any) -> Operator:
    """Return an operator that multiplies its second operand first."""
    row = operator.row
    sign = -1 if row.name.endswith("sub") else 1
    compute = ByKind(
        partial(elementwise.add_scaled, sign * alpha),
        boolean=partial(elementwise.add_scaled_booleans, bool(alpha)),
        narrow=partial(elementwise.add_scaled_narrow, sign * alpha),
    )
    return Operator(
        row._replace(
            compute=compute, check=partial(check_alpha, dtype), numbers=(ScalarArg(alpha),)
        )
    )


def _with_alpha(operator: Operator, alpha: Any) -> Operator:
    if type(alpha) is int and alpha == 1:
        return operator
    number = number_of(alpha)
    kind = alpha._dtype if isinstance(alpha, Tensor) else scalar_dtype(number)
    return _scaled(operator, kind, number)


def check_alpha(dtype: dtype, common: dtype) -> None:
    """Refuse an alpha that is of a higher kind than the result (ATen/native/BinaryOps.h)."""
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


def _add(left: Any, right: Any, alpha: Any = 1, out: Tensor | None = None) -> Tensor:
    """add(input, other, *, alpha=1, out=None): return input + alpha * other."""
    operator = _with_alpha(ADD, alpha)
    return operator(left, right) if out is None else operator.into(out, left, right)


def _add_(left: Tensor, right: Any, alpha: Any = 1) -> Tensor:
    return _with_alpha(ADD, alpha).change(left, right)


def _check_sub(left: Any, right: Any) -> None:
    bools = [_is_bool(each) for each in (left, right)]
    check(
        not all(bools),
        lambda: (
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or"
            " `logical_xor()` operator instead."
        ),
    )
    check(
        not any(bools),
        lambda: (
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying"
            " to invert a mask, use the `~` or `logical_not()` operator instead."
        ),
    )


def _is_bool(operand: Any) -> bool:
    kind = operand._dtype if isinstance(operand, Tensor) else scalar_dtype(operand)
    return kind is BOOL


@partial(resolves_conj_neg, name="sub")
def _sub(left: Any, right: Any, alpha: Any = 1, out: Tensor | None = None) -> Tensor:
    """sub(input, other, *, alpha=1, out=None): return input - alpha * other."""
    _check_sub(left, right)
    operator = _with_alpha(SUB, alpha)
    return operator(left, right) if out is None else operator.into(out, left, right)


@resolves_conj_neg_in_place
def _sub_(left: Tensor, right: Any, alpha: Any = 1) -> Tensor:
    check_writable(left)
    _check_sub(left, right)
    return _with_alpha(SUB, alpha).change(left, right)


@resolves_conj_neg
def _rsub(left: Tensor, right: Any, alpha: Any = 1) -> Tensor:
    """rsub(input, other, alpha=1): return other - alpha * input."""
    _check_sub(right, left)
    operator = RSUB if isinstance(right, Tensor) else RSUB_NUMBER
    return _with_alpha(operator, alpha)(right, left)


def _run(operator: Operator) -> Any:
    def run(*operands: Any, out: Tensor | None = None) -> Tensor:
        return operator(*operands) if out is None else operator.into(out, *operands)

    return run


def _rounded(rounding_mode: str | None) -> Operator:
    """Return the division for a rounding mode."""
    found = {None: _DIV_NOT_ROUNDED, "trunc": DIV_TRUNC, "floor": DIV_FLOOR}.get(rounding_mode)
    check(
        found is not None,
        lambda: (
            "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found"
            f" '{rounding_mode}'"
        ),
    )
    assert found is not None
    return found


@partial(resolves_conj_neg, name="div")
def _div_rounded(left: Any, right: Any, mode: str | None, out: Tensor | None = None) -> Tensor:
    operator = _rounded(mode)
    return operator(left, right) if out is None else operator.into(out, left, right)


@resolves_conj_neg_in_place
def _div_rounded_(left: Tensor, right: Any, mode: str | None) -> Tensor:
    return _rounded(mode).change(left, right)


_ALPHA = "Tensor other, *, Scalar alpha=1"


def _deprecated(run: Any) -> Any:
    """Return what runs a way to call in which alpha comes second."""
    in_order = sparse_first(run.__name__.removeprefix("_"), run)
    return lambda left, alpha, right, **out: in_order(left, right, alpha, **out)


for _name, _doc, _operator, _run_it, _change in (
    ("add", "Return input + alpha * other.", ADD, _add, _add_),
    ("sub", "Return input - alpha * other.", SUB, _sub, _sub_),
):
    install_operator(
        _name,
        Overload(
            "Scalar alpha, Tensor other",
            _deprecated(_run_it),
            _deprecated(_change),
            deprecated=True,
        ),
        Overload(_ALPHA, _run_it, _change),
        doc=_doc,
        short=_operator,
    )
install_operator(
    "subtract",
    Overload(_ALPHA, _sub, _sub_),
    Overload("Scalar other, Scalar alpha=1", _sub, _sub_, out=False),
    doc="Return input - alpha * other.",
)
install_operator(
    "rsub",
    Overload(_ALPHA, _rsub, out=False),
    Overload("Scalar other, Scalar alpha=1", _rsub, out=False),
    doc="Return other - alpha * input.",
    method=False,
)
install_operator(
    "mul", Overload("Tensor other", _run(MUL), MUL.change), doc="Return input * other.", short=MUL
)
install_operator(
    "multiply",
    Overload("Tensor other", _run(MUL), MUL.change),
    Overload("Scalar other", _run(MUL), MUL.change, out=False),
    doc="Return input * other.",
)
_MODE = "Tensor other, *, c10::string_view? rounding_mode"
_SCALAR_MODE = "Scalar other, *, c10::string_view? rounding_mode"
install_operator(
    "div",
    Overload("Tensor other", _run(DIV), DIV.change),
    Overload(_MODE, _div_rounded, _div_rounded_),
    Overload(_SCALAR_MODE, _div_rounded, _div_rounded_, out=False),
    doc="Return input / other, rounded if a rounding_mode is given.",
    short=DIV,
)
install_operator(
    "divide",
    Overload("Tensor other", _run(DIV), DIV.change),
    Overload(_MODE, _div_rounded, _div_rounded_),
    Overload("Scalar other", _run(DIV), DIV.change, out=False),
    Overload(_SCALAR_MODE, _div_rounded, _div_rounded_, out=False),
    doc="Return input / other, rounded if a rounding_mode is given.",
)
for _name, _operator, _doc in (
    ("true_divide", DIV, "Return input / other."),
    ("floor_divide", FLOOR_DIVIDE, "Return input / other, rounded down."),
):
    install_operator(
        _name,
        Overload("Tensor other", _run(_operator), _operator.change),
        Overload("Scalar other", _run(_operator), _operator.change, out=False),
        doc=_doc,
    )
