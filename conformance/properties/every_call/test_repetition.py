"""Repetition: each call again, after a change that makes a remembered answer stale."""

import re

from ...comparison.other_kernels import assigned_name
from ...core.domain import Domain
from ...engine.decorators import exhaustive
from ...engine.probe import Probe
from ...generators import settings
from ...generators.calls.oracle_calls import OPERANDS, accepted_calls, out_calls

X, Y = "b[3:9].view(2, 3)", "b[12:18].view(2, 3)"

HISTORIES = {
    "operands": (
        "x = b[10:16].view(2, 3)", "x = b[3:9].view(3, 2).t()", "x = b[3:6].expand(2, 3)", "x = y",
        "y = b[4:10].view(2, 3)", "y = b[13:16]", "x = b[5]", "y = b[5]",
        "x = b[1:2].view(1, 1, 1)", "x = b[:0].view(0, 3); y = b[3:6].view(1, 3)",
    ),
    "dtypes": (
        "x = x.to(torch.float64)", "y = y.to(torch.bfloat16)",
        "y = b[5].to(torch.complex64)", "x = y = x.to(torch.uint8)",
        "x = x.to(torch.complex64).conj()", "x = x.to(torch.complex64).conj().imag", "x = x > 5",
    ),
    "geometry in place": (
        "x.as_strided_((2, 3), (1, 2), 5)", "x.as_strided_((2, 3), (3, 1), 12)",
        "x.set_(b.untyped_storage(), 11, (2, 3), (3, 1))",
        "x.resize_(1, 3)", "x.data = b[15:21].view(2, 3)", "x.t_()", "x.unsqueeze_(0)",
        "x.data = torch.arange(6).view(2, 3)",
    ),
    "elements in place": (
        "x.copy_(torch.tensor([[1, 2, 3], [3, 0, 1]]))", "b[3] = 7", "y.zero_()",
        "x.view(-1)[:2].fill_(0)", "b.untyped_storage().fill_(0)",
    ),
    "gradients": (
        "x = x.clone().requires_grad_()", "x.requires_grad_()", "y.requires_grad_()",
        "b.requires_grad_()", "b.requires_grad_(); x = b[3:9].view(2, 3)",
        "x = x.to(torch.complex64).requires_grad_()", "x = x.requires_grad_().detach()",
        "x.requires_grad_(); torch.set_grad_enabled(False)",
    ),
    "settings": (
        "x = y = x.to(torch.int32)",
        "x = y = x.to(torch.int32); torch.set_default_dtype(torch.float64)",
        "torch.set_default_dtype(torch.float64)", "torch.set_default_dtype(torch.half)",
        "torch.set_printoptions(precision=1, linewidth=20)",
        "torch.use_deterministic_algorithms(True)", "torch.set_default_device('meta')",
    ),
    "devices": (
        "x = x.to('meta'); y = y.to('meta')", "x = x.to('meta', torch.complex64)",
        "x = x.to('meta', torch.bool); y = y.to('meta')",
        "x = x.to('meta', torch.uint16); y = y.to('meta', torch.float64)",
        "x = x.to('meta', torch.float8_e5m2)", "y = y.to('meta', torch.complex128)",
        "x = torch.empty(2, 3, dtype=torch.bits8, device='meta'); y = y.to('meta')",
        "x = torch.empty(2, 3, dtype=torch.int4, device='meta')",
    ),
    "ranks": (
        "x = y = x.view((1,) * 31 + (2, 3))", "x = x.view((1,) * 61 + (2, 3))",
        "y = y.view((1,) * 60 + (2, 3)).expand((1,) * 59 + (2, 2, 3))",
    ),
    "warnings": (
        "x = x.to(torch.complex32).conj()", "x = y = x.to(torch.complex32).conj().imag",
        "x = x.to(torch.complex32).conj(); torch.set_default_device('cpu')",
        "y = x.to(torch.complex32).conj().expand(2, 2, 3); torch.set_default_device('cpu')",
        "torch.set_warn_always(True); x = x.to(torch.complex32).conj()",
        "torch.set_warn_always(True); y = x.to(torch.complex32).conj().imag",
    ),
}  # fmt: skip
"""Changes, after each of which the call is made again on new operands."""


