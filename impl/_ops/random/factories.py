"""Random factories: rand, randn, randint, randperm, rand_like, randn_like and randint_like.

They follow aten/src/ATen/native/TensorFactories.cpp.
"""

from collections.abc import Callable
from typing import Any, NoReturn

from ..._argparser.parser import Parser
from ..._devices.availability import resolve_device
from ..._devices.device import CPU, META
from ..._dtypes.constants import COMPLEX32, INT64
from ..._dtypes.default_dtype import get_default_dtype
from ..._dtypes.table import as_dtype, dtype
from ..._geometry import extents
from ..._numerics.encode_scalar import ScalarPath, encode_scalar
from ..._random.generator import Generator, stream_of
from ..._random.integers import check_randperm_dtype, check_range, permutation
from ..._runtime.device_modes import DEVICE_MODE_THREADS
from ..._runtime.errors import NotDense, check
from ..._runtime.lazy_exports import PUBLIC
from ..._runtime.torch_function import overridable_part
from ..._tensor.allocation import (
    empty_tensor,
    empty_with,
    resize_out,
    resize_wrapped_out,
    warn_complex32,
    warn_if_complex32,
)
from ..._tensor.factories import OPTIONS, check_options
from ..._tensor.out_autograd import check_no_leaf, record_out, set_requires_grad_if
from ..._tensor.sparse_missing import could_not_run, missing_kernel, sparse_backend
from ..._tensor.tensor import Tensor
from ..common.array_plans import with_array_plans
from ..common.clone import empty_like_geometry
from ..common.conj_neg_fallback import (
    late_warnings,
    resolve_conj_neg,
    run_resolved,
    through_clone,
)
from ..common.device_checks import is_cpu_scalar
from ..common.meta_reference import is_on_meta
from ..common.out_argument import bind_factory, write_out
from ..creation.like import check_layout_like, is_dense_on_meta
from .draw import (
    NORMAL,
    SIZES,
    UNIFORM,
    Draw,
    are_plain_ints,
    draw_into,
    draw_new,
    integers_draw,
    note_draw,
    plain_size,
    random_tensor,
    sampler,
)

_GENERATOR_OVERLOADS = ("Generator? generator, ", "")
"""Torch declares a signature with a generator before one without."""


def _make_parser(name: str, *parameters: str, rest: str = "Tensor out=None") -> Parser:
    return Parser(
        *(
            f"{name}({parameter}, *, {generator}{rest}, {OPTIONS})"
            for parameter in parameters
            for generator in _GENERATOR_OVERLOADS
        )
    )


def _with_generator(overload: int, values: tuple[Any, ...], index: int) -> list[Any]:
    """Return the values with None for the generator if the overload has no generator."""
    result = [*values]
    if overload % 2:
        result.insert(index, None)
    return result


def _sized_factory(name: str, draw: Draw, contents: str) -> Callable[..., Tensor]:
    parse = _make_parser(name, "SymIntArrayRef size")

    def function(*args: Any, **keywords: Any) -> Tensor:
        if not keywords and not DEVICE_MODE_THREADS:
            size = plain_size(args[0] if len(args) == 1 and type(args[0]) in SIZES else args)
            if size:
                return draw_new(size, get_default_dtype(), None, draw)
        return bind(args, keywords)

    @overridable_part(name)
    def bind(args: Any, keywords: Any) -> Tensor:
        overload, bound = bind_factory(parse, args, keywords)
        shape, generator, *rest = _with_generator(overload, bound, 1)
        composite = name == "randn" or overload == 0
        default = get_default_dtype()
        has_reference = overload == 1  # without a generator
        return random_tensor(
            name,
            shape,
            generator,
            draw,
            default,
            *rest,
            composite=composite,
            has_reference=has_reference,
        )

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name}(*size, generator=None, ...): return a tensor of {contents}."
    return function


rand = _sized_factory("rand", UNIFORM, "random numbers from 0 to 1, exclusive")
randn = _sized_factory("randn", NORMAL, "standard normal random numbers")

_parse_randint = _make_parser(
    "randint", "SymInt high, SymIntArrayRef size", "SymInt low, SymInt high, SymIntArrayRef size"
)


