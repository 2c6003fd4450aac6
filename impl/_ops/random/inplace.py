"""In-place random sampling: uniform_, normal_, exponential_ and others; and bernoulli.

They follow aten/src/ATen/native/DistributionTemplates.h.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._autograd.autograd_meta import bump_version
from ..._autograd.tracking import bump_version_if_filled, check_inplace, is_tracked_inside
from ..._devices.device import META
from ..._dtypes.constants import BOOL
from ..._numerics.cast import to_numbers
from ..._numerics.rounding import FLOAT_DTYPES
from ..._random.generator import Generator, stream_of
from ..._random.integers import random_full
from ..._random.mt19937 import MT19937Stream
from ..._random.uniform import bernoulli_each
from ..._runtime.errors import NotDense, check
from ..._tensor.allocation import empty_tensor, resize_out
from ..._tensor.data_access import raw_array
from ..._tensor.out_autograd import check_no_complex_gradient, check_no_grad_out
from ..._tensor.tensor import Tensor
from ..._tensor.views import record_grad_fn
from ..common.array_plans import is_noting, note_arrays, with_array_plans
from ..common.conj_neg_fallback import (
    resolve_conj_neg,
    resolves_conj_neg_in_place,
    run_resolved,
    write_to_clone,
)
from ..common.copy import record_write
from ..common.device_checks import check_copied_out
from ..common.memory_overlap import check_no_overlap
from ..common.meta_reference import into_meta, is_on_meta
from ..common.registration import Op, register_operator
from ..creation.sequence_common import check_kernel
from .draw import (
    Draw,
    as_in_memory,
    bernoulli_draw,
    cauchy_draw,
    draw_into,
    exponential_draw,
    geometric_draw,
    integers_draw,
    log_normal_draw,
    memory_order,
    normal_draw,
    note_draw,
    overlaps,
    sampler,
    uniform_draw,
)

_GENERATOR = "*, Generator? generator=None"


def _filler(
    make_draw: Callable[..., Draw], node: str, trial_count: int | None, doc: str
) -> Callable[..., Tensor]:
    """Return a method that fills a tensor.

    Torch checks the arguments with ``trial_count`` elements before it raises for overlap.
    If None, it checks for overlap first.
    """

    def run(tensor: Tensor, *bound: Any) -> Tensor:
        *values, generator = bound
        check_inplace(tensor)
        draw = make_draw(*values)
        if overlaps(tensor) and tensor._geometry.device is not META:
            if trial_count is not None:
                draw.sample(MT19937Stream(), trial_count, tensor._dtype, False)
            check_no_overlap(tensor)
        draw_into(tensor, generator, draw)
        return note_draw(draw, record_write(tensor, (), node), tensor)

    run.__doc__ = doc
    return resolves_conj_neg_in_place(run)


_DOCS = {
    "uniform_": "Tensor.uniform_(from=0, to=1): fill the tensor with uniform random numbers.",
    "normal_": "Tensor.normal_(mean=0, std=1): fill the tensor with normal random numbers.",
    "random_": "Tensor.random_(from=0, to=None): fill the tensor with random integers.",
    "exponential_": "Tensor.exponential_(lambd=1): fill the tensor with exponential numbers.",
    "geometric_": "Tensor.geometric_(p): fill the tensor with numbers of trials up to a success.",
    "cauchy_": "Tensor.cauchy_(median=0, sigma=1): fill the tensor with Cauchy numbers.",
    "log_normal_": "Tensor.log_normal_(mean=1, std=2): fill the tensor with log-normal numbers.",
}
_FILLS: dict[str, dict[str, tuple[Callable[..., Draw], str, int | None]]] = {
    "uniform_": {"double from=0, double to=1, ": (uniform_draw, "UniformBackward0", 0)},
    "normal_": {"double mean=0, double std=1, ": (normal_draw, "NormalBackward0", 1)},
    "random_": {
        "": (partial(sampler, random_full), "RandomBackward2", None),
        "int64_t from, int64_t? to, ": (integers_draw, "RandomBackward0", None),
        "int64_t to, ": (partial(integers_draw, 0), "RandomBackward1", None),
    },
    "exponential_": {"double lambd=1, ": (exponential_draw, "ExponentialBackward0", 0)},
    "geometric_": {"double p, ": (geometric_draw, "GeometricBackward0", 0)},
    "cauchy_": {"double median=0, double sigma=1, ": (cauchy_draw, "CauchyBackward0", 0)},
    "log_normal_": {"double mean=1, double std=2, ": (log_normal_draw, "LogNormalBackward0", 0)},
}
for _name, _overloads in _FILLS.items():
    _runs = {
        f"{_parameters}{_GENERATOR}": _filler(*_fill, _DOCS[_name])
        for _parameters, _fill in _overloads.items()
    }
    register_operator(Op(_name, _runs, function=False, wrap=with_array_plans))


# bernoulli_ and bernoulli


def _bernoulli_tensor_(tensor: Tensor, p: Tensor, generator: Generator | None) -> Tensor:
    """Tensor.bernoulli_(p=0.5): fill the tensor with ones, with probability p, and zeros."""
    check_inplace(tensor, p)
    _sample_each(tensor, p, generator)
    return _note_samples(record_write(tensor, (p,), "BernoulliBackward1"), p, tensor, p)


def _sample_each(tensor: Tensor, p: Tensor, generator: Generator | None) -> None:
    """Fill a tensor with ones, with probabilities ``p`` without conj/neg bits, and zeros."""
    is_reference = is_on_meta(tensor, p)  # raises for sparse tensors, too
    if is_reference and tensor._geometry.device is META:
        return
    check(
        p._geometry.device is not META,
        lambda: "Cannot inplace into non-meta tensor with meta tensor argument",
        NotImplementedError,
    )
    geometry, dtype, device = tensor._geometry, tensor._dtype, tensor._geometry.device
    stream = None if device is META else stream_of(generator, device)
    if p._geometry.is_sparse:
        raise NotDense
    if not geometry.numel:
        return
    check_no_overlap(tensor)
    check_kernel("bernoulli_tensor_cpu_self_", dtype, BOOL)
    expanded = p.expand(geometry.shape)  # type: ignore[attr-defined]
    check_no_overlap(tensor, expanded)
    if stream is None:
        zero = np.zeros(1, numpy_storage_dtype(p._dtype))
        # This raises for bad dtypes.
        bernoulli_each(MT19937Stream(), to_numbers(zero, p._dtype), p._dtype, dtype)
        return
    _write_samples(
        as_in_memory(tensor), _in_order_of(tensor, raw_array(expanded)), stream, tensor, p
    )


def _note_samples(result: Tensor, p: Tensor, *operands: Tensor) -> Tensor:
    """Note that a call draws its result with the probabilities ``p``, and return the result."""
    geometry, dtype, p_dtype = result._geometry, result._dtype, p._dtype
    are_alike = geometry.is_contiguous and p._geometry is geometry
    if not (is_noting() and are_alike and geometry.numel and p_dtype in FLOAT_DTYPES):
        return result
    shape = geometry.shape

    def compute(*arrays: Any) -> Any:
        probabilities = to_numbers(arrays[-1], p_dtype).reshape(-1)
        if not (probabilities.min() >= 0 and probabilities.max() <= 1):
            return None
        return bernoulli_each(stream_of(None), probabilities, p_dtype, dtype).reshape(shape)

    return note_arrays(compute, result, *operands, is_plain=True)  # type: ignore[no-any-return]


def _in_order_of(tensor: Tensor, array: Any) -> Any:
    """Return a view of an array of a tensor's shape, with the dimensions in order of memory."""
    return array if tensor._geometry.is_contiguous else array.transpose(memory_order(tensor))


