"""torch.layout and torch.memory_format, and the objects of these classes."""

import copyreg
import sys
from typing import Any

from .._argparser.types import register, register_default
from .._runtime.c_types import PACKAGE, TorchType, set_slots
from .._runtime.lazy_exports import PUBLIC, public_in


class layout(metaclass=TorchType):
    """The storage format of a tensor: strided, or a sparse format."""

    __slots__ = ("_name",)

    _name: str

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce_ex__(self, protocol: Any) -> Any:
        # copyreg has the reducer.
        name = "torch.layout" if protocol > 1 else "layout"
        raise TypeError(f"cannot pickle '{name}' object")

    def __reduce__(self) -> Any:
        raise TypeError("cannot pickle 'layout' object")

    def __copy__(self) -> "layout":
        return self

    def __deepcopy__(self, memo: Any) -> "layout":
        return self


class memory_format(metaclass=TorchType):
    """The order of the dimensions of a strided tensor in memory."""

    __slots__ = ("_name",)

    _name: str

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce_ex__(self, protocol: Any) -> Any:
        if protocol < 4:
            # Torch returns a dotted name, whose module these protocols cannot pickle.
            return getattr, (sys.modules[PACKAGE], self._name)
        return _get_memory_format, (self._name,)

    def __copy__(self) -> "memory_format":
        return self

    def __deepcopy__(self, memo: Any) -> "memory_format":
        return self


def _by_name(cls: type, *names: str) -> dict[str, Any]:
    new: dict[str, Any] = {name: object.__new__(cls) for name in names}
    for name in names:
        set_slots(new[name], _name=name)
    return new


LAYOUTS: dict[str, layout] = _by_name(
    layout, "strided", "sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc",
    "_mkldnn", "jagged",
)  # fmt: skip
"""The layouts by their public names (c10/core/Layout.h)."""

MEMORY_FORMATS: dict[str, memory_format] = _by_name(
    memory_format, "contiguous_format", "preserve_format", "channels_last", "channels_last_3d"
)
"""The memory formats by their public names (c10/core/MemoryFormat.h)."""

strided = LAYOUTS["strided"]
sparse_coo = LAYOUTS["sparse_coo"]
mkldnn = LAYOUTS["_mkldnn"]
jagged = LAYOUTS["jagged"]
contiguous_format = MEMORY_FORMATS["contiguous_format"]
preserve_format = MEMORY_FORMATS["preserve_format"]
channels_last = MEMORY_FORMATS["channels_last"]
channels_last_3d = MEMORY_FORMATS["channels_last_3d"]


@public_in("serialization")
def _get_layout(name: str) -> layout:
    """Return the layout with the repr ``name``; pickles contain calls of this function."""
    return _BY_REPR[name]


_BY_REPR = {repr(each): each for each in LAYOUTS.values()}


@public_in("serialization")
def _get_memory_format(name: str) -> memory_format:
    """Return the memory format of a name; pickles contain calls of this function."""
    return MEMORY_FORMATS[name]


copyreg.pickle(layout, lambda value: (_get_layout, (repr(value),)))

PUBLIC.update(LAYOUTS, **MEMORY_FORMATS, legacy_contiguous_format=contiguous_format)

register("Layout", layout)
register("MemoryFormat", memory_format)
register_default("torch.strided", strided)
register_default("contiguous_format", contiguous_format)
