"""Fixtures of the tests of the suite."""

import pytest

from .commands import SUBJECTS


@pytest.fixture
def folder(tmp_path):
    """Return a folder with the subjects of the commands."""
    for name, text in SUBJECTS.items():
        (tmp_path / f"{name}.py").write_text(f"import impl\nfrom impl import *\n{text}")
    (tmp_path / "nested.py").write_text("import impl\nclass holder: torch = impl\n")
    return tmp_path
