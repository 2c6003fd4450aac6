"""torch in its FakeTensorMode: dtypes, shapes, strides and devices without elements."""

import logging

import torch
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensor,
    FakeTensorMode,
)

from ..adapter import Adapter


def _mode() -> FakeTensorMode:
    # It logs each error with a traceback.
    logging.getLogger("torch._subclasses.fake_tensor").setLevel(logging.CRITICAL + 1)
    return FakeTensorMode(allow_non_fake_inputs=True)


adapter = Adapter(
    torch,
    tensor=FakeTensor,
    context=_mode,
    frames=("torch._subclasses.fake_tensor",),
    not_asked=("elements", "address", "repr"),
    declines=(DataDependentOutputException, DynamicOutputShapeException),
)
