"""Copies: tensors of subclasses and with attributes, copied, reduced and rebuilt."""

from ...core.domain import Domain
from ...engine.decorators import exhaustive
from ...engine.probe import Probe
from ...generators.subclasses.copied_tensors import MAKERS, USES


@exhaustive(lambda torch: Domain(maker=MAKERS, use=USES))
def test_uses(ask: Probe, maker: str, use: str) -> None:
    """Tensors keep their class, attributes and state in each copy, as in torch."""
    program = MAKERS[maker]
    ask(*program, use, "x", question=len(program))
