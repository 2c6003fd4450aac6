"""The observation of a step: different results have different observations."""

import gc
import itertools
import json
import math
import operator
import warnings

import numpy as np
import pytest

import impl
from conformance.comparison.comparator import is_equal
from conformance.core.case import Case, literal
from conformance.core.reproduction import reproduction
from conformance.libraries.library import Library
from conformance.observation.facets import observe
from conformance.observation.runner import canonical, run_case
from conformance.properties.every_call.test_state import SETTINGS

LIBRARY = Library("impl", impl)


def _equal_to_all():
    return type("Equal", (), {"__eq__": lambda self, other: True})()


DIFFERENT = [
    None, True, False, 0, 1, -1, 2**70, 0.0, -0.0, 1.0, math.nan, -math.nan, math.inf,
    math.nextafter(1.0, 2.0), 1j, complex(0.0, -0.0), complex(0.0, 0.0), "", "1", "nan", b"", b"1",
    (), [], {}, (1,), [1], (1.0,), [True], {1: 2}, {1: 2.0}, {1: 1, 2: 2}, {2: 2, 1: 1},
    impl.float32, impl.float64, "torch.float32", impl.dtype, ..., NotImplemented,
    _equal_to_all(), type("int", (int,), {})(1),
]  # fmt: skip


def test_different_values_are_written_differently():
    alike = [
        (left, right)
        for left, right in itertools.combinations(DIFFERENT, 2)
        if is_equal(canonical(left, LIBRARY), canonical(right, LIBRARY))
    ]
    assert alike == []


@pytest.mark.parametrize("value", DIFFERENT, ids=lambda value: type(value).__name__)
def test_a_value_is_written_alike_twice(value):
    assert canonical(value, LIBRARY) == canonical(value, LIBRARY)


def test_aliases_are_one_object():
    assert canonical(impl.half, LIBRARY) == canonical(impl.float16, LIBRARY) == {"torch": "float16"}


def test_an_array_of_objects_is_plain_data():
    tensor = impl.ones(1)
    first, second = (np.array([[value, 1]], dtype=object) for value in (tensor, 1.0))
    written = canonical(first, LIBRARY)
    assert written["shape"] == [1, 2]
    assert written["elements"] == [canonical(tensor, LIBRARY), {"int": "1"}]
    assert not is_equal(written, canonical(second, LIBRARY))
    json.dumps(written)


def observations(*steps):
    return [result.observation for result in run_case(LIBRARY, Case(steps), observe)]


def test_an_error_is_seen_with_class_and_message():
    (observation,) = observations("torch.dtype()")
    assert observation["raises"] == "TypeError"
    assert observation["message"] == "cannot create 'torch.dtype' instances"
    assert "value" not in observation


def test_an_error_of_a_derived_class_is_another():
    (observation,) = observations("(_ for _ in ()).throw(type('Mine', (TypeError,), {})('x'))")
    assert observation["raises"] == "a class that calls itself case.Mine"


def test_even_an_exit_is_only_an_outcome():
    (observation,) = observations("(_ for _ in ()).throw(SystemExit(3))")
    assert observation["raises"] == "SystemExit"


def test_warnings_are_seen_each_time():
    step = "operator.call(__import__('warnings').warn, 'beware')"
    for _ in range(2):
        (observation,) = observations(step)
        assert observation["warnings"] == ["UserWarning: beware"]
    with warnings.catch_warnings(record=True) as leaked:
        warnings.simplefilter("always")
        observations(step)
    assert leaked == []


def test_a_repr_that_fails_is_an_answer():
    (observation,) = observations("type('Bad', (), {'__repr__': lambda self: 1 / 0})()")
    assert observation["repr"] == "looking at it raises ZeroDivisionError"


def test_where_an_error_comes_from_is_seen():
    (observation,) = observations("1 / 0")
    assert observation["cause"] == []
    step = "def f():\n try: 1 / 0\n except ZeroDivisionError: int('a')"
    assert observations(step, "f()")[1]["cause"] == ["ZeroDivisionError"]


