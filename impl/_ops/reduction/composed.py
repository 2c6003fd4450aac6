"""Reductions that torch composes of others (ExpandUtils.h and ReduceOps.cpp in ATen)."""

from ..._runtime.errors import check
from ..._tensor.tensor import METHODS, Tensor
from ..common.registration import Op, register_operator


def _sum_to_size(tensor: Tensor, size: tuple[int, ...]) -> Tensor:
    """Tensor.sum_to_size(*size): sum over what broadcasting of ``size`` would have expanded."""
    shape = tensor._geometry.shape
    new_dims = len(shape) - len(size)
    is_expandable = new_dims >= 0 and all(
        own in (1, other) for own, other in zip(size, shape[new_dims:], strict=True)
    )
    check(
        is_expandable,
        lambda: f"size {{{[*size]}}} is not expandable to size {{{[*shape]}}}.",
    )
    if not size:
        return METHODS["sum"](tensor)  # type: ignore[no-any-return]
    dims = [*range(new_dims)]
    for dim, own in enumerate(size, new_dims):
        if own == 1 != shape[dim]:
            dims.append(dim)
    if dims:
        tensor = METHODS["sum"](tensor, dims, keepdim=True)
    return METHODS["view"](tensor, size) if new_dims else tensor


register_operator(Op("sum_to_size", {"SymIntArrayRef size": _sum_to_size}, function=False))
