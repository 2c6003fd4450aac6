"""What is known of a reduction of a small tensor before its elements: kept for those alike.

A plan is a function from the elements to those of the result.  It is kept
under the operator, its arguments, and the geometry and dtype of the tensor;
that nothing is to be refused was found out when it was made.
"""

from collections.abc import Callable
from typing import Any

from ..._arrays.numpy_bridge import np
from ..._arrays.parallel import quietly
from ..._codegen.loops import SMALL
from ..._devices.device import META
from ..._dtypes.table import dtype
from ..._geometry.geometry import Geometry
from ..._storage.untyped_storage import storage_from_array
from ..._tensor.data_access import resolved_array
from ..._tensor.tensor import Tensor, new_tensor

Work = Callable[[Any], Any]
Key = tuple[Any, ...]

_KEPT = 10_000
_PLANS: dict[Key, tuple[Work, Geometry, dtype]] = {}


def planned(tensor: Tensor, key: Key) -> Tensor | None:
    """Return the result if there is a plan for a tensor; None if there is none."""
    base = tensor._base
    if tensor._autograd_meta is not None or (base is not None and base._autograd_meta is not None):
        return None
    plan = _PLANS.get((key, tensor._geometry, tensor._dtype))
    if plan is None:
        return None
    work, geometry, kind = plan
    found = quietly(work, resolved_array(tensor))
    if not found.flags.c_contiguous:
        found = np.ascontiguousarray(found)
    return new_tensor(storage_from_array(found, geometry.device), geometry, 0, kind)


def keep(tensor: Tensor, key: Key, work: Work, geometry: Geometry, dtype: dtype) -> None:
    """Keep a plan for tensors of a small number of elements, of which there are some."""
    own = tensor._geometry
    if 0 < own.numel <= SMALL and geometry.numel and own.device is not META:
        if len(_PLANS) >= _KEPT:
            _PLANS.clear()
        _PLANS[key, tensor._geometry, tensor._dtype] = work, geometry, dtype
