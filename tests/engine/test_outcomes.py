"""Tests of the choice of programs that shows each outcome."""

import impl
from conformance.generators.schemas.outcomes import chosen, outcome_of

_ONES = "x = torch.ones(2, 3)"
_PROGRAMS = [
    (_ONES, "torch.sin(x)"),
    *((_ONES, f"torch.sum(x, {dim})") for dim in (0, 1, -1, -2)),
    *((_ONES, f"torch.sum(x, {dim})") for dim in (2, 3, -3, 7, 8)),
    *((_ONES, f"torch.sum(x, {dim})") for dim in ("'a'", "1.5", "x")),
    *((_ONES, f"torch.add(x, torch.ones({size}))") for size in (2, 4, 5)),
]


def _outcomes(programs: list[tuple[str, ...]]) -> set[object]:
    return {outcome_of(impl, program) for program in programs}


def test_every_outcome_has_a_program_with_every_seed() -> None:
    for seed in range(8):
        programs = chosen(impl, _PROGRAMS, 100, "key", seed)
        assert programs[0] == _PROGRAMS[0]
        assert _outcomes(programs) == _outcomes(_PROGRAMS)
        assert len(programs) == len(set(programs)) < len(_PROGRAMS) // 2
        assert programs == chosen(impl, _PROGRAMS, 100, "key", seed)


def test_programs_with_one_outcome_take_turns() -> None:
    first = outcome_of(impl, _PROGRAMS[0])
    others = {program for program in _PROGRAMS if outcome_of(impl, program) != first}
    seen = {program for seed in range(8) for program in chosen(impl, _PROGRAMS, 100, "key", seed)}
    assert seen >= others
    assert len(others) > 8


def test_the_sample_is_there_beside_the_outcomes() -> None:
    alike = [(f"x = torch.ones({size}, 3)", "torch.sin(x)") for size in range(1, 40)]
    assert len(chosen(impl, alike, 4, "key", 0)) >= len(alike) // 4
    assert chosen(impl, [*alike, alike[0]], 1, "key", 0) == alike


def test_numbers_and_types_of_arguments_make_no_other_outcome() -> None:
    def outcome(call: str) -> object:
        return outcome_of(impl, (_ONES, call))

    assert outcome("torch.sum(x, 5)") == outcome("torch.sum(x, -9)") != outcome("torch.sum(x, 1)")
    assert outcome("x.narrow('a', 0, 1)") == outcome("x.narrow(1.5, 0, 1)")
    assert outcome("x.sum(0)") != outcome("x.double().sum(0)")
    assert outcome("(x, x)") != outcome("[x, x]")
    assert outcome("x.requires_grad_()") != outcome("x")
