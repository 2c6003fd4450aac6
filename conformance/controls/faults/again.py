"""Faults that show in another form of a call, or in another state of its operands."""

from typing import Any

from ..control import fault
from ..fault_injection import call_hook, method_hook


def _name(function: Any) -> str:
    return str(getattr(function, "__name__", ""))


@fault("repetition.outs", "state", call_hook)
def kept_result(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """sum() with out= returns a new tensor, and does not write."""
    if _name(function) != "sum" or "out" not in kwargs:
        return function(*args, **kwargs)
    return function(*args, **{name: value for name, value in kwargs.items() if name != "out"})


@fault("reductions.outs", "message", call_hook)
def other_words_for_out(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """nansum() with a dtype and an out= of another dtype raises with another word."""
    try:
        return function(*args, **kwargs)
    except RuntimeError as error:
        if _name(function) != "nansum":
            raise
        raise RuntimeError(str(error).replace("provided", "given")) from None


@fault("printing.dtypes", "raises", method_hook, "Tensor.tolist")
def list_of_bits(function: Any, torch: Any, owner: Any) -> Any:
    """tolist() of a dtype without numbers gives bytes."""
    return owner.view(torch.uint8).tolist() if owner.dtype is torch.bits8 else function()


@fault("factories.few_steps", "shape", call_hook)
def one_step_at_least(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """linspace() of no steps has one."""
    result = function(*args, **kwargs)
    if _name(function) != "linspace" or result.numel():
        return result
    return torch.zeros(1, dtype=result.dtype)


@fault("factories.lazy_outs", "elements", call_hook)
def ignored_neg_bit(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """range() writes its elements into an out= with the neg bit, which then negates them."""
    result = function(*args, **kwargs)
    if _name(function) == "range" and result.is_neg():
        result.neg_()
    return result


@fault("factories.permutations", "raises", call_hook)
def too_long_permutation(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """randperm() of float16 has more numbers than the dtype."""
    if _name(function) == "randperm" and kwargs.get("dtype") is torch.float16:
        return function(*args).to(torch.float16)
    return function(*args, **kwargs)


@fault("operands.bits", "elements", call_hook)
def unresolved_operand(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """hypot() of tensors with the neg bit is negative."""
    result, owner = function(*args, **kwargs), getattr(function, "__self__", None)
    is_unresolved = _name(function) == "hypot_" and owner is not None and owner.is_neg()
    return result.neg_() if is_unresolved else result


@fault("constructors.sharing", "value", method_hook, "TypedStorage.clone")
def shared_clone(function: Any, torch: Any, owner: Any) -> Any:
    """clone() of a typed storage is the storage."""
    return owner


@fault("devices.pinning", "message", method_hook, "Tensor.pin_memory")
def another_backend(function: Any, torch: Any, owner: Any, *args: Any) -> Any:
    """pin_memory() names another backend in its message."""
    try:
        return function(*args)
    except RuntimeError as error:
        raise RuntimeError(str(error).replace("MTIA", "XPU")) from None


@fault("layouts.outs", "state", call_hook)
def negated_input(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """neg() of a sparse tensor with out= negates its input, too."""
    result = function(*args, **kwargs)
    if _name(function) == "neg" and "out" in kwargs and args[0] is not result:
        with torch.no_grad():
            args[0].neg_()
    return result


@fault("unary.moderate", "elements", call_hook)
def coefficients_exchanged(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """lgamma() is a little too large between 1.75 and 2."""
    result = function(*args, **kwargs)
    if _name(function) != "lgamma" or not args:
        return result
    is_near = (args[0] > 1.75) & (args[0] < 2)
    return torch.where(is_near, result * (1 + 1e-5), result)
