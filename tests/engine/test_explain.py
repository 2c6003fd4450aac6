"""The command ``explain``: as a process, and its parsing of programs.

impl is the oracle, so torch is not needed.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import impl
from conformance.core.errors import CouldNotRun
from conformance.explain.answers import answer_lines, ask_both, session_of
from conformance.explain.program import program_steps
from conformance.libraries.library import attribute_or_none

ROOT = Path(__file__).parents[2]
SUBJECTS = {
    # Promotion always gives float32.
    "wrong": "def add(x, y):\n    return impl.add(x, y).to(impl.float32)\n",
    "deadly": "import os\ndef ones(*sizes, **others):\n    os._exit(0)\n",
    "broken": "raise OSError('no\\nsuch luck')\n",
    "loud": "print('hello')\n",
    "rude": "class Rude(Exception):\n    def __str__(self):\n        raise SystemExit\n"
    "def ones(*sizes, **others):\n    raise Rude\n",
    "meddling": "impl.promote_types = lambda a, b: impl.float32\n",
}


@pytest.fixture
def folder(tmp_path):
    for name, text in SUBJECTS.items():
        (tmp_path / f"{name}.py").write_text(f"import impl\nfrom impl import *\n{text}")
    return tmp_path


def call(folder, program, *arguments):
    process = subprocess.run(
        [sys.executable, "-m", "conformance", "explain", program, "--oracle", "impl", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return process.returncode, process.stdout, process.stderr


def test_agreement_is_0_and_says_why(folder):
    status, out, _ = call(folder, "ones(2, dtype=uint8) + tensor(1.5)", "--subject", "loud:impl")
    assert status == 0
    assert out.startswith("torch.ones(2, dtype=torch.uint8) + torch.tensor(1.5)\n")
    assert "impl       float32, shape (2,), stride (1,), on cpu\n" in out
    assert "loud:impl  the same\n" in out
    assert "loud:impl agrees with impl in raises, warnings, value, dtype, shape" in out
    assert "promotion.zero-dim-higher-category" in out
    assert "=> float32\n\nwhere\n" in out
    assert "  [promotion.zero-dim-higher-category] " in out.partition("\nwhere\n")[2]
    assert "hello" not in out


def test_a_difference_is_1_and_shows_both(folder):
    program = "add(ones(2, dtype=uint8), ones(2, dtype=int8))"
    status, out, _ = call(folder, program, "--subject", "wrong")
    assert status == 1
    assert "differs in dtype\n  impl: int16\n  wrong: float32\n" in out
    assert "uint8-with-signed [promotion.minimum-dtype]" in out


def test_a_rude_subject_only_differs(folder):
    status, out, _ = call(folder, "ones(2)", "--subject", "rude")
    assert (status, "rude.Rude: its text raises SystemExit" in out) == (1, True)


@pytest.mark.parametrize(
    ("program", "arguments", "why"),
    [
        ("ones(2", [], "'ones(2' is not Python: '(' was never closed"),
        (" \n", [], "there is no program to explain"),
        ("onse(2)", [], "'onse' is a name neither of torch nor of Python"),
        ("_C", [], "'_C' is a name neither"),
        ("x = 1; del x; x", [], "name 'x' is not defined"),
        ("ones(2)", ["--subject", "nowhere"], "'nowhere' cannot be imported: ModuleNotFoundError"),
        ("ones(2)", ["--subject", "broken"], "'broken' cannot be imported: OSError: no"),
        ("ones(2)", ["--subject", "impl:x"], "'impl' has no attribute 'x'"),
        ("ones(2)", ["--subject", ""], "'' names no module"),
        ("ones(2)", ["--subject", "deadly"], "'deadly' ends the process that asks it"),
        ("ones(2)", ["--subject", "meddling"], "has put something else for torch.promote_types"),
        ("import os; os._exit(0)", ["--subject", "loud:impl"], "'impl' ends the process that asks"),
        ("+".join(["1"] * 3000), [], "explain failed while neither side was asked: RecursionError"),
        ("ones(2)", ["--oracle", "nowhere"], "'nowhere' cannot be imported"),
        ("ones(2)", ["--colour"], "unrecognized arguments: --colour"),
    ],
)
def test_what_cannot_be_explained_is_2_and_says_why_in_one_line(program, arguments, why, folder):
    status, out, err = call(folder, program, *arguments)
    assert status == 2, out
    (line,) = (out + err).strip().splitlines()
    assert why in line


def test_what_no_command_line_can_hold_is_not_python_either():
    with pytest.raises(CouldNotRun, match="is not Python: source code string cannot contain null"):
        program_steps("a\0b", lambda name: True)


def steps(text):
    return program_steps(text, lambda name: attribute_or_none(impl, name) is not None)


@pytest.mark.parametrize(
    ("text", "program"),
    [
        ("ones(2, dtype=uint8) + 1", ("torch.ones(2, dtype=torch.uint8) + 1",)),
        ("torch.ones(2)", ("torch.ones(2)",)),
        ("ones = 1; ones", ("ones = 1", "ones")),
        ("x = ones(2)\nx *= 2", ("x = torch.ones(2)", "x *= 2", "x")),
        ("x = ones(2); x[0] = 2", ("x = torch.ones(2)", "x[0] = 2")),
        ("promote_types(float, float32)", ("torch.promote_types(float, torch.float32)",)),
        ("numpy.float32(1)", ("numpy.float32(1)",)),
        ("[tensor(i) for i in (1, 2)]", ("[torch.tensor(i) for i in (1, 2)]",)),
        ("(lambda ones: ones)(1)", ("(lambda ones: ones)(1)",)),
        ("import os as o; o", ("import os as o", "o")),
        ("  ones(1)\n  ones(2)", ("torch.ones(1)", "torch.ones(2)")),
        ("import torch; torch.ones(2)", ("torch.ones(2)",)),
        ("import math, torch as torch; math.pi", ("import math", "math.pi")),
        ("import torch  # or: x\n\nprint(repr(torch.ones(2)))", ("torch.ones(2)",)),
        (
            "try: ones(1)\nexcept Exception as error: print(repr(error))\nprint(ones(2))",
            ("torch.ones(1)", "torch.ones(2)"),
        ),
    ],
)
def test_names_and_steps(text, program):
    assert steps(text) == program


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("import torch", "there is no program to explain"),
        ("import torch as other; other.ones(2)", "imports torch;"),
        ("import torch.nn", "gives the name 'torch'"),
        ("from torch import ones; ones(2)", "imports torch;"),
        ("from torch.nn import functional", "imports torch.nn;"),
        ("import math as torch", "gives the name 'torch'"),
        ("torch = 1", "gives the name 'torch'"),
        ("del torch", "gives the name 'torch'"),
        ("def torch(): pass", "gives the name 'torch'"),
        ("def f():\n    import torch", "gives the name 'torch'"),
        ("__import__('torch').ones(2)", "uses __import__"),
        ("import importlib as i", "imports importlib"),
        ("from importlib import import_module", "imports importlib"),
        ("exec('import torch')", "uses exec"),
    ],
)
def test_no_other_library_is_asked_in_place_of_a_side(text, why):
    with pytest.raises(CouldNotRun, match=why) as raised:
        steps(text)
    assert "\n" not in str(raised.value)


@pytest.fixture(scope="module")
def session():
    return session_of("impl", "impl")


def explained(session, text):
    return ask_both(session, text).explanations


@pytest.mark.parametrize(
    ("text", "predicted", "rules"),
    [
        ("ones(2, dtype=uint8) + tensor(1.5)", "float32", {"zero-dim-takes-part", "common"}),
        ("ones(2) * tensor(1.5, dtype=float64)", "float32", {"dimensioned-stands"}),
        ("ones(2, dtype=int32) + 5", "int32", {"int-number", "dimensioned-stands"}),
        ("tensor(True) + True", "bool", {"bool-number", "zero-dim-stands"}),
        ("1j * ones(2, dtype=float16)", "complex32", {"complex-of-floating", "number-takes-part"}),
        ("ones(2, dtype=int8) < 1.5", "bool", {"comparison"}),
        ("ones(2, dtype=int8) / 2", "float32", {"floating-result"}),
        ("set_default_dtype(float64); ones(2, dtype=int8) / 2", "float64", {"floating-result"}),
        ("div(ones(2, dtype=int8), 2, rounding_mode='trunc')", "int8", {"common"}),
        ("exp(ones(2, dtype=bool))", "float32", {"floating-result"}),
        ("x = ones(2); x += ones(2, dtype=float64)", "float32", {"in-place", "cast-allowed"}),
        ("x = ones(2, dtype=int8); x *= 1.5", "refused", {"integral-refuses-floating"}),
        ("ones(2, dtype=bool).mul_(2)", "refused", {"bool-refuses-others", "output-refused"}),
        ("add(ones(2), 1j, out=empty(2))", "refused", {"given-output", "real-refuses-complex"}),
        ("promote_types(float, uint8)", "float64", {"higher-category"}),
        ("promote_types(uint16, int32)", "refused", {"unsigned-refused"}),
        ("result_type(1, 1.5)", "float32", {"int-number", "float-number"}),
        ("can_cast(float32, int32)", "False", {"integral-refuses-floating"}),
        ("can_cast(float, bool)", "False", {"bool-refuses-others"}),
        ("can_cast(int, int8)", "True", {"cast-allowed"}),
        ("can_cast(int8, float)", "True", {"cast-allowed"}),
        ("tensor([-2.]).to(float8_e8m0fnu)", "float8_e8m0fnu", {"power-of-two"}),
        ("tensor([1.5, 3e9]).int()", "int32", {"cut-off"}),
        ("tensor([1.5]).to(dtype=uint8)", "uint8", {"low-bits"}),
        ("ones(3, dtype=uint8).sum()", "int64", {"total"}),
        ("torch.sum(ones(3, dtype=uint8), dtype=int8)", "int8", {"given-dtype"}),
        ("ones(3, dtype=int8).to_sparse().sum()", "int64", {"total"}),
        ("ones(3, dtype=int8).mean()", "refused", {"mean"}),
        ("ones(3, dtype=complex64).std()", "float32", {"real-result"}),
        ("ones(3, dtype=uint8).all()", "uint8", {"test-of-elements"}),
        ("cat([ones(2, dtype=uint8), ones(2)])", "float32", {"higher-category", "joined"}),
        ("where(ones(1) > 0, ones(1, dtype=int8), 1.5)", "float32", {"float-number", "condition"}),
        ("where(ones(1), ones(1, dtype=int8), 1.5)", "refused", {"condition"}),
        ("ones(2, dtype=int8)[0]", "int8", {"kept"}),
        ("tensor([[1, 2], [3, 4.5]])", "float32", {"int-number", "float-number", "numbers"}),
        ("set_default_dtype(float16); full((2,), 1j)", "complex64", {"fill-number"}),
        ("arange(3)", "int64", {"range"}),
        ("arange(0, 3.0)", "float32", {"range"}),
        ("zeros(2)", "float32", {"default"}),
        ("ones(2, device='meta') + tensor(1)", "float32", {"scalar-moves"}),
        ("ones(2, device='cuda:1') + tensor(1)", "float32", {"scalar-moves"}),
        ("ones(2, device='cuda') + ones(2)", "refused", {"stays-where-it-is"}),
    ],
)
def test_rules_that_speak(session, text, predicted, rules):
    answers = ask_both(session, text)
    assert answers.agree
    *_, last = answers.explanations
    assert last.holds
    assert last.predicted == predicted
    assert rules <= {reason.rule for reason in last.reasons}


def test_undefined_elements_are_counted(session):
    (explanation,) = explained(session, "tensor([1.5, 3e9, float('nan')]).to(int32)")
    assert "2 of 3 elements, the first 3000000000.0" in explanation.reasons[-1].text


def test_undefined_elements_of_complex_tensors_are_counted_too(session):
    (explanation,) = explained(session, "tensor([complex(float('nan'), 0), 1e20, 1]).to(int32)")
    assert [reason.rule for reason in explanation.reasons] == ["real-part", "cut-off", "cut-off"]
    assert "2 of 3 elements, the first nan" in explanation.reasons[-1].text


@pytest.mark.parametrize(
    "text", ["rand(3)", "manual_seed(0); rand(3)", "numpy.random.rand(3)", "object()"]
)
def test_chance_and_addresses_are_no_difference(session, text):
    answers = ask_both(session, text)
    assert answers.agree
    if text != "object()":
        assert answers.expected[-1].observation == answers.observed[-1].observation


def test_inner_parts_come_first(session):
    explanations = explained(session, "(ones(2, dtype=uint8) + 1.5) == tensor(1)")
    assert [explanation.predicted for explanation in explanations] == ["float32", "bool"]


def test_plain_parts_are_told_only_where_they_are_the_question(session):
    text = "x = zeros(2, dtype=uint8); y = x[0]; y.sum() + tensor(1)"
    assert [each.expression for each in explained(session, text)] == [
        "y.sum()",
        "y.sum() + torch.tensor(1)",
    ]
    (last,) = explained(session, "x = zeros(2, dtype=uint8); x[0]")
    assert last.expression == "x[0]"


@pytest.mark.parametrize(
    "text",
    [
        "ones(3).sort()",
        "max(ones(2), ones(2))",
        "torch.tensor([tensor(1, dtype=int8), 2])",
        "stack([ones(2, device='meta'), ones(2)])",
        "tensor([1, 2])[5]",
        "where(ones(2))",
        "1 + 2",
        "1 / 0",
        "ones(2) + numpy.float32(1)",
        "ones(2) + 2**63",
        "add(ones(2), 1, alpha=2)",
        "[ones(i) + 1 for i in range(2)]",
        "ones(2)[5] + 1",
        "ones(2).to('meta', copy=True).nothing",
        "x = ones(2); x += 'a'",
    ],
)
def test_where_no_rule_speaks(session, text):
    answers = ask_both(session, text)
    assert [
        explanation
        for explanation in answers.explanations
        if explanation.reasons[-1].rule != "unchanged"
    ] == []


def test_nothing_is_said_where_nothing_speaks(session):
    lines = answer_lines(ask_both(session, "ones(3).sort()"), "impl", "impl")
    assert lines[-1].startswith("explain has no rule for this program")


def test_what_is_refused_for_another_reason_is_told_so(session):
    answers = ask_both(session, "ones(2, dtype=uint16) + ones(2, dtype=uint16)")
    (explanation,) = answers.explanations
    assert (explanation.predicted, explanation.actual, explanation.holds) == (
        "uint16",
        "refused",
        False,
    )
    text = "\n".join(answer_lines(answers, "impl", "impl"))
    assert "uint16 by these rules; impl refuses all the same, and no rule here says why" in text


def test_the_whole_outcome_is_shown(session):
    text = "x = ones(2, 3, requires_grad=True).t(); x.view(6); x"
    lines = answer_lines(ask_both(session, text), "impl", "impl")
    assert "x.view(6):" in lines
    assert any(line.startswith("impl  RuntimeError: view size is not compatible") for line in lines)
    assert "impl  float32, shape (3, 2), stride (1, 3), on cpu, requires grad" in lines
    assert "impl  the same" in lines


def test_a_subject_elsewhere_is_held_against_the_cpu():
    answers = ask_both(session_of("impl", "impl@meta"), "ones(2, dtype=uint8) + 1.5")
    assert answers.agree
    assert answers.explanations[-1].predicted == "float32"