def test_a_class_is_not_what_it_calls_itself():
    forged = "type('RuntimeError', (BaseException,), {'__module__': 'builtins'})"
    (observation,) = observations(f"(_ for _ in ()).throw({forged}('x'))")
    assert observation["raises"] == "a class that calls itself builtins.RuntimeError"


def test_what_holds_itself_has_an_end():
    assert "deeper than" in str(observations("x = []", "x.append(x)", "x")[2]["value"])
    assert "deeper than" in str(observations("x = {}", "x.update(a=x)", "x")[2]["value"])


def test_steps_after_a_failed_assignment_do_not_run():
    assert len(observations("x = torch.dtype()", "1")) == 1
    assert len(observations("torch.dtype()", "1")) == 2


def test_settings_are_put_back():
    observations("torch.set_default_dtype(torch.float64)")
    assert impl.get_default_dtype() is impl.float32


@pytest.mark.parametrize("value", [1, -2.5, math.inf, -math.inf, 1 - 2j, "a'", b"x", [1, (2.0,)]])
def test_a_literal_gives_its_value_back(value):
    assert eval(literal(value)) == value


def test_a_literal_keeps_nan():
    assert math.isnan(eval(literal(math.nan)))
    assert math.isnan(eval(literal(complex(1, math.nan))).imag)


def test_what_has_no_literal_is_refused():
    with pytest.raises(TypeError, match="no literal for object"):
        literal(object())


CASES = [
    (("torch.iinfo(torch.int8).max",), "127\n"),
    (("torch.set_default_dtype(torch.float64)", "torch.result_type(1, 2.5)"), "torch.float64\n"),
    (("torch.set_default_dtype(torch.int8)", "torch.get_default_dtype()"), "torch.float32\n"),
    (("x = torch.int8", "torch.promote_types(x, torch.half)"), "torch.float16\n"),
    (("copy.copy(torch.int8) is torch.int8",), "True\n"),
    (("'it''s'",), '"its"\n'.replace('"', "'")),
]


@pytest.mark.parametrize(("steps", "printed"), CASES)
def test_a_reproduction_runs_and_prints_the_last_step(steps, printed, capsys):
    script = reproduction(Case(steps))
    assert script.count("import torch") == 1
    try:
        exec(script.replace("import torch ", "import impl as torch "), {})
    finally:
        impl.set_default_dtype(impl.float32)
    assert capsys.readouterr().out.endswith(printed)


TENSOR = "x = torch.arange(6.).view(2, 3)"
FACTS = [
    ("x.t()", "stride", [[1, 3], [3, 1]], "(1, 3)"),
    ("x + 1", "offset", [0, 1], "0"),
    ("x + 1", "autograd", [{"is_leaf": True, "version": 0}, {"is_leaf": True, "version": 1}], "0"),
    ("x[1]", "storage", [{"bytes": 24, "address": True}, {"bytes": 24, "address": False}], "12"),
    ("x + 1", "elements", [["3f800000", "40000000"], ["3f800000", "40400000"]], "2.0"),
    ("x * math.nan", "elements", [["7fc00000"], ["ffc00000"]],
     "nan 2143289344"),
    ("x * math.nan", "elements", ["3f (1.0) becomes 7fc00000 (nan)", "3f becomes ffc00000 (nan)"],
     "[2143289344, 2143289344, 2143289344]]"),
    ("x + 1", "elements", ["6 elements, 948cbcfa988f559a", "6 elements, e21873c278268df3"],
     "[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]"),
    ("torch.default_generator.device", "value", [{"device": ["cpu", 1]}, {"device": ["cpu", 2]}],
     "device(type='cpu')"),
    ("1 / 0", "cause", [[], ["ValueError"]], "None []"),
    ("x[0]", "aliasing", [{"x": "shares its memory"}, {}], "False True"),
    ("x.max(0)", "value", [{"fields": [{"stride": [1]}, {"stride": [1]}]},
                           {"fields": [{"stride": [1]}, {"stride": [2]}]}], "(1,)"),
    ("x.to_sparse()", "stride", [{"own": [], "indices": [6, 1]}, {"own": [], "indices": [1, 2]}],
     "(5, 1)"),
    ("x.numpy()", "value", [{"array": "float32", "stride": [12, 4]},
                            {"array": "float32", "stride": [4, 8]}], "(12, 4)"),
    ("torch.iinfo(torch.int8)", "value", [{"instance of": "torch.iinfo"}, {"instance of": "int"}],
     "True"),
    ("x.numpy()", "value", [{"array": "float32"}, {"instance of": "int"}], "dtype=float32)"),
    ("y = x.t()", "state", [{"x": 1, "y": {"stride": [1, 3]}}, {"x": 1, "y": {"stride": [3, 1]}}],
     "(1, 3)"),
    ("x.resize_('a')", "rollback", ["as it was", "changed"],
     "tensor([[0., 1., 2.],\n        [3., 4., 5.]])"),
]  # fmt: skip


