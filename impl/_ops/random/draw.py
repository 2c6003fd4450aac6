"""Random tensors and fills of tensors from a distribution, in memory order.

The distributions are in the modules `uniform`, `normal` and `integers` of `impl._random`.
"""

from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any, NamedTuple

from ..._autograd.autograd_meta import bump_version
from ..._devices.device import CPU, META, device
from ..._dtypes.constants import BOOL, COMPLEX32, COMPLEX64, FLOAT4_E2M1FN_X2
from ..._dtypes.scalars import INT64_END
from ..._dtypes.table import as_dtype, dtype
from ..._geometry import broadcasting, extents, strides
from ..._geometry.geometry import dense
from ..._numerics.python_types import python_type_of
from ..._numerics.rounding import raise_not_implemented
from ..._random.distributions import CONTINUOUS, cauchy, exponential, geometric, log_normal
from ..._random.generator import Generator, stream_of
from ..._random.integers import integers
from ..._random.mt19937 import MT19937Stream
from ..._random.normal import normal
from ..._random.uniform import bernoulli, uniform
from ..._runtime.errors import check
from ..._runtime.warnings import SILENCE
from ..._storage.untyped_storage import storage_from_array
from ..._tensor.allocation import (
    check_sizes_of_reference,
    check_strides_of_reference,
    empty_on_meta,
    empty_tensor,
    resize_factory_out,
    resize_out,
    warn_complex32,
    warn_if_complex32,
)
from ..._tensor.data_access import raw_array
from ..._tensor.factories import check_options
from ..._tensor.out_autograd import check_no_leaf, check_resizable, record_out, set_requires_grad_if
from ..._tensor.tensor import METHODS, Tensor, new_tensor
from ..common.array_plans import is_noting, note_arrays
from ..common.conj_neg_fallback import through_clone, write_to_clone
from ..common.memory_overlap import check_no_overlap
from ..creation.sequence_common import INT_ONLY, check_allocatable


class Draw(NamedTuple):
    """A distribution.

    sample: (stream, count, dtype, whether the memory to fill is contiguous) -> raw array
    check_on_meta: raises for a dtype and a generator where torch's reference does, which draws
        nothing
    made_on_meta: the number of tensors that torch's reference makes to fill a tensor on meta
    """

    sample: Callable[[MT19937Stream, int, dtype, bool], Any]
    check_on_meta: Callable[[dtype, Generator | None], None]
    made_on_meta: int = 0


# Tensors to fill.


def draw_new(
    shape: tuple[int, ...],
    dtype: dtype,
    generator: Generator | None,
    draw: Draw,
    device: device = CPU,
) -> Tensor:
    """Return a new contiguous tensor of random elements."""
    extents.check_nonnegative(shape)
    if dtype is COMPLEX32:
        warn_complex32()
    check_allocatable(shape, dtype, device)
    geometry = dense(shape)
    array = draw.sample(stream_of(generator, device), geometry.numel, dtype, True)
    return new_tensor(storage_from_array(array, device), geometry, 0, dtype)


SIZES = frozenset({tuple, list})


def plain_size(size: Any) -> tuple[int, ...] | None:
    """Return a size of one or more nonnegative ints; None for other arguments."""
    return tuple(size) if size and are_plain_ints(size) and min(size) >= 0 else None


def are_plain_ints(numbers: Any) -> bool:
    """Return whether all numbers, at least one, are ints in the range of int64."""
    return (
        INT_ONLY.issuperset(map(type, numbers))
        and min(numbers) >= -INT64_END
        and max(numbers) < INT64_END
    )


def draw_into(tensor: Tensor, generator: Generator | None, draw: Draw) -> None:
    """Fill a tensor with random elements in memory order; on meta only check it as torch does."""
    geometry, dtype = tensor._geometry, tensor._dtype
    if geometry.device is META:
        draw.check_on_meta(dtype, generator)
        for _ in range(draw.made_on_meta if dtype is COMPLEX32 else 0):
            warn_complex32(by_reference=True)
        return
    stream = stream_of(generator, geometry.device)
    elements = draw.sample(stream, geometry.numel, dtype, geometry.is_contiguous)
    if geometry.numel:
        target = as_in_memory(tensor)
        target[...] = elements.reshape(target.shape)


