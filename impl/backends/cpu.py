"""torch.backends.cpu: the vector instructions of the processor."""

from .._arrays.cpu_capability import get_cpu_capability

__all__ = ["get_cpu_capability"]
