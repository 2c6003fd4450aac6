"""DLPack: headers of every content, producers of every age, exports with every argument."""

from ...core.domain import Domain
from ...engine.decorators import exhaustive
from ...engine.probe import Probe
from ...generators import capsules


@exhaustive(lambda torch: Domain(capsule=capsules.CAPSULES, change=capsules.CHANGES))
def test_headers(ask: Probe, capsule: str, change: str) -> None:
    """A capsule with any header gives the tensor, or the error, that it gives in torch."""
    program = capsules.program(capsule, change)
    ask(*program, question=(len(program) - 2, len(program) - 1))


@exhaustive(lambda torch: Domain(producer=capsules.PRODUCERS, request=capsules.REQUESTS))
def test_producers(ask: Probe, producer: str, request: str) -> None:
    """Producers that accept few arguments, or fail, are asked for capsules as by torch."""
    ask("x = torch.ones(2)", f"torch.from_dlpack({capsules.PRODUCERS[producer]}{request})")


@exhaustive(lambda torch: Domain(tensor=capsules.EXPORTED, arguments=capsules.EXPORTS))
def test_exports(ask: Probe, tensor: str, arguments: str) -> None:
    """Each tensor is exported with each argument, or rejected, as in torch."""
    ask(f"x = {tensor}", f"torch.from_dlpack(x.__dlpack__({arguments}))")
