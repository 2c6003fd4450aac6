"""Sums and products into memory that torch reads while it reduces (ATen/native/cpu/Reduce.h)."""

from ..._argparser.types import is_integral_dtype
from ..._arrays.numpy_bridge import is_native, np
from ..._arrays.parallel import without_fp_warnings
from ..._geometry.strides import memory_order
from ..._numerics.cast import convert
from ..._tensor.data_access import has_separate_elements, raw_array
from ..._tensor.tensor import Tensor

_OPERATORS = {"sum": ("add", 0), "prod": ("multiply", 1)}
"""The functions of two elements, and the first number."""


def reduces_in_memory(name: str, tensor: Tensor, out: Tensor) -> bool:
    """Return whether elements of ``out`` may be those of a tensor, or be shared.

    Torch sums floats in registers, and multiplies narrow ones there.
    """
    is_integral = is_integral_dtype(out._dtype, or_bool=True)
    if name not in _OPERATORS or not (is_integral or (name == "prod" and is_native(out._dtype))):
        return False
    target = raw_array(out)
    if not has_separate_elements(target):
        return True
    return out._dtype is tensor._dtype and bool(np.may_share_memory(raw_array(tensor), target))


def reduce_in_memory(name: str, tensor: Tensor, out: Tensor, axes: tuple[int, ...]) -> None:
    """Write 0 or 1 to ``out``, and combine each element with it in memory, in torch's order.

    Torch combines as many elements at once as a vector register has; so many, which depend on the
    processor, only larger tensors than this have.
    """
    ufunc, initial = _OPERATORS[name]
    combine = getattr(np, ufunc)
    source, result = raw_array(tensor), raw_array(out)
    if tensor._dtype is not out._dtype:
        source = convert(source, tensor._dtype, out._dtype)
    result[...] = initial
    target = result if result.ndim == source.ndim else np.expand_dims(result, axes)
    steps = [0 if axis in axes else step for axis, step in enumerate(target.strides)]
    target = np.lib.stride_tricks.as_strided(target, source.shape, steps)
    reduced = [axis for axis, step in enumerate(steps) if not step]
    order = memory_order(source.shape, (tuple(steps), source.strides), reduced)[::-1]
    target, source = target.transpose(order), source.transpose(order)
    for index in np.ndindex(source.shape):
        target[index] = without_fp_warnings(combine, target[index], source[index])
