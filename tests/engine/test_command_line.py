"""The command line as a process: exit statuses, messages, and complete reports.

impl is the oracle, so torch is not needed.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import impl

from .commands import LIMITS, ROOT, call, report_of, run


def test_nothing_unexpected_is_0(folder):
    status, out, _ = run(folder, "--subject", "nested:holder.torch")
    assert status == 0, out
    assert f"conforms to impl {impl.__version__} in limits" in out
    report = report_of(folder)
    assert report["partial"] == "limits"
    assert {prop["domain"]["complete"] for prop in report["properties"]} == {True}
    assert (folder / LIMITS / "report.md").exists()


def test_a_divergence_is_1_and_can_be_reproduced(folder):
    status, out, _ = run(folder, "--subject", "wrong")
    assert status == 1
    assert f"wrong does not conform to impl {impl.__version__} in limits" in out
    by_case = {row["case"]: row for row in report_of(folder)["divergences"]}
    divergence = by_case["x = torch.iinfo(torch.int8)\nx.max"]
    assert (divergence["expected"], divergence["observed"]) == ({"int": "127"}, {"int": "32767"})
    printed = []
    for library in ("impl", "wrong"):
        script = divergence["reproduction"].replace("import torch ", f"import {library} as torch ")
        process = subprocess.run(
            [sys.executable, "-c", script],
            cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        printed.append(process.stdout)
    assert printed == ["127\n", "32767\n"]
    status, out, _ = call(
        folder, "show", str(LIMITS / "report.json"), "--divergence", divergence["id"]
    )
    assert (status, "32767" in out) == (0, True)


def test_what_is_missing_is_1_and_counted(folder):
    status, out, _ = run(folder, "--subject", "less")
    assert status == 1
    assert report_of(folder)["totals"]["missing"] > 0
    assert "missing" in out


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--subject", "nowhere"], "'nowhere' cannot be imported: ModuleNotFoundError"),
        (["--subject", "broken"], "'broken' cannot be imported: OSError: no"),
        (["--subject", "nested:holder.tensor"], "'nested' has no attribute 'holder.tensor'"),
        (["--subject", "impl@xpu"], "AssertionError: Torch not compiled with XPU enabled"),
        (["--subject", "math@meta"], "the library has no set_default_device"),
        (
            ["--subject", "cudaless@cuda"],
            "no CUDA device is available, and the library has no testing.simulated_cuda",
        ),
        (["--oracle", "nowhere"], "'nowhere' cannot be imported"),
        (["--subject", ""], "'' names no module"),
        (["--subject", "leaving"], "'leaving' cannot be imported: SystemExit"),
        (["--subject", "dying"], "'dying' ends the process that imports it"),
        (
            ["--only", "cooking"],
            "no area is called 'cooking'; there are arithmetic, arrangement, autograd, callables, "
            "capsules, casting, constructors, containers, contexts, conversions, convolutions",
        ),
        (["--only", "engine"], "no area is called 'engine'"),
        (["--reports", ""], "--reports names no folder"),
        (["--oracle", "no.where"], "'no.where' cannot be imported"),
        (["-n", "-1"], "there cannot be -1 workers"),
        (["--profile", "slow"], "invalid choice: 'slow'"),
        (["--seed", "x"], "invalid int value: 'x'"),
        (["--colour"], "unrecognized arguments: --colour"),
        (["--reports", "nested.py"], "cannot write reports to nested.py/only-limits"),
    ],
)
def test_what_cannot_run_is_2_and_says_why_in_one_line(arguments, why, folder):
    status, out, err = run(folder, *arguments)
    assert status == 2
    (line,) = (out + err).strip().splitlines()
    assert why in line
    assert not (folder / LIMITS).exists()


@pytest.mark.parametrize(("subject", "workers"), [("deadly", "2"), ("fleeing", "1")])
def test_a_worker_that_dies_costs_its_part_alone(subject, workers, folder):
    status, out, _ = run(folder, "--subject", subject, "-n", workers)
    assert status == 1
    assert "nothing is known of 2 of 2 parts" in out
    by_name = {row["id"]: row for row in report_of(folder)["properties"]}
    assert by_name["limits.iinfo"]["domain"]["died"] == 2
    assert by_name["limits.iinfo"]["verdict"] == "not run"
    assert by_name["limits.finfo"]["verdict"] == "holds"


def test_even_a_process_that_ends_with_success_has_not_succeeded(folder):
    # Without workers, no process is left that could report it.
    assert run(folder, "--subject", "impl")[0] == 0
    before = (folder / LIMITS / "report.json").read_bytes()
    assert run(folder, "--subject", "fleeing", "-n", "0")[0] == 0
    assert (folder / LIMITS / "report.json").read_bytes() == before
    assert "a later run in its folder is not complete" in call(folder, "show", str(LIMITS))[1]
    (folder / LIMITS / "report.json").unlink()
    assert run(folder, "--subject", "fleeing", "-n", "0")[0] == 0
    assert not (folder / LIMITS / "report.json").exists()
    assert (folder / LIMITS / "incomplete").exists()


def test_options_of_pytest_from_the_environment_do_not_count(folder, monkeypatch):
    monkeypatch.setenv("PYTEST_ADDOPTS", "--collect-only --nonsense")
    assert run(folder, "--subject", "impl")[0] == 0
    assert report_of(folder)["verdict"] == "conforms"


@pytest.mark.parametrize(
    ("subject", "name"),
    [
        ("meddling", "torch.promote_types"),
        ("muted", "conformance.engine.aggregate.merge"),
        ("recoded", "conformance.comparison.comparator.compare"),
        ("deafened", "conformance.engine.records.PartRecord.note"),
        ("indulged", "conformance.core.profiles.PROFILES"),
    ],
)
def test_a_subject_that_changes_the_oracle_or_the_suite_is_found_out(subject, name, folder):
    status, out, _ = run(folder, "--subject", subject)
    assert status == 2
    assert f"{subject!r} has put something else for {name}" in out


def test_a_rude_subject_only_diverges(folder):
    status, out, _ = run(folder, "--subject", "rude")
    assert status == 1, out
    answers = [row["observed"] for row in report_of(folder)["divergences"]]
    assert "rude.Rude" in answers


def test_reports_are_compared(folder):
    run(folder, "--subject", "impl", "--reports", "old")
    run(folder, "--subject", "impl", "--reports", "new", "--seed", "7")
    old, new = (f"{name}/only-limits/report.json" for name in ("old", "new"))
    assert call(folder, "diff", old, new)[:2] == (0, "no difference\n")
    run(folder, "--subject", "wrong", "--reports", "new")
    status, out, _ = call(folder, "diff", old, new)
    assert (status, "\nnew: " in out) == (1, True)
    status, out, _ = call(folder, "diff", old, new, "--markdown")
    assert (status, out.startswith("## wrong against impl: ")) == (1, True)
    changed = json.loads((folder / new).read_text())
    changed["properties"] = changed["properties"][1:]
    (folder / new).write_text(json.dumps(changed))
    status, out, err = call(folder, "diff", old, new)
    assert (status, out, "is not a whole report" in err) == (2, "", True)
    status, out, err = call(folder, "diff", old, "nested.py")
    assert (status, out, "is not JSON" in err) == (2, "", True)
    status, _, err = call(folder, "show", old, "--divergence", "none")
    assert (status, "0 divergences of" in err, "begin with 'none'" in err) == (2, True, True)
    status, _, err = call(folder, "show", "old")
    assert (status, "there is a report in old/only-limits" in err) == (2, True)


def test_a_missing_package_is_named(folder):
    (folder / "tabulate.py").write_text("import nowhere\n")
    status, out, err = call(folder, "diff", "old", "new")
    assert (status, out) == (2, "")
    assert err.startswith("conformance: 'nowhere' is not installed; run python -m pip install")


def test_plain_pytest_works(folder):
    process = subprocess.run(
        [sys.executable, "-m", "pytest", str(ROOT / "conformance"), "-q", "--only", "limits",
         "--oracle", "impl", "--subject", "impl", "--reports", str(folder / "plain"),
         "-p", "no:cacheprovider"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert process.returncode == 0, process.stdout
    assert f"conforms to impl {impl.__version__} in limits" in process.stdout


def test_a_part_of_the_suite_under_pytest_is_no_run(folder):
    process = subprocess.run(
        [sys.executable, "-m", "pytest", str(ROOT / "conformance"), "-q", "-k", "iinfo",
         "--oracle", "impl", "--reports", str(folder / "plain"), "-p", "no:cacheprovider"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert process.returncode == 0, process.stdout
    assert "no report: only a part of the suite was run" in process.stdout
    assert list((folder / "plain").iterdir()) == []


def test_a_list_of_known_divergences_is_green_and_what_is_new_or_mended_is_not(folder):
    known = ("--expectations", "known.toml")
    assert run(folder, "--subject", "wrong")[0] == 1
    status, out, _ = call(
        folder, "accept", str(LIMITS), "--all", "--reason", "iinfo is next", "--into", "known.toml"
    )
    assert (status, "written into known.toml" in out) == (0, True)
    status, out, _ = run(folder, "--subject", "wrong", *known)
    assert status == 0, out
    assert "expected divergences" in out
    text = (folder / "wrong.py").read_text()
    (folder / "wrong.py").write_text(f"{text}\nfinfo = lambda *args: 1\n")
    status, out, _ = run(folder, "--subject", "wrong", *known)
    assert (status, "unexpected divergence" in out) == (1, True)
    (folder / "wrong.py").write_text("from impl import *\n")
    status, out, _ = run(folder, "--subject", "wrong", *known)
    assert (status, "stale: limits.iinfo" in out) == (1, True)
    status, out, err = run(folder, "--subject", "wrong", "--expectations", "nowhere.toml")
    assert (status, "nowhere.toml: No such file or directory" in out + err) == (2, True)


def test_words_fail_a_run_of_their_level_alone(folder):
    # What promote_types refuses, it refuses in other words.
    (folder / "wordy.py").write_text(
        "import impl\ndef __getattr__(name):\n    return getattr(impl, name)\n"
        "def promote_types(*args, **named):\n    try:\n"
        "        return impl.promote_types(*args, **named)\n"
        "    except RuntimeError as error:\n        raise RuntimeError(f'{error}!') from None\n"
    )
    arguments = ("--subject", "wordy", "--only", "promotion.promote_types")
    place = Path("reports/latest/only-promotion.promote_types")
    assert run(folder, *arguments)[0] == 1
    assert {row["level"] for row in report_of(folder, place)["divergences"]} == {3}
    status, out, _ = run(folder, *arguments, "--level", "2")
    assert status == 0, out
    assert (
        f"wordy conforms to impl {impl.__version__} in promotion.promote_types up to level 2" in out
    )
    assert report_of(folder, place)["totals"]["unexpected"] > 0


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["--only", "limits.finfo,limits.iinfo"], {"limits.finfo", "limits.iinfo"}),
        (["--property", "limits.?info"], {"limits.finfo", "limits.iinfo"}),
    ],
)
def test_some_properties_are_run(arguments, names, folder):
    command = ("run", "--oracle", "impl", "-n", "0", "--subject", "impl", *arguments)
    status, out, err = call(folder, *command)
    assert status == 0, out + err
    place = Path("reports/latest/only-limits.finfo,limits.iinfo")
    assert {row["id"] for row in report_of(folder, place)["properties"]} == names


def test_what_matches_nothing_is_refused(folder):
    for option, why in (("--property", "no property is"), ("--clause", "no clause is called 'x'")):
        status, _, err = call(folder, "run", "--oracle", "impl", option, "x")
        assert (status, why in err) == (2, True)


def test_a_first_look_says_what_is_there_and_what_to_do_next(folder):
    status, out, err = call(folder, "check", "--oracle", "impl", "--subject", "less")
    assert status == 0, err
    assert "facts  dtype, shape, stride" in out
    assert "public names in scope" in out
    assert "run --subject less --profile smoke" in out
    assert "also plants faults in the suite" in out
    status, _, err = call(folder, "check", "--oracle", "impl", "--subject", "dying")
    assert (status, "'dying' ends the process" in err) == (2, True)


def test_a_first_look_shows_the_adapter_that_makes_a_tensor_of_what_tensor_returns(folder):
    (folder / "strange.py").write_text(
        "class NDArray:\n    def __init__(self, data): self.data = data\ntensor = NDArray\n"
    )
    status, out, err = call(folder, "check", "--oracle", "impl", "--subject", "strange")
    assert status == 0, err
    assert "torch.tensor() returns strange.NDArray, which is no torch.Tensor" in out
    shown = re.findall(r"^    (\S.*)$", out, re.MULTILINE)
    (folder / "adapted.py").write_text("\n".join(shown))
    status, out, err = call(folder, "check", "--oracle", "impl", "--subject", "adapted")
    assert status == 0, err
    assert "is no torch.Tensor" not in out
    assert "not asked: stride (AttributeError" in out


def test_a_recording_judges_a_run_and_says_so(folder):
    smoke = ("--profile", "smoke")
    asked = ("--oracle", "impl", "--only", "limits", "-n", "1", *smoke)
    status, out, err = call(folder, "record", *asked, "known.zip")
    assert (status, "wrote known.zip" in out) == (0, True), err
    run(folder, "--subject", "wrong", *smoke)
    totals = report_of(folder)["totals"]
    # Nothing of the oracle is left to be asked.
    recorded = ("--oracle", "recorded:known.zip", *smoke)
    status, out, err = run(folder, "--subject", "wrong", *recorded)
    assert status == 1, err
    assert f"wrong does not conform to impl {impl.__version__} (recorded) in limits" in out
    report = report_of(folder)
    assert (report["totals"], report["recorded"]["oracle"]) == (totals, "impl")
    assert run(folder, "--subject", "impl", *recorded)[0] == 0
    status, _, err = run(folder, "--subject", "wrong", *recorded, "--seed", "1")
    assert (status, "is a recording of --profile smoke --seed 0" in err) == (2, True)
    for command in (
        ("check", *recorded[:2], "--subject", "wrong"),
        ("run", *recorded, "--subject", "wrong", "--controls"),
        ("record", *recorded, "again.zip"),
    ):
        status, _, err = call(folder, *command)
        assert (status, "torch itself" in err) == (2, True), err
    status, _, err = run(folder, "--subject", "impl@meta", *recorded)
    assert status == 2
