"""torch.backends.cuda: whether there is CUDA, and the precision of its products."""

from typing import Any as _Any

from .._accelerators import host as _host
from .._accelerators.cuda import is_available as _is_available

__all__ = ["cuBLASModule", "is_built", "matmul"]


def is_built() -> bool:
    """Return whether there are CUDA devices."""
    return _is_available()


class cuBLASModule:
    """The settings of products on CUDA; impl computes in the highest precision."""

    def __getattr__(self, name: str) -> _Any:
        if name == "allow_tf32":
            return _host.allows_tf32()
        raise AttributeError(f"Unknown attribute {name}")

    def __setattr__(self, name: str, value: _Any) -> None:
        if name != "allow_tf32":
            raise AttributeError(f"Unknown attribute {name}")
        _host.set_allows_tf32(value)


matmul = cuBLASModule()
