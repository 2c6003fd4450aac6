"""Faults in elements beside unwritten ones, and a suite that forgives too much or too little."""

from typing import Any

from ...comparison.unwritten import UNWRITTEN, Masked, without_unwritten
from ...core.case import Case
from ...libraries.library import Library
from ...observation.runner import Observation, Observer
from ..control import change_mask, fault
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
