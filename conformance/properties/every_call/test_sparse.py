"""Sparse tensors: every call on values of every dtype, and the versions of their parts."""

from ...core.domain import Domain
from ...engine.decorators import exhaustive
from ...engine.probe import Probe
from ...generators.sparse_calls import (
    FORMS,
    IN_PLACE,
    LOOKS,
    TOGETHER,
    VALUES,
    WITH_ITSELF,
    WITH_PARAMETERS,
)

_CALLS = dict.fromkeys((*LOOKS, *FORMS, *IN_PLACE, *TOGETHER, *WITH_ITSELF, *WITH_PARAMETERS))

KINDS = {
    "twice": "torch.sparse_coo_tensor([[2, 0, 2, 1], [1, 3, 1, 0]], v, (3, 4))",
    "1-dim": "torch.sparse_coo_tensor([[0, 1, 2, 3]], v, (4,))._coalesced_(True)",
    "hybrid": "torch.sparse_coo_tensor([[0, 2]], v.view(2, 2), (3, 2), is_coalesced=True)",
    "0-dim": "torch.sparse_coo_tensor(torch.zeros((0, 4), dtype=torch.int64), v, ())",
    "gradient": (
        "torch.sparse_coo_tensor([[0, 1, 2, 3]], v, (4,), is_coalesced=True)"
        ".requires_grad_(v.is_floating_point() or v.is_complex()).clone()"
    ),
}
"""Sparse tensors of values ``v``, which need no kernel of their dtype."""


@exhaustive(lambda torch: Domain(dtype=VALUES, kind=KINDS, call=_CALLS), parts=4, one_in=48)
def test_dtypes(ask: Probe, dtype: str, kind: str, call: str) -> None:
    """Every call on sparse tensors takes or rejects values of each dtype, as torch does."""
    v = f"v = torch.tensor([1, 0, 3, 4]).to(torch.{dtype})"
    setup = v, f"x = {KINDS[kind]}", f"y = {KINDS[kind]}"
    ask(*setup, call)


_DTYPES = ("float32", "float64", "complex64", "int64", "bool")
OPERANDS = {
    "uncoalesced": "torch.sparse_coo_tensor([[2, 0, 2]], v[:3], (4,))",
    "coalesced": "torch.sparse_coo_tensor([[0, 1, 3]], v[:3], (4,)).coalesce()",
    "empty": "torch.sparse_coo_tensor(torch.zeros((1, 0), dtype=torch.int64), v[:0], (4,))",
    "matrix": "torch.sparse_coo_tensor([[2, 0, 2], [1, 3, 1]], v[:3], (3, 4))",
    "row": "torch.sparse_coo_tensor([[0, 0, 0], [2, 0, 2]], v[:3], (1, 4))",
    "hybrid": "torch.sparse_coo_tensor([[2, 0]], v.view(2, 2), (3, 2)).coalesce()",
    "hybrid of its shape": "torch.sparse_coo_tensor([[2, 0]], v.expand(2, 4), (3, 4)).coalesce()",
    "0-dim": "torch.sparse_coo_tensor(torch.zeros((0, 3), dtype=torch.int64), v[:3], ())",
    "0-dim coalesced": "torch.sparse_coo_tensor(torch.zeros((0, 1), dtype=torch.int64), v[:1], ())",
    "dense": "v",
    "dense matrix": "v.expand(3, 4)",
    "dense number": "v[0]",
    "number": "v[0].item()",
}
"""Operands of values ``v``."""

_INTO = "{call}, out=torch.sparse_coo_tensor((4,), dtype=torch.{dtype}))"


@exhaustive(
    lambda torch: Domain(
        name=("add", "sub", "mul", "div", "floor_divide"), left=OPERANDS, right=OPERANDS,
        dtype=_DTYPES, other=_DTYPES,
    ),
    parts=4, one_in=48,
)  # fmt: skip
def test_pairs(ask: Probe, name: str, left: str, right: str, dtype: str, other: str) -> None:
    """Operators on sparse and dense tensors and numbers promote, cast or reject, as in torch."""
    v = "v = torch.tensor([1, 2, 0, 3]).to(torch.{})"
    setup = v.format(dtype), f"x = {OPERANDS[left]}", v.format(other), f"y = {OPERANDS[right]}"
    call = f"torch.{name}(x, y"
    into = [_INTO.format(call=call, dtype=out) for out in ("float32", "int32", "bool", "complex64")]
    ask(*setup, f"{call})", *into, f"x.{name}_(y)", question=len(setup))


_PARTS = (
    "x.indices()",
    "x.values()",
    "x._indices()",
    "x._values()",
    "x.detach()",
    "x.data",
    "x.t()",
    "x.real",
    "x.imag",
    "x.conj()",
    "x.resolve_conj()",
    "x.coalesce()",
    "x.clone()",
    "x.to_dense()",
    "x.transpose(0, 0)",
    "x.select(0, 0)",
    "x[1]",
    "x.unsqueeze(0)",
    "x.permute(0)",
    "x.T",
    "x.to(x.dtype)",
    "x.requires_grad_(False)",
    "x.to_sparse()",
    "torch.view_as_real(x)",
    "x.unbind()[1]",
    "x.sum()",
    "abs(x)",
    "+x",
    "-x",
    "x.view_as(x)",
    "x.chunk(1)[0]",
)
_WRITES = ("_coalesced_(True)", "mul_(2)", "zero_()", "detach_()", "copy_({}.clone())", "neg_()")


@exhaustive(
    lambda torch: Domain(
        part=_PARTS, write=_WRITES, dtype=("float32", "complex64", "int64"),
        kind=("1-dim", "gradient"),
    ),
    parts=2, one_in=4,
)  # fmt: skip
def test_versions(ask: Probe, part: str, write: str, dtype: str, kind: str) -> None:
    """A tensor made of a sparse one shares its version counter if it does so in torch."""
    v = f"v = torch.tensor([1, 0, 3, 4]).to(torch.{dtype})"
    setup = v, f"x = {KINDS[kind]}", f"r = {part}", "r._version, x._version"
    for written in "xr":
        call = f"{written}.{write.format(written)}"
        ask(*setup, call, "r._version", "x._version", question=(2, 3, 4, 5, 6))
