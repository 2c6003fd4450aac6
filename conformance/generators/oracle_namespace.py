"""What the oracle holds, as axes of domains.  The oracle decides what has to be visited."""

from typing import Any

from ..core.float_formats import FORMATS


def dtype_names(torch: Any) -> list[str]:
    """Return one public name for each dtype, in the order of the oracle's namespace."""
    held = {id(value): value for value in vars(torch).values() if isinstance(value, torch.dtype)}
    return [repr(value).removeprefix("torch.") for value in held.values()]


def number_names(torch: Any) -> list[str]:
    """Return the dtypes whose elements stand for numbers that can be converted."""
    return [name for name in dtype_names(torch) if name in FORMATS]


def opaque_names(torch: Any) -> list[str]:
    """Return the other dtypes."""
    return [name for name in dtype_names(torch) if name not in FORMATS]


def all_dtype_names(torch: Any) -> list[str]:
    """Return every public name that holds a dtype, aliases included."""
    return sorted(name for name, value in vars(torch).items() if isinstance(value, torch.dtype))


def public_attributes(cls: type) -> list[str]:
    """Return the public attributes of a class."""
    return sorted(name for name in dir(cls) if not name.startswith("_"))
