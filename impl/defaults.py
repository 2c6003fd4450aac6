"""The default dtype: one for the whole process, as in torch."""

from .dtypes import DTYPES, dtype, row_of
from .errors import check, takes_no_arguments

_HAVE_STORAGE = frozenset(DTYPES[name] for name in ("float16", "bfloat16", "float32", "float64"))

_default = DTYPES["float32"]


def get_default_dtype(*args: object, **kwargs: object) -> dtype:
    """Return the dtype of floating-point results for which none is asked.

    >>> get_default_dtype()
    torch.float32
    """
    if args or kwargs:
        takes_no_arguments("torch.get_default_dtype", args, kwargs)
    return _default


def set_default_dtype(d: dtype, /) -> None:
    """Make ``d`` the default dtype of this process: float16, bfloat16, float32 or float64.

    >>> set_default_dtype(DTYPES["int8"])
    Traceback (most recent call last):
    TypeError: only floating-point types are supported as the default type
    """
    global _default
    only_floats = "only floating-point types are supported as the default type"
    check(isinstance(d, dtype), lambda: f"invalid dtype object: {only_floats}", TypeError)
    check(d.is_floating_point, lambda: only_floats, TypeError)
    # The legacy tensor types that hold the default know four float storages.
    check(
        d in _HAVE_STORAGE,
        lambda: f"couldn't find storage object {row_of(d).cpp_name}Storage",
        TypeError,
    )
    _default = d
