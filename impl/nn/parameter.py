"""torch.nn.parameter: parameters and buffers of modules."""

from .._tensor.parameter import Buffer, Parameter

__all__ = ["Buffer", "Parameter"]
