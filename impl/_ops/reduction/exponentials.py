"""The exponentials of lines of numbers and their sums, in the order of torch's kernels.

Torch adds along the last dimension in the lanes of one vector, and along another one number after
another (ATen/native/cpu/SoftMaxKernel.cpp). The error grows with the length of a line, so another
order shows in long lines.
"""

from typing import Any

from ..._arrays.cpu_capability import has_vector_instructions, vector_bytes
from ..._arrays.numpy_bridge import np
from ..._kernels.elementwise import Kernel, identity
from ..._kernels.unary import logarithm


def softmax_of(numbers: Any, axis: int, rounded: Kernel, read: Any = None) -> Any:
    """Return exponentials divided by their sums along an axis.

    Along other dimensions than the last, torch keeps the exponentials in the result.
    """
    numbers = numbers if read is None else read
    exps = np.subtract(numbers, np.maximum.reduce(numbers, axis, keepdims=True), order="C")
    np.exp(exps, out=exps)
    return divide_by_sums(exps if axis == exps.ndim - 1 else rounded(exps), exps, axis)


def log_softmax_of(numbers: Any, axis: int, rounded: Kernel, read: Any = None) -> Any:
    """Return the logarithms of softmax along an axis.

    Along the last dimension the sums and their logarithms are rounded.
    """
    rounded = rounded if axis == numbers.ndim - 1 else identity
    peak = np.maximum.reduce(numbers, axis, keepdims=True)
    shifted = np.subtract(numbers, peak, order="C")
    total = rounded(logarithm(rounded(_sums(np.exp(shifted), axis))))
    if read is not None:
        shifted = read - peak
    shifted -= total
    return shifted


def divide_by_sums(results: Any, exps: Any, axis: int) -> Any:
    """Divide results in place by the sums of exponentials along an axis, and return them.

    Along the last dimension torch multiplies by the reciprocal.
    """
    total = _sums(exps, axis)
    if axis == exps.ndim - 1:
        results *= np.reciprocal(total)
    else:
        results /= total
    return results


def _sums(numbers: Any, axis: int) -> Any:
    """Return the sums of a C-contiguous array along an axis, which remains."""
    return _sums_in_lanes(numbers) if axis == numbers.ndim - 1 else _sums_in_order(numbers, axis)


def _sums_in_order(numbers: Any, axis: int) -> Any:
    """Return sums of numbers that are added one after another."""
    if numbers.shape[-1] == 1 or axis == numbers.ndim - 1:  # NumPy would add pairs
        return np.add.accumulate(numbers, axis)[(slice(None),) * axis + (slice(-1, None),)]
    return np.add.reduce(numbers, axis, keepdims=True)


def _sums_in_lanes(numbers: Any) -> Any:
    """Return sums along the last axis, as vectors are added (reduce_all of ATen/cpu/vec)."""
    size, width = numbers.shape[-1], vector_bytes() // numbers.itemsize
    last = numbers.ndim - 1
    if size < width:
        return _sums_in_order(numbers, last)
    full = size - size % width
    vectors = numbers[..., :full].reshape(*numbers.shape[:-1], -1, width)
    if vectors.size > _FEW_ELEMENTS:
        lanes = np.einsum("...jk->...k", vectors)
    else:
        lanes = np.add.reduce(vectors, -2)
    lanes[..., : size - full] += numbers[..., full:]
    if numbers.itemsize == 8 or not has_vector_instructions():
        return _sums_in_order(lanes, last)
    while width > 1:
        width //= 2
        lanes = lanes[..., :width] + lanes[..., width:]
    return lanes


_FEW_ELEMENTS = 1024
"""The number of elements up to which `reduce` is faster than `einsum`; both add rows in order."""
