"""Unary operators, with the kernel names and dtypes of torch.

They follow aten/src/ATen/native/UnaryOps.cpp and native/cpu/UnaryOpsKernel.cpp.
"""

from collections.abc import Callable
from typing import Any

from ..._argparser.types import is_integral_dtype
from ..._devices.device import META
from ..._dtypes.constants import BOOL, COMPLEX32, FLOAT8_E8M0FNU
from ..._dtypes.table import dtype
from ..._geometry.geometry import dense, on_device
from ..._geometry.layout import contiguous_format, memory_format, preserve_format
from ..._kernels import unary
from ..._kernels.elementwise import ByKind, KernelOrName
from ..._kernels.unary import via_float64
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import NotDense, check, takes_no_arguments
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.allocation import empty_with, resize_output, warn_complex32
from ..._tensor.out_autograd import gradient_check, with_gradient_check
from ..._tensor.tensor import METHODS, Tensor
from ..._tensor.views import record_grad_fn
from ..common.array_plans import is_noting
from ..common.clone import like_geometry
from ..common.conj_neg_fallback import resolve_conj_neg
from ..common.copy import copy_
from ..common.meta_reference import check_nothing, is_on_meta, resize_output_on_meta
from ..common.out_argument import check_cast, save_and_run
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

DTypeCheck = Callable[[dtype], None]


_NO_INPLACE_FUNCTION = frozenset(
    {"absolute", "sign", "sgn", "erfinv", "lgamma", "digamma", "bitwise_not"}
)
"""Operators whose in-place form is a method only."""

_OTHER_INPLACE_NODE = frozenset({"asinh", "acosh", "atanh"})
"""Operators with another grad_fn for the in-place form (tools/autograd/derivatives.yaml)."""


def reject_complex(message: str, error: type[Exception] = NotImplementedError) -> DTypeCheck:
    """Return a check which raises for complex dtypes."""
    return lambda dtype: check(not dtype.is_complex, lambda: message, error)


def reject_bool(message: str) -> DTypeCheck:
    """Return a check which raises for bool."""
    return lambda dtype: check(dtype is not BOOL, lambda: message)


class WithMemoryFormat(Operator):
    """An operator which allocates its result in a memory format first.

    ``keeps_dtype``: the result has the operand's dtype unless this is integral.
    """

    __slots__ = ("format_", "keeps_dtype")

    def __init__(
        self,
        spec: Pointwise,
        format_: memory_format = preserve_format,
        *,
        keeps_dtype: bool = False,
    ) -> None:
        super().__init__(spec)
        self.format_, self.keeps_dtype = format_, keeps_dtype

    def __call__(self, *operands: Any, out: Tensor | None = None) -> Tensor:
        """Return the result as a new tensor, or write it into ``out`` and return it."""
        if out is not None:
            return self.into(out, *operands)
        tensor: Tensor = operands[0]
        is_meta = tensor._geometry.device is META
        if tensor._dtype is COMPLEX32 and not is_meta:
            warn_complex32()
        plan = self.plan(operands)
        self._check_kernel(plan)
        dtype = plan.result_dtype
        if self.keeps_dtype and not is_integral_dtype(tensor._dtype, or_bool=True):
            dtype = tensor._dtype
        geometry = plan.geometry if is_meta else like_geometry(tensor, self.format_, dtype)
        if dtype is COMPLEX32:
            warn_complex32(by_reference=is_meta)
        result = empty_with(geometry, dtype, warns=False)
        plan.write(result, operands)
        result = record_grad_fn(result, (tensor,), self.spec.node)
        is_noted = is_noting() and dtype is plan.result_dtype and self.format_ is preserve_format
        return self._noted(result, operands) if is_noted else result


def _node(name: str) -> str:
    return f"{'Log1P' if name == 'log1p' else name.capitalize()}Backward0"


def _install(names: str, spec: Pointwise) -> None:
    operator = inplace_operator = Operator(spec)
    if spec.name in _OTHER_INPLACE_NODE:
        inplace_operator = Operator(spec._replace(node=spec.node.replace("0", "1")))
    for name in names.split():
        install_unary(
            name,
            operator,
            inplace_operator.inplace,
            out=True,
            in_place_function=name not in _NO_INPLACE_FUNCTION,
            fast_path=operator,
        )


# Functions which promote integers to the default dtype


def _numpy_kernels(function: str, complex_kernel: KernelOrName | None = None) -> ByKind:
    return ByKind(via_float64(function), complex=complex_kernel or function)


def _with_nans(function: str, complex_kernel: KernelOrName | None = None, sign: int = 1) -> ByKind:
    """Return the kernels of a function whose NaNs are not NumPy's."""
    kernel = unary.with_nans(via_float64(function), sign)
    return ByKind(kernel, complex=complex_kernel or function)


