"""What the functions of layers share: dtypes, memory formats and grad_fns of results."""

from typing import Any

from ... import (
    Tensor,
    bfloat16,
    channels_last,
    channels_last_3d,
    contiguous_format,
    float16,
    float32,
    float64,
)
from ..._dtypes.table import spec_of
from ..._geometry.strides import suggested_format
from ..._runtime.errors import check
from ..._tensor.views import record_grad_fn

FLOATS = (float16, bfloat16, float32, float64)
"""The dtypes of most kernels for floats."""


def cpp_name(dtype: Any) -> str:
    """Return the name of a dtype, such as "Float"."""
    return spec_of(dtype).cpp_name


def check_mixed_dtypes(input: Any, *parameters: Any) -> bool:
    """Return whether the first parameter has another dtype than the input (mixed_data_type.h).

    The parameters of a normalization may then be float32, and the input a small float.
    """
    given = [x for x in parameters if x is not None]
    if not given or given[0].dtype is input.dtype:
        return False
    check(
        all(x.dtype is float32 for x in given),
        lambda: "mixed dtype (CPU): expect parameter to have scalar type of Float",
    )
    check(
        input.dtype.is_floating_point and input.dtype.itemsize < 4,
        lambda: "mixed dtype (CPU): all inputs must share same datatype.",
    )
    return True


def widened(tensor: Tensor) -> Tensor:
    """Return a tensor in the dtype in which torch computes with it: float32 for small floats."""
    return tensor.to(float32) if tensor.dtype in (bfloat16, float16) else tensor


_FORMATS = {
    "contiguous_format": contiguous_format,
    "channels_last": channels_last,
    "channels_last_3d": channels_last_3d,
}


def suggested_memory_format(tensor: Tensor) -> Any:
    """Return the memory format that new tensors like this one have (suggest_memory_format)."""
    return _FORMATS[suggested_format(tuple(tensor.shape), tensor.stride())]


def with_grad_fn(result: Tensor, sources: Any, node: str) -> Tensor:
    """Return the result of a function that autograd records as one, if it tracks a source."""
    internal: Any = result.data  # typed as in the stub
    recorded: Any = record_grad_fn(internal, tuple(sources), node)
    return recorded  # type: ignore[no-any-return]
