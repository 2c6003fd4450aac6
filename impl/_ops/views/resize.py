"""Tensor.resize and Tensor.resize_as, deprecated methods that torch implements in Python.

They apply an autograd function (torch/autograd/_functions/tensor.py).
"""

import operator
from functools import reduce
from typing import Any

from ..._autograd.autograd_meta import (
    CreationMeta,
    is_inference,
    materialize_autograd_meta,
    node,
)
from ..._autograd.grad_mode import no_grad
from ..._autograd.tracking import is_recorded
from ..._runtime.errors import check
from ..._runtime.warnings import is_python_frame, warn
from ..._tensor.tensor import METHODS, Tensor


def resize(self: Any, *sizes: Any) -> Any:
    """Return a view of another shape, or of a contiguous copy."""
    warn("non-inplace resize is deprecated")
    return _applied(self, sizes)


def resize_as(self: Any, tensor: Any) -> Any:
    """Return a view of the shape of another tensor, or of a contiguous copy."""
    warn("non-inplace resize_as is deprecated")
    return _applied(self, tensor.size())


def _applied(tensor: Any, sizes: Any) -> Any:
    recorded = isinstance(tensor, Tensor) and is_recorded(tensor)
    with no_grad():
        result = _resized(tensor, sizes)
    check(
        not (is_inference(tensor) or is_inference(result)),
        lambda: "Inference tensors do not track version counter.",
    )
    meta = materialize_autograd_meta(result)
    meta.creation_meta = CreationMeta.CUSTOM_FUNCTION
    if recorded:
        meta.grad_fn, meta.output_nr = node("ResizeBackward"), 0
    return result


@is_python_frame
def _resized(tensor: Any, sizes: Any) -> Any:
    numel = reduce(operator.mul, sizes, 1)
    if tensor.numel() != numel:
        wanted, given = ("x".join(map(str, each)) for each in (sizes, tensor.size()))
        raise RuntimeError(
            f"requested resize to {wanted} ({numel} elements in total), but the given tensor has a"
            f" size of {given} ({tensor.numel()} elements). autograd's resize can only change the"
            " shape of a given tensor, while preserving the number of elements. "
        )
    source = tensor.new(tensor) if tensor.is_contiguous() else tensor
    return source.contiguous().view(*sizes)


for _name, _method in (("resize", resize), ("resize_as", resize_as)):
    _method.__qualname__ = f"Tensor.{_name}"
    METHODS[_name] = _method
