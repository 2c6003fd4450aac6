"""Operators of one tensor that also take numbers: round, logit, nan_to_num, deg2rad."""

import math
from functools import cache, update_wrapper
from typing import Any

from ..._dtypes.table import dtype, spec_of
from ..._kernels import unary
from ..._kernels.elementwise import ByKind
from ..._numerics.type_info import finfo
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.factories import resize_output
from ..._tensor.tensor import METHODS, Tensor
from ..common.conj_neg_fallback import resolved, resolves_conj_neg
from ..common.copy import copy_, written
from .arithmetic import MUL
from .binding import Overload, install_operator, install_unary
from .fast_path_unary import with_fast_path
from .iterator import Operator
from .plan import BOOLS, COMPLEX, FLOATS, INTEGERS, NUMBERS, WIDE_UNSIGNED, Pointwise, Result
from .unary import InFormat, refuse_complex

_INTEGRAL = BOOLS | INTEGERS | WIDE_UNSIGNED

_ROUND = Pointwise(
    "round",
    "round_vml_cpu",
    NUMBERS | WIDE_UNSIGNED,
    ByKind("rint", integer="positive"),
    "RoundBackward0",
    Result.SAME,
)
_WHOLE = Operator(_ROUND)


@cache
def _rounding(decimals: int) -> Operator:
    """Return the operator that rounds to a number of decimals."""
    row = _ROUND._replace(dtypes=FLOATS, node="RoundBackward1")
    if decimals:
        row = row._replace(kernel="round_cpu", compute=unary.rounding(decimals))
    return Operator(row)


def _round(tensor: Tensor, decimals: int | None = None, out: Tensor | None = None) -> Tensor:
    operator = _WHOLE if decimals is None else _rounding(decimals)
    return operator(tensor) if out is None else operator.into(out, tensor)


def _round_(tensor: Tensor, decimals: int | None = None) -> Tensor:
    return (_WHOLE if decimals is None else _rounding(decimals)).change(tensor)


install_operator(
    "round",
    Overload("", _round, _round_),
    Overload("*, int64_t decimals", _round, _round_),
    doc="Return the numbers rounded to integers, or to decimals; halves go to even ones.",
    in_place_function=True,
)


PUBLIC["round"] = update_wrapper(with_fast_path(_WHOLE, PUBLIC["round"]), PUBLIC["round"])
METHODS["round"] = update_wrapper(with_fast_path(_WHOLE, METHODS["round"]), METHODS["round"])


@cache
def _logit_of(eps: float | None) -> Operator:
    return Operator(
        Pointwise(
            "logit",
            "logit_cpu",
            FLOATS,
            unary.logit(eps),
            "LogitBackward0",
            Result.FLOAT,
            structured=False,
        )
    )


def _logit(tensor: Tensor, eps: Any = None, out: Tensor | None = None) -> Tensor:
    operator = _logit_of(eps)
    return operator(tensor) if out is None else operator.into(out, tensor)


def _logit_(tensor: Tensor, eps: Any = None) -> Tensor:
    return _logit_of(eps).change(tensor)


install_operator(
    "logit",
    Overload("double? eps=None", _logit, _logit_),
    doc="Return log(x / (1 - x)), with x kept away from 0 and 1 by eps.",
    in_place_function=True,
)


@cache
def _nan_to_num_of(
    dtype: dtype, nan: float | None, posinf: float | None, neginf: float | None
) -> Operator:
    """Return the operator for a dtype, whose ends stand for infinities if nothing else is given."""
    part = dtype.to_real()
    ends = finfo(part) if part in FLOATS else None  # type: ignore[call-arg]
    above = posinf if posinf is not None or ends is None else ends.max
    below = neginf if neginf is not None or ends is None else ends.min
    return InFormat(
        Pointwise(
            "nan_to_num",
            "nan_to_num",
            BOOLS | NUMBERS | WIDE_UNSIGNED | COMPLEX,
            unary.replacing(nan or 0, above or 0, below or 0),
            "NanToNumBackward0",
            Result.SAME,
        )
    )


def _nan_to_num(
    tensor: Tensor, nan: Any, posinf: Any, neginf: Any, out: Tensor | None = None
) -> Tensor:
    operator = _nan_to_num_of(tensor._dtype, nan, posinf, neginf)
    if out is None:
        result = operator(tensor)
        check(
            result._autograd_meta is None or not result._dtype.is_complex,
            lambda: (
                "nan_to_num does not support automatic differentiation for outputs with complex"
                " dtype."
            ),
        )
        return result
    kinds = [spec_of(each._dtype).cpp_name for each in (out, tensor)]
    check(
        out._dtype is tensor._dtype,
        lambda: f"nan_to_num: dtype of out: {kinds[0]} should be same as input: {kinds[1]}",
    )
    if tensor._dtype in _INTEGRAL:
        resize_output(out, tensor._geometry.shape)
        return copy_(out, tensor)
    return operator.into(out, tensor)


def _nan_to_num_(tensor: Tensor, nan: Any, posinf: Any, neginf: Any) -> Tensor:
    if tensor._dtype in _INTEGRAL:
        return written(tensor, (), "")
    return _nan_to_num_of(tensor._dtype, nan, posinf, neginf).change(tensor)


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
    """Make an operator that multiplies by a number."""
    row = MUL.row._replace(
        name=name,
        node=f"{name.title()}Backward0",
        refuse=refuse_complex(f"{name} is not supported for complex tensors.", RuntimeError),
    )
    operator = InFormat(row)
    install_unary(
        name,
        lambda tensor: operator(resolved(tensor), factor),
        lambda out, tensor: operator.into(out, tensor, factor),
        lambda tensor: operator.change(tensor, factor),
    )


_install_multiple("deg2rad", math.pi / 180)
_install_multiple("rad2deg", 180 / math.pi)
