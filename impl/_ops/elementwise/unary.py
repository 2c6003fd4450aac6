"""Operators of one operand: a row for each, and the functions and methods that run them.

What torch calls its kernels, and for which dtypes it has them, is in
aten/src/ATen/native/UnaryOps.cpp and native/cpu/UnaryOpsKernel.cpp.
"""

from collections.abc import Callable
from typing import Any

from ..._autograd.tracking import check_writable
from ..._dtypes.constants import BOOL, COMPLEX32, FLOAT8_E8M0FNU
from ..._dtypes.table import dtype, spec_of
from ..._geometry.layout import contiguous_format, memory_format, preserve_format
from ..._kernels import unary
from ..._kernels.elementwise import ByKind, Named
from ..._kernels.unary import accurate
from ..._numerics.promotion import can_cast
from ..._runtime.errors import check, takes_no_arguments
from ..._tensor.factories import empty_with, resize_output, warn_of_complex32
from ..._tensor.out_autograd import check_no_gradients, check_no_leaf
from ..._tensor.tensor import METHODS, Tensor, record_grad_fn
from ..common.clone import like_geometry
from ..common.conj_neg_fallback import resolved
from ..common.copy import copy_
from ..common.out_argument import warn_of_saved
from .binding import Run, install_unary
from .iterator import Operator
from .plan import (
    BOOLS,
    COMPLEX,
    FLOAT8,
    FLOATS,
    HALF_COMPLEX,
    INTEGERS,
    NUMBERS,
    WIDE_UNSIGNED,
    Pointwise,
    Result,
)

Refusal = Callable[[dtype], None]


_NOT_FUNCTIONS_IN_PLACE = frozenset({"absolute", "sign", "sgn", "erfinv", "lgamma", "digamma"})
"""Those whose in-place form is only a method."""

_OTHER_NODE_IN_PLACE = frozenset({"asinh", "acosh", "atanh"})
"""Those for which autograd has a second node, for in place (tools/autograd/derivatives.yaml)."""


def refuse_complex(message: str, error: type[Exception] = NotImplementedError) -> Refusal:
    """Return what refuses complex operands."""
    return lambda kind: check(not kind.is_complex, lambda: message, error)


def refuse_bool(message: str) -> Refusal:
    """Return what refuses operands of bool."""
    return lambda kind: check(kind is not BOOL, lambda: message)


class InFormat(Operator):
    """An operator whose new result torch makes beforehand, in a memory format."""

    __slots__ = ("form",)

    def __init__(self, row: Pointwise, form: memory_format = preserve_format) -> None:
        super().__init__(row)
        self.form = form

    def __call__(self, *operands: Any) -> Tensor:
        """Return the result as a new tensor."""
        tensor: Tensor = operands[0]
        if tensor._dtype is COMPLEX32:
            warn_of_complex32()
        plan = self.plan(operands)
        self._check_kernel(plan)
        result = empty_with(like_geometry(tensor, self.form, plan.result_dtype), plan.result_dtype)
        plan.write(result, operands)
        return record_grad_fn(result, (tensor,), self.row.node)


def _node(name: str) -> str:
    return f"{'Log1P' if name == 'log1p' else name.capitalize()}Backward0"


def _install(names: str, row: Pointwise) -> None:
    """Make all forms of a row, by each of its names."""
    operator = in_place = Operator(row)
    if row.name in _OTHER_NODE_IN_PLACE:
        in_place = Operator(row._replace(node=row.node.replace("0", "1")))
    for name in names.split():
        install_unary(
            name,
            operator,
            operator.into,
            in_place.change,
            in_place_function=name not in _NOT_FUNCTIONS_IN_PLACE,
            short=operator,
        )


# Functions of float numbers; integers are converted to the default dtype.


def _both(function: str, of_complex: Named | None = None) -> ByKind:
    """Return the kernels of a function that NumPy has."""
    return ByKind(accurate(function), complex=of_complex or function)


def _name_kernel_of_sigmoid(common: dtype) -> None:
    """Refuse floats below float32 in the words that this operator alone has."""
    check(
        not common.is_floating_point or common.itemsize >= 4 or common in FLOATS,
        lambda: f"\"sigmoid_cpu_reduced_float\" not implemented for '{spec_of(common).cpp_name}'",
        NotImplementedError,
    )