def note_draw(draw: Draw, result: Tensor, operand: Tensor) -> Tensor:
    """Note that a call draws the elements of its result from the default generator; return it.

    The result is contiguous, and has the shape of the only operand, or is this operand itself.
    """
    geometry, dtype = result._geometry, result._dtype
    if is_noting() and geometry.is_contiguous:
        shape, count, sample = geometry.shape, geometry.numel, draw.sample

        def compute(_: Any) -> Any:
            elements = sample(stream_of(None), count, dtype, True)
            return elements.reshape(shape)

        note_arrays(compute, result, operand, is_plain=True)
    return result


def as_in_memory(tensor: Tensor) -> Any:
    """Return the elements as an array with its dimensions in memory order."""
    array = raw_array(tensor)
    return array if tensor._geometry.is_contiguous else array.transpose(memory_order(tensor))


def memory_order(tensor: Tensor) -> tuple[int, ...]:
    """Return the dimensions in memory order, outermost first."""
    return strides.dim_order(tensor._geometry.shape, tensor._geometry.stride)


def overlaps(tensor: Tensor) -> bool:
    """Return whether elements are known to overlap in memory."""
    geometry = tensor._geometry
    return broadcasting.has_internal_overlap(geometry.shape, geometry.stride) == "yes"


# Distributions.


def sampler(sample: Callable[..., Any], *parameters: Any) -> Draw:
    """Return a distribution that draws alike for all memory, and whose reference takes all."""

    def draw(stream: MT19937Stream, count: int, dtype: dtype, contiguous: bool) -> Any:
        return sample(stream, count, dtype, *parameters)

    return Draw(draw, _accept)


def _accept(dtype: dtype, generator: Generator | None) -> None:
    pass


def uniform_draw(low: float, high: float) -> Draw:
    """Return the distribution of uniform numbers between two numbers."""
    return sampler(uniform, low, high)._replace(made_on_meta=1)


integers_draw = partial(sampler, integers)
"""Integers from the first parameter up to the second; None stands for the largest value."""

bernoulli_draw = partial(sampler, bernoulli)
"""Ones, with the probability of the parameter, and zeros."""


def normal_draw(mean: float, std: float) -> Draw:
    """Return the distribution of normal numbers."""

    def draw(stream: MT19937Stream, count: int, dtype: dtype, contiguous: bool) -> Any:
        return normal(stream, count, dtype, mean, std, contiguous=contiguous)

    def check_on_meta(dtype: dtype, generator: Generator | None) -> None:
        check(std >= 0, lambda: f"normal expects std >= 0.0, but found std {std}")
        check(
            dtype.is_floating_point or dtype.is_complex,
            lambda: f"expected a floating-point or complex dtype, but got dtype={dtype}",
        )

    return Draw(draw, check_on_meta, made_on_meta=3)


def exponential_draw(rate: float) -> Draw:
    """Return the distribution of exponential numbers of a rate."""

    def check_on_meta(dtype: dtype) -> None:
        _check_floating_on_meta("Exponential", dtype)
        check(rate > 0, lambda: f"exponential_ expects lambda > 0.0, but found lambda={rate}")
        if dtype is FLOAT4_E2M1FN_X2:
            raise_not_implemented("epsilon", dtype)

    return _with_reference(exponential, (rate,), check_on_meta)


def geometric_draw(p: float) -> Draw:
    """Return the distribution of the number of trials up to a success of probability ``p``."""

    def check_on_meta(dtype: dtype) -> None:
        check(
            not dtype.is_complex and dtype is not BOOL,
            lambda: f"geometric not implemented for {dtype}",
        )
        check(0 < p < 1, lambda: f"geometric_ expects p to be in (0, 1), but got p={p}")

    return _with_reference(geometric, (p,), check_on_meta)


def cauchy_draw(median: float, sigma: float) -> Draw:
    """Return the Cauchy distribution."""

    def check_on_meta(dtype: dtype) -> None:
        _check_floating_on_meta("Cauchy", dtype)
        check(sigma > 0, lambda: f"cauchy_ expects sigma > 0.0, but found sigma={sigma}")

    return _with_reference(cauchy, (median, sigma), check_on_meta)


def log_normal_draw(mean: float, std: float) -> Draw:
    """Return the distribution of numbers whose logarithms are normal."""

    def check_on_meta(dtype: dtype) -> None:
        check(dtype.is_floating_point, lambda: f"log_normal not implemented for {dtype}")
        check(std > 0, lambda: f"log_normal_ expects std > 0.0, but found std={std}")

    return _with_reference(log_normal, (mean, std), check_on_meta)


