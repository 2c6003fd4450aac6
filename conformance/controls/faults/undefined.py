"""Faults in elements beside unwritten ones and in the bits of NaNs, and suites that forgive them.

A suite with such a fault forgives too much or too little.
"""

from collections.abc import Callable, Sequence
from typing import Any

from ...comparison.undefined_elements import Undefined
from ...comparison.unwritten import UNWRITTEN, Masked, without_unwritten
from ...core.case import Case
from ...libraries.library import Library
from ...observation.runner import Observation, Observer
from ..control import change_mask, change_undefined, fault
from ..fault_injection import function_hook, method_hook


def _flip(tensor: Any, index: int = 0) -> None:
    """Change a byte of an element, without a trace in the version counter."""
    storage = tensor.untyped_storage()
    at = (tensor.storage_offset() + index) * tensor.element_size()
    storage[at] = storage[at] ^ 0xFF


@fault("storage.sharing", "elements", method_hook, "Tensor.resize_")
def kept_element_of_resize(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """resize_() loses an element that it has to keep."""
    was_empty = not owner.numel()
    result = function(*args, **kwargs)
    if not was_empty and result.numel():
        _flip(result)
    return result


@fault("storage.sharing", "value", method_hook, "UntypedStorage.resize_")
def kept_byte_of_resize(function: Any, torch: Any, owner: Any, *args: Any) -> Any:
    """resize_() of a storage loses a byte that it has to keep."""
    before = owner.nbytes()
    result = function(*args)
    if before and owner.nbytes():
        owner[0] = owner[0] ^ 0xFF
    return result


@fault("storage.sharing", "elements", method_hook, "Tensor.set_")
def next_element_of_set(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """set_() with an offset reads the elements after those that it should."""
    result = function(*args, **kwargs)
    if len(args) > 1:
        storage, size = result.untyped_storage(), result.element_size()
        content = storage.tolist()
        for at, byte in enumerate(content[size:] + content[:size]):
            storage[at] = byte
    return result


@fault("factories.legacy", "elements", function_hook, "Tensor")
def reversed_data(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """torch.Tensor([1, 2, 3]) has the elements in reverse order."""
    if args and isinstance(args[0], list):
        args = (args[0][::-1], *args[1:])
    return function(*args, **kwargs)


@fault("arithmetic.strides", "elements", function_hook, "add")
def element_of_out(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """add(out=) writes a wrong last element to a tensor that it resizes."""
    out = kwargs.get("out")
    is_resized = isinstance(out, torch.Tensor) and not out.numel()
    result = function(*args, **kwargs)
    if is_resized and result.numel() and result.is_contiguous():
        _flip(result, result.numel() - 1)
    return result


@fault("engine.unwritten", "verdict", change_mask)
def forgives_the_tensor(
    oracle: Library, case: Case, expected: Observation, observed: Observation, observer: Observer
) -> Masked:
    """All elements of a tensor with an unwritten one are forgiven."""
    masked = without_unwritten(oracle, case, expected, observed, observer)
    if UNWRITTEN not in masked.expected.get("elements", ()):
        return masked
    left, right = (
        {name: facet for name, facet in side.items() if name not in ("elements", "state", "repr")}
        for side in masked[:2]
    )
    return Masked(left, right)


@fault("engine.unwritten", "verdict", change_mask)
def forgives_by_text(
    oracle: Library, case: Case, expected: Observation, observed: Observation, observer: Observer
) -> Masked:
    """All elements of a program are forgiven if it calls empty()."""
    if "empty(" not in str(case):
        return without_unwritten(oracle, case, expected, observed, observer)
    return Masked({}, {})


@fault("engine.unwritten", "verdict", change_mask)
def forgives_nothing(
    oracle: Library, case: Case, expected: Observation, observed: Observation, observer: Observer
) -> Masked:
    """No element is forgiven."""
    return Masked(expected, observed)


@fault("engine.unwritten", "verdict", change_mask)
def forgives_a_value(
    oracle: Library, case: Case, expected: Observation, observed: Observation, observer: Observer
) -> Masked:
    """The value is forgiven if the program has an unwritten element anywhere."""
    masked = without_unwritten(oracle, case, expected, observed, observer)
    if masked.expected is expected:
        return masked
    left, right = (
        {name: facet for name, facet in side.items() if name != "value"} for side in masked[:2]
    )
    return Masked(left, right)


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
