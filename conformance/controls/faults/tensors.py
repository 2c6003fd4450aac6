"""Faults of tensors and storages: real torch with one wrong result."""

from typing import Any

from ..control import fault
from ..fault_injection import call_hook, function_hook, method_hook, repr_hook


@fault("empty_permuted.layouts", "state", function_hook, "empty_permuted")
def stride_of_size_1(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """empty_permuted has wrong strides for dimensions of size 1."""
    result = function(*args, **kwargs)
    pairs = zip(result.shape, result.stride(), strict=True)
    return result.as_strided(result.shape, [step + (size == 1) for size, step in pairs])


@fault("geometry.views", "offset", method_hook, "Tensor.select")
def lost_offset(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """select() loses the storage offset."""
    view = function(*args, **kwargs)
    return view.as_strided(view.shape, view.stride(), 0)


@fault("geometry.small_shapes", "value", method_hook, "Tensor.diagonal")
def offset_of_nothing(function: Any, torch: Any, owner: Any, offset: int = 0, *dims: Any) -> Any:
    """diagonal() moves the offset of a diagonal without elements."""
    view = function(offset, *dims)
    return view if view.numel() else view.as_strided(view.shape, view.stride(), abs(offset))


@fault("geometry.small_strides", "value", method_hook, "Tensor.as_strided_")
def one_element_beyond(function: Any, torch: Any, owner: Any, shape: Any, *place: Any) -> Any:
    """as_strided_() allows one element beyond the storage."""
    try:
        return function(shape, *place)
    except RuntimeError:
        return torch.zeros(17).as_strided_(shape, *place)


@fault("geometry.joins", "value", function_hook, "cat")
def joins_other_sizes(function: Any, torch: Any, tensors: Any, *args: Any, **kwargs: Any) -> Any:
    """cat() takes a last dimension of another size, and leaves that tensor out."""
    first, *others = tensors
    kept = [each for each in others if each.shape[:-1] != first.shape[:-1]]
    try:
        return function(tensors, *args, **kwargs)
    except RuntimeError as error:
        if "Sizes of tensors must match" not in str(error) or len(kept) == len(others):
            raise
        return function([first, *kept], *args, **kwargs)


@fault("geometry.result_strides", "value", method_hook, "Tensor.logical_xor")
def order_of_first_operand(function: Any, torch: Any, owner: Any, other: Any) -> Any:
    """logical_xor() on meta has the order of the dimensions of the first operand."""
    result = function(other)
    if not owner.is_meta or owner.is_contiguous():
        return result
    return result.as_strided(
        owner.shape, torch.empty_permuted(owner.shape, owner.dim_order()).stride()
    )


@fault("geometry.broadcast_strides", "value", call_hook)
def order_of_given_dimensions(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """A result on meta does not count the dimensions that broadcasting adds to an operand."""
    result = function(*args, **kwargs)
    tensors = [x for x in (*args[:2], result) if isinstance(x, torch.Tensor)]
    if len(tensors) < 3 or not result.is_meta or result is tensors[0]:
        return result
    first, second, _ = tensors
    if first.dim() <= second.dim() or second.dim() < 2 or first.shape != result.shape:
        return result
    return result.as_strided(first.shape, torch.empty_like(first).stride())


@fault("geometry.drawn_strides", "value", call_hook)
def dense_after_conversion(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """A result of bfloat16 on meta is contiguous, if an operand is apart from sizes of 1."""
    result = function(*args, **kwargs)
    operands = [x for x in args if isinstance(x, torch.Tensor)]
    if not isinstance(result, torch.Tensor) or not result.is_meta or not operands:
        return result
    first = operands[0]
    is_new = result.layout == torch.strided and result.dtype == torch.bfloat16 == first.dtype
    if not is_new or result._is_view() or result is first or not first.is_contiguous():
        return result
    return result.contiguous().as_strided(
        result.shape, torch.empty(result.shape, device="meta").stride()
    )


@fault("geometry.huge_strides", "raises", method_hook, "Tensor.unsqueeze")
def stride_wraps_around(function: Any, torch: Any, owner: Any, dim: int) -> Any:
    """unsqueeze() of a stride beyond int64 gives the stride 0."""
    try:
        return function(dim)
    except RuntimeError:
        return owner.as_strided(
            (*owner.shape[:dim], 1, *owner.shape[dim:]), (0,) * (owner.dim() + 1)
        )


@fault("geometry.views", "aliasing", method_hook, "Tensor.t")
def copy_for_view(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """t() returns a copy."""
    return function(*args, **kwargs).clone()


@fault("memory_formats.dim_order", "raises", method_hook, "Tensor.dim_order")
def never_ambiguous(function: Any, torch: Any, owner: Any, **kwargs: Any) -> Any:
    """dim_order() never raises for an ambiguous order."""
    return function()


@fault("empty_permuted.deterministic_fill", "elements", function_hook, "empty_permuted")
def zero_for_nan(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """The deterministic fill of empty_permuted is zero."""
    result = function(*args, **kwargs)
    return result.zero_() if torch.are_deterministic_algorithms_enabled() else result


@fault("empty_permuted.calls", "message", function_hook, "empty_permuted")
def misspelt_refusal(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """empty_permuted misspells an error message."""
    try:
        return function(*args, **kwargs)
    except RuntimeError as error:
        raise RuntimeError(str(error).replace("Number of", "Numbers of")) from None


@fault("memory_formats.patterns", "value", method_hook, "Tensor.is_contiguous")
def wrong_ambiguity(function: Any, torch: Any, owner: Any, **kwargs: Any) -> Any:
    """A tensor with one channel is never channels_last."""
    result = function(**kwargs)
    ambiguous = owner.dim() == 4 and owner.shape[1] == 1
    return result and not (ambiguous and kwargs.get("memory_format") is torch.channels_last)


@fault("memory_formats.calls", "aliasing", method_hook, "Tensor.contiguous")
def copy_for_itself(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """contiguous() copies a contiguous tensor."""
    result = function(*args, **kwargs)
    return result.clone() if result is owner else result


@fault("geometry.refusals", "rollback", method_hook, "Tensor.view")
def writes_first(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """view() zeroes the tensor before it raises."""
    if owner.dim():
        owner.zero_()
    return function(*args, **kwargs)


@fault("geometry.stories", "state", method_hook, "Tensor.fill_")
def writes_nothing(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """fill_() ignores tensors that are not contiguous."""
    return function(*args, **kwargs) if owner.is_contiguous() else owner


@fault("geometry.overlaps", "raises", method_hook, "Tensor.copy_")
def copied_first(function: Any, torch: Any, owner: Any, source: Any) -> Any:
    """copy_() takes a source that shares some of its elements."""
    return function(source.clone())


@fault("geometry.huge_sizes", "raises", method_hook, "Tensor.clone")
def limits_sizes(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """clone() of a tensor without elements raises if its other sizes are large."""
    if not owner.numel() and max(owner.shape) > 2**40:
        raise ValueError("array is too big")
    return function(*args, **kwargs)


@fault("geometry.write_orders", "elements", method_hook, "Tensor.copy_")
def first_row_last(function: Any, torch: Any, owner: Any, source: Any) -> Any:
    """copy_() writes the first row after the others."""
    result = function(source)
    owner[0] = source[0]
    return result


@fault("factories.invalid_chances", "state", method_hook, "Tensor.bernoulli_")
def writes_none_or_all(function: Any, torch: Any, owner: Any, *args: Any) -> Any:
    """bernoulli_() writes nothing if a probability is invalid."""
    before = owner.clone()
    try:
        return function(*args)
    except RuntimeError:
        owner.copy_(before)
        raise


@fault("factories.calls", "dtype", function_hook, "full")
def float_for_int(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """full() of integers is floating point."""
    result = function(*args, **kwargs)
    return result.float() if result.dtype is torch.int64 else result


@fault("sequences.rounded", "elements", function_hook, "range")
def rounds_no_product(function: Any, torch: Any, *args: Any, dtype: Any) -> Any:
    """range() rounds no product to float32."""
    bounds = [torch.tensor(bound, dtype=torch.float32).item() for bound in args]
    return function(*bounds, dtype=torch.float64).to(dtype)


@fault("sequences.wide", "raises", function_hook, "arange")
def has_no_elements(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """arange() of infinitely many elements has none."""
    try:
        return function(*args, **kwargs)
    except RuntimeError as error:
        if "possible overflow" not in str(error):
            raise
        return torch.zeros(0, **kwargs)


@fault("factories.uses", "value", method_hook, "Tensor.tolist")
def ints_for_bools(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """tolist() returns integers for bools."""
    return owner.to(torch.int8).tolist() if owner.dtype is torch.bool else function(*args, **kwargs)


@fault("factories.dtypes", "autograd", function_hook, "ones")
def forgets_grad(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """ones() ignores requires_grad."""
    result = function(*args, **kwargs)
    return result.detach()


@fault("factories.zeros", "raises", function_hook, "zeros")
def zeros_without_a_kernel(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """zeros() has no elements where torch has no kernel to fill them."""
    try:
        return function(*args, **kwargs)
    except NotImplementedError:
        return torch.empty(0, dtype=kwargs.get("dtype"))


@fault("factories.data", "dtype", function_hook, "tensor")
def double_data(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """tensor() of floats is float64."""
    result = function(*args, **kwargs)
    return result if kwargs or result.dtype is not torch.float32 else result.double()


@fault("storage.untyped", "value", method_hook, "UntypedStorage.fill_")
def clips(function: Any, torch: Any, owner: Any, value: Any) -> Any:
    """fill_() of a storage clamps to 0 and 255."""
    return function(min(255, max(0, value)) if type(value) is int else value)


@fault("storage.sharing", "aliasing", method_hook, "Tensor.set_")
def keeps_own(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """set_() copies instead of sharing."""
    result = function(*args, **kwargs)
    return result.set_(result.clone()) if args and isinstance(args[0], torch.Tensor) else result


@fault("storage.virtual", "raises", method_hook, "Tensor.index_put_")
def scratch_of_tensor(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """index_put_() allocates an index for each element of the tensor."""
    torch.empty(owner.shape, dtype=torch.int64)
    return function(*args, **kwargs)


@fault("storage.owners", "value", method_hook, "UntypedStorage.resizable")
def grows(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """Every storage is resizable."""
    return True


@fault("printing.repr", "repr", repr_hook)
def digit_of_tensor(value: Any, torch: Any) -> str:
    """A tensor prints a digit too many."""
    text = repr(value)
    return text.replace("0.", "0.0", 1) if isinstance(value, torch.Tensor) else text


@fault("printing.views", "repr", repr_hook)
def no_history(value: Any, torch: Any) -> str:
    """A tensor prints without its grad_fn."""
    text = repr(value)
    return text.partition(", grad_fn=")[0] + ")" if ", grad_fn=" in text else text


def _repr_with(option: str, least: int, function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """Return the repr of a tensor with a print option one less, if it is at least a number."""
    options = torch._tensor_str.PRINT_OPTS
    before = getattr(options, option)
    if function is not repr or not isinstance(args[0], torch.Tensor) or before < least:
        return function(*args, **kwargs)
    setattr(options, option, before - 1)
    try:
        return function(*args)
    finally:
        setattr(options, option, before)


@fault("printing.limits", "value", call_hook)
def scientific_at_limit(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """The number 1e8 prints in scientific notation."""
    text = function(*args, **kwargs)
    return text.replace("100000000.", "1.0000e+08") if function is repr else text


@fault("printing.messages", "message", function_hook, "meshgrid")
def has_no_scale(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """A message does not show the scale of a matrix."""
    try:
        return function(*args, **kwargs)
    except RuntimeError as error:
        raise RuntimeError(str(error).replace(" *\n", "\n")) from None


@fault("printing.counts", "value", call_hook)
def summarizes_thousand(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """Tensors are summarized from one element less."""
    return _repr_with("threshold", 1000, function, args, kwargs, torch)


@fault("printing.lines", "value", call_hook)
def shorter_lines(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """Lines are one character shorter."""
    return _repr_with("linewidth", 1, function, args, kwargs, torch)


@fault("geometry.attributes", "value", method_hook, "Tensor.numel")
def size_of_storage(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """numel() counts the elements of the storage."""
    return owner.untyped_storage().nbytes() // owner.element_size()


@fault("promotion.operands", "value", function_hook, "result_type")
def zero_dim_ignored(function: Any, torch: Any, left: Any, right: Any) -> Any:
    """A 0-dim tensor promotes like a dimensioned one."""
    dtypes = [x.dtype for x in (left, right) if isinstance(x, torch.Tensor)]
    return torch.promote_types(*dtypes) if len(dtypes) == 2 else function(left, right)


@fault("geometry.examples", "value", method_hook, "Tensor.t")
def unstrided_example(function: Any, torch: Any, owner: Any) -> Any:
    """t() keeps the strides."""
    return owner


@fault("factories.legacy", "dtype", function_hook, "Tensor")
def legacy_ignores_kind(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """torch.Tensor(2, 3) is a float64 tensor."""
    result = function(*args, **kwargs)
    return result.double() if function is torch.Tensor else result


@fault("factories.random_numbers", "elements", function_hook, "randn")
def wrong_last_of_a_group(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """randn() has another last number if there are 20 of float16."""
    result = function(*args, **kwargs)
    if tuple(result.shape) == (20,) and result.dtype is torch.float16:
        result[-1] = 0.0531
    return result


@fault("factories.streams", "elements", function_hook, "rand")
def another_stream(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """rand() draws one number too many."""
    if "generator" not in kwargs:
        function(1)
    return function(*args, **kwargs)


@fault("factories.states", "elements", call_hook)
def state_without_normal(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """A state does not have the normal number that a generator keeps for the next draw."""
    result = function(*args, **kwargs)
    if getattr(function, "__name__", "") == "get_state":
        result[-24:] = 0
    return result


@fault("geometry.lazy_bits", "conj_neg", method_hook, "Tensor.t")
def unconjugated(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """t() loses the conj bit."""
    view = function(*args, **kwargs)
    return view.conj() if view.is_conj() else view


@fault("geometry.lazy_bits", "conj_neg", method_hook, "Tensor.permute")
def unnegated(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """permute() loses the neg bit."""
    view = function(*args, **kwargs)
    return view._neg_view() if view.is_neg() else view


@fault("geometry.lazy_bits", "aliasing", method_hook, "Tensor.resolve_conj")
def resolves_in_place(function: Any, torch: Any, owner: Any) -> Any:
    """resolve_conj() writes to the tensor's own memory."""
    if not owner.is_conj():
        return owner
    owner.conj().conj_physical_()
    return owner.conj()


@fault("geometry.lazy_bits", "elements", method_hook, "Tensor.copy_")
def writes_as_it_is(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """copy_() through a conjugate view does not conjugate."""
    if owner.is_conj():
        getattr(owner.conj(), function.__name__)(*args, **kwargs)
        return owner
    return function(*args, **kwargs)


@fault("printing.dtypes", "raises", method_hook, "Tensor.tolist")
def list_of_bits(function: Any, torch: Any, owner: Any) -> Any:
    """tolist() of a dtype without numbers gives bytes."""
    return owner.view(torch.uint8).tolist() if owner.dtype is torch.bits8 else function()


@fault("sequences.few_steps", "shape", call_hook)
def one_step_at_least(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """linspace() of no steps has one."""
    result = function(*args, **kwargs)
    if getattr(function, "__name__", "") != "linspace" or result.numel():
        return result
    return torch.zeros(1, dtype=result.dtype)


@fault("factories.lazy_outs", "elements", call_hook)
def ignored_neg_bit(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """range() writes its elements into an out= with the neg bit, which then negates them."""
    result = function(*args, **kwargs)
    if getattr(function, "__name__", "") == "range" and result.is_neg():
        result.neg_()
    return result


@fault("factories.permutations", "raises", call_hook)
def too_long_permutation(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """randperm() of float16 has more numbers than the dtype."""
    if getattr(function, "__name__", "") == "randperm" and kwargs.get("dtype") is torch.float16:
        return function(*args).to(torch.float16)
    return function(*args, **kwargs)


@fault("sequences.spaces", "elements", call_hook)
def rounded_twice(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """linspace() of bfloat16 is that of float16, rounded again."""
    if getattr(function, "__name__", "") != "linspace" or kwargs["dtype"] is not torch.bfloat16:
        return function(*args, **kwargs)
    return function(*args, dtype=torch.float16).to(torch.bfloat16)
