"""Faults of selected, found and arranged elements: real torch with one wrong answer."""

import math
from typing import Any

from ..control import fault
from ..fault_injection import call_hook, function_hook, operator_hook


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


@fault("selection.ranks", "shape", operator_hook, "gather")
def keeps_the_rank(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """gather() of a 0-dim tensor is 0-dim, whatever its index is."""
    result = function(*args, **kwargs)
    is_kept = not args[0].dim() and result.numel() == 1
    return result.reshape(()) if is_kept else result


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


@fault("arrangement.copies", "storage", function_hook, "alias_copy")
def copies_nothing(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """A copy of a view of all elements is the view."""
    result = function(*args, **kwargs)
    if "out" in kwargs or result.requires_grad or args[0].is_conj() or args[0].is_neg():
        return result
    return args[0].as_strided(args[0].shape, args[0].stride())


@fault("arrangement.copies", "storage", operator_hook, "select_scatter", "slice_scatter")
def forgets_the_offset(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """A copy of a part of a storage, with other elements in a view, does not start as far in."""
    result = function(*args, **kwargs)
    return result if "out" in kwargs or result.requires_grad else result.clone()


@fault("searching.dtypes", "dtype", operator_hook, "median", "nanmedian")
def median_is_inexact(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """The median of all elements of an int32 tensor is a floating-point number."""
    result = function(*args, **kwargs)
    is_asked = isinstance(result, torch.Tensor) and result.dtype is torch.int32
    return result.to(torch.float32) if is_asked else result


@fault("searching.layouts", "state", operator_hook, "topk")
def top_keeps_order(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """The largest elements have reversed strides."""
    result = function(*args, **kwargs)
    if "out" in kwargs or result[0].dim() < 2 or result[0].requires_grad:
        return result
    return type(result)([each.mT.contiguous().mT for each in result])


@fault("searching.equal_elements", "state", operator_hook, "mode")
def mode_is_the_first(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """The index of the most frequent element is that of the first one, not of the last one."""
    result = function(*args, **kwargs)
    if len(args) != 2 or not isinstance(args[0], torch.Tensor) or args[0].dim() != 1:
        return result
    return type(result)([result[0], (args[0] == result[0]).int().argmax()])


@fault("searching.values", "elements", operator_hook, "nanmedian")
def nan_counts(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """A NaN makes the median of all other elements NaN."""
    result = function(*args, **kwargs)
    is_asked = isinstance(result, torch.Tensor) and result.is_floating_point()
    return result * math.nan if is_asked else result


@fault("searching.places", "elements", operator_hook, "searchsorted", "bucketize")
def looks_left(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """``right=True`` finds the place before equal elements."""
    return function(*args, **{**kwargs, "right": False} if "side" not in kwargs else kwargs)


@fault("searching.counts", "elements", operator_hook, "bincount")
def counts_the_last_twice(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """The last number counts twice."""
    result = function(*args, **kwargs)
    if len(args) == 1 and args[0].numel():
        result[int(args[0][-1])] += 1
    return result


@fault("searching.coordinates", "value", operator_hook, "unravel_index")
def truncates_negative_indices(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """A negative index counts as 0."""
    return function(args[0].clamp(min=0) if args[0].dtype is torch.int64 else args[0], *args[1:])


@fault("searching.distinct", "elements", operator_hook, "unique")
def falls(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """The distinct elements are in falling order."""
    result = function(*args, **kwargs)
    is_asked = isinstance(result, torch.Tensor) and result.dtype is torch.int64
    return result.flip(-1).contiguous() if is_asked and result.dim() == 1 else result


@fault("searching.quantiles", "elements", operator_hook, "quantile")
def quantiles_are_lower(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """quantile() takes the lower element where it should interpolate."""
    return function(*args, **{"interpolation": "lower", **kwargs})


@fault("searching.quantile_values", "elements", operator_hook, "nanquantile")
def nan_is_largest(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """nanquantile() of NaNs alone is 0, and infinities are the largest numbers."""
    result = function(*args, **kwargs)
    return result if "out" in kwargs else torch.nan_to_num(result, nan=0.0)


@fault("searching.nonzero_static", "elements", operator_hook, "nonzero_static")
def fills_with_zero(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """nonzero_static() fills the other rows with zero unless a value is given."""
    return function(*args, **{"fill_value": 0, **kwargs})


@fault("searching.histogram", "message", operator_hook, "histogram")
def other_words_for_bins(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """histogram() has another message for a number of bins that is not positive."""
    try:
        return function(*args, **kwargs)
    except RuntimeError as error:
        raise RuntimeError(str(error).replace("bins must be > 0", "no bins")) from None


@fault("searching.histogram_values", "value", operator_hook, "histogram")
def weights_are_ignored(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """histogram() counts elements where it should add their weights."""
    weight = kwargs.get("weight")
    if weight is not None and "out" not in kwargs:
        kwargs["weight"] = torch.ones_like(weight)
    return function(*args, **kwargs)


@fault("searching.histc", "elements", operator_hook, "histc")
def leaves_the_last_edge_out(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """The last bin does not have its right edge."""
    result = function(*args, **kwargs)
    if "out" not in kwargs and len(args) == 2 and result.dtype is torch.float32:
        result[-1] = 0
    return result


@fault("searching.histc_values", "elements", operator_hook, "histc")
def reverses_bins(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """The counts of float64 elements are in falling order of the bins."""
    result = function(*args, **kwargs)
    return result.flip(0) if "out" not in kwargs and result.dtype is torch.float64 else result


def _is_of_two_dtypes(function: Any, name: str, x: Any, source: Any) -> bool:
    return getattr(function, "__name__", "") == name and x.dtype is not source.dtype


@fault("operands.dtypes", "raises", call_hook)
def converts_the_source(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """masked_scatter() converts a source of another dtype."""
    if len(args) == 3 and _is_of_two_dtypes(function, "masked_scatter", args[0], args[2]):
        args = *args[:2], args[2].to(args[0].dtype)
    return function(*args, **kwargs)


@fault("mixed_devices.pairs_of_dtypes", "raises", call_hook)
def converts_the_source_on_meta(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """masked_scatter() on meta converts a source to float32."""
    is_wrong = len(args) == 3 and _is_of_two_dtypes(function, "masked_scatter", args[0], args[2])
    if is_wrong and args[0].is_meta and args[0].dtype is torch.float32:
        args = *args[:2], args[2].float()
    return function(*args, **kwargs)


@fault("operands.numbers", "elements", call_hook)
def truncates_alpha(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """index_add() truncates alpha."""
    if getattr(function, "__name__", "") == "index_add" and kwargs.get("alpha") == 1.5:
        kwargs = {**kwargs, "alpha": 1}
    return function(*args, **kwargs)


@fault("operands.numbers", "raises", call_hook)
def takes_any_alpha_on_meta(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """rsub() on meta ignores an alpha with an imaginary part."""
    is_asked = getattr(function, "__name__", "") == "rsub" and args[0].is_meta
    return function(*args) if is_asked and kwargs.get("alpha") == 1j else function(*args, **kwargs)