def _check_floating_on_meta(name: str, dtype: dtype) -> None:
    check(dtype.is_floating_point, lambda: CONTINUOUS.format(name, " " * 8, dtype))


def _with_reference(
    sample: Callable[..., Any], parameters: tuple[float, ...], check_parameters: Callable[..., None]
) -> Draw:
    """Return a distribution with a reference that computes (torch/_refs/__init__.py)."""

    def check_on_meta(dtype: dtype, generator: Generator | None) -> None:
        check(python_type_of(dtype) is not None, lambda: "Invalid dtype!", ValueError)
        check(generator is None, lambda: "generator is not supported in refs", AssertionError)
        check_parameters(COMPLEX64 if dtype is COMPLEX32 else dtype)

    return sampler(sample, *parameters)._replace(check_on_meta=check_on_meta)


UNIFORM, NORMAL = uniform_draw(0.0, 1.0), normal_draw(0.0, 1.0)


def random_tensor(
    name: str,
    shape: tuple[int, ...],
    generator: Generator | None,
    draw: Draw,
    default: dtype,
    out: Tensor | None,
    dtype: Any,
    *options: Any,
    composite: bool = False,
    has_reference: bool = True,
) -> Tensor:
    """Return a new random tensor, or ``out`` filled.

    If ``composite``, autograd sees a resize. With ``has_reference`` a reference checks and resizes
    an ``out`` on meta.
    """
    layout, device, pin, grad = options
    if out is not None and out._conj_neg and not composite:
        return write_to_clone(
            out,
            lambda clone: random_tensor(
                name, shape, generator, draw, default, clone, dtype, *options
            ),
        )
    if out is not None:
        is_seen = composite and out._geometry.shape != shape
        if composite:
            check_resizable(out)
        check_no_leaf(f"aten::{name}", out)
        if has_reference and not composite and out._geometry.device is META:
            draw.check_on_meta(out._dtype, generator)
            resize_factory_out(out, shape, with_strides=name == "normal")
        extents.check_numel(shape)
        resize_out(out, shape)
        if is_seen:
            bump_version(out)
        fill(out, generator, draw)
        return record_out(out, grad)
    dtype = default if dtype is None else as_dtype(dtype)
    device = check_options(name, layout, device, pin, meta=True, shape=shape, dtype=dtype)
    if device is META:
        if not has_reference and name in _FILLERS:
            return set_requires_grad_if(_filled_on_meta(name, shape, dtype, generator), grad)
        if name == "randn":
            check(not pin, lambda: "PrimTorch does not support pinned memory", NotImplementedError)
        is_strided = name in ("normal", "randn")
        if is_strided:
            check_sizes_of_reference(shape)
        extents.check_nonnegative(shape)
        draw.check_on_meta(dtype, generator)
        if is_strided:
            check_strides_of_reference(shape)
            # The reference of normal makes two tensors before the result.
            for _ in range((3 if name == "normal" else 1) * (dtype is COMPLEX32)):
                warn_complex32(by_reference=True)
            nbytes = prod(shape) * dtype.itemsize
            return set_requires_grad_if(empty_on_meta(dense(shape), nbytes, dtype), grad)
        result = empty_tensor(shape, dtype, META, by_reference=has_reference)
        return set_requires_grad_if(result, grad)
    return set_requires_grad_if(draw_new(shape, dtype, generator, draw, device), grad)


_FILLERS = {"rand": "uniform_", "randn": "normal_"}
"""The methods that fill the tensors of factories."""


def _filled_on_meta(
    name: str, shape: tuple[int, ...], dtype: dtype, generator: Generator | None
) -> Tensor:
    """Return a tensor on meta of a factory without a reference."""
    extents.check_nonnegative(shape)
    with SILENCE:
        result = empty_tensor(shape, dtype, META)
    counter = result._version_counter
    METHODS[_FILLERS[name]](result, generator=generator)
    result._version_counter = counter  # writing to a new tensor counts as no change
    warn_if_complex32(dtype, 1)  # torch shows a kernel's warning when it ends
    return result


@through_clone
def fill(out: Tensor, generator: Generator | None, draw: Draw) -> Tensor:
    """Fill an ``out`` tensor with random elements; raise if its elements overlap."""
    check_no_overlap(out)
    draw_into(out, generator, draw)
    return out
