"""The functions of torch.sparse."""

from typing import Any

from ..._dtypes.table import dtype as _dtype
from ..._runtime.lazy_exports import public_in
from ..._tensor.tensor import Tensor


@public_in("sparse")
def sum(input: Tensor, dim: Any = None, dtype: _dtype | None = None) -> Tensor:
    """Return the sum of all values of a sparse tensor, or the sum along dimensions."""
    tensor: Any = input
    if dim is None:
        if not tensor.is_sparse:
            tensor.coalesce()  # raises for a dense tensor
        return tensor.sum(dtype=dtype)  # type: ignore[no-any-return]
    tensor._indices()  # raises for a dense tensor
    return tensor.sum(dim, dtype=dtype)  # type: ignore[no-any-return]
