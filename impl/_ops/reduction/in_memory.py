"""Sums of integers into memory that torch reads while it sums (ATen/native/cpu/Reduce.h)."""

from ..._argparser.types import is_integral_dtype
from ..._arrays.numpy_bridge import np
from ..._geometry.strides import memory_order
from ..._numerics.cast import convert
from ..._tensor.data_access import has_separate_elements, raw_array
from ..._tensor.tensor import Tensor


def sums_in_memory(tensor: Tensor, out: Tensor) -> bool:
    """Return whether elements of an ``out`` of integers may be those of a tensor, or be shared."""
    if not is_integral_dtype(out._dtype, or_bool=True):
        return False
    target = raw_array(out)
    if not has_separate_elements(target):
        return True
    return out._dtype is tensor._dtype and bool(np.may_share_memory(raw_array(tensor), target))


def sum_in_memory(tensor: Tensor, out: Tensor, axes: tuple[int, ...]) -> None:
    """Write 0 to ``out``, and add each element to it in memory, in torch's order.

    Torch adds as many elements at once as a vector
    register has; so many, which depend on the processor, only larger tensors than this have.
    """
    source, result = raw_array(tensor), raw_array(out)
    if tensor._dtype is not out._dtype:
        source = convert(source, tensor._dtype, out._dtype)
    result[...] = 0
    target = result if result.ndim == source.ndim else np.expand_dims(result, axes)
    steps = [0 if axis in axes else step for axis, step in enumerate(target.strides)]
    target = np.lib.stride_tricks.as_strided(target, source.shape, steps)
    reduced = [axis for axis, step in enumerate(steps) if not step]
    order = memory_order(source.shape, (tuple(steps), source.strides), reduced)[::-1]
    target, source = target.transpose(order), source.transpose(order)
    for index in np.ndindex(source.shape):
        target[index] += source[index]
