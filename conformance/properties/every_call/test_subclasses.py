"""Subclasses of Tensor and ``__torch_function__``: what handlers get, and what calls return."""

from hypothesis import strategies as st

from ...core.domain import Domain
from ...engine.decorators import exhaustive, sampled
from ...engine.probe import Probe
from ...generators.schemas import overloads as schemas
from ...generators.subclasses import programs as subclass_programs


@exhaustive(
    lambda torch: Domain(overload=schemas.overloads(torch), operands=subclass_programs.OPERANDS),
    parts=4,
    one_in=4,
)
def test_calls(ask: Probe, overload: str, operands: str) -> None:
    """Every call with operands of subclasses tells handlers, and returns, what torch's does."""
    root = ask.session.oracle.root
    program, question = subclass_programs.schema_program(root, overload, operands)
    ask(*program, question=question)


@exhaustive(lambda torch: Domain(member=subclass_programs.MEMBERS))
def test_members(ask: Probe, member: str) -> None:
    """Operators, indices and attributes of subclasses tell handlers what torch's do."""
    program = (*subclass_programs.setup("A"), *subclass_programs.MEMBER_SETUP)
    ask(*program, subclass_programs.recorded(member), question=len(program))


@exhaustive(lambda torch: Domain(attribute=subclass_programs.attributes(torch)))
def test_attributes(ask: Probe, attribute: str) -> None:
    """Attributes of a subclass, also under a mode, tell handlers what torch's do."""
    start = subclass_programs.setup("A", "M")
    steps = (
        "x = torch.ones(2, 2).as_subclass(A)",
        "t = torch.ones(2, 2)",
        subclass_programs.recorded(f"x.{attribute}"),
        f"def call():\n    with M():\n        return t.{attribute}",
        "record(call)",
    )
    ask(*start, *steps, question=len(start) + 2)


@sampled(seed=st.integers(0, 2**48))
def test_programs(ask: Probe, seed: int) -> None:
    """Related and unrelated subclasses, other objects and modes are called in torch's order."""
    program, question = subclass_programs.drawn_program(seed)
    ask(*program, question=question)
