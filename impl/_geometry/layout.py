"""torch.layout and torch.memory_format: the objects that name how elements lie in memory."""

import copyreg
from typing import Any

from .._argparser.types import register, register_default
from .._runtime.c_types import TorchType, fill
from .._runtime.lazy_exports import PUBLIC, public_in


class layout(metaclass=TorchType):
    """How the elements of a tensor are kept: strided, or one of the sparse ways."""

    __slots__ = ("_name",)

    _name: str

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce_ex__(self, protocol: Any) -> Any:
        # What pickles one is in copyreg.
        name = "torch.layout" if protocol > 1 else "layout"
        raise TypeError(f"cannot pickle '{name}' object")

    def __reduce__(self) -> Any:
        raise TypeError("cannot pickle 'layout' object")

    def __copy__(self) -> "layout":
        return self

    def __deepcopy__(self, memo: Any) -> "layout":
        return self


class memory_format(metaclass=TorchType):
    """The order in which the dimensions of a strided tensor lie in memory."""

    __slots__ = ("_name",)

    _name: str

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _get_memory_format, (self._name,)

    def __copy__(self) -> "memory_format":
        return self

    def __deepcopy__(self, memo: Any) -> "memory_format":
        return self


def _named(cls: type, name: str) -> Any:
    new: Any = object.__new__(cls)
    fill(new, _name=name)
    return new


LAYOUTS: dict[str, layout] = {
    name: _named(layout, name)
    for name in (
        "strided", "sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc",
        "_mkldnn", "jagged",
    )
}  # fmt: skip
"""The layouts by their public names (c10/core/Layout.h)."""

MEMORY_FORMATS: dict[str, memory_format] = {
    name: _named(memory_format, name)
    for name in ("contiguous_format", "preserve_format", "channels_last", "channels_last_3d")
}
"""The memory formats by their public names (c10/core/MemoryFormat.h)."""

strided = LAYOUTS["strided"]
sparse_coo = LAYOUTS["sparse_coo"]
contiguous_format = MEMORY_FORMATS["contiguous_format"]
preserve_format = MEMORY_FORMATS["preserve_format"]
channels_last = MEMORY_FORMATS["channels_last"]
channels_last_3d = MEMORY_FORMATS["channels_last_3d"]


@public_in("serialization")
def _get_layout(name: str) -> layout:
    """Return the layout that prints itself as ``name``; pickles hold layouts so."""
    return LAYOUTS[name.removeprefix("torch.")]


@public_in("serialization")
def _get_memory_format(name: str) -> memory_format:
    """Return the memory format of a name; pickles hold memory formats so."""
    return MEMORY_FORMATS[name]


def _reduced(value: layout) -> Any:
    return _get_layout, (repr(value),)


copyreg.pickle(layout, _reduced)

PUBLIC.update(LAYOUTS)
PUBLIC.update(MEMORY_FORMATS)

register("Layout", layout)
register("MemoryFormat", memory_format)
register_default("torch.strided", strided)
register_default("contiguous_format", contiguous_format)
