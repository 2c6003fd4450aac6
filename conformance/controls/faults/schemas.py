"""Faults of overloads: real torch with one wrong overload, argument or form of call."""

import operator
from dataclasses import replace
from typing import Any

from ...core.domain import Domain
from ...engine.registry import Property
from ..control import change_property, fault
from ..fault_injection import attribute_hook, call_hook, function_hook, method_hook, operands_of


@fault("schemas.calls", "elements", function_hook, "xlogy")
def number_in_the_other_position(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """xlogy() of a number and a tensor swaps them."""
    is_wrong = len(args) == 2 and not isinstance(args[0], torch.Tensor)
    return function(*(args[::-1] if is_wrong else args), **kwargs)


@fault("schemas.calls", "stride", function_hook, "hypot")
def resized_in_another_order(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """hypot() resizes an empty out= tensor to the strides of the transposed result."""
    out = kwargs.get("out")
    is_resized = isinstance(out, torch.Tensor) and not out.numel()
    result = function(*args, **kwargs)
    if is_resized and result.dim() == 2:
        values = result.clone()
        result.as_strided_(result.shape, (1, result.shape[0])).copy_(values)
    return result


@fault("schemas.calls", "raises", call_hook)
def surplus_by_position(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """An argument by position that no overload has is ignored."""
    try:
        return function(*args, **kwargs)
    except TypeError:
        return function(*args[:-1], **kwargs)


@fault("schemas.calls", "raises", call_hook)
def unknown_keyword(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """A keyword argument that no overload has is ignored."""
    return function(*args, **{key: kwargs[key] for key in kwargs if key != "unknown"})


@fault("schemas.calls", "raises", call_hook)
def needs_no_receiver(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """A method that is called on its class without an argument returns None."""
    try:
        return function(*args, **kwargs)
    except TypeError as error:
        if "unbound method" not in str(error):
            raise
        return None


@fault("schemas.calls", "message", function_hook, "lerp")
def missing_argument(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """lerp() names another argument as missing."""
    try:
        return function(*args, **kwargs)
    except TypeError as error:
        raise TypeError(str(error).replace("weight", "value")) from None


@fault("schemas.calls", "message", function_hook, "searchsorted")
def rare_refusal(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """searchsorted() names another side in one of its many refusals."""
    try:
        return function(*args, **kwargs)
    except RuntimeError as error:
        raise RuntimeError(str(error).replace("'left' or 'right'", "'left'")) from None


@fault("schemas.calls", "raises", call_hook)
def overlap_unseen(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """In-place methods take operands that overlap the tensor in part."""
    if getattr(function, "__name__", "").endswith("_") and hasattr(function, "__self__"):
        args = [x.clone() if isinstance(x, torch.Tensor) else x for x in args]
    return function(*args, **kwargs)


@fault("schemas.mixtures", "raises", call_hook)
def last_keyword_lost(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """Of several keyword arguments the last is ignored."""
    return function(*args, **dict([*kwargs.items()][:-1] if len(kwargs) > 1 else kwargs))


@fault("schemas.drawn", "elements", function_hook, "amax")
def rare_rank(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """amax() of a tensor of three dimensions that is not contiguous returns the smallest."""
    x = args[0] if args and isinstance(args[0], torch.Tensor) else None
    if x is not None and x.dim() == 3 and not x.is_contiguous() and x.layout is torch.strided:
        function = torch.amin
    return function(*args, **kwargs)


@fault("schemas.drawn", "elements", function_hook, "index_select")
def gaps_in_an_index(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """index_select() reads an index with gaps as one without."""
    index = args[2] if len(args) > 2 else None
    if isinstance(index, torch.Tensor) and index.dim() == 1 and index.stride(0) > 1:
        args = (*args[:2], index.as_strided(index.shape, (1,)), *args[3:])
    return function(*args, **kwargs)


def _with_row(prop: Property, row: str) -> Property:
    """Return a property about a list with one more row."""
    domain = prop.domain
    assert domain is not None
    return replace(prop, domain=lambda torch: Domain(row=(*domain(torch).axes["row"], row)))


@fault("schemas.unasked", "verdict", change_property)
def forgotten_overload(prop: Property) -> Property:
    """An overload that calls could be made for is listed as one that is not asked."""
    return _with_row(prop, "torch.add Tensor: no reason")


@fault("schemas.refused", "verdict", change_property)
def misfitting_operands(prop: Property) -> Property:
    """The operands of an overload do not fit each other."""
    error = "RuntimeError: mat1 and mat2 shapes cannot be multiplied"
    return _with_row(prop, f"torch.mm default: {error}")


@fault("subclasses.calls", "value", function_hook, "mul")
def loses_the_subclass(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """mul() of subclasses returns a Tensor."""
    return function(*args, **kwargs).as_subclass(torch.Tensor)


@fault("subclasses.calls", "value", call_hook)
def forgets_out(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """__torch_function__ does not get the keyword out."""
    if getattr(function, "__name__", "") == "note" and args[4]:
        args = (*args[:4], {name: args[4][name] for name in args[4] if name != "out"})
    return function(*args, **kwargs)


@fault("subclasses.members", "value", call_hook)
def indexes_without_the_subclass(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """Indices of subclasses return a Tensor."""
    result = function(*args, **kwargs)
    is_index = function is operator.getitem and isinstance(result, torch.Tensor)
    return result.as_subclass(torch.Tensor) if is_index else result


@fault("subclasses.attributes", "value", attribute_hook)
def data_without_the_subclass(owner: Any, name: str, torch: Any) -> Any:
    """The attribute data of a subclass is a Tensor."""
    value = getattr(owner, name)
    return value.as_subclass(torch.Tensor) if name == "data" else value


@fault("subclasses.programs", "value", call_hook)
def keeps_modes_on(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """DisableTorchFunction disables no modes."""
    if function is torch._C.DisableTorchFunction:
        return torch._C.DisableTorchFunctionSubclass()
    return function(*args, **kwargs)


@fault("operands.out_operands", "elements", function_hook, "neg")
def zeroes_operands(function: Any, torch: Any, source: Any, **kwargs: Any) -> Any:
    """neg() into its own operand writes zeros."""
    result = function(source, **kwargs)
    return result.zero_() if kwargs.get("out") is source else result


@fault("operands.shared_memory", "elements", function_hook, "where")
def chooses_before_it_writes(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """where() with out= chooses all elements before it writes the first one."""
    if "out" not in kwargs:
        return function(*args)
    return kwargs["out"].copy_(function(*args))


@fault("operands.shared_memory", "elements", function_hook, "sqrt")
def computes_one_by_one(function: Any, torch: Any, source: Any, **kwargs: Any) -> Any:
    """sqrt() with out= reads each element after it has written the one before."""
    out = kwargs.get("out")
    if out is None or out.shape != source.shape or out.dim() != 2 or out.dtype != source.dtype:
        return function(source, **kwargs)
    for row in range(out.shape[0]):
        for column in range(out.shape[1]):
            function(source[row, column], out=out[row, column])
    return out


@fault("operands.shared_memory", "raises", method_hook, "Tensor.index_copy_")
def keeps_its_indices(function: Any, torch: Any, owner: Any, *args: Any) -> Any:
    """index_copy_() to a tensor with gaps reads all indices before it writes an element."""
    dim, index, source = args
    return function(dim, index.clone() if owner.stride()[-1:] > (1,) else index, source)


@fault("operands.lazy_bits", "elements", call_hook)
def reads_around_the_bit(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """Functions that select or sum up elements do not see the conj bit of their operand."""
    result, name = function(*args, **kwargs), getattr(function, "__name__", "")
    operands = operands_of(function, args, torch)
    if name not in _SELECT or not isinstance(result, torch.Tensor) or not operands:
        return result
    return torch.conj_physical(result) if operands[0].is_conj() else result


_SELECT = frozenset({
    "trace", "diag", "tril", "triu", "flip", "fliplr", "flipud", "roll", "rot90", "cumsum",
    "cumprod", "diff", "tile", "repeat_interleave", "take", "masked_select", "index_select",
    "gather", "sum", "nansum", "prod", "mean",
})  # fmt: skip


@fault("operands.sizes", "raises", function_hook, "outer")
def flattens_operands(function: Any, torch: Any, left: Any, right: Any, **kwargs: Any) -> Any:
    """outer() takes operands of more dimensions than one, and flattens them."""
    return function(left.flatten(), right.flatten(), **kwargs)