for _names, _kernel, _compute in (
    ("reciprocal", "reciprocal_cpu",
     ByKind(unary.reciprocal, complex=unary.complex_reciprocal)),
    ("sqrt", "sqrt_vml_cpu", ByKind("sqrt", complex="sqrt")),
    ("rsqrt", "rsqrt_cpu",
     ByKind(unary.reciprocal_root, complex=unary.complex_reciprocal_root,
            narrow=unary.reciprocal_root)),
    ("exp", "exp_vml_cpu", _both("exp")),
    ("exp2", "exp2", _both("exp2", unary.complex_exp2)),
    ("expm1", "expm1_vml_cpu", _both("expm1")),
    ("log", "log_vml_cpu", _both("log")),
    ("log2", "log2_vml_cpu", _both("log2", unary.complex_log(2))),
    ("log10", "log10_vml_cpu", _both("log10", unary.complex_log(10))),
    ("log1p", "log1p_vml_cpu", _both("log1p", unary.complex_log1p)),
    ("sin", "sin_vml_cpu", _both("sin")),
    ("cos", "cos_vml_cpu", _both("cos")),
    ("tan", "tan_vml_cpu", _both("tan")),
    ("asin arcsin", "asin_vml_cpu", _both("arcsin")),
    ("acos arccos", "acos_vml_cpu", _both("arccos", unary.complex_acos)),
    ("atan arctan", "atan_vml_cpu", _both("arctan")),
    ("sinh", "sinh_cpu", _both("sinh")),
    ("cosh", "cosh_cpu", _both("cosh")),
    ("tanh", "tanh_vml_cpu", _both("tanh")),
    ("asinh arcsinh", "asinh_cpu", _both("arcsinh")),
    ("acosh arccosh", "acosh_cpu", _both("arccosh")),
    ("atanh arctanh", "atanh_cpu", _both("arctanh")),
    ("sigmoid", "sigmoid_cpu", ByKind(unary.sigmoid, complex=unary.complex_sigmoid)),
    ("sinc", "sinc_cpu", ByKind(unary.sinc, complex=unary.complex_sinc)),
    ("erf", "erf_vml_cpu", ByKind(unary.erf, narrow=unary.erf_of_halves)),
    ("erfc", "erfc_vml_cpu", ByKind(unary.erfc)),
    ("erfinv", "erfinv_vml_cpu", ByKind(unary.erfinv)),
    ("lgamma", "lgamma_vml_cpu", ByKind(unary.lgamma)),
    ("digamma", "digamma", ByKind(unary.digamma)),
    ("i0", "i0_vml_cpu", ByKind(unary.i0)),
):  # fmt: skip
    _name, *_ = _names.split()
    _dtypes = FLOATS if _compute.complex is None else FLOATS | COMPLEX
    _check = _name_kernel_of_sigmoid if _name == "sigmoid" else None
    _install(
        _names,
        Pointwise(_name, _kernel, _dtypes, _compute, _node(_name), Result.FLOAT, check=_check),
    )


# Operators whose result has the dtype of the operand, as must out.


def _rounded_to_integer(names: str) -> None:
    name, *_ = names.split()
    row = Pointwise(
        name,
        f"{name}_vml_cpu",
        NUMBERS | WIDE_UNSIGNED,
        ByKind(name, integer="positive"),
        _node(name),
        Result.SAME,
        refuse=refuse_complex(f"{name} is not supported for complex inputs"),
    )
    _install(names, row)


for _names in ("floor", "ceil", "trunc fix"):
    _rounded_to_integer(_names)

for _names, _kernel, _dtypes, _compute, _refuse in (
    ("neg negative", "neg_cpu", NUMBERS | COMPLEX | HALF_COMPLEX, ByKind("negative"),
     refuse_bool(
         "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to"
         " invert a mask, use the `~` or `logical_not()` operator instead.")),
    ("sign", "sign_cpu", BOOLS | NUMBERS, ByKind(unary.sign),
     refuse_complex(
         "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use"
         " torch.sgn instead.")),
    ("sgn", "sign_cpu", BOOLS | NUMBERS | COMPLEX | HALF_COMPLEX,
     ByKind(unary.sign, complex=unary.sign_of_complex), None),
    ("frac", "frac_cpu", FLOATS, ByKind(unary.fraction), None),
):  # fmt: skip
    _name, *_ = _names.split()
    _install(
        _names,
        Pointwise(
            _name, _kernel, _dtypes, _compute, _node(_name), Result.SAME, refuse=_refuse,
            knows_negative=_name == "neg",
        ),
    )  # fmt: skip


# bitwise_not has no derivative.

_BITWISE_NOT = Operator(
    Pointwise("bitwise_not", "bitwise_not_cpu", BOOLS | INTEGERS, ByKind("invert"), "", Result.SAME)
)


def _bitwise_not_into(out: Tensor, tensor: Tensor) -> Tensor:
    check_no_leaf("aten::bitwise_not", out)
    return _BITWISE_NOT.into(out, tensor)


def _bitwise_not_(tensor: Tensor) -> Tensor:
    check_writable(tensor)
    return _BITWISE_NOT.change(tensor)


install_unary(
    "bitwise_not",
    _BITWISE_NOT,
    _bitwise_not_into,
    _bitwise_not_,
    in_place_function=False,
    short=_BITWISE_NOT,
)


# relu is a clamp, and has no out.


