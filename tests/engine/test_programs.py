"""The programs of the properties: their setups set no state that is so already."""

import re
import warnings

import pytest
from hypothesis import HealthCheck, Phase, given, settings, strategies as st

import impl
from conformance.core.profiles import PROFILES
from conformance.engine.session import Session
from conformance.engine.setups import setup_of
from conformance.libraries.library import Library, compiled
from conformance.properties import all_properties

NEEDLESS = {
    "set_default_dtype": r"torch\.float32",
    "set_default_device": "None",
    "use_deterministic_algorithms": "False",
    "set_warn_always": "True",
    "set_grad_enabled": "True",
    "set_printoptions": "",
}
"""The arguments with which a setter changes nothing in a new process, by its name."""

PROPERTIES = {
    name: prop
    for name, prop in all_properties().items()
    # These areas need torch's own namespace. The changes that devices.modes makes are its claim.
    if prop.about_subject
    and prop.area
    not in ("engine", "surface", "cuda", "mixed_devices", "repetition", "schemas", "values")
    and name
    not in (
        "operands.dtypes",
        "operands.dtype_arguments",
        "operands.numbers",
        "operands.single",
        "operands.outs",
        "operands.zero_dims",
        "subclasses.calls",
        "operands.few_kernels",
        "operands.few_kernels_of_pairs",
        "operands.laid_outs",
        "operands.out_operands",
        "operands.lazy_bits",
        "operands.shared_memory",
        "operands.sizes",
        "callables.calls",
        "identities.objects",
        "devices.modes",
        "autograd.functions",
        "autograd.again",
    )
}


def needless_step(steps, question=-1):
    """Return the first step of a setup that sets a state that is so already, or None."""
    called = set()
    for index in sorted(setup_of(len(steps), question)):
        for name, argument in NEEDLESS.items():
            if name not in called and re.fullmatch(rf"torch\.{name}\({argument}\)", steps[index]):
                return steps[index]
        called |= {name for name in NEEDLESS if name in "\n".join(steps[: index + 1])}
    return None


class Recorder:
    """A probe that compiles programs, runs nothing, and records needless steps."""

    def __init__(self):
        library = Library("impl", impl)
        self.session = Session(library, library, PROFILES["quick"])
        self.needless = []
        self.programs = 0
        self.turn = 0

    def __call__(self, *steps, question=-1):
        self.programs += 1
        for step in steps:
            compiled(step)  # raises if it is no Python
        if (step := needless_step(steps, question)) is not None:
            self.needless.append(step)

    def bulk(self, question):
        self(*question.steps)


@pytest.mark.parametrize("name", PROPERTIES)
def test_programs_are_python_and_set_no_state_that_is_so_already(name):
    prop, ask = PROPERTIES[name], Recorder()
    if prop.domain is not None:
        for cell in prop.domain(impl).thinned(2_000).cells():
            # A property may call the library to make what its program is about, which may warn.
            with warnings.catch_warnings(action="ignore"):
                prop.body(ask, *cell)
    else:

        @settings(
            max_examples=50, database=None, derandomize=True, deadline=None,
            phases=[Phase.generate], suppress_health_check=[*HealthCheck],
        )  # fmt: skip
        @given(st.fixed_dictionaries(prop.strategies))
        def draw(drawn):
            prop.body(ask, **drawn)

        draw()
    assert ask.programs
    assert ask.needless == []


DEFAULT = "torch.set_default_dtype(torch.float32)"


@pytest.mark.parametrize(
    ("steps", "question", "needless"),
    [
        ((DEFAULT, "1"), -1, DEFAULT),
        ((DEFAULT, "1"), 0, None),
        (("torch.set_default_dtype(torch.half)", DEFAULT, "1"), -1, None),
        (("torch.set_printoptions()", "1"), -1, "torch.set_printoptions()"),
        (("torch.set_printoptions(precision=1)", "1"), -1, None),
        (("x = 1", "torch.set_grad_enabled(True)", "x"), -1, "torch.set_grad_enabled(True)"),
        (("1", DEFAULT, "2"), (0, 2), DEFAULT),
    ],
)
def test_a_needless_step_is_found(steps, question, needless):
    assert needless_step(steps, question) == needless
