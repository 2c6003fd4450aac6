"""Unary operators with scalar parameters or constants: round, logit, nan_to_num, deg2rad."""

import math
from functools import cache, update_wrapper
from typing import Any

from ..._autograd.autograd_meta import bump_version
from ..._dtypes.table import dtype, spec_of
from ..._kernels import unary
from ..._kernels.elementwise import ByKind
from ..._numerics.type_info import finfo
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.allocation import resize_output
from ..._tensor.out_autograd import check_no_complex_gradient, gradient_check, with_gradient_check
from ..._tensor.tensor import METHODS, Tensor
from ..common.array_plans import with_array_plans
from ..common.conj_neg_fallback import resolves_conj_neg
from ..common.copy import copy_, copy_into, record_write
from ..common.meta_reference import check_infinities, into_meta, is_on_meta, warn_of_result
from ..common.out_argument import save_and_run
from ..common.reference_dtypes import check_promotes
from .arithmetic import MUL
from .binding import Overload, install_operator, install_unary
from .fast_path_unary import with_fast_path
from .iterator import Operator
from .plan import BOOLS, COMPLEX, FLOATS, INTEGERS, NUMBERS, WIDE_UNSIGNED, Pointwise, Result
from .scalar_args import ScalarArg
from .unary import WithMemoryFormat, reject_complex

_INTEGRAL = BOOLS | INTEGERS | WIDE_UNSIGNED

_ROUND = Pointwise(
    "round",
    "round_vml_cpu",
    NUMBERS | WIDE_UNSIGNED,
    ByKind("rint", integer="positive"),
    "RoundBackward0",
    Result.SAME,
)
_RINT = Operator(_ROUND)


@cache
def _round_operator(decimals: int) -> Operator:
    spec = _ROUND._replace(dtypes=FLOATS, node="RoundBackward1")
    if decimals:
        spec = spec._replace(kernel="round_cpu", compute=unary.round_decimals(decimals))
    return Operator(spec)


install_operator(
    "round",
    Overload("", _RINT, _RINT.inplace),
    Overload(
        "*, int64_t decimals",
        with_gradient_check(
            lambda tensor, decimals, **out: _round_operator(decimals)(tensor, **out),
            gradient_check("round"),
        ),
        lambda tensor, decimals: _round_operator(decimals).inplace(tensor),
    ),
    doc="Return the numbers rounded to integers or decimals, halves to even.",
    in_place_function=True,
)
for _names in (PUBLIC, METHODS):
    _names["round"] = update_wrapper(with_fast_path(_RINT, _names["round"]), _names["round"])


@cache
def _logit_operator(eps: float | None) -> Operator:
    return Operator(
        Pointwise(
            "logit",
            "logit_cpu",
            FLOATS,
            unary.logit(eps),
            "LogitBackward0",
            Result.FLOAT,
            structured=False,
            scalar_args=() if eps is None else (ScalarArg(eps),),
        )
    )


def _logit_(tensor: Tensor, eps: float | None) -> Tensor:
    operator = _logit_operator(eps)
    if not is_on_meta(tensor):
        return operator.inplace(tensor)
    spec = operator.spec

    def run() -> Tensor:  # register_inplace in torch/_decomp/decompositions.py
        copy_into(tensor, Operator(spec._replace(node=""))(tensor))
        return operator.record(tensor)

    return save_and_run(tensor, spec.node, (), run)


install_operator(
    "logit",
    Overload(
        "double? eps=None",
        with_gradient_check(
            lambda tensor, eps, **out: _logit_operator(eps)(tensor, **out),
            gradient_check("logit"),
        ),
        _logit_,
    ),
    doc="Return log(x / (1 - x)), with x clamped to eps and 1 - eps.",
    in_place_function=True,
)


