"""Torch as the oracle. No other file of the project imports torch."""

from functools import partial
from importlib import import_module
from typing import Any

from ..core.errors import CouldNotRun
from .build import build_of
from .library import Library
from .loading import NO_TORCH, load
from .uninitialized import fill_by_default


def load_oracle(spec: str = "torch") -> Library:
    """Return the oracle's library, or raise `CouldNotRun`."""
    if spec.partition(":")[0].partition("@")[0] == "torch":
        import_torch()
    oracle = load(spec)
    fill_by_default(oracle)
    if build_of(oracle.root) is not None:
        oracle.repr_settings = partial(_repr_settings, oracle.root)
    return oracle


def import_torch() -> None:
    """Import all parts of torch that a run needs, or raise `CouldNotRun`. No kernel runs."""
    try:
        import torch  # here, not above: the suite's own tests need no torch
    except ImportError as error:
        raise CouldNotRun(NO_TORCH) from error
    # The workers of a run share the cores among them.
    torch.set_num_threads(1)
    # This imports more of torch, which wraps some functions: do it before the first case.
    torch.use_deterministic_algorithms(False)
    # FakeTensorMode simulates CUDA devices.
    import_module("torch._subclasses.fake_tensor")


def _repr_settings(torch: Any) -> tuple[object, ...]:
    """Return the settings that torch/_tensor_str.py reads."""
    options = torch._tensor_str.PRINT_OPTS
    return (
        options.precision,
        options.threshold,
        options.edgeitems,
        options.linewidth,
        options.sci_mode,
        torch.get_default_dtype(),
        torch._C._get_default_device(),
        _default_device(torch),
    )


def _default_device(torch: Any) -> object:
    """Return the default device, or the error if torch has no support for its type."""
    try:
        return torch.get_default_device()
    except Exception as error:  # noqa: BLE001  # by type, an error of its own
        return str(error)
