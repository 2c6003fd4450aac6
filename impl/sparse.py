"""torch.sparse: the part for sparse COO tensors."""

from ._ops.sparse.functions import sum
from ._tensor.sparse_invariants import check_sparse_tensor_invariants

__all__ = ["check_sparse_tensor_invariants", "sum"]