def _write_samples(
    target: Any, chances: Any, stream: MT19937Stream, tensor: Tensor, p: Tensor
) -> None:
    """Write samples into ``target``, with the raw probabilities of ``p``, in order."""
    if np.may_share_memory(target, chances):
        # Torch reads each probability after it has written the elements before (cpu_serial_kernel).
        for at in np.ndindex(target.shape):
            number = to_numbers(chances[at].reshape(1), p._dtype)
            target[at] = bernoulli_each(stream, number, p._dtype, tensor._dtype)[0]
        return
    probabilities = to_numbers(chances, p._dtype).reshape(-1)
    if p._dtype in FLOAT_DTYPES:
        invalid = np.flatnonzero(~((probabilities >= 0) & (probabilities <= 1)))
        if len(invalid):
            # Torch has written the elements before the invalid one when it raises.
            valid = int(invalid[0])
            target.flat[:valid] = bernoulli_each(
                stream, probabilities[:valid], p._dtype, tensor._dtype
            )
            probabilities = probabilities[valid:]
    target[...] = bernoulli_each(stream, probabilities, p._dtype, tensor._dtype).reshape(
        target.shape
    )


_bernoulli_scalar_ = _filler(
    bernoulli_draw, "BernoulliBackward2", 0,
    "Tensor.bernoulli_(p=0.5): fill the tensor with ones, with probability p, and zeros.",
)  # fmt: skip


