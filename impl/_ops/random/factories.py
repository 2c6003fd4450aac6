"""The functions that make tensors of random numbers: rand, randn, randint, randperm, and those like others.

The rules are in aten/src/ATen/native/TensorFactories.cpp.
"""

from collections.abc import Callable
from typing import Any

from ..._argparser.parser import Parser
from ..._devices.device import META
from ..._dtypes.constants import COMPLEX32, INT64
from ..._dtypes.default_dtype import get_default_dtype
from ..._dtypes.table import as_dtype, dtype
from ..._numerics.encode_scalar import ScalarPath, encode_scalar
from ..._random.generator import Generator, stream_of
from ..._random.integers import check_permutation, check_shuffled, permutation
from ..._random.mt19937 import Stream
from ..._runtime.device_modes import DEVICE_MODE_THREADS
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.factories import (
    OPTIONS,
    check_options,
    empty_tensor,
    empty_with,
    resize_out,
    warn_of_complex32,
)
from ..._tensor.out_autograd import check_no_leaf, require_grad_if, returned
from ..._tensor.tensor import Tensor
from ..common.clone import like_geometry
from ..common.conj_neg_fallback import resolved, write_to_clone
from ..common.out_argument import bind_factory, write_out
from . import inplace, normal
from .draw import NORMAL, UNIFORM, Draw, draw_into, draw_new, drawn, integers_draw

__all__ = [
    "normal", "rand", "rand_like", "randint", "randint_like", "randn", "randn_like", "randperm",
    "inplace",
]  # fmt: skip


_INTS = frozenset({int})
_BOTH_WAYS = ("Generator? generator, ", "")
"""Torch declares a signature with a generator before one without."""


def _declared(name: str, *parameters: str, rest: str = "Tensor out=None") -> Parser:
    return Parser(
        *(
            f"{name}({each}, *, {generator}{rest}, {OPTIONS})"
            for each in parameters
            for generator in _BOTH_WAYS
        )
    )


def _with_generator(which: int, values: tuple[Any, ...], index: int) -> list[Any]:
    """Return the values with None for the generator where the signature has none."""
    found = [*values]
    if which % 2:
        found.insert(index, None)
    return found


def _of_size(name: str, draw: Draw, what: str) -> Callable[..., Tensor]:
    parse = _declared(name, "SymIntArrayRef size")

    def function(*args: Any, **keywords: Any) -> Tensor:
        if not keywords and not DEVICE_MODE_THREADS:
            size = args[0] if len(args) == 1 and type(args[0]) is tuple else args
            if size and _INTS.issuperset(map(type, size)) and min(size) >= 0:
                return draw_new(size, get_default_dtype(), None, draw)
        which, bound = bind_factory(parse, args, keywords)
        shape, generator, *rest = _with_generator(which, bound, 1)
        composite = name == "randn" or which == 0
        default = get_default_dtype()
        return drawn(name, shape, generator, draw, default, *rest, composite=composite)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name}(*size, generator=None, ...): return a tensor of {what}."
    return function


rand = _of_size("rand", UNIFORM, "numbers from 0 up to, but without, 1")
randn = _of_size("randn", NORMAL, "normal numbers around 0 with the deviation 1")

_parse_randint = _declared(
    "randint", "SymInt high, SymIntArrayRef size", "SymInt low, SymInt high, SymIntArrayRef size"
)


def randint(*args: Any, **keywords: Any) -> Tensor:
    """randint(low=0, high, size, ...): return integers from ``low`` up to, but without, ``high``.

    >>> import impl as torch
    >>> torch.randint(3, 5, (2, 3), generator=torch.Generator().manual_seed(2))
    tensor([[3, 4, 4],
            [3, 3, 4]])
    """
    which, bound = bind_factory(_parse_randint, args, keywords)
    if which < 2:
        bound = (0, *bound)
    low, high, shape, generator, *rest = _with_generator(which, bound, 3)
    return drawn("randint", shape, generator, integers_draw(low, high), INT64, *rest)


_parse_randperm = _declared("randperm", "SymInt n")


