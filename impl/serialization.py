"""torch.serialization: the functions in pickles of tensors."""

from ._geometry.layout import _get_layout as _get_layout
from ._geometry.layout import _get_memory_format as _get_memory_format
from ._serialization.pickling import _rebuild_from_type_v2 as _rebuild_from_type_v2
from ._serialization.pickling import (
    _rebuild_meta_tensor_no_storage as _rebuild_meta_tensor_no_storage,
)
from ._serialization.pickling import _rebuild_sparse_tensor as _rebuild_sparse_tensor
from ._serialization.pickling import _rebuild_tensor_v2 as _rebuild_tensor_v2
from ._serialization.pickling import _rebuild_tensor_v3 as _rebuild_tensor_v3
