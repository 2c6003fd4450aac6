"""Faults of a subject's reductions: real torch, with one thing about them made wrong."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..fault_injection import Fault
from .subject import instead_of


def _methods_and_functions(answer: Callable[..., Any], *names: str) -> Fault:
    """Answer calls of reductions otherwise; ``answer`` is given the true one, torch and the arguments."""

    def call(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
        name = getattr(function, "__name__", "")
        owner = getattr(function, "__self__", None)
        if name in names and (
            isinstance(owner, torch.Tensor) or function is getattr(torch, name, None)
        ):
            return answer(function, torch, *args, **kwargs)
        return function(*args, **kwargs)

    return Fault(call=call)


def _own_dtype(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """Sum integers in their own dtype."""
    if kwargs.get("dtype") is None and kwargs.get("out") is None and x.dtype is torch.int32:
        kwargs["dtype"] = torch.int32
    return function(x, *args, **kwargs)


def _converts_last(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """Convert the sum, and not the elements, to the dtype that is asked for."""
    kind = kwargs.get("dtype")
    if kind is not torch.bool:
        return function(x, *args, **kwargs)
    return function(x, *args, **{**kwargs, "dtype": None}).to(torch.uint8)


def _keeps_order(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """Give a result of several dimensions the strides of one that was permuted."""
    made = function(*args, **kwargs)
    if not isinstance(made, torch.Tensor) or "out" in kwargs or made.dim() < 2:
        return made
    return made.permute(*range(made.dim())[::-1]).contiguous().permute(*range(made.dim())[::-1])


def _nan_is_lost(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """Return a number where NaN is passed on."""
    made = function(*args, **kwargs)
    is_float = isinstance(made, torch.Tensor) and made.is_floating_point() and "out" not in kwargs
    return torch.nan_to_num(made) if is_float else made


def _wrong_words(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    try:
        return function(*args, **kwargs)
    except RuntimeError as error:
        raise RuntimeError(str(error).replace("multiple times", "more than once")) from None


def _plain_tuple(value: Any, torch: Any) -> str:
    text = repr(value)
    return text.replace("torch.return_types.", "") if isinstance(value, tuple) else text


def _rounded_at_each_step(name: str, most: int) -> Callable[..., Any]:
    """Sum a few numbers of a narrow dtype one after the other, in that dtype."""

    def answer(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        if x.dtype is not getattr(torch, name) or x.dim() != 1 or x.numel() > most or kwargs:
            return function(x, *args, **kwargs)
        total = x.new_zeros(())
        for each in x:
            total = total + each
        return total

    return answer


def _divides_first(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """Divide each number by how many there are, in its own dtype, and sum what comes of it."""
    if x.dtype is not torch.float16 or x.dim() != 1 or kwargs:
        return function(x, *args, **kwargs)
    return torch.sum(x / x.numel())


def _running_sum(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """Sum one after the other in float32."""
    if x.dtype is not torch.float32 or x.dim() != 1 or kwargs:
        return function(x, *args, **kwargs)
    total = np.add.accumulate(x.numpy(), dtype=np.float32)[-1]
    return torch.tensor(total, dtype=torch.float32)


def _begins_again(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """Forget the running total after 256 numbers."""
    if x.dim() != 1 or x.numel() <= 256 or not x.is_floating_point() or kwargs:
        return function(x, *args, **kwargs)
    return torch.cat([torch.cumsum(part, 0) for part in x.split(256)])


def _in_float32(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """Compute what is float64 in float32."""
    if x.dtype is not torch.float64 or kwargs:
        return function(x, *args, **kwargs)
    return function(x.float(), *args).double()


HALF_BY_HALF = instead_of("sum", _rounded_at_each_step("float16", 1000))
BFLOAT_BY_BFLOAT = instead_of("sum", _rounded_at_each_step("bfloat16", 1000))
FEW_HALVES = instead_of("nansum", _rounded_at_each_step("float16", 17))
DIVIDES_FIRST = instead_of("mean", _divides_first)
RUNNING_SUM = instead_of("sum", _running_sum)
BEGINS_AGAIN = instead_of("cumsum", _begins_again)
MULTIPLIES_NARROW = instead_of("prod", _in_float32)
OWN_DTYPE = instead_of("sum", _own_dtype)
CONVERTS_LAST = instead_of("sum", _converts_last)
KEEPS_ORDER = _methods_and_functions(_keeps_order, "sum", "any", "amax", "cumsum", "cumprod")
NAN_IS_LOST = _methods_and_functions(_nan_is_lost, "sum", "amax", "max", "mean", "prod", "cumsum")
WRONG_WORDS = _methods_and_functions(_wrong_words, "sum")
PLAIN_TUPLE = Fault(repr=_plain_tuple)
