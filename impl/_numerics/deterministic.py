"""Whether memory that is handed out uninitialised is filled, so that results do not depend on it."""

from types import ModuleType
from typing import Any

from .._argparser.parser import Parser
from .._arrays.numpy_bridge import is_native, np, numpy_storage_dtype
from .._dtypes.table import Kind, dtype, spec_of
from .._runtime.errors import check
from .float_formats import encode


class _Switches:
    """The modes of this process, as in torch."""

    enabled = False
    warn_only = False
    fill_uninitialized_memory = True


SWITCHES = _Switches()

_parse_mode = Parser("_set_deterministic_algorithms(bool mode, *, bool warn_only=False)")


def use_deterministic_algorithms(mode: Any, *, warn_only: Any = False) -> None:
    """Switch determinism on or off; while it is on, new memory is filled.

    Floating-point and complex tensors are filled with NaN, others with their
    largest value, unless ``torch.utils.deterministic.fill_uninitialized_memory``
    is off.

    >>> import impl as torch
    >>> torch.use_deterministic_algorithms(True)
    >>> torch.empty(2, dtype=torch.int8)
    tensor([127, 127], dtype=torch.int8)
    >>> torch.use_deterministic_algorithms(False)
    """
    SWITCHES.enabled, SWITCHES.warn_only = _parse_mode((mode,), {"warn_only": warn_only})


def are_deterministic_algorithms_enabled() -> bool:
    """Tell whether determinism is switched on."""
    return SWITCHES.enabled


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Tell whether what is not deterministic would only warn."""
    return SWITCHES.warn_only


_MODES = ("default", "warn", "error")


def get_deterministic_debug_mode() -> int:
    """Return 0 if determinism is off, 1 if it warns, 2 if it raises."""
    return (1 if SWITCHES.warn_only else 2) if SWITCHES.enabled else 0


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """Switch determinism by number or name: 0 default, 1 warn, 2 error."""
    if not isinstance(debug_mode, int | str):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    if isinstance(debug_mode, str):
        check(
            debug_mode in _MODES,
            lambda: (
                "invalid value of debug_mode, expected one of `default`, `warn`, `error`, but"
                f" got {debug_mode}"
            ),
        )
        debug_mode = _MODES.index(debug_mode)
    check(
        debug_mode in (0, 1, 2),
        lambda: f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}",
    )
    use_deterministic_algorithms(debug_mode > 0, warn_only=debug_mode == 1)


def fills() -> bool:
    """Tell whether uninitialised memory is to be filled."""
    return SWITCHES.enabled and SWITCHES.fill_uninitialized_memory


def filling(dtype: dtype) -> Any:
    """Return the code that uninitialised elements get (fill_empty_deterministic_ in ATen)."""
    row = spec_of(dtype)
    if row.kind is Kind.BOOL:
        return True
    if row.kind in (Kind.UNSIGNED, Kind.SIGNED) and row.bits >= 8:
        return np.iinfo(numpy_storage_dtype(dtype)).max
    check(
        row.float_format is not None and row.float_format.packed == 1,
        lambda: f"\"fill_empty_deterministic_\" not implemented for '{row.cpp_name}'",
        NotImplementedError,
    )
    if is_native(dtype):
        return numpy_storage_dtype(dtype).type(np.nan)
    if dtype.is_complex:
        return 0x7E00
    return encode(np.array([np.nan], np.float32), dtype)[0]


class DeterministicModule(ModuleType):
    """The module torch.utils.deterministic, whose one setting can be assigned to."""

    @property
    def fill_uninitialized_memory(self) -> bool:
        """Whether new memory is filled with a known value while determinism is on."""
        return SWITCHES.fill_uninitialized_memory

    @fill_uninitialized_memory.setter
    def fill_uninitialized_memory(self, mode: Any) -> None:
        check(type(mode) is bool, lambda: f"expected a bool, but got {type(mode).__name__}")
        SWITCHES.fill_uninitialized_memory = mode


DeterministicModule.__name__ = "_Deterministic"  # as in torch/utils/deterministic.py
