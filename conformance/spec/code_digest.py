"""Digests of source code, by which a report identifies the code of its run.

The files of a library are located and read, not imported.
"""

from collections.abc import Iterable
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
LEFT_OUT = [PACKAGE / name for name in ("report", "adapters", "check", "sweep")]
"""The packages without influence on a run: writers of reports, subjects, other commands."""


def suite_digest() -> str:
    """Return the digest of the suite without the packages that are left out."""
    files = (file for file in _sources(PACKAGE) if not any(map(file.is_relative_to, LEFT_OUT)))
    return _digest(PACKAGE, files)


def package_digest() -> str:
    """Return the digest of the whole suite."""
    return _digest(PACKAGE, _sources(PACKAGE))


def library_digest(spec: str) -> str | None:
    """Return the digest of the Python files of a subject's package, or None if it has none."""
    name = spec.partition("@")[0].partition(":")[0].partition(".")[0]
    try:
        module_spec = find_spec(name)
    except (ImportError, ValueError):
        return None
    if module_spec is None:
        return None
    if module_spec.submodule_search_locations:
        folder = Path(next(iter(module_spec.submodule_search_locations)))
        return _digest(folder, _sources(folder))
    path = Path(module_spec.origin or "")
    return _digest(path.parent, [path]) if path.suffix == ".py" else None


def _sources(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if file.suffix in (".py", ".toml"))


def _digest(folder: Path, files: Iterable[Path]) -> str:
    """Return the digest of files by their names and lines, independent of line endings."""
    digest = sha256()
    for file in files:
        text = file.read_bytes().replace(b"\r\n", b"\n")
        digest.update(f"{file.relative_to(folder).as_posix()} {len(text)}\n".encode())
        digest.update(text)
    return digest.hexdigest()[:16]