def _check_sigmoid(common: dtype) -> None:
    """Raise sigmoid's own error for floats narrower than float32 without a kernel."""
    if common.is_floating_point and common.itemsize < 4 and common not in FLOATS:
        raise_not_implemented("sigmoid_cpu_reduced_float", common)


for _names, _kernel, _compute in (
    ("reciprocal", "reciprocal_cpu",
     ByKind(unary.reciprocal, complex=unary.complex_reciprocal)),
    ("sqrt", "sqrt_vml_cpu", ByKind(unary.sqrt, complex="sqrt", narrow=unary.narrow("sqrt"))),
    ("rsqrt", "rsqrt_cpu",
     ByKind(unary.reciprocal_root, complex=unary.complex_reciprocal_root,
            narrow=unary.reciprocal_root)),
    ("exp", "exp_vml_cpu", _numpy_kernels("exp")),
    ("exp2", "exp2", _numpy_kernels("exp2", unary.complex_exp2)),
    ("expm1", "expm1_vml_cpu", _with_nans("expm1")),
    ("log", "log_vml_cpu", _with_nans("log")),
    ("log2", "log2_vml_cpu", _with_nans("log2", unary.complex_log(2))),
    ("log10", "log10_vml_cpu", _with_nans("log10", unary.complex_log(10))),
    ("log1p", "log1p_vml_cpu", _numpy_kernels("log1p", unary.complex_log1p)),
    ("sin", "sin_vml_cpu", _numpy_kernels("sin")),
    ("cos", "cos_vml_cpu", _numpy_kernels("cos")),
    ("tan", "tan_vml_cpu", _numpy_kernels("tan")),
    ("asin arcsin", "asin_vml_cpu",
     _with_nans("arcsin", sign=-1)._replace(
         narrow=unary.narrow(unary.with_nans(via_float64("arcsin"))))),
    ("acos arccos", "acos_vml_cpu", _with_nans("arccos", unary.complex_acos, -1)),
    ("atan arctan", "atan_vml_cpu", _numpy_kernels("arctan")),
    ("sinh", "sinh_cpu", _numpy_kernels("sinh")),
    ("cosh", "cosh_cpu", _numpy_kernels("cosh")),
    ("tanh", "tanh_vml_cpu", _with_nans("tanh")),
    ("asinh arcsinh", "asinh_cpu", _numpy_kernels("arcsinh")),
    ("acosh arccosh", "acosh_cpu", _numpy_kernels("arccosh")),
    ("atanh arctanh", "atanh_cpu", _numpy_kernels("arctanh")),
    ("sigmoid", "sigmoid_cpu", ByKind(unary.sigmoid, complex=unary.complex_sigmoid)),
    ("sinc", "sinc_cpu", ByKind(unary.sinc, complex=unary.complex_sinc)),
    ("erf", "erf_vml_cpu", ByKind(unary.erf, narrow=unary.erf_16bit)),
    ("erfc", "erfc_vml_cpu", ByKind(unary.erfc)),
    ("erfinv", "erfinv_vml_cpu", ByKind(unary.erfinv, narrow=unary.narrow(unary.positive_erfinv))),
    ("lgamma", "lgamma_vml_cpu", ByKind(unary.lgamma)),
    ("digamma", "digamma", ByKind(unary.digamma)),
    ("i0", "i0_vml_cpu", ByKind(unary.i0)),
):  # fmt: skip
    _name, *_ = _names.split()
    _dtypes = FLOATS if _compute.complex is None else FLOATS | COMPLEX
    _check = _check_sigmoid if _name == "sigmoid" else None
    _install(
        _names,
        Pointwise(_name, _kernel, _dtypes, _compute, _node(_name), Result.FLOAT, check=_check),
    )


# Operators which require the operand's dtype for out


for _names in ("floor", "ceil", "trunc fix"):
    _name, *_ = _names.split()
    _install(
        _names,
        Pointwise(
            _name,
            f"{_name}_vml_cpu",
            NUMBERS | WIDE_UNSIGNED,
            ByKind(unary.trunc if _name == "trunc" else _name, integer="positive"),
            _node(_name),
            Result.SAME,
            precheck=reject_complex(f"{_name} is not supported for complex inputs"),
        ),
    )

