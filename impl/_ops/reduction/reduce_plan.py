"""A cache of the reductions of small tensors.

An entry has a function from the tensor's raw array to the result's.  Its key has the operator, its
arguments, and the tensor's geometry and dtype.  An entry exists only after all checks passed.
"""

from collections.abc import Callable
from typing import Any

from ..._arrays.numpy_bridge import np
from ..._arrays.parallel import without_fp_warnings
from ..._codegen.loops import NUMPY_MAX_ELEMENTS
from ..._devices.device import META
from ..._dtypes.table import dtype
from ..._geometry.geometry import Geometry
from ..._storage.untyped_storage import storage_from_array
from ..._tensor.data_access import resolved_array
from ..._tensor.tensor import Tensor, new_tensor
from ..common import caches
from ..common.array_plans import note_arrays

Run = Callable[[Any], Any]
Key = tuple[Any, ...]

_CACHE: dict[Key, tuple[Run, Geometry, dtype]] = {}


def cached_result(tensor: Tensor, key: Key) -> Tensor | None:
    """Return the result of a cached reduction; None if it is not cached or autograd records it."""
    base = tensor._view_base
    if tensor._autograd_meta is not None or (base is not None and base._autograd_meta is not None):
        return None
    entry = _CACHE.get((key, tensor._geometry, tensor._dtype))
    if entry is None:
        return None
    function, geometry, dtype = entry
    raw = without_fp_warnings(function, resolved_array(tensor))
    if not raw.flags.c_contiguous:
        raw = np.ascontiguousarray(raw)
    result = new_tensor(storage_from_array(raw, geometry.device), geometry, 0, dtype)
    note_arrays(function, result, tensor)
    return result


def function_of(tensor: Tensor, key: Key) -> Run | None:
    """Return the function of the raw array of a tensor that was reduced, if it is cached."""
    entry = _CACHE.get((key, tensor._geometry, tensor._dtype))
    return None if entry is None else entry[0]


def remember(tensor: Tensor, key: Key, function: Run, geometry: Geometry, dtype: dtype) -> None:
    """Cache a reduction for small tensors, unless they are empty or on meta."""
    source = tensor._geometry
    if 0 < source.numel <= NUMPY_MAX_ELEMENTS and geometry.numel and source.device is not META:
        caches.remember(_CACHE, (key, source, tensor._dtype), (function, geometry, dtype))