def randint(*args: Any, **keywords: Any) -> Tensor:
    """randint(low=0, high, size, ...): return random integers from ``low`` to ``high``, exclusive.

    >>> import impl as torch
    >>> torch.randint(3, 5, (2, 3), generator=torch.Generator().manual_seed(2))
    tensor([[3, 4, 4],
            [3, 3, 4]])
    """
    if not keywords and not DEVICE_MODE_THREADS and len(args) in (2, 3) and type(args[-1]) in SIZES:
        size, bounds = plain_size(args[-1]), args[:-1]
        if size and are_plain_ints(bounds):
            draw = integers_draw(*bounds) if len(bounds) == 2 else integers_draw(0, *bounds)
            return draw_new(size, INT64, None, draw)
    return _bind_randint(args, keywords)


@overridable_part("randint")
def _bind_randint(args: Any, keywords: Any) -> Tensor:
    overload, bound = bind_factory(_parse_randint, args, keywords)
    if overload < 2:
        bound = (0, *bound)
    low, high, shape, generator, *rest = _with_generator(overload, bound, 3)
    has_reference = overload % 2 == 1  # without a generator
    draw = _range_draw(low, high) if has_reference else integers_draw(low, high)
    return random_tensor(
        "randint", shape, generator, draw, INT64, *rest, has_reference=has_reference
    )


def _range_draw(low: int, high: int) -> Draw:
    """Return the distribution of randint, whose reference checks the bounds."""
    return integers_draw(low, high)._replace(
        check_on_meta=lambda dtype, generator: check_range(low, high)
    )


_parse_randperm = _make_parser("randperm", "SymInt n")
_PERMUTATION = sampler(permutation)


def randperm(*args: Any, **keywords: Any) -> Tensor:
    """randperm(n, ...): return the integers from 0 to n - 1 in a random order.

    >>> import impl as torch
    >>> torch.randperm(5, generator=torch.Generator().manual_seed(0))
    tensor([4, 0, 1, 3, 2])
    """
    if len(args) == 1 and not keywords and not DEVICE_MODE_THREADS:
        size = plain_size(args)
        if size:
            return draw_new(size, INT64, None, _PERMUTATION)
    return _bind_randperm(args, keywords)


@overridable_part("randperm")
def _bind_randperm(args: Any, keywords: Any) -> Tensor:
    overload, bound = bind_factory(_parse_randperm, args, keywords)
    n, generator, out, dtype, layout, device, pin, grad = _with_generator(overload, bound, 1)
    if out is not None:
        return _randperm_out(out, n, generator, grad)
    device = check_options("randperm", layout, device, pin, meta=True, shape=(n,))
    dtype = INT64 if dtype is None else as_dtype(dtype)
    if device is META:
        extents.check_nonnegative((n,))
        result = empty_tensor((n,), dtype, META, by_reference=generator is None)
    else:
        extents.check_nonnegative((n,))
        _warn_of_range_check(dtype)
        result = draw_new((n,), dtype, generator, _PERMUTATION, device)
    return set_requires_grad_if(result, grad)


def _warn_of_range_check(dtype: dtype) -> None:
    """Warn of complex32, if this is the dtype to which torch converts n to check its range."""
    if dtype is COMPLEX32:
        warn_complex32()


@through_clone
def _randperm_out(out: Tensor, n: int, generator: Generator | None, grad: Any) -> Tensor:
    check_no_leaf("aten::randperm", out)
    device = out._geometry.device
    if device is META:
        return record_out(resize_wrapped_out(out, (n,)), grad)
    if n >= 0:
        _warn_of_range_check(out._dtype)
    check_randperm_dtype(n, out._dtype)
    resize_out(out, (n,))
    write_out(out, permutation(stream_of(generator, device), n, out._dtype))
    return record_out(out, grad)


# rand_like, randn_like, randint_like

_FORMAT = "MemoryFormat? memory_format=None"