@cache
def _nan_to_num_operator(
    dtype: dtype, nan: float | None, posinf: float | None, neginf: float | None
) -> Operator:
    """Return the operator for a dtype; its limits are the defaults for infinities."""
    real_dtype = dtype.to_real()
    limits = finfo(real_dtype) if real_dtype in FLOATS else None  # type: ignore[call-arg]
    maximum = posinf if posinf is not None or limits is None else limits.max
    minimum = neginf if neginf is not None or limits is None else limits.min
    return WithMemoryFormat(
        Pointwise(
            "nan_to_num",
            "nan_to_num",
            BOOLS | NUMBERS | WIDE_UNSIGNED | COMPLEX,
            unary.nan_to_num(nan or 0, maximum or 0, minimum or 0),
            "NanToNumBackward0",
            Result.SAME,
        )
    )


def _nan_to_num(
    tensor: Tensor, nan: Any, posinf: Any, neginf: Any, out: Tensor | None = None
) -> Tensor:
    operator = _nan_to_num_operator(tensor._dtype, nan, posinf, neginf)
    if out is None:
        result = operator(tensor)  # a dtype without a kernel raises first
        check_no_complex_gradient("nan_to_num", tensor._dtype, tensor)
        return result
    if is_on_meta(tensor, out):
        warn_of_result(tensor._dtype)
        bump_version(into_meta("nan_to_num", out, tensor._geometry, tensor._dtype))
        return out
    check(
        out._dtype is tensor._dtype,
        lambda: (
            f"nan_to_num: dtype of out: {spec_of(out._dtype).cpp_name} should be same as input:"
            f" {spec_of(tensor._dtype).cpp_name}"
        ),
    )
    if tensor._dtype in _INTEGRAL:
        resize_output(out, tensor._geometry.shape)
        return copy_(out, tensor)
    return operator.into(out, tensor)


def _check_limits(dtype: dtype, *replacements: Any) -> None:
    """Raise if the reference would replace an infinity by a limit that a dtype does not have."""
    limits = "max", "min"
    for limit, replacement in zip(limits, replacements, strict=True):
        if replacement is None:
            # mypy takes finfo for a class without arguments, as __new__ is set when it loads.
            getattr(finfo(dtype), limit)  # type: ignore[call-arg]


def _nan_to_num_(tensor: Tensor, nan: Any, posinf: Any, neginf: Any) -> Tensor:
    if tensor._dtype in _INTEGRAL:
        return record_write(tensor, (), "")
    operator: Operator = _nan_to_num_operator(tensor._dtype, nan, posinf, neginf)
    if not is_on_meta(tensor):
        return operator.inplace(tensor)

    def run() -> Tensor:
        _check_limits(tensor._dtype, posinf, neginf)
        check_promotes(tensor)
        for _ in range(2):  # the reference replaces NaN first
            warn_of_result(tensor._dtype)
        check_infinities("isneginf", tensor._dtype)
        return operator.inplace_below_autograd(tensor)

    return save_and_run(tensor, operator.spec.node, (), run)


install_operator(
    "nan_to_num",
    Overload(
        "double? nan=None, double? posinf=None, double? neginf=None",
        resolves_conj_neg(_nan_to_num, "nan_to_num"),
        _nan_to_num_,
    ),
    doc="Return the numbers with NaN and the infinities replaced.",
    in_place_function=True,
)


def _install_multiple(name: str, factor: float) -> None:
    spec = MUL.spec._replace(
        name=name,
        node=f"{name.title()}Backward0",
        precheck=reject_complex(f"{name} is not supported for complex tensors.", RuntimeError),
        inplace_on_meta=None,
    )
    operator = WithMemoryFormat(spec, keeps_dtype=True)
    install_unary(
        name,
        resolves_conj_neg(lambda tensor, out=None: operator(tensor, factor, out=out), name),
        lambda tensor: operator.inplace(tensor, factor),
        out=True,
        wrap=with_array_plans,
    )


_install_multiple("deg2rad", math.pi / 180)
_install_multiple("rad2deg", 180 / math.pi)
