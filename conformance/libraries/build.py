"""What identifies the build of torch in a process: its version, commit and CPU capability."""

from typing import Any

from .library import attribute_or_none


def build_of(root: Any) -> dict[str, str] | None:
    """Return the build of torch, or None for a library that does not tell its commit."""
    commit = attribute_or_none(attribute_or_none(root, "version"), "git_version")
    capability = capability_of(root)
    if not isinstance(commit, str) or capability is None:
        return None
    return {
        "version": str(attribute_or_none(root, "__version__")),
        "commit": commit,
        "cpu_capability": capability,
    }


def capability_of(root: Any) -> str | None:
    """Return the vector width of torch in this process, or None for another library."""
    cpu = attribute_or_none(attribute_or_none(root, "backends"), "cpu")
    read = attribute_or_none(cpu, "get_cpu_capability")
    return (
        str(read()) if callable(read) and attribute_or_none(root, "__name__") == "torch" else None
    )


def has_mkl(root: Any) -> bool:
    """Return whether functions of torch in this process may be those of MKL."""
    mkl = attribute_or_none(attribute_or_none(root, "backends"), "mkl")
    read = attribute_or_none(mkl, "is_available")
    return bool(read()) if callable(read) else False
