"""Shards: their merged report equals the report of one run, and invalid sets are refused.

impl is the oracle.  The subject has the names in its `__all__`, which has no set_default_dtype,
and a wrong limit.  torch is not needed.
"""

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import impl
from conformance.cli import run, shards
from conformance.cli.commands import main
from conformance.cli.run import Run
from conformance.cli.settings import Settings
from conformance.core.errors import CouldNotRun
from conformance.core.profiles import PROFILES
from conformance.engine.aggregate import known_facts, to_text
from conformance.engine.execution import run_part
from conformance.engine.session import Session
from conformance.libraries.loading import load
from conformance.properties import all_properties
from conformance.spec import code_digest

ROOT = Path(__file__).parents[2]
LIMITS = {name: prop for name, prop in all_properties().items() if prop.area == "limits"}
CONTROLS = [f"fault-{number}" for number in range(7)]
LATEST = Path("reports/latest")


@pytest.fixture(scope="module")
def brought():
    """Yield the parts of the area limits, and the facts; the subject is wrong and incomplete."""
    subject = ModuleType("wrong_limits")
    vars(subject).update({name: getattr(impl, name) for name in impl.__all__})
    subject.iinfo = lambda dtype: impl.iinfo(impl.int16 if dtype is impl.int8 else dtype)
    sys.modules[subject.__name__] = subject
    oracle = load("impl")
    session = Session(oracle, load(subject.__name__, oracle.names), PROFILES["quick"])
    parts = {
        shards.part_id(name, part): to_text(run_part(session, prop, part))
        for name, prop in LIMITS.items()
        for part in range(prop.parts)
    }
    yield parts, known_facts(session)
    del sys.modules[subject.__name__]


