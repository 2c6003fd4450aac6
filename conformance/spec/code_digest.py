"""Digests of code, by which a report says which code it was made with.

Nothing is imported: a library's files are found, and read.
"""

from collections.abc import Iterable
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
WRITERS = PACKAGE / "report"
"""They say how a report is written, not what is in it."""


def of_suite() -> str:
    """Return the digest of the suite, without what only writes reports."""
    files = (each for each in _sources(PACKAGE) if not each.is_relative_to(WRITERS))
    return _digest(PACKAGE, files)


def of_library(spec: str) -> str | None:
    """Return the digest of the Python files of the package that a subject's spec names, if it has any."""
    name = spec.partition("@")[0].partition(":")[0].partition(".")[0]
    try:
        found = find_spec(name)
    except (ImportError, ValueError):
        return None
    if found is None:
        return None
    if found.submodule_search_locations:
        folder = Path(next(iter(found.submodule_search_locations)))
        return _digest(folder, _sources(folder))
    path = Path(found.origin or "")
    return _digest(path.parent, [path]) if path.suffix == ".py" else None


def _sources(folder: Path) -> list[Path]:
    return sorted(each for each in folder.rglob("*") if each.suffix in (".py", ".toml"))


def _digest(folder: Path, files: Iterable[Path]) -> str:
    """Digest files by their names and lines, however a checkout ends lines."""
    total = sha256()
    for each in files:
        text = each.read_bytes().replace(b"\r\n", b"\n")
        total.update(f"{each.relative_to(folder).as_posix()} {len(text)}\n".encode())
        total.update(text)
    return total.hexdigest()[:16]
