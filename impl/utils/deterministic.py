"""torch.utils.deterministic: the flag fill_uninitialized_memory."""

import sys

from .._numerics.deterministic import DeterministicModule as _DeterministicModule

sys.modules[__name__].__class__ = _DeterministicModule
