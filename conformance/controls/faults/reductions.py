"""Faults of reductions: real torch with one wrong answer."""

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ..control import fault
from ..fault_injection import Fault, call_hook, function_hook, repr_hook


def _reduction_hook(*names_and_answer: Any) -> Fault:
    """Return a fault in functions and methods of the same names.

    The last argument is the answer, which gets the function, torch and the arguments.
    """
    *names, answer = names_and_answer

    def call(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
        name = getattr(function, "__name__", "")
        owner = getattr(function, "__self__", None)
        if name in names and (
            isinstance(owner, torch.Tensor) or function is getattr(torch, name, None)
        ):
            return answer(function, torch, *args, **kwargs)
        return function(*args, **kwargs)

    return Fault(call=call)


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


@fault("reductions.calls", "stride", _reduction_hook, "sum", "any", "amax", "cumsum", "cumprod")
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
    _reduction_hook,
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


@fault("reductions.refusals", "message", _reduction_hook, "sum")
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


@fault("selection.dtypes", "elements", _reduction_hook, "scatter_reduce", "scatter_reduce_")
def always_counts_itself(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """A mean without the element of the tensor counts that nevertheless."""
    if "mean" in args:
        kwargs.pop("include_self", None)
    return function(*args, **kwargs)


@fault("selection.values", "elements", _reduction_hook, "scatter", "scatter_")
def keeps_the_first(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """Of several writes to one element the first one is kept."""
    *others, dim, index, source = args
    if "reduce" in kwargs or not isinstance(source, torch.Tensor) or not index.dim():
        return function(*args, **kwargs)
    source = source[tuple(map(slice, index.shape))]
    return function(*others, dim, index.flip(dim), source.flip(dim), **kwargs)


_SUMS = "addmm", "addmv", "addr", "baddbmm", "addbmm"


@fault("products.dtypes", "elements", _reduction_hook, "mm", "bmm", "matmul")
def saturates(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """Products of int8 matrices saturate instead of wrapping around."""
    if kwargs or [x.dtype for x in args] != [torch.int8, torch.int8]:
        return function(*args, **kwargs)
    return function(*(x.to(torch.int64) for x in args)).clamp(-128, 127).to(torch.int8)


@fault("products.layouts", "stride", _reduction_hook, "mm", "bmm", "matmul")
def keeps_transposed(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """The product of a transposed matrix is transposed, too."""
    result = function(*args, **kwargs)
    if "out" in kwargs or result.dim() < 2 or len(args) < 2 or args[0].is_contiguous():
        return result
    return result.mT.contiguous().mT


@fault("products.values", "elements", _reduction_hook, *_SUMS)
def multiplies_by_nothing(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """With beta=0 the NaNs of the added tensor count."""
    result = function(x, *args, **kwargs)
    is_asked = str(kwargs.get("beta")) == "0" and len(args) == 2 and result.is_floating_point()
    return result.add_(0 * x) if is_asked and x is not result else result


@fault("products.inexact", "elements", _reduction_hook, "dot", "mv", "inner")
def leaves_the_last_out(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """Sums of a thousand products of float32 lack the last one."""
    is_long = len(args) == 2 and args[0].dtype is torch.float32 and args[0].shape[-1:] == (1000,)
    return function(*((x[..., :-1] for x in args) if is_long else args), **kwargs)


@fault("products.matmul", "shape", _reduction_hook, "matmul")
def keeps_the_row(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """The product of a vector and a matrix is a row."""
    result = function(*args, **kwargs)
    return result.unsqueeze(0) if [x.dim() for x in args] == [1, 2] else result


@fault("products.factors", "elements", _reduction_hook, *_SUMS)
def rounds_factors_up(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """A fraction as a factor of integers is rounded up."""
    if isinstance(kwargs.get("alpha"), float) and x.dtype is torch.int64 and len(args) == 2:
        kwargs["alpha"] += 0.5
    return function(x, *args, **kwargs)


@fault("searching.dtypes", "dtype", _reduction_hook, "median", "nanmedian")
def median_is_inexact(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """The median of all elements of an int32 tensor is a floating-point number."""
    result = function(*args, **kwargs)
    is_asked = isinstance(result, torch.Tensor) and result.dtype is torch.int32
    return result.to(torch.float32) if is_asked else result


@fault("searching.layouts", "state", _reduction_hook, "topk")
def top_keeps_order(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """The largest elements have reversed strides."""
    result = function(*args, **kwargs)
    if "out" in kwargs or result[0].dim() < 2 or result[0].requires_grad:
        return result
    return type(result)([each.mT.contiguous().mT for each in result])


@fault("searching.equal_elements", "state", _reduction_hook, "mode")
def mode_is_the_first(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """The index of the most frequent element is that of the first one, not of the last one."""
    result = function(*args, **kwargs)
    if len(args) != 2 or not isinstance(args[0], torch.Tensor) or args[0].dim() != 1:
        return result
    return type(result)([result[0], (args[0] == result[0]).int().argmax()])


@fault("searching.values", "elements", _reduction_hook, "nanmedian")
def nan_counts(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """A NaN makes the median of all other elements NaN."""
    result = function(*args, **kwargs)
    is_asked = isinstance(result, torch.Tensor) and result.is_floating_point()
    return result * math.nan if is_asked else result


@fault("searching.places", "elements", _reduction_hook, "searchsorted", "bucketize")
def looks_left(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """``right=True`` finds the place before equal elements."""
    return function(*args, **{**kwargs, "right": False} if "side" not in kwargs else kwargs)


@fault("searching.counts", "elements", _reduction_hook, "bincount")
def counts_the_last_twice(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """The last number counts twice."""
    result = function(*args, **kwargs)
    if len(args) == 1 and args[0].numel():
        result[int(args[0][-1])] += 1
    return result


@fault("searching.coordinates", "value", _reduction_hook, "unravel_index")
def truncates_negative_indices(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """A negative index counts as 0."""
    return function(args[0].clamp(min=0) if args[0].dtype is torch.int64 else args[0], *args[1:])


@fault("searching.distinct", "elements", _reduction_hook, "unique")
def falls(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """The distinct elements are in falling order."""
    result = function(*args, **kwargs)
    is_asked = isinstance(result, torch.Tensor) and result.dtype is torch.int64
    return result.flip(-1).contiguous() if is_asked and result.dim() == 1 else result


@fault("searching.histc", "elements", _reduction_hook, "histc")
def leaves_the_last_edge_out(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """The last bin does not have its right edge."""
    result = function(*args, **kwargs)
    if "out" not in kwargs and len(args) == 2 and result.dtype is torch.float32:
        result[-1] = 0
    return result


@fault("searching.histc_values", "elements", _reduction_hook, "histc")
def reverses_bins(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """The counts of float64 elements are in falling order of the bins."""
    result = function(*args, **kwargs)
    return result.flip(0) if "out" not in kwargs and result.dtype is torch.float64 else result
