"""tinygrad: lazy tensors without strides and storages.

tinygrad's variable ``DEV`` chooses the device. ``DEV=CPU`` needs clang, and for bfloat16 one newer
than clang 14; ``CC`` names it. ``DEV=PYTHON`` needs no compiler, but is slow for large tensors.
"""

from collections.abc import Callable, Sequence
from functools import wraps
from inspect import signature
from typing import Any

import tinygrad
from tinygrad import Device, Tensor, dtypes
from tinygrad.dtype import DType, least_upper_dtype

from ..adapter import BEYOND_VALUES, Adapter

DTYPES = {
    "float8_e4m3fn": dtypes.fp8e4m3,
    "float8_e4m3fnuz": dtypes.fp8e4m3fnuz,
    "float8_e5m2": dtypes.fp8e5m2,
    "float8_e5m2fnuz": dtypes.fp8e5m2fnuz,
    **{
        name: getattr(dtypes, name)
        for name in (
            *("bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"),
            *("float16", "bfloat16", "float32", "float64"),
            *("half", "float", "double", "short", "int", "long"),
        )
    },
}

KEYWORDS = {
    "input": "self", "other": "x", "dim": "axis", "dims": "axis", "size": "shape", "min": "min_",
    "max": "max_",
}  # fmt: skip
"""The names of tinygrad's parameters, by torch's, of functions without a parameter of that name."""

SAME_SIZE = {1: dtypes.uint8, 2: dtypes.uint16}
"""The dtypes as which elements without a NumPy dtype are read, by their size."""

to, view = Tensor.to, Tensor.view


def _function(name: str) -> Callable[..., Any]:
    """Return a method of Tensor as a function that takes torch's keywords."""
    method = getattr(Tensor, name)
    own = signature(method).parameters
    renamed = {key: name for key, name in KEYWORDS.items() if name in own and key not in own}

    @wraps(method)
    def call(*arguments: Any, **keywords: Any) -> Any:
        return method(*arguments, **{renamed.get(key, key): keywords[key] for key in keywords})

    return call


def _cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    return Tensor.cat(*tensors, dim=dim)


def _stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    return Tensor.stack(*tensors, dim=dim)


def _frombuffer(buffer: Any, *, dtype: DType) -> Tensor:
    return Tensor(bytes(buffer), dtype=dtype)


def _result_type(tensor1: Any, tensor2: Any) -> DType:
    pair = tensor1, tensor2
    return least_upper_dtype(
        *(x.dtype if isinstance(x, Tensor) else dtypes.from_py(x) for x in pair)
    )


def _to(self: Tensor, *arguments: Any, dtype: DType | None = None, copy: bool = False) -> Tensor:
    """Return a tensor cast to a dtype, or what tinygrad's method gives, which takes a device."""
    if arguments and isinstance(arguments[0], DType):
        dtype, arguments = arguments[0], arguments[1:]
    result = self if dtype is None else self.cast(dtype)
    result = to(result, *arguments) if arguments or dtype is None else result
    return result.clone() if copy else result


def _view(self: Tensor, shape: Any, *sizes: int) -> Tensor:
    return self.bitcast(shape) if isinstance(shape, DType) else view(self, shape, *sizes)


def _set_up() -> None:
    """Open the device, and let three members of Tensor take what torch's take."""
    Device[Device.DEFAULT]
    Tensor.to, Tensor.view, Tensor.copy_ = _to, _view, Tensor.assign


def _elements(tensor: Tensor) -> Any:
    """Return the elements of a tensor, which is computed here and keeps them."""
    tensor.realize()
    if 0 in tensor.shape:
        return b""
    if tensor.dtype in (dtypes.bfloat16, *dtypes.fp8s):
        tensor = tensor.bitcast(SAME_SIZE[tensor.element_size()])
    return tensor.numpy()


METHODS = [name for name in dir(Tensor) if name[0] != "_" and callable(getattr(Tensor, name))]

adapter = Adapter(
    tinygrad,
    tensor=Tensor,
    names={
        **{name: _function(name) for name in METHODS},
        **DTYPES,
        "device": None,  # a module of tinygrad
        "dtype": DType,
        "tensor": Tensor,
        "from_numpy": Tensor,
        "frombuffer": _frombuffer,
        "cat": _cat,
        "stack": _stack,
        "amax": _function("max"),
        "amin": _function("min"),
        "remainder": _function("mod"),
        "promote_types": least_upper_dtype,
        "result_type": _result_type,
    },
    elements=_elements,
    setup=_set_up,
    frames=("tinygrad.tensor",),
    not_asked=BEYOND_VALUES,
)
