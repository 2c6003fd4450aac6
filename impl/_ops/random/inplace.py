"""The methods that fill a tensor with random numbers: uniform_, normal_, random_, bernoulli_; and bernoulli.

The rules are in aten/src/ATen/native/DistributionTemplates.h.
"""

from collections.abc import Callable
from typing import Any

from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._autograd.autograd_meta import count_write
from ..._autograd.tracking import check_writable, count_filling, is_made_inside
from ..._devices.device import META
from ..._dtypes.constants import BOOL
from ..._geometry.geometry import dense
from ..._numerics.cast import numbers
from ..._numerics.rounding import FLOATS, USUAL, raise_not_implemented
from ..._random.generator import Generator, stream_of
from ..._random.mt19937 import Stream
from ..._random.uniform import bernoulli_each
from ..._tensor.data_access import raw_array
from ..._tensor.factories import empty_with, resize_out
from ..._tensor.out_autograd import check_no_gradients
from ..._tensor.tensor import Tensor, record_grad_fn
from ..common.conj_neg_fallback import resolved, resolves_conj_neg_in_place, write_to_clone
from ..common.copy import written
from ..common.memory_overlap import check_no_overlap
from ..common.registration import Op, install
from .draw import (
    Draw,
    any_integers,
    as_in_memory,
    bernoulli_draw,
    draw_into,
    integers_draw,
    memory_order,
    normal_draw,
    overlaps,
    uniform_draw,
)

_GENERATOR = "*, Generator? generator=None"


def _filler(
    make_draw: Callable[..., Draw], node: str, tried: int | None, doc: str
) -> Callable[..., Tensor]:
    """Make a method that fills a tensor.

    ``tried`` is how many elements show what torch refuses before it looks whether elements lie on
    one another; None if it looks at that first.
    """

    def run(tensor: Tensor, *bound: Any) -> Tensor:
        *values, generator = bound
        check_writable(tensor)
        draw = make_draw(*values)
        if overlaps(tensor):
            if tried is not None:
                draw(Stream(), tried, tensor._dtype, False)
            check_no_overlap(tensor)
        draw_into(tensor, generator, draw)
        return written(tensor, (), node)

    run.__doc__ = doc
    return resolves_conj_neg_in_place(run)


_RANDOM_DOC = "Tensor.random_(from=0, to=None): fill the tensor with random integers."

for _op in (
    Op(
        "uniform_",
        {
            f"double from=0, double to=1, {_GENERATOR}": _filler(
                uniform_draw, "UniformBackward0", 0,
                "Tensor.uniform_(from=0, to=1): fill the tensor with numbers between two others.",
            )
        },
        function=False,
    ),
    Op(
        "normal_",
        {
            f"double mean=0, double std=1, {_GENERATOR}": _filler(
                normal_draw, "NormalBackward0", 1,
                "Tensor.normal_(mean=0, std=1): fill the tensor with normal numbers.",
            )
        },
        function=False,
    ),
    Op(
        "random_",
        {
            _GENERATOR: _filler(lambda: any_integers, "RandomBackward2", None, _RANDOM_DOC),
            f"int64_t from, int64_t? to, {_GENERATOR}": _filler(
                integers_draw, "RandomBackward0", None, _RANDOM_DOC
            ),
            f"int64_t to, {_GENERATOR}": _filler(
                lambda to: integers_draw(0, to), "RandomBackward1", None, _RANDOM_DOC
            ),
        },
        function=False,
    ),
):  # fmt: skip
    install(_op)


# bernoulli_ and bernoulli


def _bernoulli_each_(tensor: Tensor, p: Tensor, generator: Generator | None) -> Tensor:
    """Tensor.bernoulli_(p=0.5): fill the tensor with ones, of the probability p, and zeros."""
    check_writable(tensor, p)
    p = resolved(p)
    _toss_each(tensor, p, generator)
    return written(tensor, (p,), "BernoulliBackward1")


