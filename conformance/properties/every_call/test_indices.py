"""Indices: every short index expression, to read from tensors and to write into them."""

from ...core.domain import Domain
from ...engine.decorators import exhaustive
from ...engine.probe import Probe
from ...generators.index_expressions import index_expressions

_DENSE = "x = torch.arange(27.0).view(3, 3, 3).permute(1, 0, 2)"
_SPARSE = (
    "x = (torch.arange(27.0) % 5).view(3, 3, 3).to_sparse(2)",
    "x = torch.sparse_coo_tensor([[2, 0, 2], [1, 1, 1]], [1.0, 2.0, 3.0], (3, 3))",
)


@exhaustive(lambda torch: Domain(index=index_expressions()), parts=2)
def test_dense(ask: Probe, index: str) -> None:
    """An index expression reads the elements that torch reads, and writes to the same ones."""
    ask(
        _DENSE,
        f"x[{index}]",
        f"x[{index}] += 1",
        f"operator.setitem(x, numpy.s_[{index}], 5.0)",
        f"x[{index}] = torch.tensor([7, 8, 9])",
        question=1,
    )


@exhaustive(lambda torch: Domain(index=index_expressions()), parts=2)
def test_sparse(ask: Probe, index: str) -> None:
    """An index expression reads from sparse tensors, or is refused, as in torch."""
    for tensor in _SPARSE:
        ask(tensor, f"x[{index}]")
