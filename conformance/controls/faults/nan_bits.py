"""Faults in the bits of NaNs: real torch with one wrong sign, and a suite that ignores them."""

from collections.abc import Callable, Sequence
from typing import Any

from ...comparison.undefined_elements import Undefined
from ..control import change_undefined, fault
from ..fault_injection import function_hook, method_hook


def _flipped(tensor: Any, torch: Any) -> Any:
    """Return a tensor with the other signs of its NaNs, without an effect on numbers."""
    if not isinstance(tensor, torch.Tensor) or not tensor.dtype.is_floating_point:
        return tensor
    if tensor.element_size() not in _INTEGERS or not tensor.isnan().any():
        return tensor
    name, sign = _INTEGERS[tensor.element_size()]
    # Writes through data do not count in the version.
    raw = tensor.data.view(getattr(torch, name))
    raw[tensor.data.isnan()] ^= sign
    return tensor


_INTEGERS = {2: ("int16", -(2**15)), 4: ("int32", -(2**31)), 8: ("int64", -(2**63))}


@fault("unary.patterns", "elements", function_hook, "abs")
def sign_of_nan_by_abs(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """abs() gives a NaN of the other sign."""
    return _flipped(function(*args, **kwargs), torch)


@fault("unary.patterns", "elements", function_hook, "neg")
def sign_of_nan_by_neg(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """neg() keeps the sign of a NaN."""
    return _flipped(function(*args, **kwargs), torch)


@fault("unary.patterns", "elements", function_hook, "sqrt")
def sign_of_nan_by_sqrt(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """sqrt() of a negative number gives a NaN of the other sign."""
    return _flipped(function(*args, **kwargs), torch)


@fault("arithmetic.remainders", "elements", function_hook, "copysign")
def sign_of_nan_by_copysign(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """copysign() gives a NaN of the other sign."""
    return _flipped(function(*args, **kwargs), torch)


@fault("casting.patterns", "elements", method_hook, "Tensor.to")
def sign_of_nan_by_to(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """to() gives a NaN of the other sign."""
    return _flipped(function(*args, **kwargs), torch)


@fault("arithmetic.remainders", "state", method_hook, "Tensor.clone")
def sign_of_nan_by_clone(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """clone() gives a NaN of the other sign."""
    return _flipped(function(*args, **kwargs), torch)


@fault("casting.patterns", "elements", method_hook, "Tensor.to")
def payload_by_to(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """to() from float16 to float32 loses the payload of a NaN."""
    result = function(*args, **kwargs)
    if owner.dtype is torch.float16 and result.dtype is torch.float32:
        result.data[result.data.isnan()] = float("nan")
    return result


@fault("casting.undefined", "verdict", change_undefined)
def forgives_signs(rules: Sequence[Undefined]) -> Sequence[Undefined]:
    """The bits of every NaN are undefined."""

    def forgiving(rule: Undefined) -> Callable[[Any], Any]:
        return lambda elements: rule.forgives(elements._replace(compares_nans=False))

    return [rule._replace(forgives=forgiving(rule)) for rule in rules]