def _stream_for(tensor: Tensor, generator: Generator | None) -> Stream | None:
    device = tensor._geometry.device
    return None if device is META else stream_of(generator, device)


def _toss_each(tensor: Tensor, p: Tensor, generator: Generator | None) -> None:
    geometry, dtype, stream = tensor._geometry, tensor._dtype, _stream_for(tensor, generator)
    if not geometry.numel:
        return
    check_no_overlap(tensor)
    if dtype is not BOOL and dtype not in USUAL:
        raise_not_implemented("bernoulli_tensor_cpu_self_", dtype)
    p = resolved(p)
    expanded = p.expand(geometry.shape)  # type: ignore[attr-defined]
    check_no_overlap(tensor, expanded)
    if stream is None:
        nothing = np.zeros(1, numpy_storage_dtype(p._dtype))
        bernoulli_each(Stream(), numbers(nothing, p._dtype), p._dtype, dtype)  # for what it refuses
        return
    chances = numbers(raw_array(expanded), p._dtype)
    if not geometry.is_contiguous:
        chances = chances.transpose(memory_order(tensor))
    chances = chances.reshape(-1)
    target = as_in_memory(tensor)
    if p._dtype in FLOATS:
        wrong = np.flatnonzero(~((chances >= 0) & (chances <= 1)))
        if len(wrong):
            # What comes before it has been written when torch finds it.
            before = int(wrong[0])
            elements = target.reshape(-1).copy()
            elements[:before] = bernoulli_each(stream, chances[:before], p._dtype, dtype)
            target[...] = elements.reshape(target.shape)
            chances = chances[before:]
    target[...] = bernoulli_each(stream, chances, p._dtype, dtype).reshape(target.shape)


_toss_ = _filler(
    bernoulli_draw, "BernoulliBackward2", 0,
    "Tensor.bernoulli_(p=0.5): fill the tensor with ones, of the probability p, and zeros.",
)  # fmt: skip


def _bernoulli_new(
    tensor: Tensor, generator: Generator | None, out: Tensor | None = None
) -> Tensor:
    """bernoulli(input, *, generator=None): ones and zeros; each element is the probability of a one."""
    if out is not None and out._conj_neg:
        return write_to_clone(out, lambda clone: _bernoulli_new(tensor, generator, clone))
    if out is not None:
        check_no_gradients("bernoulli", tensor, out)
        tensor = resolved(tensor)
        resize_out(out, tensor._geometry.shape)
        _toss_each(out, tensor, generator)
        count_write(out)
        return out
    chances = resolved(tensor)
    result = empty_with(dense(tensor._geometry.shape), tensor._dtype, tensor._geometry.device)
    _toss_each(result, chances, generator)
    return record_grad_fn(result, (tensor,), "BernoulliBackward0", "BernoulliBackward1")


def _bernoulli_of_one(tensor: Tensor, p: float, generator: Generator | None) -> Tensor:
    """bernoulli(input, p, *, generator=None): ones, of the probability p, and zeros."""
    resolved(tensor)
    result = empty_with(dense(tensor._geometry.shape), tensor._dtype, tensor._geometry.device)
    draw_into(result, generator, bernoulli_draw(p))
    if is_made_inside(result, tensor):
        count_filling(result)
        count_write(result)
    return record_grad_fn(result, (tensor,), "NotImplemented")


for _op in (
    Op(
        "bernoulli_",
        {
            f"Tensor p, {_GENERATOR}": resolves_conj_neg_in_place(_bernoulli_each_),
            f"double p=0.5, {_GENERATOR}": _toss_,
        },
        function=False,
    ),
    Op(
        "bernoulli",
        {_GENERATOR: _bernoulli_new, f"double p, {_GENERATOR}": _bernoulli_of_one},
        function=False,
    ),
    Op(
        "bernoulli",
        {
            f"{_GENERATOR}, Tensor out=None": _bernoulli_new,
            f"double p, {_GENERATOR}": _bernoulli_of_one,
        },
        method=False,
    ),
):
    install(_op)
