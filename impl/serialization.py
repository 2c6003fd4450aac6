"""torch.serialization: files of tensors, and the functions in pickles of tensors."""

from ._geometry.layout import _get_layout as _get_layout, _get_memory_format as _get_memory_format
from ._serialization.loading import get_unsafe_globals_in_checkpoint, load
from ._serialization.locations import (
    default_restore_location,
    location_tag,
    normalize_storage_type,
    register_package,
    storage_to_tensor_type,
    validate_cuda_device,
    validate_hpu_device,
)
from ._serialization.options import (
    LoadEndianness,
    get_crc32_options,
    get_default_load_endianness,
    get_default_mmap_options,
    set_crc32_options,
    set_default_load_endianness,
    set_default_mmap_options,
    skip_data,
)
from ._serialization.rebuilding import (
    _rebuild_from_type_v2 as _rebuild_from_type_v2,
    _rebuild_meta_tensor_no_storage as _rebuild_meta_tensor_no_storage,
    _rebuild_parameter as _rebuild_parameter,
    _rebuild_parameter_with_state as _rebuild_parameter_with_state,
    _rebuild_sparse_tensor as _rebuild_sparse_tensor,
    _rebuild_tensor as _rebuild_tensor,
    _rebuild_tensor_v2 as _rebuild_tensor_v2,
    _rebuild_tensor_v3 as _rebuild_tensor_v3,
)
from ._serialization.safe_globals import (
    StorageType,
    add_safe_globals,
    clear_safe_globals,
    get_safe_globals,
    safe_globals,
)
from ._serialization.saving import save
from ._serialization.versions import (
    SourceChangeWarning,
    check_module_version_greater_or_equal,
    mkdtemp,
)

__all__ = [
    "LoadEndianness",
    "SourceChangeWarning",
    "StorageType",
    "add_safe_globals",
    "check_module_version_greater_or_equal",
    "clear_safe_globals",
    "default_restore_location",
    "get_crc32_options",
    "get_default_load_endianness",
    "get_default_mmap_options",
    "get_safe_globals",
    "get_unsafe_globals_in_checkpoint",
    "load",
    "location_tag",
    "mkdtemp",
    "normalize_storage_type",
    "register_package",
    "safe_globals",
    "save",
    "set_crc32_options",
    "set_default_load_endianness",
    "set_default_mmap_options",
    "skip_data",
    "storage_to_tensor_type",
    "validate_cuda_device",
    "validate_hpu_device",
]
