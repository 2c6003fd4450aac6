"""torch.torch_version: the class of torch.__version__."""

from ._runtime.version_numbers import TorchVersion, __version__ as __version__

__all__ = ["TorchVersion"]
