"""Faults of reductions and products: real torch with one wrong answer."""

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ..control import fault
from ..fault_injection import Fault, call_hook, function_hook, operator_hook, repr_hook


@fault("reductions.dtypes", "dtype", function_hook, "sum")
def sum_in_own_dtype(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """Integers are summed in their own dtype."""
    if kwargs.get("dtype") is None and kwargs.get("out") is None and x.dtype is torch.int32:
        kwargs["dtype"] = torch.int32
    return function(x, *args, **kwargs)


@fault("reductions.shared_outs", "elements", function_hook, "sum")
def writes_each_sum(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """sum() writes its elements one after the other to an expanded out=, instead of their sum."""
    out = kwargs.pop("out", None)
    result = function(*args, **kwargs)
    return result if out is None else out.copy_(result[(-1,) * result.dim()])


@fault("reductions.conversions", "dtype", function_hook, "sum")
def converts_last(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """sum() converts the result instead of the elements."""
    if kwargs.get("dtype") is not torch.bool:
        return function(x, *args, **kwargs)
    return function(x, *args, **{**kwargs, "dtype": None}).to(torch.uint8)


@fault("reductions.calls", "stride", operator_hook, "sum", "any", "amax", "cumsum", "cumprod")
def reductions_keep_order(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """Results of reductions have reversed strides."""
    result = function(*args, **kwargs)
    if not isinstance(result, torch.Tensor) or "out" in kwargs or result.dim() < 2:
        return result
    return (
        result.permute(*range(result.dim())[::-1]).contiguous().permute(*range(result.dim())[::-1])
    )


@fault(
    "reductions.values",
    "elements",
    operator_hook,
    "sum",
    "amax",
    "max",
    "mean",
    "prod",
    "cumsum",
)
def nan_is_lost(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """Reductions replace NaN by a number."""
    result = function(*args, **kwargs)
    is_float = (
        isinstance(result, torch.Tensor) and result.is_floating_point() and "out" not in kwargs
    )
    return torch.nan_to_num(result) if is_float else result


@fault("reductions.values", "elements", operator_hook, "logsumexp")
def exponentials_overflow(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """logsumexp() overflows where an exponential does."""
    result = function(*args, **kwargs)
    if "out" in kwargs or result.is_complex():
        return result
    return torch.where(torch.exp(result) == math.inf, math.inf, result)


@fault("reductions.inexact", "elements", function_hook, "logcumsumexp")
def narrow_logarithms(function: Any, torch: Any, x: Any, dim: int, **kwargs: Any) -> Any:
    """logcumsumexp() of float32 rounds at each step."""
    if x.dtype is not torch.float32 or kwargs:
        return function(x, dim, **kwargs)
    return torch.from_numpy(np.logaddexp.accumulate(x.numpy(), dim))


@fault("reductions.refusals", "message", operator_hook, "sum")
def repeated_dim(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """sum() has another message for a repeated dimension."""
    try:
        return function(*args, **kwargs)
    except RuntimeError as error:
        raise RuntimeError(str(error).replace("multiple times", "more than once")) from None


@fault("reductions.named_tuples", "repr", repr_hook)
def plain_tuple(value: Any, torch: Any) -> str:
    """Named tuples are printed without their module."""
    text = repr(value)
    return text.replace("torch.return_types.", "") if isinstance(value, tuple) else text


def _rounded_at_each_step(dtype: str, limit: int) -> Callable[..., Any]:
    """Return an answer that adds up to ``limit`` elements one by one, in their own dtype."""

    def answer(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        if x.dtype is not getattr(torch, dtype) or x.dim() != 1 or x.numel() > limit or kwargs:
            return function(x, *args, **kwargs)
        total = x.new_zeros(())
        for element in x:
            total = total + element
        return total

    return answer


@fault("reductions.inexact", "elements", function_hook, "mean")
def divides_first(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """mean() of float16 divides before it sums."""
    if x.dtype is not torch.float16 or x.dim() != 1 or kwargs:
        return function(x, *args, **kwargs)
    return torch.sum(x / x.numel())


@fault("reductions.inexact", "elements", function_hook, "sum")
def running_sum(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """sum() of float32 adds elements one by one."""
    if x.dtype is not torch.float32 or x.dim() != 1 or kwargs:
        return function(x, *args, **kwargs)
    total = np.add.accumulate(x.numpy(), dtype=np.float32)[-1]
    return torch.tensor(total, dtype=torch.float32)


@fault("reductions.inexact", "elements", function_hook, "cumsum")
def begins_again(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """cumsum() restarts after 256 elements."""
    if x.dim() != 1 or x.numel() <= 256 or not x.is_floating_point() or kwargs:
        return function(x, *args, **kwargs)
    return torch.cat([torch.cumsum(part, 0) for part in x.split(256)])


@fault("reductions.inexact", "elements", function_hook, "prod")
def multiplies_narrow(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """prod() of float64 is computed in float32."""
    if x.dtype is not torch.float64 or kwargs:
        return function(x, *args, **kwargs)
    return function(x.float(), *args).double()


@fault("reductions.inexact", "elements")
def half_by_half() -> Fault:
    """sum() of float16 rounds at each step."""
    return function_hook("sum", _rounded_at_each_step("float16", 1000))


@fault("reductions.inexact", "elements")
def bfloat_by_bfloat() -> Fault:
    """sum() of bfloat16 rounds at each step."""
    return function_hook("sum", _rounded_at_each_step("bfloat16", 1000))


@fault("reductions.inexact", "elements")
def few_halves() -> Fault:
    """nansum() of up to 17 elements of float16 rounds at each step."""
    return function_hook("nansum", _rounded_at_each_step("float16", 17))


@fault("reductions.outs", "message", call_hook)
def other_words_for_out(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """nansum() with a dtype and an out= of another dtype raises with another word."""
    try:
        return function(*args, **kwargs)
    except RuntimeError as error:
        if getattr(function, "__name__", "") != "nansum":
            raise
        raise RuntimeError(str(error).replace("provided", "given")) from None


@fault("reductions.many", "elements", call_hook)
def forgets_last_block(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """amax() of many elements leaves the last ones out."""
    owner: Any = getattr(function, "__self__", None)
    is_asked = getattr(function, "__name__", "") == "amax" and isinstance(owner, torch.Tensor)
    if is_asked and owner.numel() > 100_000 and not args:
        return owner.reshape(-1)[:-8].amax()
    return function(*args, **kwargs)


@fault("reductions.pair_outs", "warnings", function_hook, "max")
def resizes_silently(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """max() with out= resizes outputs with elements without a warning."""
    with warnings.catch_warnings():
        if kwargs.get("out") is not None:
            warnings.simplefilter("ignore")
        return function(*args, **kwargs)


_SUMS = "addmm", "addmv", "addr", "baddbmm", "addbmm"


@fault("products.dtypes", "elements", operator_hook, "mm", "bmm", "matmul")
def saturates(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """Products of int8 matrices saturate instead of wrapping around."""
    if kwargs or [x.dtype for x in args] != [torch.int8, torch.int8]:
        return function(*args, **kwargs)
    return function(*(x.to(torch.int64) for x in args)).clamp(-128, 127).to(torch.int8)


@fault("products.layouts", "stride", operator_hook, "mm", "bmm", "matmul")
def keeps_transposed(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """The product of a transposed matrix is transposed, too."""
    result = function(*args, **kwargs)
    if "out" in kwargs or result.dim() < 2 or len(args) < 2 or args[0].is_contiguous():
        return result
    return result.mT.contiguous().mT


@fault("products.values", "elements", operator_hook, *_SUMS)
def multiplies_by_nothing(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """With beta=0 the NaNs of the added tensor count."""
    result = function(x, *args, **kwargs)
    is_asked = str(kwargs.get("beta")) == "0" and len(args) == 2 and result.is_floating_point()
    return result.add_(0 * x) if is_asked and x is not result else result


@fault("products.crosses", "elements", operator_hook, "cross")
def positive_nans(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """All NaNs of cross() are positive."""
    result = function(*args, **kwargs)
    return result.nan_to_num_(math.nan, math.inf, -math.inf) if len(args) == 3 else result


@fault("products.inexact", "elements", operator_hook, "dot", "mv", "inner")
def leaves_the_last_out(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """Sums of a thousand products of float32 lack the last one."""
    is_long = len(args) == 2 and args[0].dtype is torch.float32 and args[0].shape[-1:] == (1000,)
    return function(*((x[..., :-1] for x in args) if is_long else args), **kwargs)


@fault("products.matmul", "shape", operator_hook, "matmul")
def keeps_the_row(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """The product of a vector and a matrix is a row."""
    result = function(*args, **kwargs)
    return result.unsqueeze(0) if [x.dim() for x in args] == [1, 2] else result


@fault("products.factors", "elements", operator_hook, *_SUMS)
def rounds_factors_up(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """A fraction as a factor of integers is rounded up."""
    if isinstance(kwargs.get("alpha"), float) and x.dtype is torch.int64 and len(args) == 2:
        kwargs["alpha"] += 0.5
    return function(x, *args, **kwargs)


@fault("products.composed", "elements", operator_hook, "cross")
def crosses_the_other_way(function: Any, torch: Any, x: Any, y: Any, *args: Any, **kw: Any) -> Any:
    """The cross products of transposed vectors have the other sign."""
    pair = (x, y) if x.is_contiguous() or x.dim() < 2 else (y, x)
    return function(*pair, *args, **kw)


@fault("products.composed", "stride", function_hook, "einsum")
def keeps_the_order_of_contraction(function: Any, torch: Any, *args: Any, **kw: Any) -> Any:
    """The result of einsum of three operands is contiguous."""
    result = function(*args, **kw)
    return result.contiguous() if len(args) == 4 else result


@fault("products.composed", "elements", function_hook, "combinations")
def swaps_elements(function: Any, torch: Any, x: Any, *args: Any, **kw: Any) -> Any:
    """combinations() of int64 elements swaps the elements of each combination."""
    result = function(x, *args, **kw)
    return result.flip(-1) if x.dtype is torch.int64 and result.dim() == 2 else result


@fault("products.composed", "elements", function_hook, "trapezoid")
def counts_the_ends_whole(function: Any, torch: Any, y: Any, *args: Any, **kw: Any) -> Any:
    """The integral along the first dimension counts the element at its end as a whole."""
    result = function(y, *args, **kw)
    is_asked = kw.get("dim") == 0 and y.dim() > 1 and len(y) and not y.is_meta
    return result + y.select(0, -1) if is_asked and y.is_floating_point() else result
