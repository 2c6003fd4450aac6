"""The command ``sweep``: certificates, sweeps that were ended, and wrong elements.

impl is the oracle, so torch is not needed.
"""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from conformance.core.errors import CouldNotRun
from conformance.core.float_formats import FORMATS
from conformance.sweep.checkpoints import Checkpoints
from conformance.sweep.chunks import Chunk, _with_one_nan, compare_chunk, session_for
from conformance.sweep.command import Sweep
from conformance.sweep.engine import run_here
from conformance.sweep.questions import Question, all_questions, chosen

from .commands import ROOT, call

SIN = Question("sin(bfloat16)", "bfloat16", "", "sin", "torch.sin(x)", 65536, 8192)
OFF = (
    "strided = impl.strided\n"
    "def sin(x):\n    result = impl.sin(x)\n"
    "    is_wrong = x.view(impl.int16) == 0x3F81\n"
    "    return impl.where(is_wrong, impl.sin(1 + x / 64), result)\n"
)
"""A sine that is wrong for one element."""


def sweep(folder, *arguments):
    return call(folder, "sweep", "--oracle", "impl", *arguments)


def certificate(folder, reports="reports/latest"):
    return json.loads((folder / reports / "sweep.json").read_text())


def without_seconds(data):
    for row in data["questions"]:
        del row["seconds"]
    return data


def subject(folder, name, text):
    (folder / f"{name}.py").write_text(f"import impl\nfrom impl import *\n{text}")


def test_a_sweep_of_a_whole_dtype_is_certified(folder):
    status, out, err = sweep(folder, "--ops", "sin(bfloat16),eq(float8_e5m2)", "-n", "0")
    assert status == 0, out + err
    assert "65,536 elements, 0 of them wrong" not in out
    assert "131,072 elements, 0 of them wrong" in out
    rows = {row["name"]: row for row in certificate(folder)["questions"]}
    row = rows["sin(bfloat16)"]
    assert (row["verdict"], row["equal"], row["whole"]) == ("exact", 65536, True)
    text = (folder / "reports/latest/sweep.md").read_text()
    assert "sin(bfloat16)" in text
    assert (folder / "reports/latest/sweep.svg").read_text().startswith("<svg")


def test_one_wrong_element_of_all_is_found_and_shown(folder):
    subject(folder, "off", OFF)
    status, out, _ = sweep(folder, "--subject", "off", "--ops", "sin(bfloat16)", "-n", "0")
    assert (status, "65,536 elements, 1 of them wrong" in out) == (1, True)
    (row,) = certificate(folder)["questions"]
    assert (row["wrong"], row["equal"], row["problem"]) == (1, 65535, "")
    (example,) = row["worst"]
    assert (example["inputs"], example["wrong"]) == (["0x3f81"], True)
    assert list(row["distances"].values()) == [1]
    program = "\n".join(example["program"])
    printed = [
        subprocess.run(
            [sys.executable, "-c", program.replace("torch\n", f"{library} as torch\n", 1)],
            cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True, text=True, check=True,
        ).stdout
        for library in ("impl", "off")
    ]  # fmt: skip
    assert printed[0] != printed[1]


def test_two_certificates_show_which_results_differ(folder):
    subject(folder, "off", OFF)
    for name in ("impl", "off"):
        options = ("--subject", name, "--ops", "sin(bfloat16),neg(bfloat16)", "-n", "0")
        sweep(folder, *options, "--reports", f"of_{name}")
    same = "2 questions with the same results of impl, 0 with others"
    status, out, _ = call(folder, "diff", "of_impl", "of_impl/sweep.json")
    assert (status, out.splitlines()) == (0, [same])
    status, out, _ = call(folder, "diff", "of_impl", "of_off")
    rows = [*map(str.split, out.splitlines())]
    assert (status, same.split() in rows, ["subject", "impl", "off"] in rows) == (1, True, True)
    assert ["sin(bfloat16)", "same", "0", "0", "exact", "0", "1", "wrong"] in rows
    assert not any("neg(bfloat16)" in row for row in rows)
    assert call(folder, "diff", "of_off", "of_impl")[0] == 0
    sweep(folder, "--ops", "neg(bfloat16)", "-n", "0", "--reports", "fewer")
    status, out, _ = call(folder, "diff", "of_impl", "fewer")
    assert (status, "no longer asked: sin(bfloat16)" in out) == (1, True)
    options = (
        "--oracle",
        "off",
        "--subject",
        "off",
        "--ops",
        "sin(bfloat16),neg(bfloat16)",
        "-n",
        "0",
    )
    call(folder, "sweep", *options, "--reports", "of_other")
    status, out, _ = call(folder, "diff", "of_impl", "of_other")
    assert (status, "1 question with the same results of impl, 1 with others" in out) == (0, True)


def test_all_nans_are_one_result():
    fmt = FORMATS["float16"]
    raw = np.array([[0x7E00], [0xFE01], [0x7C00], [0x3C00]], np.uint16)
    assert _with_one_nan(raw, fmt).tolist() == [[0xFFFF], [0xFFFF], [0x7C00], [0x3C00]]
    assert _with_one_nan(raw, FORMATS["int16"]) is raw


