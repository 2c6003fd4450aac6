"""torch.utils.deterministic: whether new memory is filled while deterministic algorithms are on."""

import sys

from .._numerics.deterministic import DeterministicModule as _DeterministicModule

sys.modules[__name__].__class__ = _DeterministicModule