def randperm(*args: Any, **keywords: Any) -> Tensor:
    """randperm(n, ...): return the integers from 0 to n - 1 in a random order.

    >>> import impl as torch
    >>> torch.randperm(5, generator=torch.Generator().manual_seed(0))
    tensor([4, 0, 1, 3, 2])
    """
    which, bound = bind_factory(_parse_randperm, args, keywords)
    n, generator, out, kind, *options = _with_generator(which, bound, 1)
    layout, device, pin, grad = options
    if out is None:
        where = check_options("randperm", layout, device, pin, meta=True)
        wanted = INT64 if kind is None else as_dtype(kind)
        if where is META:
            made = empty_tensor((n,), wanted, META)
            check_shuffled(n, wanted)
            return require_grad_if(made, grad)
        return require_grad_if(draw_new((n,), wanted, generator, _permutation, where), grad)
    return _randperm_out(n, generator, out, grad)


def _randperm_out(n: int, generator: Generator | None, out: Tensor, grad: Any) -> Tensor:
    if out._conj_neg:
        return write_to_clone(out, lambda clone: _randperm_out(n, generator, clone, grad))
    check_no_leaf("aten::randperm", out)
    if out._dtype is COMPLEX32:
        warn_of_complex32()  # torch makes a tensor of n to see whether it fits
    check_permutation(n, out._dtype)
    resize_out(out, (n,))
    device = out._geometry.device
    if device is META:
        check_shuffled(n, out._dtype)
    else:
        write_out(out, permutation(stream_of(generator, device), n, out._dtype))
    return returned(out, grad)


def _permutation(stream: Stream, count: int, dtype: dtype, contiguous: bool) -> Any:
    return permutation(stream, count, dtype)


# rand_like, randn_like, randint_like

_FORMAT = "MemoryFormat? memory_format=None"


def _drawn_like(
    name: str, tensor: Tensor, generator: Generator | None, draw: Draw, *given: Any
) -> Tensor:
    form, kind, layout, device, pin, grad = given
    named = tensor.device if device is None else device
    where = check_options(name, layout, named, pin, meta=True)
    wanted = tensor._dtype if kind is None else as_dtype(kind)
    result = empty_with(like_geometry(resolved(tensor), form, wanted), wanted, where)
    draw_into(result, generator, draw)
    return require_grad_if(result, grad)


def _like(name: str, draw: Draw, what: str) -> Callable[..., Tensor]:
    parse = _declared(name, "Tensor input", rest=_FORMAT)

    def function(*args: Any, **keywords: Any) -> Tensor:
        which, bound = bind_factory(parse, args, keywords, like=True)
        tensor, generator, *rest = _with_generator(which, bound, 1)
        return _drawn_like(name, tensor, generator, draw, *rest)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name}(input, ...): return a tensor of the size of another, of {what}."
    return function


rand_like = _like("rand_like", UNIFORM, "numbers from 0 up to, but without, 1")
randn_like = _like("randn_like", NORMAL, "normal numbers around 0 with the deviation 1")

_parse_randint_like = _declared(
    "randint_like",
    "Tensor input, SymInt low, SymInt high",
    "Tensor input, Tensor high",
    "Tensor input, SymInt high",
    rest=_FORMAT,
)


def randint_like(*args: Any, **keywords: Any) -> Tensor:
    """randint_like(input, low=0, high, ...): return integers in a tensor of the size of another."""
    which, bound = bind_factory(_parse_randint_like, args, keywords, like=True)
    if which >= 2:
        tensor, high, *rest = bound
        if which < 4:
            high = _high_of(high)
        bound = (tensor, 0, high, *rest)
    tensor, low, high, generator, *rest = _with_generator(which, bound, 3)
    return _drawn_like("randint_like", tensor, generator, integers_draw(low, high), *rest)


def _high_of(tensor: Tensor) -> int:
    check(tensor._geometry.rank == 0, lambda: "high must be a scalar tensor and on CPU")
    return int(encode_scalar(tensor.item(), INT64, ScalarPath.SCALAR))


for _function in (rand, randn, randint, randperm, rand_like, randn_like, randint_like):
    PUBLIC[_function.__name__] = _function
