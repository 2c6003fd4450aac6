"""What is looked at where the subject's tensors are elsewhere than on the CPU, where the oracle's are.

Shapes, strides, dtypes, aliasing, history and errors of ``subject@meta`` and ``subject@cuda`` have to be those of
the same program on the CPU, and the elements, too, where there are any.  What only the CPU can do is not asked
further of a subject that says so in torch's words.
"""

import re
from typing import Any

from .facets import read
from .library import Library
from .observe import Look, Observation

_NOT_HERE = {
    "meta": re.compile(
        r"Cannot copy out of meta tensor; no data!|Tensor\.item\(\) cannot be called on meta tensors"
        r"|The register_meta function for torch\.nonzero\(\)|can't convert meta device type tensor to numpy"
        r"|aten::equal: attempted to run this operator with Meta tensors|Cannot pack tensors on meta"
        r"|Not available for 'meta' device type"
    ),
    "cuda": re.compile(r"can't convert cuda:\d+ device type tensor to numpy"),
}
"""What torch says where a device cannot do something that the CPU can, by the type of the device."""

_LEFT_OUT = {"meta": ("elements", "device", "repr", "address"), "cuda": ("device", "repr")}
"""What differs between devices, and so is not compared; an address only where it is that of memory."""


def look_from(library: Library) -> Look:
    """Return how to look at what a library does, and at the same on the CPU."""
    if library.elsewhere is None:
        return read
    return lambda outcome, side: without_what_differs(read(outcome, side), library)


def without_what_differs(seen: Observation, library: Library) -> Observation:
    """Leave out of what was seen what differs between a library's device and the CPU."""
    if library.elsewhere is None:
        return seen
    return _without(seen, _LEFT_OUT[library.elsewhere])  # type: ignore[no-any-return]


def _without(value: Any, left_out: tuple[str, ...]) -> Any:
    if isinstance(value, dict):
        return {
            key: _without(held, left_out)
            for key, held in value.items()
            if key not in left_out or (key == "address" and "bytes" not in value)
        }
    if isinstance(value, str):
        return _TYPE.sub(r"torch.\1\2", value)
    return [_without(each, left_out) for each in value] if isinstance(value, list) else value


_TYPE = re.compile(r"\btorch\.(quantized\.)?(?:cuda|meta)\.(\w+Tensor)\b")
"""The name of a tensor's type, in which its device stands."""


_SAID_FIRST = re.compile(r"can't convert [\w:]+ device type tensor to numpy")
"""What torch says of a device before it looks for anything else that is amiss."""


_OF_NUMBERS = re.compile(r"value cannot be converted to type \w+ without overflow")
"""What torch refuses because of what a number is, which only the CPU knows where the others have none."""


def is_not_here(
    library: Library, error: BaseException | None, expected: BaseException | None
) -> bool:
    """Tell whether a library says that its device cannot do something that the CPU can, or refuses itself later."""
    if error is None or library.elsewhere is None:
        return False
    depends = expected is None or _OF_NUMBERS.match(str(expected))
    pattern = _NOT_HERE[library.elsewhere] if depends else _SAID_FIRST
    return pattern.search(str(error)) is not None
