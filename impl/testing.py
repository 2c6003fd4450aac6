"""torch.testing: comparisons and random tensors for tests, and simulated CUDA devices.

Torch has no simulated devices.
"""

from ._devices.simulated_cuda import simulated_cuda
from ._testing.comparison import assert_allclose, assert_close
from ._testing.make_tensor import make_tensor

__all__ = ["assert_allclose", "assert_close", "make_tensor", "simulated_cuda"]
