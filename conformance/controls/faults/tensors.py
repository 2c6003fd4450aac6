"""Faults of a subject's tensors: real torch, with one thing about them made wrong."""

from collections.abc import Callable
from typing import Any

from ..fault_injection import Fault
from .subject import instead_of


def on_tensors(name: str, answer: Callable[..., Any]) -> Fault:
    """Answer calls of one method of tensors otherwise.

    ``answer`` is given the true method, torch, the tensor and the arguments.
    """

    def call(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
        owner = getattr(function, "__self__", None)
        if getattr(function, "__name__", "") == name and isinstance(owner, torch.Tensor):
            return answer(function, torch, owner, *args, **kwargs)
        return function(*args, **kwargs)

    return Fault(call=call)


def _storage_method(name: str, answer: Callable[..., Any]) -> Fault:
    """Answer calls of one method of storages otherwise."""

    def call(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
        owner = getattr(function, "__self__", None)
        if getattr(function, "__name__", "") == name and isinstance(owner, torch.UntypedStorage):
            return answer(function, torch, owner, *args, **kwargs)
        return function(*args, **kwargs)

    return Fault(call=call)


def _stride_off(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """Add one to the strides of dimensions of size 1, which nobody notices who only computes."""
    made = function(*args, **kwargs)
    pairs = zip(made.shape, made.stride(), strict=True)
    return made.as_strided(made.shape, [step + (size == 1) for size, step in pairs])


def _lost_offset(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    view = function(*args, **kwargs)
    return view.as_strided(view.shape, view.stride(), 0)


def _copy_of_view(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    return function(*args, **kwargs).clone()


def _never_ambiguous(function: Any, torch: Any, owner: Any, **kwargs: Any) -> Any:
    return function()


def _zero_filled(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    made = function(*args, **kwargs)
    return made.zero_() if torch.are_deterministic_algorithms_enabled() else made


def _misspelt(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    try:
        return function(*args, **kwargs)
    except RuntimeError as error:
        raise RuntimeError(str(error).replace("Number of", "Numbers of")) from None


def _needs_channels(function: Any, torch: Any, owner: Any, **kwargs: Any) -> Any:
    """Say that what has one channel is not channels_last, which is one of two right answers."""
    answer = function(**kwargs)
    ambiguous = owner.dim() == 4 and owner.shape[1] == 1
    return answer and not (ambiguous and kwargs.get("memory_format") is torch.channels_last)


def _always_copies(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    answer = function(*args, **kwargs)
    return answer.clone() if answer is owner else answer


def _writes_first(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    if owner.dim():
        owner.zero_()
    return function(*args, **kwargs)


def _writes_nothing(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    return function(*args, **kwargs) if owner.is_contiguous() else owner


def _float_for_int(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    made = function(*args, **kwargs)
    return made.float() if made.dtype is torch.int64 else made


def _ints_for_bools(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    return owner.to(torch.int8).tolist() if owner.dtype is torch.bool else function(*args, **kwargs)


def _forgets_grad(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    made = function(*args, **kwargs)
    return made.detach()


def _double_data(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    made = function(*args, **kwargs)
    return made if kwargs or made.dtype is not torch.float32 else made.double()


def _clips(function: Any, torch: Any, owner: Any, value: Any) -> Any:
    return function(min(255, max(0, value)) if type(value) is int else value)


def _keeps_own(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    changed = function(*args, **kwargs)
    return changed.set_(changed.clone()) if args and isinstance(args[0], torch.Tensor) else changed


def _grows(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    return True


def _one_digit_more(value: Any, torch: Any) -> str:
    text = repr(value)
    return text.replace("0.", "0.0", 1) if isinstance(value, torch.Tensor) else text


def _no_history(value: Any, torch: Any) -> str:
    text = repr(value)
    return text.partition(", grad_fn=")[0] + ")" if ", grad_fn=" in text else text


def _size_of_storage(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    return owner.untyped_storage().nbytes() // owner.element_size()


def _ignores_zero_dim(function: Any, torch: Any, left: Any, right: Any) -> Any:
    """Promote a 0-dim tensor as if it had dimensions."""
    kinds = [each.dtype for each in (left, right) if isinstance(each, torch.Tensor)]
    return torch.promote_types(*kinds) if len(kinds) == 2 else function(left, right)


def _untransposed(function: Any, torch: Any, owner: Any) -> Any:
    return owner


def _double_legacy(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    made = function(*args, **kwargs)
    return made.double() if function is torch.Tensor else made


def _another_stream(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    if "generator" not in kwargs:
        function(1)
    return function(*args, **kwargs)


def _unconjugated(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """Lose the conjugate bit: the memory is shown as it is."""
    view = function(*args, **kwargs)
    return view.conj() if view.is_conj() else view


def _unnegated(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """Lose the negative bit: the memory is shown as it is."""
    view = function(*args, **kwargs)
    return view._neg_view() if view.is_neg() else view


def _resolves_in_place(function: Any, torch: Any, owner: Any) -> Any:
    """Write the conjugated elements into the tensor's own memory instead of into a copy."""
    if not owner.is_conj():
        return owner
    owner.conj().conj_physical_()
    return owner.conj()


def _writes_as_it_is(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """Write through a conjugate view as if it were not conjugated."""
    if owner.is_conj():
        getattr(owner.conj(), function.__name__)(*args, **kwargs)
        return owner
    return function(*args, **kwargs)


STRIDE_OFF = instead_of("empty_permuted", _stride_off)
LOST_OFFSET = on_tensors("select", _lost_offset)
COPY_OF_VIEW = on_tensors("t", _copy_of_view)
NEVER_AMBIGUOUS = on_tensors("dim_order", _never_ambiguous)
ZERO_FILLED = instead_of("empty_permuted", _zero_filled)
MISSPELT = instead_of("empty_permuted", _misspelt)
NEEDS_CHANNELS = on_tensors("is_contiguous", _needs_channels)
ALWAYS_COPIES = on_tensors("contiguous", _always_copies)
WRITES_FIRST = on_tensors("view", _writes_first)
WRITES_NOTHING = on_tensors("fill_", _writes_nothing)
FLOAT_FOR_INT = instead_of("full", _float_for_int)
INTS_FOR_BOOLS = on_tensors("tolist", _ints_for_bools)
FORGETS_GRAD_OF_ONES = instead_of("ones", _forgets_grad)
DOUBLE_DATA = instead_of("tensor", _double_data)
CLIPS = _storage_method("fill_", _clips)
KEEPS_OWN = on_tensors("set_", _keeps_own)
GROWS = _storage_method("resizable", _grows)
DIGIT_OF_TENSOR = Fault(repr=_one_digit_more)
NO_HISTORY = Fault(repr=_no_history)
SIZE_OF_STORAGE = on_tensors("numel", _size_of_storage)
IGNORES_ZERO_DIM = instead_of("result_type", _ignores_zero_dim)
UNTRANSPOSED = on_tensors("t", _untransposed)
DOUBLE_LEGACY = instead_of("Tensor", _double_legacy)
ANOTHER_STREAM = instead_of("rand", _another_stream)
UNCONJUGATED = on_tensors("t", _unconjugated)
UNNEGATED = on_tensors("permute", _unnegated)
RESOLVES_IN_PLACE = on_tensors("resolve_conj", _resolves_in_place)
WRITES_AS_IT_IS = on_tensors("copy_", _writes_as_it_is)
