"""Constructors of sparse tensors: indices and values of every kind, with every check."""

from ...core.domain import Domain
from ...engine.decorators import exhaustive
from ...engine.probe import Probe

INDICES = (
    "[[0, 1], [1, 0]]", "[[1, 1], [0, 0]]", "[[1, 0], [1, 1]]", "[[0, 0], [1, 0]]",
    "[[0, 0, 0], [0, 1, 1]]", "[[0, 2], [0, 0]]", "[[0, -1], [0, 0]]", "[[0], [1]]", "[[0, 1]]",
    "[[1, 1]]", "[[], []]", "[[]]", "[0, 1]", "[[0.0, 1.0]]", "torch.tensor([[0, 1]]).int()",
    "torch.tensor([[1, 9, 1], [0, 9, 0]])[:, ::2]", "torch.zeros(0, 1, dtype=torch.int64)",
    "torch.zeros(0, 2, dtype=torch.int64)", "torch.tensor([[0, 1]], device='meta')",
)  # fmt: skip
VALUES = (
    "[1.0, 2.0]", "[1, 2, 3]", "[True]", "[[1.0, 2.0], [3.0, 4.0]]", "5.0",
    "torch.zeros(2, 0)", "torch.ones(2, requires_grad=True)",
)  # fmt: skip
SIZES = ("", ", (2, 2)", ", (3,)", ", (2, 2, 2)", ", (0, 2)", ", ()", ", (2, -1)")
FLAGS = {
    f"{coalesced} {checked}": ", ".join(
        ("", *(f"is_coalesced={coalesced}",) * (coalesced != "unset"),
         *(f"check_invariants={checked}",) * (checked != "unset"))
    )
    for coalesced in ("unset", "True", "False")
    for checked in ("unset", "True", "False")
}  # fmt: skip


@exhaustive(lambda torch: Domain(indices=INDICES, flags=FLAGS), parts=2)
def test_sparse(ask: Probe, indices: str, flags: str) -> None:
    """Indices, values and sizes make the sparse tensor, or the error, that they make in torch."""
    calls = [
        f"torch.sparse_coo_tensor({indices}, {values}{size}{FLAGS[flags]})"
        for values in VALUES
        for size in SIZES
    ]
    ask(*calls, question=0)