@pytest.mark.parametrize(("last", "facet", "sides", "printed"), FACTS)
def test_a_reproduction_prints_the_fact_that_differs(last, facet, sides, printed, capsys):
    script = reproduction(Case((TENSOR, last)), "impl", facet, tuple(sides))
    exec(script.replace("import torch ", "import impl as torch "), {})
    assert capsys.readouterr().out.endswith(f"{printed}\n")


@pytest.mark.parametrize("last", ["f()", "1 / 0", "(lambda held: 1 / 0)(i)", "raising(i)"])
def test_what_a_program_leaves_suspended_ends_with_it(last, monkeypatch):
    closed = []
    monkeypatch.setattr(operator, "closed", closed, raising=False)
    steps = (
        "def f():\n    try:\n        yield 1\n    finally:\n        operator.closed.append(1)",
        "def raising(i):\n    try:\n        raise ValueError\n    finally:\n        1 / 0",
        "i = f()",
        "next(i)",
        last,
    )
    gc.disable()
    try:
        run_case(LIBRARY, Case(steps), observe)
        assert closed == [1]
    finally:
        gc.enable()


def test_the_results_of_a_program_are_no_garbage():
    steps = ("x = torch.ones(2)", "x.add_(torch.ones(3))", "torch.ones(2).view(3)")
    run_case(LIBRARY, Case(steps), observe)
    gc.collect()
    gc.disable()
    try:
        results = run_case(LIBRARY, Case(steps), observe)
        assert [type(result.error) for result in results] == [
            type(None),
            RuntimeError,
            RuntimeError,
        ]
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_the_state_after_leading_steps_may_be_known():
    steps = ("x = torch.ones(2)", "x.add_(torch.ones(3))")
    first, second = run_case(LIBRARY, Case(steps), observe)
    for before, rollback in ((None, "as it was"), (first.state, "as it was"), ({}, "changed")):
        unobserved, again = run_case(LIBRARY, Case(steps), observe, 1, before)
        assert unobserved.observation == {}
        assert (unobserved.state is None) == (before is not None)
        assert again.observation == {**second.observation, "rollback": rollback}


def read_setting(read):
    """Return what shows a setting in a new program, as text, without uninitialized elements."""
    scope = LIBRARY.scope()
    LIBRARY.run("x = torch.ones(2, requires_grad=True)", scope)
    return repr(LIBRARY.run(read.replace(", torch.empty(2)", ""), scope))


@pytest.mark.parametrize("name", sorted({*SETTINGS} - {"generator", "seed"}))
def test_no_setting_outlives_its_program(name):
    """Random numbers are seeded before each part of a property, not before each program."""
    change, read = SETTINGS[name]
    LIBRARY.reset()
    before = read_setting(read)
    run_case(LIBRARY, Case((change,)), observe)
    assert read_setting(read) == before


def test_the_number_of_threads_is_restored():
    before = impl.get_num_threads()
    run_case(LIBRARY, Case((f"torch.set_num_threads({before + 2})",)), observe)
    assert impl.get_num_threads() == before


def test_numbers_are_flushed_no_more_after_a_program(monkeypatch):
    modes = []
    monkeypatch.setattr(impl, "set_flush_denormal", modes.append)
    run_case(LIBRARY, Case(("torch.set_flush_denormal(True)",)), observe)
    assert (modes.count(True), modes[-1]) == (1, False)