def test_a_subject_that_refuses_what_the_oracle_takes_is_wrong(folder):
    subject(folder, "refusing", "def sin(x):\n    raise RuntimeError('no')\n")
    status, _, _ = sweep(folder, "--subject", "refusing", "--ops", "sin(bfloat16)", "-n", "0")
    (row,) = certificate(folder)["questions"]
    assert (status, row["wrong"], "raises" in row["problem"]) == (1, 65536, True)


def run_some(count):
    def run(orders):
        for index, done in enumerate(run_here(orders)):
            if index == count:
                raise KeyboardInterrupt
            yield done

    return run


def asked(folder):
    key = {"oracle": "impl"}
    return Sweep([SIN], Checkpoints(folder, key), "impl", "impl")


def test_a_sweep_that_was_ended_continues_and_counts_no_chunk_twice(tmp_path):
    whole = asked(tmp_path / "whole")
    whole.run(run_here)
    for again in range(3):
        part = asked(tmp_path / "parts")
        if again:
            assert part.answers()[0].total.size == 3 * again * 8192
        with pytest.raises(KeyboardInterrupt):
            part.run(run_some(3 if again < 2 else 1))
        # The process died while it wrote a line, and another one wrote a line twice.
        (file,) = (tmp_path / "parts").glob("*.jsonl")
        lines = file.read_text().splitlines()
        file.write_text("\n".join([*lines, lines[-1], '{"chunk": 7, "res']))
    part = asked(tmp_path / "parts")
    assert not part.answers()[0].is_complete
    part.run(run_here)
    answers = [each.answers()[0] for each in (whole, part, asked(tmp_path / "parts"))]
    assert {each.total.digest for each in answers} == {answers[0].total.digest}
    assert [each.total.size for each in answers] == [65536] * 3


def test_a_chunk_that_raises_is_lost_and_asked_again_by_the_next_sweep(tmp_path):
    def failing(orders):
        *others, last = orders
        yield from run_here([*others, {**last, "question": ("sin(bfloat16)",)}])

    part = asked(tmp_path)
    part.run(failing)
    (answer,) = part.answers()
    assert (answer.is_complete, answer.total.size, [*answer.lost]) == (False, 65536 - 8192, [7])
    assert answer.lost[7].startswith("TypeError")
    whole = asked(tmp_path)
    whole.run(run_here)
    assert (whole.answers()[0].is_complete, whole.answers()[0].lost) == (True, {})


def test_chunks_with_another_key_are_not_mixed(tmp_path):
    Checkpoints(tmp_path, {"oracle": "impl"})
    with pytest.raises(CouldNotRun, match="another oracle"):
        Checkpoints(tmp_path, {"oracle": "torch"})


def test_the_digest_tells_results_and_their_order_apart():
    first, second = Chunk(1, equal=1, digest="a"), Chunk(1, equal=1, digest="b")
    assert (first + second).digest != (second + first).digest
    session = session_for("impl", "impl")
    digests = {compare_chunk(session, SIN, number).digest for number in range(SIN.chunks)}
    assert len(digests) == SIN.chunks


def test_patterns_choose_questions_and_name_what_is_not_there():
    questions = [*all_questions(["float16", "float32", "int8"])]
    assert [each.name for each in chosen(questions, "float32.to(*)")] == [
        "float32.to(float16)", "float32.to(int8)",
    ]  # fmt: skip
    assert {each.operator for each in chosen(questions, "sin, cos(float32)")} == {"sin", "cos"}
    with pytest.raises(CouldNotRun, match="no question is called 'sine'"):
        chosen(questions, "sine")
    assert len({each.name for each in questions}) == len(questions)


def test_wider_dtypes_are_drawn_and_every_block_is_another():
    question = next(each for each in all_questions([]) if each.name == "sin(complex64)")
    assert not question.is_whole
    steps = {question.case(block).patterns for block in question.blocks(1)}
    assert len(steps) == question.per_chunk // 2**18


def test_workers_give_the_certificate_of_one_process_though_one_is_killed(folder):
    ops = ("--ops", "sin(bfloat16),cos(bfloat16),eq(float8_e5m2)", "--chunk", "256")
    status, out, err = sweep(folder, *ops, "-n", "0", "--reports", "one")
    assert status == 0, out + err
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "conformance", "sweep", "--oracle", "impl", *ops, "-n", "2",
               "--reports", "many"]  # fmt: skip
    process = subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not [*(folder / "many").glob("sweep-chunks/*.jsonl")] and time.monotonic() < deadline:
        time.sleep(0.01)
    listed = subprocess.run(
        ["pgrep", "-P", str(process.pid), "-f", "spawn_main"], capture_output=True, text=True
    ).stdout.split()
    os.kill(int(listed[0]), signal.SIGKILL)
    assert process.wait(120) == 0
    one, many = (without_seconds(certificate(folder, name)) for name in ("one", "many"))
    assert one == many


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--scheduler", "tcp://127.0.0.1:9"], "no scheduler at tcp://127.0.0.1:9"),
        (["--ops", "sine"], "no question is called 'sine'"),
        (["--chunk", "0"], "a chunk has at least one element"),
        (["--subject", "nowhere"], "nowhere"),
        (["--subject", "impl@meta"], "tensors on meta have no elements"),
        (["--subject", "recorded:known.zip"], "a sweep needs both libraries"),
    ],
)
def test_what_cannot_run_is_2_and_says_why(folder, arguments, why):
    status, _, err = sweep(folder, *arguments)
    assert (status, why in err, err.count("\n")) == (2, True, 1), err