def _refuse_to_clamp(dtype: dtype) -> None:
    check(dtype is not BOOL, lambda: "Boolean inputs not supported for relu")
    check(
        not dtype.is_complex,
        lambda: "clamp is not supported for complex types",
        NotImplementedError,
    )


_RELU = Operator(
    Pointwise(
        "relu",
        "clamp_min_scalar_cpu",
        NUMBERS,
        ByKind(unary.relu),
        "ReluBackward0",
        Result.SAME,
        refuse=_refuse_to_clamp,
    )
)
install_unary("relu", _RELU, None, _RELU.change, short=_RELU)


# The square is the power of two.

_install(
    "square",
    Pointwise(
        "pow",
        "pow",
        NUMBERS | COMPLEX,
        ByKind("square", complex=unary.complex_square),
        "PowBackward0",
        Result.NUMBER,
    ),
)


# The size and the angle of complex numbers are real.


def _into_real(real: Operator, of_complex: Operator) -> Run:
    """Return what writes a real result; an ``out`` that is not complex gets a copy of a complex one's."""

    def into(out: Tensor, tensor: Tensor) -> Tensor:
        if not tensor._dtype.is_complex or out._dtype.is_complex:
            return real.into(out, tensor)
        check_no_gradients(real.row.name, tensor, out)
        dtype = tensor._dtype.to_real()
        check(
            can_cast(dtype, out._dtype),
            lambda: (
                f"result type {spec_of(dtype).cpp_name} can't be cast to the desired output type"
                f" {spec_of(out._dtype).cpp_name}"
            ),
        )
        result = of_complex(resolved(tensor))
        resize_output(out, tensor._geometry.shape)
        copy_(out, result)
        return out

    return into


def _abs_(tensor: Tensor) -> Tensor:
    check_writable(tensor)
    warn_of_saved(tensor, "AbsBackward0")
    resolved(tensor)  # torch does so before it looks at the dtype
    check(
        not tensor._dtype.is_complex,
        lambda: "In-place abs is not supported for complex tensors.",
    )
    return _ABS.change(tensor)


_ABS = Operator(
    Pointwise(
        "abs",
        "abs_cpu",
        NUMBERS | COMPLEX | HALF_COMPLEX | (FLOAT8 - {FLOAT8_E8M0FNU}),
        ByKind("absolute", complex=unary.complex_size),
        "AbsBackward0",
        Result.SAME,
    )
)
_ABS_OF_COMPLEX = InFormat(_ABS.row._replace(result=Result.REAL))


def _abs(tensor: Tensor) -> Tensor:
    if tensor._dtype.is_complex:
        return record_grad_fn(_ABS_OF_COMPLEX(resolved(tensor)), (tensor,), "AbsBackward0")
    return _ABS(tensor)


for _name in ("abs", "absolute"):
    install_unary(
        _name,
        _abs,
        _into_real(_ABS, _ABS_OF_COMPLEX),
        _abs_,
        in_place_function=_name == "abs",
        short=_ABS,
    )

_ANGLE = Operator(
    Pointwise(
        "angle",
        "angle_cpu",
        FLOATS | COMPLEX,
        ByKind(unary.angle, complex=unary.complex_angle),
        "AngleBackward0",
        Result.FLOAT,
        structured=False,
    )
)
_ANGLE_OF_COMPLEX = InFormat(_ANGLE.row._replace(result=Result.REAL), contiguous_format)


def _angle(tensor: Tensor) -> Tensor:
    if tensor._dtype.is_complex:
        return record_grad_fn(_ANGLE_OF_COMPLEX(resolved(tensor)), (tensor,), "AngleBackward0")
    return _ANGLE(tensor)


install_unary("angle", _angle, _into_real(_ANGLE, _ANGLE_OF_COMPLEX), short=_ANGLE)


# The sign that changes nothing.


def _positive(tensor: Tensor) -> Tensor:
    check(
        tensor._dtype is not BOOL,
        lambda: "The `+` operator, on a bool tensor is not supported.",
    )
    return tensor


install_unary("positive", _positive)


def _invert(self: Tensor, /, *args: Any, **keywords: Any) -> Tensor:
    """Return ~self, of integers and booleans."""
    if args or keywords:
        takes_no_arguments("TensorBase.__invert__", args, keywords)
    dtype = self._dtype
    check(
        not (dtype.is_floating_point or dtype.is_complex),
        lambda: "~ (operator.invert) is only implemented on integer and Boolean-type tensors",
        TypeError,
    )
    result: Tensor = self.bitwise_not()  # type: ignore[attr-defined]
    return result


_invert.__name__, _invert.__qualname__ = "__invert__", "Tensor.__invert__"
for _name, _method in (
    ("__neg__", METHODS["neg"]),
    ("__pos__", METHODS["positive"]),
    ("__abs__", METHODS["abs"]),
    ("__invert__", _invert),
):
    METHODS[_name] = _method