@pytest.fixture
def suite(brought, tmp_path, monkeypatch):
    """Return a function that runs the area limits and some controls in a new folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(shards, "all_properties", lambda: LIMITS)
    monkeypatch.setattr(run, "all_properties", lambda: LIMITS)
    monkeypatch.setattr(shards, "runs", lambda session: dict.fromkeys(CONTROLS))
    monkeypatch.setattr(code_digest, "suite_digest", lambda: 16 * "5")
    parts, facts = brought

    def finish(share=None, only=None, reports="reports/latest", cores="2"):
        run = Run(Settings("wrong_limits", "impl", only=only, reports=reports, shard=share))
        run.begin()
        ids = shards.shard_ids(share, only)
        random.Random(str(share)).shuffle(ids)
        for name in ids:
            run.add_facts({key: {**values, "cores": cores} for key, values in facts.items()})
            if name in parts:
                run.add_part(parts[name])
            else:
                run.add_control(control(name.removeprefix("control ")))
        return run.finish()

    return finish


def control(name):
    return {"id": name, "kind": "fault", "fault": name, "property": "limits.iinfo",
            "caught_as": "value", "caught": True, "found": ["value"], "problems": 1,
            "example": None}  # fmt: skip


def split(suite, count, only=None, **how):
    """Run the shards, the last one first; return their files in random order."""
    assert {suite((number, count), only, **how) for number in range(count, 0, -1)} == {0}
    folder = LATEST / f"only-{only}" if only else LATEST
    files = [folder / shards.file_name((number, count)) for number in range(1, count + 1)]
    random.Random(count).shuffle(files)
    return files


def lines_of(path):
    """Return the lines of a report without times and durations."""
    passing = (' "started": ', ' "duration_s": ', '   "seconds": ')
    return [line for line in path.read_text().splitlines() if not line.startswith(passing)]


def merged(capsys, *inputs):
    capsys.readouterr()
    status = main(["merge", *map(str, inputs)])
    return status, *capsys.readouterr()


@pytest.mark.parametrize("only", [None, "limits"])
@pytest.mark.parametrize("count", [1, 2, 3, 5, 40])
def test_shards_become_the_report_of_a_whole_run(suite, capsys, count, only):
    files = split(suite, count, only)
    assert suite(only=only, reports="whole") == 1
    status, out, err = merged(capsys, *files)
    assert (status, err) == (1, "")
    assert "wrong_limits does not conform to impl" in out
    folder = f"only-{only}" if only else ""
    whole, joined = (Path(name) / folder / "report.json" for name in ("whole", LATEST))
    assert lines_of(joined) == lines_of(whole)
    report = json.loads(joined.read_text())
    assert report["divergences"]
    (blocker,) = report["blocked"]
    assert (blocker["by"], blocker["properties"]) == ("torch.set_default_dtype", ["limits.default"])
    (domain,) = (row["domain"] for row in report["properties"] if row["id"] == "limits.default")
    assert blocker["cells"] == domain["blocked"] == domain["size"] - domain["visited"] > 100
    assert sorted(path.name for path in whole.parent.iterdir()) == sorted(
        path.name for path in joined.parent.iterdir() if not path.name.startswith("shard")
    )


def test_machines_may_have_different_numbers_of_cores(suite, capsys):
    suite((1, 2), cores="16")
    suite((2, 2), cores="4")
    assert merged(capsys, LATEST)[0] == 1
    assert json.loads((LATEST / "report.json").read_text())["environment"]["cores"] == "4 and 16"


def test_a_folder_of_shards_will_do_and_an_older_report_is_replaced(suite, capsys):
    suite()
    before = (LATEST / "report.json").read_bytes()
    split(suite, 3)
    assert (LATEST / "report.json").read_bytes() == before
    (LATEST / "incomplete").write_text("A run was killed here.\n")
    status, out, _ = merged(capsys, LATEST)
    assert (status, "wrote reports/latest/report.json" in out) == (1, True)
    assert not (LATEST / "incomplete").exists()


def test_dealing_leaves_no_test_out_and_gives_none_twice():
    for count in (1, 2, 3, 7, 1000):
        dealt = [shards.shard_ids((number, count), None) for number in range(1, count + 1)]
        assert sorted(name for shard in dealt for name in shard) == sorted(shards.all_ids(None))
        assert max(map(len, dealt)) - min(map(len, dealt)) <= 1


def altered(path, change):
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))


def put(data, value, *names):
    for name in names[:-1]:
        data = data[name]
    data[names[-1]] = value


def change(*names, to):
    return lambda paths: altered(paths[1], lambda data: put(data, to, *names))


def everywhere(*names, to):
    return lambda paths: [altered(path, lambda data: put(data, to, *names)) for path in paths]


def other_torch(paths):
    altered(
        paths[1],
        lambda data: [put(data, "2.9.0", "facts", name, "torch") for name in data["facts"]],
    )


def drop_a_part(paths):
    altered(paths[1], lambda data: data["parts"].pop())


def repeat_a_part(paths):
    altered(paths[1], lambda data: data["parts"].append(data["parts"][0]))


def foreign_part(paths):
    other = json.loads(paths[0].read_text())["parts"][0]
    altered(paths[1], lambda data: data["parts"].append(other))


def empty_part(paths):
    def empty(data):
        part = json.loads(data["parts"][0])
        data["parts"][0] = json.dumps({name: part[name] for name in ("property_id", "part")})

    altered(paths[1], empty)


def cut(paths):
    paths[1].write_text(paths[1].read_text()[:-100])


REFUSALS = {
    "shard 2 of 3 is not there": lambda paths: paths.pop(1),
    "shard 1 of 3 is not there, nor are 1 others": lambda paths: [paths.pop(0), paths.pop(0)],
    "shard 1 of 3 is given twice": lambda paths: paths.append(paths[0]),
    "shards of 3 and of 4 are no one run": change("share", to=[2, 4]),
    "shards 1/3 and 2/3 conflict: seed is 0 in one and 1 in the other": change(
        "asked", "seed", to=1
    ),
    "profile is 'quick' in one and 'deep' in the other": change("asked", "profile", to="deep"),
    "subject is 'wrong_limits' in one and 'theirs' in": change("asked", "subject", to="theirs"),
    "oracle is 'impl' in one and 'torch' in": change("asked", "oracle", to="torch"),
    "only is None in one and 'limits' in": change("asked", "only", to="limits"),
    "the code of the suite is '": change("code", "suite", to="0"),
    "the code of the subject is None in one and '0'": change("code", "subject", to="0"),
    "torch is None in one and '2.9.0' in the other": other_torch,
    "another suite made these shards": everywhere("code", "suite", to="0"),
    "shard-2-of-3.json is not JSON: ": cut,
    "is not a conformance report": lambda paths: paths[1].write_text('{"a": 1}'),
    "is no whole shard: KeyError: 'asked'": lambda paths: altered(
        paths[1], lambda data: data.pop("asked")
    ),
    "is no whole shard: CouldNotRun": change("share", to=[0, 3]),
    "is no whole shard: KeyError: 'environment'": change("facts", to={}),
    "is no whole shard: ValueError: asked for": change("asked", "colour", to="red"),
    "is no whole shard: ValueError: limits.": repeat_a_part,
    "ValueError: no area is called 'x/../../evil'": change("asked", "only", to="x/../../evil"),
    "ValueError: there is no profile 'huge' with the seed 0": change("asked", "profile", to="huge"),
    "ValueError: there is no profile 'quick' with the seed '0'": change("asked", "seed", to="0"),
    "ValueError: the subject is ' '": change("asked", "subject", to=" "),
    "ValueError: it ran for 1e+300 seconds": change("duration_s", to=1e300),
    "shard 2/3 does not hold the tests that are its own; ": drop_a_part,
    "one that it lacks or should not have": foreign_part,
    "a shard holds what cannot be read: ": empty_part,
    "cannot read nowhere": lambda paths: paths.append(Path("nowhere")),
    "reports holds neither shards nor a report": lambda paths: paths.append(Path("reports")),
    "is a whole report; shards go with shards": lambda paths: paths.append(
        Path("whole/only-limits/report.json")
    ),
}


@pytest.mark.parametrize("why", REFUSALS)
def test_what_is_no_one_run_is_refused_in_one_line_and_nothing_is_written(suite, capsys, why):
    paths = sorted(split(suite, 3))
    (LATEST / "report.json").write_text("the last report")
    if "whole report" in why:
        suite(only="limits", reports="whole")
    REFUSALS[why](paths)
    before = {path: path.read_bytes() for path in LATEST.iterdir()}
    for _ in range(2):
        status, out, err = merged(capsys, *paths)
        assert (status, out, why in err, err.count("\n")) == (2, "", True, 1), err
        random.Random(1).shuffle(paths)
    assert {path: path.read_bytes() for path in LATEST.iterdir()} == before


def test_a_whole_run_takes_away_the_shards_of_an_older_one(suite):
    split(suite, 2)
    suite()
    assert not [*LATEST.glob("shard-*")]
    assert (LATEST / "report.json").exists()


def test_a_merge_that_cannot_be_written_says_so(suite, capsys):
    files = split(suite, 2)
    Path("file").write_text("")
    status, _, err = merged(capsys, *files, "--reports", "file")
    assert (status, "cannot write reports to file" in err) == (2, True)


@pytest.mark.parametrize("text", ["0/3", "4/3", "1/2/3", "1", "", "x/2", "-1/2"])
def test_what_is_no_shard_is_refused(text):
    with pytest.raises(CouldNotRun, match="is no shard; write 1/3, 2/3 and 3/3"):
        shards.read_share(text)


def start(folder, *arguments):
    # An import of torch would create a file in the folder.
    code = (
        "import sys; from conformance.report import progress;"
        " from conformance.cli.commands import main;"
        "progress.Progress.__init__.__defaults__ = (0.0,); sys.exit(main(sys.argv[1:]))"
    )
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_shards_are_run_and_merged_from_the_command_line(tmp_path):
    (tmp_path / "theirs.py").write_text("import impl\nopen('imported', 'w')\n")
    latest = tmp_path / LATEST / "only-limits"
    latest.mkdir(parents=True)
    (latest / "report.json").write_text("the last report")
    arguments = ("run", "--subject", "theirs:impl", "--oracle", "impl", "--only", "limits")
    running = [
        start(tmp_path, *arguments, "-n", workers, "--shard", share)
        for workers, share in (("0", "2/2"), ("1", "1/2"))
    ]
    for process, tests in zip(running, ("3", "4"), strict=True):
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, out + err
        assert "not judged" in out
        assert f"1/{tests} parts, " in err
        assert f"{tests}/{tests} parts, " in err
    assert sorted(path.name for path in latest.iterdir()) == [
        "report.json", "shard-1-of-2.json", "shard-2-of-2.json",
    ]  # fmt: skip
    assert (latest / "report.json").read_text() == "the last report"
    (tmp_path / "imported").unlink()
    (tmp_path / "torch.py").write_text("open('imported', 'w')\n")
    merging = start(tmp_path, "merge", str(latest))
    out, err = merging.communicate(timeout=120)
    assert (merging.returncode, err) == (0, ""), out
    assert f"theirs:impl conforms to impl {impl.__version__} in limits" in out
    assert json.loads((latest / "report.json").read_text())["verdict"] == "conforms"
    assert not (tmp_path / "imported").exists()


def test_what_is_no_shard_is_2_and_one_line(tmp_path):
    process = start(tmp_path, "run", "--oracle", "impl", "--only", "limits", "--shard", "3/2")
    out, err = process.communicate(timeout=120)
    assert (process.returncode, out, err.count("\n")) == (2, "", 1)
    assert "'3/2' is no shard" in err
    assert list(tmp_path.iterdir()) == []
