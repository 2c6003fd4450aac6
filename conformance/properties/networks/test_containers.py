"""Containers: Sequential, ModuleList, ModuleDict, ParameterList and ParameterDict."""

from ...core.domain import Domain
from ...engine.decorators import exhaustive, sampled
from ...engine.probe import Probe
from ...generators.networks import containers

_SETUP = ("import collections, operator", containers.CLASSES)


@exhaustive(
    lambda torch: Domain(
        make=[f"{name}({text})" for name, texts in containers.MAKES.items() for text in texts]
    )
)
def test_construction(ask: Probe, make: str) -> None:
    """A container is made of the same arguments, and shows, copies and pickles as in torch."""
    ask(
        *_SETUP, f"m = torch.nn.{make}", containers.SHOW, "[n for n, _ in m.named_modules()]",
        "[*m.parameters()]", "type(copy.deepcopy(m)).__mro__[1] is torch.nn.Module",
        "f = io.BytesIO()", "torch.save(m.state_dict(), f)", "position = f.seek(0)",
        "m.load_state_dict(torch.load(f))", "sorted(dir(m)) == dir(m)", "m(torch.ones(1))",
        question=2,
    )  # fmt: skip


@exhaustive(
    lambda torch: Domain(
        name=containers.MAKES, call=containers.CALLS, number="012345", value="0123"
    ),
    one_in=12,
)
def test_calls(ask: Probe, name: str, call: str, number: str, value: str) -> None:
    """Each call of a container gives torch's result, changes what torch's does, or is refused."""
    make = containers.MAKES[name][1]
    filled = containers.filled(call, name, int(number), int(value), int(number))
    ask(*_SETUP, f"m = torch.nn.{name}({make})", filled, containers.SHOW, "[*m]", question=3)


@sampled(calls=2, drawn=containers.steps())
def test_steps(ask: Probe, drawn: tuple[str, list[str]]) -> None:
    """A container is the same after any steps that change it."""
    make, steps = drawn
    ask(*_SETUP, make, *(line for step in steps for line in (step, containers.SHOW)), question=3)
