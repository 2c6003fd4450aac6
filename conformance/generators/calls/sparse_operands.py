"""Calls with sparse tensors in the place of each operand, from the oracle's schemas."""

from itertools import product
from typing import Any

from ..schemas.outcomes import Program
from ..schemas.overloads import overloads
from ..schemas.programs import default_arguments, is_tensor_text, render, tensor_groups

_FORMS = {
    "cpu": (
        "torch.sparse_coo_tensor([[0, 1, 0], [2, 1, 2]], [1.0, 2.0, 3.0], (2, 3))",
        "torch.sparse_coo_tensor([[1]], [[1.0, -2.0, 0.5]], (2, 3), is_coalesced=True)",
        "torch.sparse_coo_tensor(size=(2, 3))",
    ),
    "meta": (
        "torch.sparse_coo_tensor([[0, 1, 0], [2, 1, 2]], [1.0, 2.0, 3.0], (2, 3)).to('meta')",
        "torch.sparse_coo_tensor(torch.ones(2, 3, dtype=torch.int64, device='meta'),"
        " torch.ones(3, device='meta'), (2, 3))",
        "torch.sparse_coo_tensor(torch.ones(1, 2, dtype=torch.int64, device='meta'),"
        " torch.ones(2, 3, device='meta'), (2, 3), is_coalesced=True)",
    ),
}
"""Sparse tensors on a device: with equal indices, coalesced and hybrid, and without values."""

KINDS = {
    "cpu": "", "cpu gradient": ".requires_grad_()", "cpu clone": ".requires_grad_().clone()",
    "cpu complex64": ".to(torch.complex64)", "cpu int32": ".to(torch.int32)",
    "cpu complex32": ".to(torch.complex32).requires_grad_().clone()",
    "meta": "", "meta gradient": ".requires_grad_()", "meta complex64": ".to(torch.complex64)",
    "meta complex32": ".to(torch.complex32).requires_grad_().clone()",
}  # fmt: skip
"""The kinds of sparse tensors: on which device, and what follows their construction."""


def programs(torch: Any, overload_id: str, kind: str) -> list[Program]:
    """Return the programs that call an overload with sparse tensors of one of `KINDS`.

    Each tensor in turn is one, where all others are dense, and so are all together.
    """
    device, end = kind.partition(" ")[0], KINDS[kind]
    overload = overloads(torch)[overload_id]
    given = default_arguments(torch, overload)
    moved = "{}" if device == "cpu" else f"{{}}.to({device!r})"
    dense = {name: moved.format(text) for name, text in given.items() if is_tensor_text(text)}
    calls = []
    for group, form in product(tensor_groups(overload, given), _FORMS[device]):
        sparse = form + end
        changed = {name: sparse if name in dense else f"[{sparse}] * 2" for name in group}
        calls.append(render(overload, {**given, **dense, **changed}))
    return [*dict.fromkeys(calls)]
