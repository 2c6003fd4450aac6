"""Faults of state: real torch with a setting that is seen in the wrong threads."""

import threading
from typing import Any

from ..control import fault
from ..fault_injection import function_hook


@fault("state.threads", "value", function_hook, "is_grad_enabled")
def grad_mode_of_process(function: Any, torch: Any) -> Any:
    """is_grad_enabled() stays False in all threads once it was False in one."""
    _ANSWERS.append(function())
    return all(_ANSWERS)


_ANSWERS: list[bool] = []


@fault("state.threads", "raises", function_hook, "set_default_device")
def only_in_main_thread(function: Any, torch: Any, device: Any) -> Any:
    """set_default_device() raises in other threads."""
    if threading.current_thread() is not threading.main_thread():
        raise RuntimeError("only in the main thread")
    return function(device)
