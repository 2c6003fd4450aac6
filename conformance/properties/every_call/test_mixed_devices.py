"""Mixed devices: calls whose operands are on the CPU and on meta."""

from ...core.domain import Domain
from ...engine.decorators import exhaustive
from ...engine.probe import Probe
from ...generators import arithmetic, mixed_devices
from ...generators.calls import sparse_operands
from ...generators.calls.operand_calls import pair_calls, single_calls
from ...generators.schemas.outcomes import Program, chosen
from ...generators.schemas.programs import with_next_draw


@exhaustive(
    lambda torch: Domain(overload=mixed_devices.overload_ids(torch)),
    parts=4,
    asks_part=True,
    one_in=2,
)
def test_operands(ask: Probe, overload: str) -> None:
    """Every overload takes or rejects each operand on meta, ``out=`` included, as torch does."""
    _ask(ask, overload, mixed_devices.programs(ask.session.oracle.root, overload))


def _ask(ask: Probe, overload: str, programs: list[Program]) -> None:
    """Ask some programs of an overload, of which one has each outcome."""
    root, step = ask.session.oracle.root, ask.session.profile.call_step
    for steps in chosen(root, programs, step, overload, ask.turn):
        program, question = with_next_draw(steps)
        ask(*program, question=question)


@exhaustive(
    lambda torch: Domain(overload=mixed_devices.meta_overload_ids(torch)), parts=4, one_in=6
)
def test_meta(ask: Probe, overload: str) -> None:
    """Every overload takes or rejects each argument on meta as torch does."""
    root, step = ask.session.oracle.root, ask.session.profile.call_step
    for steps in mixed_devices.meta_programs(root, overload, step, ask.turn):
        program, question = with_next_draw(steps)
        ask(*program, question=question)


@exhaustive(
    lambda torch: Domain(overload=mixed_devices.overload_ids(torch)),
    parts=2,
    asks_part=True,
    one_in=3,
)
def test_meta_gradients(ask: Probe, overload: str) -> None:
    """Every overload takes or rejects tensors on meta that require gradients, as torch does."""
    _ask(ask, overload, mixed_devices.gradient_programs(ask.session.oracle.root, overload))


@exhaustive(
    lambda torch: Domain(overload=mixed_devices.overload_ids(torch)),
    parts=4,
    asks_part=True,
    one_in=4,
)
def test_sparse(ask: Probe, overload: str) -> None:
    """Every overload takes or rejects a sparse tensor in the place of each operand, as torch does.

    All its tensors are on one device.
    """
    root = ask.session.oracle.root
    kinds = sparse_operands.KINDS
    programs = [steps for kind in kinds for steps in sparse_operands.programs(root, overload, kind)]
    _ask(ask, overload, programs)


@exhaustive(
    lambda torch: Domain(overload=single_calls(torch), dtype=(*arithmetic.CORE, "uint16")),
    parts=2, one_in=24,
)  # fmt: skip
def test_dtypes(ask: Probe, overload: str, dtype: str) -> None:
    """Every operator on one tensor on meta takes or rejects each dtype as torch does."""
    call = single_calls(ask.session.oracle.root)[overload]
    for elements in ("[[1, 0, 2], [3, 5, 1]]", "3"):
        ask(f"x = torch.tensor({elements}).to(torch.{dtype}).to('meta')", call)


@exhaustive(
    lambda torch: Domain(overload=pair_calls(torch), left=arithmetic.CORE), parts=2, one_in=24
)
def test_pairs_of_dtypes(ask: Probe, overload: str, left: str) -> None:
    """Every operator on two tensors on meta promotes or rejects dtypes as torch does."""
    *setup, call = pair_calls(ask.session.oracle.root)[overload]
    setup = [line.format(left=left, dtypes=arithmetic.CORE) for line in setup]
    others = [step.partition(" = ")[0] for step in setup if not step.startswith("ys = ")]
    setup += [f"{name} = {name}.to('meta')" for name in others]
    setup += ["ys = {d: y.to('meta') for d, y in ys.items()}"]
    ask(*setup, *(call.format(right=dtype) for dtype in arithmetic.CORE), question=len(setup))
