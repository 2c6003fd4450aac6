"""Parts of a tensor that autograd takes for new tensors: unsafe_split and its kin.

They share the memory of the tensor, but not its version (ATen/native/TensorShape.cpp).
"""

from typing import Any

from ..._geometry import view_slices
from ..._tensor.tensor import Tensor
from ..._tensor.views import plain_view, record_outputs
from ..common.conj_neg_fallback import resolve_operands
from ..elementwise.binding import Overload, install_operator
from .copied_parts import raise_no_parts


def _split(tensor: Tensor, size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Return the parts of a dimension, of one size or of a tuple of sizes."""
    (resolved,) = resolve_operands((tensor,))
    geometry = resolved._geometry
    if geometry.is_sparse:
        raise_no_parts(tensor, size, dim)
    parts = view_slices.split(geometry.shape, geometry.stride, size, dim)
    node = "UnsafeSplitWithSizes" if isinstance(size, tuple) else "UnsafeSplit"
    pieces = [plain_view(resolved, *part) for part in parts]
    return record_outputs(pieces, (tensor,), f"{node}Backward0")


def _chunk(tensor: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Return at most ``chunks`` parts of a dimension."""
    return _split(tensor, view_slices.chunk_size(tensor._geometry.shape, chunks, dim), dim)


for _name, _parameters, _run in (
    ("unsafe_split", "SymInt split_size, int64_t dim=0", _split),
    ("unsafe_split_with_sizes", "SymIntArrayRef split_sizes, int64_t dim=0", _split),
    ("unsafe_chunk", "int64_t chunks, int64_t dim=0", _chunk),
):
    install_operator(
        _name,
        Overload(_parameters, _run, out=False),
        doc=f"Return what {_name.removeprefix('unsafe_')} returns, as tensors that are no views.",
    )
