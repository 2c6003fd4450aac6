"""torch.types: names for annotations."""

import os as _os
from builtins import bool as _bool, bytes as _bytes, float as _float, int as _int, str as _str
from collections.abc import Sequence as _Sequence
from typing import IO as _IO, Any as _Any, Self as _Self, TypeAlias as _TypeAlias

from ._devices.device import device as _device
from ._dtypes.table import dtype as _dtype
from ._geometry.layout import layout as _layout  # noqa: F401 - a name of torch's
from ._geometry.size import Size
from ._tensor.tensor import Tensor

__all__ = ["Device", "FileLike", "Number", "Storage"]

_TensorOrTensors: _TypeAlias = Tensor | _Sequence[Tensor]
_TensorOrOptionalTensors: _TypeAlias = Tensor | _Sequence[Tensor | None]
_size: _TypeAlias = Size | list[_int] | tuple[_int, ...]

Number: _TypeAlias = _int | _float | _bool
_Number = (_int, _float, _bool)
FileLike: _TypeAlias = _str | _os.PathLike[_str] | _IO[_bytes]
Device: _TypeAlias = _device | _str | _int | None


class Storage:
    """The methods of storages, for annotations."""

    _cdata: _int
    device: _device
    dtype: _dtype
    _torch_load_uninitialized: _bool

    def __deepcopy__(self, memo: dict[_int, _Any]) -> _Self:
        raise NotImplementedError

    def _new_shared(self, size: _int) -> _Self:
        raise NotImplementedError

    def _write_file(
        self, f: _Any, is_real_file: _bool, save_size: _bool, element_size: _int
    ) -> None:
        raise NotImplementedError

    def element_size(self) -> _int:
        """Raise NotImplementedError."""
        raise NotImplementedError

    def is_shared(self) -> _bool:
        """Raise NotImplementedError."""
        raise NotImplementedError

    def share_memory_(self) -> _Self:
        """Raise NotImplementedError."""
        raise NotImplementedError

    def nbytes(self) -> _int:
        """Raise NotImplementedError."""
        raise NotImplementedError

    def cpu(self) -> _Self:
        """Raise NotImplementedError."""
        raise NotImplementedError

    def data_ptr(self) -> _int:
        """Raise NotImplementedError."""
        raise NotImplementedError

    def from_file(self, filename: _str, shared: _bool = False, nbytes: _int = 0) -> _Self:
        """Raise NotImplementedError."""
        raise NotImplementedError

    def _new_with_file(self, f: _Any, element_size: _int) -> _Self:
        raise NotImplementedError
