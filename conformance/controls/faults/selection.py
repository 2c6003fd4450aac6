"""Faults of selected and arranged elements: real torch with one wrong answer."""

from typing import Any

from ..control import fault
from ..fault_injection import function_hook, operator_hook


@fault("selection.dtypes", "elements", operator_hook, "scatter_reduce", "scatter_reduce_")
def always_counts_itself(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """A mean without the element of the tensor counts that nevertheless."""
    if "mean" in args:
        kwargs.pop("include_self", None)
    return function(*args, **kwargs)


@fault("selection.values", "elements", operator_hook, "scatter", "scatter_")
def keeps_the_first(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """Of several writes to one element the first one is kept."""
    *others, dim, index, source = args
    if "reduce" in kwargs or not isinstance(source, torch.Tensor) or not index.dim():
        return function(*args, **kwargs)
    source = source[tuple(map(slice, index.shape))]
    return function(*others, dim, index.flip(dim), source.flip(dim), **kwargs)


@fault("selection.indexed", "elements", operator_hook, "put", "put_")
def adds_once(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """put() with accumulate=True adds only one of the numbers at one place."""
    return function(*args, **{**kwargs, "accumulate": False})


@fault("selection.indexed", "message", operator_hook, "masked_fill", "masked_fill_")
def names_no_rank(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """masked_fill() does not say how many dimensions a value has that is not 0-dim."""
    try:
        return function(*args, **kwargs)
    except RuntimeError as error:
        raise RuntimeError(str(error).partition(", but got tensor")[0]) from None


@fault("arrangement.orders", "value", operator_hook, "sort", "argsort")
def keeps_order_of_equals(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """Every sort is stable."""
    tensors = [arg for arg in args if isinstance(arg, torch.Tensor)]
    options = dict(zip(("dim", "descending"), args[len(tensors) :], strict=False))
    return function(*tensors, **{**kwargs, **options, "stable": True})


@fault("arrangement.programs", "value", function_hook, "meshgrid")
def ignores_indexing(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """meshgrid() ignores indexing="xy" for three tensors."""
    if len(args) == 3:
        kwargs.pop("indexing", None)
    return function(*args, **kwargs)


@fault("arrangement.programs", "elements", operator_hook, "flip")
def flips_one_dim(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """flip() of several dimensions flips only the first."""
    *others, dims = args
    return function(*others, dims[:1] if isinstance(dims, tuple) else dims, **kwargs)