def _bernoulli(tensor: Tensor, generator: Generator | None, out: Tensor | None = None) -> Tensor:
    """bernoulli(input, *, generator=None): ones, with the probabilities in input, and zeros."""
    if out is not None and out._conj_neg:
        return write_to_clone(out, lambda clone: _bernoulli(tensor, generator, clone))
    if out is not None:
        check_no_grad_out("bernoulli", tensor, out)
        check_copied_out("bernoulli", (tensor,), out)
        probabilities = resolve_conj_neg(tensor)
        if is_on_meta(tensor, out):
            bump_version(into_meta("bernoulli", out, tensor._geometry, tensor._dtype))
            return out
        resize_out(out, tensor._geometry.shape)
        _sample_each(out, probabilities, generator)
        bump_version(out)
        return out
    probabilities = resolve_conj_neg(tensor)
    shape, device = tensor._geometry.shape, tensor._geometry.device
    result = empty_tensor(shape, tensor._dtype, device, by_reference=device is META)
    _sample_each(result, probabilities, generator)
    check_no_complex_gradient("bernoulli", result._dtype, tensor)
    record_grad_fn(result, (tensor,), "BernoulliBackward0", "BernoulliBackward1")
    return _note_samples(result, tensor, tensor)


def _bernoulli_scalar(tensor: Tensor, p: float, generator: Generator | None) -> Tensor:
    """bernoulli(input, p, *, generator=None): ones, with probability p, and zeros."""
    shape, device = tensor._geometry.shape, tensor._geometry.device
    by_reference = device is META
    result = run_resolved(
        lambda _: empty_tensor(shape, tensor._dtype, device, by_reference=by_reference), (tensor,)
    )
    draw = bernoulli_draw(p)
    draw_into(result, generator, draw)
    if is_tracked_inside(result, tensor):
        bump_version_if_filled(result)
        bump_version(result)
    return note_draw(draw, record_grad_fn(result, (tensor,), "NotImplemented"), tensor)


_PROBABILITY = f"double p, {_GENERATOR}"

for _op in (
    Op(
        "bernoulli_",
        {
            f"Tensor p, {_GENERATOR}": resolves_conj_neg_in_place(_bernoulli_tensor_),
            f"double p=0.5, {_GENERATOR}": _bernoulli_scalar_,
        },
        function=False,
        wrap=with_array_plans,
    ),
    Op(
        "bernoulli",
        {_GENERATOR: _bernoulli, _PROBABILITY: _bernoulli_scalar},
        function=False,
        wrap=with_array_plans,
    ),
    Op(
        "bernoulli",
        {f"{_GENERATOR}, Tensor out=None": _bernoulli, _PROBABILITY: _bernoulli_scalar},
        method=False,
        wrap=with_array_plans,
    ),
):
    register_operator(_op)
