"""The default dtype: one for the whole process, as in torch (#115917)."""

from collections.abc import Callable

from .._runtime.errors import check, takes_no_arguments
from .constants import BOOL, FLOAT32, INT64
from .table import DTYPES, dtype, spec_of

_HAVE_STORAGE = frozenset(DTYPES[name] for name in ("float16", "bfloat16", "float32", "float64"))

SCALAR_DTYPES: dict[type, dtype] = {bool: BOOL, int: INT64}
"""What Python's numbers count as; floats count as the default dtype, which is kept nowhere else."""


FOLLOWERS: list[Callable[[], None]] = []
"""What is called when the default dtype has changed."""


def _set_default(new: dtype) -> None:
    SCALAR_DTYPES[float] = new
    SCALAR_DTYPES[complex] = new.to_complex()
    for follow in FOLLOWERS:
        follow()


_set_default(FLOAT32)


def get_default_dtype(*args: object, **kwargs: object) -> dtype:
    """Return the dtype of floating-point results for which none is asked.

    >>> get_default_dtype()
    torch.float32
    """
    if args or kwargs:
        takes_no_arguments("torch.get_default_dtype", args, kwargs)
    return SCALAR_DTYPES[float]


def set_default_dtype(d: dtype, /) -> None:
    """Make ``d`` the default dtype of this process: float16, bfloat16, float32 or float64.

    >>> import impl as torch
    >>> torch.set_default_dtype(torch.int8)
    Traceback (most recent call last):
    TypeError: only floating-point types are supported as the default type
    """
    only_floats = "only floating-point types are supported as the default type"
    check(type(d) is dtype, lambda: f"invalid dtype object: {only_floats}", TypeError)
    check(d.is_floating_point, lambda: only_floats, TypeError)
    # The legacy tensor types that hold the default know four float storages.
    check(
        d in _HAVE_STORAGE,
        lambda: f"couldn't find storage object {spec_of(d).cpp_name}Storage",
        TypeError,
    )
    _set_default(d)
