"""What the oracle holds, as axes of domains.  The oracle decides what has to be visited."""

from typing import Any


def dtype_names(torch: Any) -> list[str]:
    """Return one public name for each dtype, in the order of the oracle's namespace."""
    held = {id(value): value for value in vars(torch).values() if isinstance(value, torch.dtype)}
    return [repr(value).removeprefix("torch.") for value in held.values()]


def all_dtype_names(torch: Any) -> list[str]:
    """Return every public name that holds a dtype, aliases included."""
    return sorted(name for name, value in vars(torch).items() if isinstance(value, torch.dtype))


def public_attributes(kind: type) -> list[str]:
    """Return the public attributes of a class."""
    return sorted(name for name in dir(kind) if not name.startswith("_"))
