"""The operators that make a tensor like another: empty_like, new_zeros, and their kin."""

from collections.abc import Callable
from typing import Any

from ..._autograd.autograd_meta import count_write
from ..._autograd.tracking import count_filling, is_made_inside
from ..._dtypes.table import as_dtype, dtype
from ..._geometry import extents
from ..._geometry.geometry import dense
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.data_access import write_raw
from ..._tensor.factories import (
    OPTIONS,
    check_options,
    check_zero,
    empty_tensor,
    empty_with,
    full_of_number,
    full_tensor,
    new_code,
    new_strided,
    number_of,
)
from ..._tensor.out_autograd import require_grad_if
from ..._tensor.tensor import Tensor
from ..common.clone import like_geometry
from ..common.conj_neg_fallback import resolved
from ..common.copy import write_zeros
from ..common.registration import Op, install

_FORMAT = "MemoryFormat? memory_format=None"


_SEE_BITS = ("empty_like", "full_like")
"""What is not given a clone of a tensor with a bit (ATen/native/MathBitFallThroughLists.h)."""


def _place(name: str, tensor: Tensor, layout: Any, device: Any, pin: Any) -> Any:
    """Return the device on which to make a tensor like another: that of the other if none is named."""
    return check_options(name, layout, tensor.device if device is None else device, pin, meta=True)


def _like(name: str, value: int | None, extra: str = "") -> None:
    def run(tensor: Tensor, *given: Any) -> Tensor:
        fill, form, kind, layout, device, pin, grad = given if extra else (value, *given)
        number = number_of(fill)
        where = _place(name, tensor, layout, device, pin)
        wanted = tensor._dtype if kind is None else as_dtype(kind)
        source = tensor if name in _SEE_BITS else resolved(tensor)
        result = empty_with(like_geometry(source, form, wanted), wanted, where)
        if name == "zeros_like":
            write_zeros(result)
        elif fill is not None:
            write_raw(result, new_code(number, wanted, result._geometry.shape))
        return require_grad_if(result, grad)

    run.__doc__ = f"{name}(input, ...): a new tensor of the same size, dtype and memory format."
    install(Op(name, {f"{extra}*, {_FORMAT}, {OPTIONS}": run}, method=False, makes=True))


_like("empty_like", None)
_like("zeros_like", 0)
_like("ones_like", 1)
_like("full_like", None, "Scalar fill_value, ")

zeros_like: Callable[..., Tensor] = PUBLIC["zeros_like"]
ones_like: Callable[..., Tensor] = PUBLIC["ones_like"]


def _new(name: str, value: int | None, extra: str = "") -> None:
    def run(tensor: Tensor, size: tuple[int, ...], *given: Any) -> Tensor:
        fill, kind, layout, device, pin, grad = given if extra else (value, *given)
        number = number_of(fill)
        where = _place(name, tensor, layout, device, pin)
        tensor = resolved(tensor)
        extents.check_nonnegative(size)
        wanted: dtype = tensor._dtype if kind is None else as_dtype(kind)
        if fill is None:
            result = empty_tensor(size, wanted, where)
        elif name == "new_zeros":
            extents.contiguous_bytes(size, wanted.itemsize)
            check_zero(size, wanted)
            result = full_tensor(size, 0, wanted, where)
        else:
            extents.contiguous_bytes(size, wanted.itemsize)
            dense(size)
            result = full_of_number(size, number, wanted, where)
        if is_made_inside(result, tensor):
            count_filling(result)
            if fill is not None:
                count_write(result)
        return require_grad_if(result, grad)

    run.__doc__ = f"Tensor.{name}(size, ...): a new tensor of the same dtype."
    install(
        Op(name, {f"SymIntArrayRef size, {extra}*, {OPTIONS}": run}, function=False, makes=True)
    )


_new("new_empty", None)
_new("new_zeros", 0)
_new("new_ones", 1)
_new("new_full", None, "Scalar fill_value, ")


def _new_empty_strided(tensor: Tensor, size: Any, stride: Any, *options: Any) -> Tensor:
    """Tensor.new_empty_strided(size, stride, ...): a new tensor of these strides and the same dtype."""
    kind, layout, device, pin, grad = options
    tensor = resolved(tensor)
    wanted = tensor._dtype if kind is None else as_dtype(kind)
    given = tensor.device if device is None else device
    result = new_strided(size, stride, wanted, "new_empty_strided", layout, given, pin)
    if is_made_inside(result, tensor):
        count_filling(result)
    return require_grad_if(result, grad)


install(
    Op(
        "new_empty_strided",
        {f"SymIntArrayRef size, SymIntArrayRef stride, *, {OPTIONS}": _new_empty_strided},
        function=False,
    )
)