for _names, _kernel, _dtypes, _compute, _precheck in (
    ("neg negative", "neg_cpu", NUMBERS | COMPLEX | HALF_COMPLEX, ByKind("negative"),
     reject_bool(
         "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to"
         " invert a mask, use the `~` or `logical_not()` operator instead.")),
    ("sign", "sign_cpu", BOOLS | NUMBERS, ByKind(unary.sign),
     reject_complex(
         "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use"
         " torch.sgn instead.")),
    ("sgn", "sign_cpu", BOOLS | NUMBERS | COMPLEX | HALF_COMPLEX,
     ByKind(unary.sign, complex=unary.complex_sign), None),
    ("frac", "frac_cpu", FLOATS, ByKind(unary.fraction), None),
    ("bitwise_not", "bitwise_not_cpu", BOOLS | INTEGERS, ByKind("invert"), None),
):  # fmt: skip
    _name, *_ = _names.split()
    _install(
        _names,
        Pointwise(
            _name, _kernel, _dtypes, _compute,
            "NotImplemented" if _name == "bitwise_not" else _node(_name), Result.SAME,
            precheck=_precheck, handles_neg_bit=_name == "neg",
        ),
    )  # fmt: skip


# relu has no out; it uses the clamp_min kernel.


def _check_relu(dtype: dtype) -> None:
    check(dtype is not BOOL, lambda: "Boolean inputs not supported for relu")
    reject_complex("clamp is not supported for complex types")(dtype)


_RELU = Operator(
    Pointwise(
        "relu",
        "clamp_min_scalar_cpu",
        NUMBERS,
        ByKind(unary.relu),
        "ReluBackward0",
        Result.SAME,
        precheck=_check_relu,
        inplace_on_meta=check_nothing,
    )
)
install_unary("relu", _RELU, _RELU.inplace, fast_path=_RELU)


# square is pow with the exponent 2.

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


# abs and angle, which are real for complex numbers


def _with_real_result(operator: Operator, complex_operator: Operator) -> Run:
    """Return a function with a real result; a real ``out`` gets a copy of it for complex input."""
    spec = operator.spec

    check_gradients = gradient_check(spec.name)

    def run(tensor: Tensor, out: Tensor | None = None) -> Tensor:
        if out is not None:
            check_gradients((tensor,), out)
        if out is not None and spec.name == "angle" and is_on_meta(tensor, out):
            resize_output_on_meta(tensor, out)
            return copy_(out, run(tensor))
        if out is not None and is_on_meta(tensor, out):
            return (complex_operator if tensor._dtype.is_complex else operator)(tensor, out=out)
        if not tensor._dtype.is_complex or (out is not None and out._dtype.is_complex):
            return operator(tensor, out=out)
        if tensor._geometry.is_sparse:
            raise NotDense
        if out is None:
            return record_grad_fn(complex_operator(resolve_conj_neg(tensor)), (tensor,), spec.node)
        check_cast(tensor._dtype.to_real(), out)
        complex_out = empty_with(on_device(dense((0,)), tensor._geometry.device), tensor._dtype)
        result = operator(resolve_conj_neg(tensor), out=complex_out)
        return copy_(resize_output(out, tensor._geometry.shape), PUBLIC["real"](result))

    return with_gradient_check(run, check_gradients)


def _abs_(tensor: Tensor) -> Tensor:
    return save_and_run(tensor, _ABS.spec.node, (), lambda: _abs_saved(tensor))


def _abs_saved(tensor: Tensor) -> Tensor:
    resolve_conj_neg(tensor)  # torch resolves the bits before the dtype check
    if tensor._dtype.is_complex and is_on_meta(tensor):
        return _COMPLEX_ABS.inplace_below_autograd(tensor)
    message = "In-place abs is not supported for complex tensors."
    reject_complex(message, RuntimeError)(tensor._dtype)
    return _ABS.inplace_below_autograd(tensor)


_ABS = Operator(
    Pointwise(
        "abs",
        "abs_cpu",
        NUMBERS | COMPLEX | HALF_COMPLEX | (FLOAT8 - {FLOAT8_E8M0FNU}),
        ByKind("absolute", complex=unary.complex_abs),
        "AbsBackward0",
        Result.SAME,
    )
)
_COMPLEX_ABS = WithMemoryFormat(_ABS.spec._replace(result=Result.REAL))
_abs = _with_real_result(_ABS, _COMPLEX_ABS)
for _name in ("abs", "absolute"):
    install_unary(
        _name,
        _abs,
        _abs_,
        out=True,
        in_place_function=_name == "abs",
        fast_path=_ABS,
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
_COMPLEX_ANGLE = WithMemoryFormat(_ANGLE.spec._replace(result=Result.REAL), contiguous_format)
install_unary("angle", _with_real_result(_ANGLE, _COMPLEX_ANGLE), out=True, fast_path=_ANGLE)


# positive and invert


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
METHODS["__invert__"] = _invert
for _name, _method_name in (("__neg__", "neg"), ("__pos__", "positive"), ("__abs__", "abs")):
    METHODS[_name] = METHODS[_method_name]
