"""What is looked at where the subject has no elements: ``subject@meta`` is compared with tensors on the CPU.

Shapes, strides, dtypes, aliasing, history and errors have to be those of the same program where there are
elements.  What needs elements cannot be: a subject that says so in torch's words is not asked further.
"""

import re
from typing import Any

from .facets import read
from .library import Library
from .observe import Observation, Outcome

NO_DATA = re.compile(
    r"Cannot copy out of meta tensor; no data!|Tensor\.item\(\) cannot be called on meta tensors"
    r"|The register_meta function for torch\.nonzero\(\)|can't convert meta device type tensor to numpy"
    r"|aten::equal: attempted to run this operator with Meta tensors|Cannot pack tensors on meta"
    r"|Not available for 'meta' device type"
)
"""What torch says where elements are needed, and there are none."""

_LEFT_OUT = ("elements", "device", "repr")


def read_without_elements(outcome: Outcome, library: Library) -> Observation:
    """Look at an outcome through every facet but those of elements and devices."""
    return _without(read(outcome, library))  # type: ignore[no-any-return]


def _without(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: _without(held)
            for key, held in value.items()
            if key not in _LEFT_OUT and not (key == "address" and "bytes" in value)
        }
    return [_without(each) for each in value] if isinstance(value, list) else value


def has_no_data(error: BaseException | None) -> bool:
    """Tell whether a subject says that there are no elements."""
    return error is not None and NO_DATA.search(str(error)) is not None