def _random_like(
    name: str, tensor: Tensor, generator: Generator | None, draw: Draw | None, *options: Any
) -> Tensor:
    """Return a tensor like another, with random elements or uninitialized ones."""
    memory_format, dtype, layout, device, pin, grad = options
    if late_warnings((tensor,)):
        return run_resolved(
            lambda resolved: _random_like(name, resolved, generator, draw, *options), (tensor,)
        )
    source = tensor if tensor._geometry.is_sparse else resolve_conj_neg(tensor)
    check_layout_like(name, tensor, layout, memory_format, device, pin)
    device = tensor.device if device is None else device
    device = check_options(name, layout, device, pin, meta=True)
    dtype = tensor._dtype if dtype is None else as_dtype(dtype)
    geometry = empty_like_geometry(source, memory_format, dtype, device)
    by_reference = is_dense_on_meta(tensor)
    if dtype is COMPLEX32 and (by_reference or device is not META):
        warn_complex32(by_reference=by_reference)
    result = empty_with(geometry, dtype, device, warns=False)
    if draw is not None:
        draw_into(result, generator, draw)
    if dtype is COMPLEX32 and not by_reference and device is META:
        warn_complex32()  # torch shows a kernel's warning when it ends, that of its reference first
    if grad or draw is None or device is not CPU:
        return set_requires_grad_if(result, grad)
    return note_draw(draw, result, tensor)


def _raise_sparse_like(name: str, tensor: Tensor, _format: Any, *options: Any) -> NoReturn:
    """Raise for a sparse result after torch's warnings of it, as torch makes it first."""
    dtype, _layout, device, pin, _grad = options
    check(not pin, lambda: "Only dense CPU tensors can be pinned")
    warn_if_complex32(tensor._dtype if dtype is None else as_dtype(dtype), 3)
    backend = sparse_backend(resolve_device(tensor.device if device is None else device))
    raise could_not_run(missing_kernel(name, ()), backend)


def _like_factory(name: str, draw: Draw, contents: str) -> Callable[..., Tensor]:
    parse = _make_parser(name, "Tensor input", rest=_FORMAT)

    def function(*args: Any, **keywords: Any) -> Tensor:
        overload, bound = bind_factory(parse, args, keywords, like=True)
        tensor, generator, *options = _with_generator(overload, bound, 1)
        try:
            return _random_like(name, tensor, generator, draw, *options)
        except NotDense:
            pass
        _raise_sparse_like(name, tensor, *options)

    function = with_array_plans(function)
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name}(input, ...): return a tensor of the size of another, of {contents}."
    return function


rand_like = _like_factory("rand_like", UNIFORM, "random numbers from 0 to 1, exclusive")
randn_like = _like_factory("randn_like", NORMAL, "standard normal random numbers")

_parse_randint_like = _make_parser(
    "randint_like",
    "Tensor input, SymInt low, SymInt high",
    "Tensor input, Tensor high",
    "Tensor input, SymInt high",
    rest=_FORMAT,
)


@with_array_plans
def randint_like(*args: Any, **keywords: Any) -> Tensor:
    """randint_like(input, low=0, high, ...): random integers in a tensor of the size of another."""
    overload, bound = bind_factory(_parse_randint_like, args, keywords, like=True)
    if overload >= 2:
        tensor, high, *rest = bound
        if overload < 4:
            is_sparse = tensor._geometry.is_sparse or high._geometry.is_sparse
            if (
                overload == 3 and not is_sparse and is_on_meta(tensor, high)
            ):  # the kernel of meta draws nothing
                return _random_like("randint_like", tensor, None, None, *rest)
            check(is_cpu_scalar(high), lambda: "high must be a scalar tensor and on CPU")
            high = int(encode_scalar(high.item(), INT64, ScalarPath.SCALAR))
        bound = (tensor, 0, high, *rest)
    tensor, low, high, generator, *rest = _with_generator(overload, bound, 3)
    try:
        return _random_like("randint_like", tensor, generator, integers_draw(low, high), *rest)
    except NotDense:
        pass
    _raise_sparse_like("randint_like", tensor, *rest)


for _function in (rand, randn, randint, randperm, rand_like, randn_like, randint_like):
    PUBLIC[_function.__name__] = _function