_READ = "x.tolist(), y.tolist(), x + y, repr(x)"
"""What an implementation may remember of the operands before they change."""

_IN_PLACE = "geometry in place", "elements in place"
"""The histories after whose changes nothing looks at the operands before the call.

To look at them may make an implementation forget what it remembers.
"""


@exhaustive(lambda torch: Domain(call=accepted_calls(torch), history=HISTORIES), parts=4, one_in=72)
def test_histories(ask: Probe, call: str, history: str) -> None:
    """Each call gives torch's answer again after a change of its operands or of the settings."""
    dtype, _, call = call.partition(": ")
    operands, seeds = "; ".join(OPERANDS).format(dtype=dtype), settings.seed(call)
    result = "" if assigned_name(call) else "z = "
    ask(*seeds, operands, call)
    for change in HISTORIES[history]:
        changed = f"{operands}; {_READ}; {change}"
        steps = (f"{changed}; {result}{call}",) if history in _IN_PLACE else (changed, call)
        ask(*seeds, *steps)


@exhaustive(lambda torch: Domain(call=[call for call, _ in out_calls(torch)]), parts=2, one_in=2)
def test_outs(ask: Probe, call: str) -> None:
    """Each call writes to out= as torch's does after calls without, and the other way round."""
    with_out = dict(out_calls(ask.session.oracle.root))[call]
    dtype, _, call = call.partition(": ")
    operands = "; ".join(OPERANDS).format(dtype=dtype)
    again = f"x = b[9:15].view(2, 3); r = [{call} for _ in range(3)][-1]"
    steps = f"{operands}; {again}", "o = torch.full_like(r, 1)", with_out, with_out, call, with_out
    ask(*settings.seed(call), *steps, question=(-4, -3, -2, -1))


_GEOMETRIES = (
    "c[3:9].view(2, 3)", "c[3:9].view(3, 2).t()", "c[1:19:3].view(2, 3)", "c[3:6].expand(2, 3)",
    "torch.zeros(40000)[:6].to(b.dtype).view(3, 2).t()", "c[:18].view(2, 3, 3)[..., 1]",
    "c.view(2, 3, 4).permute(2, 0, 1)", "c[3:9].view(1, 2, 3)",
)  # fmt: skip
_NUMBERS = re.compile(r"(\w+\.\w+)\((-?\d+(?:, -?\d+)*)\)")


@exhaustive(
    lambda torch: Domain(call=accepted_calls(torch), geometry=_GEOMETRIES), parts=4, one_in=16
)
def test_again(ask: Probe, call: str, geometry: str) -> None:
    """Each call gives torch's answer each time it is made on the same tensors."""
    dtype, _, call = call.partition(": ")
    operands = *(line.format(dtype=dtype) for line in OPERANDS), "c = b.clone()", f"x = {geometry}"
    numbers = _NUMBERS.fullmatch(call)
    others = [f"{numbers[1]}(({numbers[2]},))"] if numbers else []
    # An in-place call gets the same elements each time, lest small errors grow.
    again = f"c.copy_(b); z = {call}"
    calls = call, again, again, *others
    questions = tuple(range(-len(calls), 0))
    ask(*settings.seed(call), "; ".join(operands), *calls, question=questions)


_IN_THREAD = "concurrent.futures.ThreadPoolExecutor(1).submit(lambda: {call}).result()"


@exhaustive(lambda torch: Domain(call=accepted_calls(torch)), parts=2, one_in=8)
def test_threads(ask: Probe, call: str) -> None:
    """Each call gives torch's answer in another thread, before and after one in the main thread."""
    dtype, _, call = call.partition(": ")
    operands, again = "; ".join(OPERANDS).format(dtype=dtype), _IN_THREAD.format(call=call)
    steps = operands, again, operands, call, operands, again
    ask(*settings.seed(call), *steps, question=(-5, -3, -1))
