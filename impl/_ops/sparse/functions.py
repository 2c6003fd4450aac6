"""The functions of torch.sparse."""

from typing import Any

from ..._argparser.parser import Parser
from ..._dtypes.table import dtype as _dtype
from ..._runtime.lazy_exports import public_in
from ..._tensor.tensor import Tensor

_parse = Parser(
    "_sparse_sum(Tensor input)",
    "_sparse_sum(Tensor input, *, ScalarType dtype)",
    "_sparse_sum(Tensor input, IntArrayRef[1] dim)",
    "_sparse_sum(Tensor input, IntArrayRef[1] dim, *, ScalarType dtype)",
)


@public_in("sparse")
def sum(input: Tensor, dim: Any = None, dtype: _dtype | None = None) -> Tensor:
    """Return the sum of all values of a sparse tensor, or the sum along dimensions."""
    tensor: Any = input
    arguments = (input,) if dim is None else (input, dim)
    _parse(arguments, {} if dtype is None else {"dtype": dtype})
    if dim is None:
        return tensor.coalesce().sum(dtype=dtype)  # type: ignore[no-any-return]
    tensor._indices()  # raises for a dense tensor
    return tensor.sum(dim, dtype=dtype)  # type: ignore[no-any-return]
