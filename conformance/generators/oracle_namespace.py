"""Names of the oracle's namespace, as axes of domains."""

from typing import Any

from ..core.float_formats import FORMATS


def dtype_names(torch: Any) -> list[str]:
    """Return one public name for each dtype, in the order of the oracle's namespace."""
    dtypes = {id(value): value for value in vars(torch).values() if isinstance(value, torch.dtype)}
    return [repr(value).removeprefix("torch.") for value in dtypes.values()]


QUANTIZED = ("qint8", "quint8", "qint32", "quint4x2", "quint2x4")
"""The dtypes whose new tensors crash torch when they are observed."""


def without_quantized(torch: Any) -> list[str]:
    """Return the names of the dtypes that are not quantized."""
    return [name for name in dtype_names(torch) if name not in QUANTIZED]


def number_names(torch: Any) -> list[str]:
    """Return the dtypes with a number format, which can be converted."""
    return [name for name in dtype_names(torch) if name in FORMATS]


def opaque_names(torch: Any) -> list[str]:
    """Return the dtypes without a number format."""
    return [name for name in dtype_names(torch) if name not in FORMATS]


def all_dtype_names(torch: Any) -> list[str]:
    """Return the public names of all dtypes, aliases included."""
    return sorted(name for name, value in vars(torch).items() if isinstance(value, torch.dtype))


def public_attributes(cls: type) -> list[str]:
    """Return the public attributes of a class."""
    return sorted(name for name in dir(cls) if not name.startswith("_"))
