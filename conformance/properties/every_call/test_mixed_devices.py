"""Mixed devices: calls whose operands are on the CPU and on meta."""

from ...core.domain import Domain
from ...engine.decorators import exhaustive
from ...engine.probe import Probe
from ...generators import mixed_devices


@exhaustive(lambda torch: Domain(overload=mixed_devices.overload_ids(torch)), parts=4, one_in=3)
def test_operands(ask: Probe, overload: str) -> None:
    """Every overload takes or rejects each operand on meta, ``out=`` included, as torch does."""
    for steps in mixed_devices.programs(ask.session.oracle.root, overload):
        ask(*steps)


@exhaustive(
    lambda torch: Domain(overload=mixed_devices.meta_overload_ids(torch)), parts=4, one_in=2
)
def test_meta(ask: Probe, overload: str) -> None:
    """Every overload takes or rejects each argument on meta as torch does."""
    root, step = ask.session.oracle.root, ask.session.profile.call_step
    for steps in mixed_devices.meta_programs(root, overload, step, ask.session.seed):
        ask(*steps)


@exhaustive(lambda torch: Domain(overload=mixed_devices.overload_ids(torch)), parts=2, one_in=3)
def test_meta_gradients(ask: Probe, overload: str) -> None:
    """Every overload takes or rejects tensors on meta that require gradients, as torch does."""
    for steps in mixed_devices.gradient_programs(ask.session.oracle.root, overload):
        ask(*steps)
