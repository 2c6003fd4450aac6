"""The order of frequencies: fftfreq, rfftfreq, fftshift and ifftshift of torch.fft.

They follow ATen/native/SpectralOps.cpp.  No function transforms elements.
"""

from collections.abc import Callable
from functools import partial
from math import copysign, inf
from typing import Any

from ..._argparser.parser import Parser
from ..._dtypes.default_dtype import get_default_dtype
from ..._dtypes.table import as_dtype
from ..._geometry.extents import Ints
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC, public_in
from ..._tensor.factories import OPTIONS
from ..._tensor.out_autograd import check_no_leaf
from ..._tensor.tensor import METHODS, Tensor, shallow_copy
from ..common.out_argument import bind_factory
from ..elementwise.binding import Overload, function_of_module


def _shifted(extra: int, tensor: Tensor, dims: Ints | None) -> Tensor:
    """Roll dimensions by half of their sizes; ``extra`` 1 rounds the halves up."""
    if dims is None:
        dims = tuple(range(tensor._geometry.rank))
    shifts = [(METHODS["size"](tensor, dim) + extra) // 2 for dim in dims]
    return METHODS["roll"](tensor, shifts, dims)  # type: ignore[no-any-return]


fftshift, ifftshift = (
    function_of_module(
        "fft",
        name,
        Overload("IntArrayRef[1]? dim=None", partial(_shifted, extra), out=False),
        doc=f"Return elements with {where} along dimensions.",
    )
    for name, extra, where in (
        ("fftshift", 0, "the frequency 0 in the center"),
        ("ifftshift", 1, "the center at the frequency 0"),
    )
)


def _factory(name: str, numbers: Callable[..., Tensor], doc: str) -> Callable[..., Tensor]:
    """Return the function of sample frequencies whose integers ``numbers`` writes."""
    parse = Parser(
        f"fft_{name}(int64_t n, double d=1.0, *, Tensor out=None, {OPTIONS})", owner="torch.fft"
    )

    def frequencies(*args: Any, **keywords: Any) -> Tensor:
        _, bound = bind_factory(parse, args, keywords)
        count, spacing, out, dtype, layout, device, pin, grad = bound
        options = {"layout": layout, "device": device, "pin_memory": pin, "requires_grad": grad}
        if out is not None:
            check_no_leaf(f"aten::fft_{name}", out)
            dtype, options = out._dtype, {"out": out}
        dtype = get_default_dtype() if dtype is None else as_dtype(dtype)
        check(
            dtype.is_floating_point or dtype.is_complex,
            lambda: f"{name} requires a floating point or complex dtype",
        )
        if out is None:
            options["dtype"] = dtype
        result = numbers(count, options)
        range_ = count * float(spacing)
        scale = 1.0 / range_ if range_ else copysign(inf, range_)
        METHODS["mul_"](shallow_copy(result), scale)  # which versions do not count
        return result

    frequencies.__name__, frequencies.__doc__ = f"fft_{name}", doc
    frequencies.__qualname__ = name  # by which pickles find it
    return public_in("fft")(frequencies)


def _with_negative(count: int, options: dict[str, Any]) -> Tensor:
    check(
        count >= 0,
        lambda: f"Trying to create tensor with negative dimension {count}: [{count}]",
    )
    result: Tensor = PUBLIC["arange"](count, **options)
    upper = METHODS["narrow"](shallow_copy(result), 0, (count + 1) // 2, count // 2)
    METHODS["sub_"](upper, count)
    return result


def _half(count: int, options: dict[str, Any]) -> Tensor:
    return PUBLIC["arange"](int(count / 2) + 1, **options)  # type: ignore[no-any-return]


fftfreq = _factory("fftfreq", _with_negative, "Return the sample frequencies of a transform.")
rfftfreq = _factory("rfftfreq", _half, "Return the sample frequencies that are not negative.")
