"""Faults of a subject's devices: real torch, with one thing about them made wrong."""

import threading
from typing import Any

from ..fault_injection import Fault
from .subject import instead_of


def _cuda_is_cuda_0() -> Fault:
    def comparison(name: str, left: Any, right: Any, torch: Any) -> Any:
        pair = {str(left), str(right)}
        if name == "Eq" and pair == {"cuda", "cuda:0"} and type(left) is type(right):
            return True
        return _true(name, left, right, torch)

    return Fault(comparison=comparison)


_true = Fault().comparison


def _called(name: str, method: str = "") -> Any:
    """Tell calls of a class or of one of its methods."""

    def is_so(function: Any, torch: Any) -> bool:
        kind = getattr(torch, name)
        if not method:
            return function is kind
        return getattr(function, "__name__", "") == method and isinstance(
            getattr(function, "__self__", None), kind
        )

    return is_so


_makes, _leaves = _called("device"), _called("device", "__exit__")


def _does_not_wrap() -> Fault:
    """Let a device with an ordinal beyond 127 say so."""

    def attribute(owner: Any, name: str, torch: Any) -> Any:
        value = getattr(owner, name)
        is_index = name == "index" and isinstance(owner, torch.device) and value is not None
        return value % 256 if is_index else value

    return Fault(attribute=attribute)


def _negative_index() -> Fault:
    """Take a negative ordinal for none."""

    def call(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
        if _makes(function, torch) and args[1:] == (-2,) and not kwargs:
            return function(args[0], 254)
        return function(*args, **kwargs)

    return Fault(call=call)


def _renamed_class() -> Fault:
    def attribute(owner: Any, name: str, torch: Any) -> Any:
        return "Device" if owner is torch.device and name == "__name__" else getattr(owner, name)

    return Fault(attribute=attribute)


def _pickles_without_index() -> Fault:
    def call(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
        found = function(*args, **kwargs)
        is_copy = getattr(function, "__name__", "") in ("loads", "copy")
        return torch.device(found.type) if is_copy and isinstance(found, torch.device) else found

    return Fault(call=call)


def _leaks() -> Fault:
    """Let the device of a context that is left be the default."""

    def call(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
        found = function(*args, **kwargs)
        if _leaves(function, torch):
            torch.set_default_device(function.__self__)
        return found

    return Fault(call=call)


def _of_the_process(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """Tell another thread of the default device that the first one has."""
    if threading.current_thread() is threading.main_thread():
        _KEPT[:] = [function(*args, **kwargs)]
        return _KEPT[0]
    return _KEPT[0]


_KEPT: list[Any] = []


def _ignores_default(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """Make the ones on the CPU whatever the default is."""
    return function(*args, **{"device": "cpu", **kwargs})


def _misspelt(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    try:
        return function(*args, **kwargs)
    except AssertionError as error:
        raise AssertionError(str(error).replace("CUDA", "Cuda")) from None


def _moved_by_itself() -> Fault:
    """Let cat take a vector on the CPU to meta by itself."""

    def call(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
        if function is torch.stack and len({each.device for each in args[0]}) > 1:
            args = ([each.to("meta") for each in args[0]], *args[1:])
        return function(*args, **kwargs)

    return Fault(call=call)


MOVED_BY_ITSELF = _moved_by_itself()
CUDA_IS_CUDA_0 = _cuda_is_cuda_0()
DOES_NOT_WRAP = _does_not_wrap()
NEGATIVE_INDEX = _negative_index()
RENAMED_CLASS = _renamed_class()
PICKLES_WITHOUT_INDEX = _pickles_without_index()
LEAKS = _leaks()
OF_THE_PROCESS = instead_of("get_default_device", _of_the_process)
IGNORES_DEFAULT = instead_of("ones", _ignores_default)
MISSPELT = instead_of("zeros", _misspelt)


def _counts_one_more() -> Fault:
    """Count a CUDA device more than there are."""

    def call(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
        found = function(*args, **kwargs)
        return found + 1 if function is torch.cuda.device_count else found

    return Fault(call=call)


COUNTS_ONE_MORE = _counts_one_more()
