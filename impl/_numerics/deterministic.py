"""Deterministic algorithms and the fill of uninitialized memory (torch/utils/deterministic.py)."""

from types import ModuleType
from typing import Any

from .._argparser.parser import Parser
from .._arrays.numpy_bridge import is_native, np, numpy_storage_dtype
from .._arrays.opaque_dtypes import is_opaque
from .._dtypes.constants import BOOL
from .._dtypes.cpp_names import class_text
from .._dtypes.table import dtype, spec_of
from .._runtime.errors import check
from .._runtime.warnings import warn
from .float_formats import encode
from .rounding import raise_not_implemented
from .type_info import limits_of


class _Switches:
    """The process-wide settings, as in torch."""

    enabled = False
    warn_only = False
    fill_uninitialized_memory = True


SWITCHES = _Switches()

_parse_mode = Parser("_set_deterministic_algorithms(bool mode, *, bool warn_only=False)")


def use_deterministic_algorithms(mode: Any, *, warn_only: Any = False) -> None:
    """Enable or disable deterministic algorithms; while enabled, new memory is filled.

    Floating-point and complex tensors are filled with NaN, others with their largest value, unless
    ``torch.utils.deterministic.fill_uninitialized_memory`` is False.

    >>> import impl as torch
    >>> torch.use_deterministic_algorithms(True)
    >>> torch.empty(2, dtype=torch.int8)
    tensor([127, 127], dtype=torch.int8)
    >>> torch.use_deterministic_algorithms(False)
    """
    SWITCHES.enabled, SWITCHES.warn_only = _parse_mode((mode,), {"warn_only": warn_only})


def are_deterministic_algorithms_enabled() -> bool:
    """Return whether deterministic algorithms are enabled."""
    return SWITCHES.enabled


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Return whether nondeterministic operations only warn."""
    return SWITCHES.warn_only


def get_deterministic_debug_mode() -> int:
    """Return 0 if deterministic algorithms are disabled, 1 if they warn, 2 if they raise."""
    return (1 if SWITCHES.warn_only else 2) if SWITCHES.enabled else 0


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """Set the debug mode by number or name: 0 default, 1 warn, 2 error."""
    if not isinstance(debug_mode, int | str):
        raise TypeError(f"debug_mode must be str or int, but got {class_text(type(debug_mode))}")
    modes: tuple[int | str, ...] = (0, 1, 2)
    expected = "0, 1, or 2"
    if isinstance(debug_mode, str):
        modes, expected = ("default", "warn", "error"), "one of `default`, `warn`, `error`"
    check(
        debug_mode in modes,
        lambda: f"invalid value of debug_mode, expected {expected}, but got {debug_mode}",
    )
    mode = modes.index(debug_mode)
    use_deterministic_algorithms(mode > 0, warn_only=mode == 1)


def alert_not_deterministic(name: str) -> None:
    """Raise or warn if deterministic algorithms are enabled (Context::alertNotDeterministic)."""
    if not SWITCHES.enabled:
        return
    check(
        SWITCHES.warn_only,
        lambda: (
            f"{name} does not have a deterministic implementation, but you set"
            " 'torch.use_deterministic_algorithms(True)'. You can turn off determinism just for"
            " this operation, or you can use the 'warn_only=True' option, if that's acceptable for"
            " your application. You can also file an issue at"
            f" {_ISSUES} to help us prioritize adding deterministic support for this operation."
        ),
    )
    warn(
        f"{name} does not have a deterministic implementation, but you set"
        " 'torch.use_deterministic_algorithms(True, warn_only=True)'. You can file an issue at"
        f" {_ISSUES} to help us prioritize adding deterministic support for this operation."
        " (Triggered internally at /__w/pytorch/pytorch/aten/src/ATen/Context.cpp:186.)"
    )


_ISSUES = "https://github.com/pytorch/pytorch/issues"


def fills_uninitialized_memory() -> bool:
    """Return whether to fill uninitialized memory."""
    return SWITCHES.enabled and SWITCHES.fill_uninitialized_memory


def fill_value(dtype: dtype) -> Any:
    """Return the raw fill value of uninitialized elements (fill_empty_deterministic_ in ATen)."""
    if is_opaque(dtype):
        raise_not_implemented("fill_empty_deterministic_", dtype)
    if dtype is BOOL:
        return True
    if not spec_of(dtype).float_format:
        return limits_of(dtype).max
    if is_native(dtype):
        return numpy_storage_dtype(dtype).type(np.nan)
    if dtype.is_complex:
        return 0x7E00
    return encode(np.array([np.nan], np.float32), dtype)[0]


class DeterministicModule(ModuleType):
    """The class of the module torch.utils.deterministic, with its assignable setting."""

    @property
    def fill_uninitialized_memory(self) -> bool:
        """Whether new memory is filled while deterministic algorithms are enabled."""
        return SWITCHES.fill_uninitialized_memory

    @fill_uninitialized_memory.setter
    def fill_uninitialized_memory(self, mode: Any) -> None:
        check(type(mode) is bool, lambda: f"expected a bool, but got {type(mode).__name__}")
        SWITCHES.fill_uninitialized_memory = mode


DeterministicModule.__name__ = "_Deterministic"  # as in torch/utils/deterministic.py
