"""Context managers: entered, left, nested, and as decorators."""

from ...core.domain import Domain
from ...engine.decorators import exhaustive
from ...engine.probe import Probe
from ...generators.calls import contexts


@exhaustive(lambda torch: Domain(context=contexts.CONTEXTS, use=contexts.USES))
def test_uses(ask: Probe, context: str, use: str) -> None:
    """Each context manager sets and restores the state of torch in every use, also after errors."""
    ask(*contexts.program(context, use), question=2)
