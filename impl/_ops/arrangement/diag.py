"""The operator diag, which torch composes of diag_embed and diagonal_copy (TensorShape.cpp)."""

from ..._dtypes.table import spec_of
from ..._numerics.promotion import can_cast
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.tensor import Tensor
from ..elementwise.binding import Overload, install_operator
from ..views.repeat import diag_embed
from .copies import DIAGONAL_COPY, CopiedView, copy_view, copy_view_into


def _diag(tensor: Tensor, diagonal: int, out: Tensor | None = None) -> Tensor:
    rank = tensor._geometry.rank
    check(
        rank in (1, 2),
        lambda: f"{'diag(): ' if out is None else ''}Supports 1D or 2D tensors. Got {rank}D",
    )
    if out is not None:
        return _diag_into(out, tensor, diagonal)
    if rank == 1:
        return PUBLIC["diag_embed"](tensor, diagonal)  # type: ignore[no-any-return]
    return copy_view(DIAGONAL_COPY, tensor, diagonal)


def _diag_into(out: Tensor, tensor: Tensor, diagonal: int) -> Tensor:
    """Write the result into ``out``, which has to have the dtype and the device of the tensor."""
    source, dtype, is_vector = tensor._dtype, out._dtype, tensor._geometry.rank == 1
    check(
        not is_vector or can_cast(source, dtype),
        lambda: (
            f"diag: result type {spec_of(source).cpp_name} can't be cast to the desired out= type"
            f" {spec_of(dtype).cpp_name}"
        ),
    )
    return copy_view_into(_MATRIX if is_vector else DIAGONAL_COPY, out, tensor, diagonal)


_MATRIX = CopiedView("diag_embed", "", diag_embed, node="")

install_operator(
    "diag",
    Overload("int64_t diagonal=0", _diag),
    doc="Return a matrix with the elements on a diagonal, or the diagonal of a matrix.",
)
