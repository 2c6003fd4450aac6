"""The mean of the elements at each place, for scatter_reduce and index_reduce."""

from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.tensor import METHODS, Tensor, shallow_copy


def counts_like(tensor: Tensor, *, with_own: bool) -> Tensor:
    """Return a tensor of 1 if the elements of a tensor count, else of 0."""
    counts: Tensor = PUBLIC["ones_like" if with_own else "zeros_like"](shallow_copy(tensor))
    return counts


def divide_sums(sums: Tensor, counts: Tensor) -> None:
    """Divide sums by counts, of which 0 stands for 1; integers are rounded down."""
    METHODS["masked_fill_"](counts, METHODS["eq"](counts, 0), 1)
    dtype = sums._dtype
    rounds = {} if dtype.is_floating_point or dtype.is_complex else {"rounding_mode": "floor"}
    METHODS["div_"](shallow_copy(sums), counts, **rounds)
