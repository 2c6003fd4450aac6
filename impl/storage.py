"""torch.storage: typed and untyped storages."""

from ._legacy.storage_types import _LegacyStorage as _LegacyStorage
from ._storage.storage_base import (
    _load_untyped_from_bytes as _load_untyped_from_bytes,
    _StorageBase as _StorageBase,
)
from ._storage.untyped_storage import UntypedStorage
from ._tensor.typed_storage import (
    TypedStorage,
    _load_from_bytes as _load_from_bytes,
    _reset_warn_typed_storage_removal as _reset_warn_typed_storage_removal,
)

__all__ = ["TypedStorage", "UntypedStorage"]
