"""The default dtype of the process, shared by all threads as in torch (#115917)."""

from collections.abc import Callable

from .._runtime.errors import check, takes_no_arguments
from .constants import BOOL, FLOAT32, INT64
from .table import DTYPES, dtype, spec_of

_LEGACY_FLOATS = frozenset(DTYPES[name] for name in ("float16", "bfloat16", "float32", "float64"))

SCALAR_DTYPES: dict[type, dtype] = {bool: BOOL, int: INT64}
"""The dtypes of Python scalars.  The entry of float is the only record of the default dtype."""

DEFAULT_DTYPE_CALLBACKS: list[Callable[[], None]] = []
"""Callbacks for a change of the default dtype."""


def _set_default(new: dtype) -> None:
    SCALAR_DTYPES[float] = new
    SCALAR_DTYPES[complex] = new.to_complex()
    for callback in DEFAULT_DTYPE_CALLBACKS:
        callback()


_set_default(FLOAT32)


def get_default_dtype(*args: object, **kwargs: object) -> dtype:
    """Return the dtype of new floating-point tensors without a ``dtype`` argument.

    >>> get_default_dtype()
    torch.float32
    """
    if args or kwargs:
        takes_no_arguments("torch.get_default_dtype", args, kwargs)
    return SCALAR_DTYPES[float]


def set_default_dtype(d: dtype, /) -> None:
    """Set the default dtype of this process: float16, bfloat16, float32 or float64.

    >>> import impl as torch
    >>> torch.set_default_dtype(torch.int8)
    Traceback (most recent call last):
    TypeError: only floating-point types are supported as the default type
    """
    only_floats = "only floating-point types are supported as the default type"
    check(type(d) is dtype, lambda: f"invalid dtype object: {only_floats}", TypeError)
    check(d.is_floating_point, lambda: only_floats, TypeError)
    # The legacy tensor types, which hold the default in torch, have four float storages.
    check(
        d in _LEGACY_FLOATS,
        lambda: f"couldn't find storage object {spec_of(d).cpp_name}Storage",
        TypeError,
    )
    _set_default(d)
