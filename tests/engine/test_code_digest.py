"""The code digests that identify the suite and the subject in a report."""

import subprocess
import sys

import pytest

from conformance.spec import code_digest


@pytest.fixture
def package(tmp_path, monkeypatch):
    folder = tmp_path / "theirs"
    folder.mkdir()
    (folder / "__init__.py").write_text("raise SystemExit('it was imported')\n")
    (folder / "deeper").mkdir()
    (folder / "deeper/rows.toml").write_text("a = 1\n")
    (folder / "notes.txt").write_text("nothing that is run\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    return folder


def test_a_library_is_read_and_not_imported(package):
    assert code_digest.library_digest("theirs") == code_digest.library_digest(
        "theirs.deeper:name@meta"
    )
    assert "theirs" not in sys.modules


def test_every_source_counts_wherever_it_lies(package):
    digests = [code_digest.library_digest("theirs")]
    (package / "deeper/rows.toml").write_text("a = 2\n")
    digests.append(code_digest.library_digest("theirs"))
    (package / "new.py").write_text("")
    digests.append(code_digest.library_digest("theirs"))
    (package / "new.py").rename(package / "other.py")
    digests.append(code_digest.library_digest("theirs"))
    assert len(set(digests)) == 4
    (package / "notes.txt").write_text("other notes\n")
    assert code_digest.library_digest("theirs") == digests[-1]


def test_how_lines_end_does_not_count(package):
    before = code_digest.library_digest("theirs")
    (package / "deeper/rows.toml").write_bytes(b"a = 1\r\n")
    assert code_digest.library_digest("theirs") == before


@pytest.mark.parametrize("spec", ["nowhere", "sys", "", "a..b"])
def test_what_has_no_files_has_no_digest(spec):
    assert code_digest.library_digest(spec) is None


def test_the_digest_of_the_suite_is_the_same_in_another_process():
    code = (
        "from conformance.spec import code_digest as digests;"
        " print(digests.suite_digest(), digests.library_digest('impl'))"
    )
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert process.stdout.split() == [
        code_digest.suite_digest(),
        code_digest.library_digest("impl"),
    ]
