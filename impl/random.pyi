"""torch.random: the functions that seed the default generator."""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any

from . import (
    default_generator as default_generator,
    get_rng_state as get_rng_state,
    initial_seed as initial_seed,
    manual_seed as manual_seed,
    seed as seed,
    set_rng_state as set_rng_state,
)

def fork_rng(
    devices: Iterable[Any] | None = None,
    enabled: bool = True,
    _caller: str = "fork_rng",
    _devices_kw: str = "devices",
    device_type: str | None = None,
) -> AbstractContextManager[None]: ...
def thread_safe_generator() -> None: ...
