"""The largest or the smallest of all elements, and amax and amin.

They follow aten/src/ATen/native/ReduceOps.cpp and ReduceAllOps.cpp.
"""

from collections.abc import Callable
from functools import partial
from math import inf
from typing import Any, NamedTuple

from ..._arrays.numpy_bridge import np
from ..._autograd.autograd_meta import bump_version
from ..._devices.device import META
from ..._dtypes.constants import BOOL, INT64
from ..._dtypes.table import dtype, spec_of
from ..._geometry import view_shapes
from ..._geometry.geometry import Geometry, dense, on_device
from ..._kernels import reduction
from ..._kernels.elementwise import OPMATH_DTYPE
from ..._kernels.reduction import Reducer
from ..._numerics.cast import convert
from ..._numerics.encode_scalar import ScalarPath, encode_scalar
from ..._numerics.promotion import can_cast
from ..._numerics.type_info import iinfo
from ..._runtime.errors import check
from ..._tensor.allocation import resize_output
from ..._tensor.data_access import write_elements
from ..._tensor.out_autograd import check_no_complex_gradient
from ..._tensor.tensor import Tensor
from ..elementwise.plan import BOOLS, NUMBERS
from . import references
from .fast_path import small_extreme
from .reduce import (
    Reduction,
    check_dims,
    check_kernel,
    check_opaque_copy,
    reduce,
    reduced,
    warn_of_narrow_complex,
)
from .reduce_plan import cached_result

DTYPES = BOOLS | NUMBERS


class Extreme(NamedTuple):
    """The operators for the largest or the smallest elements.

    name: the name of the operator
    reducer: the reducer along dimensions
    of_all, half_of_all: the reducers of all elements, the second for float16 and bfloat16
    choose: the Python function
    """

    name: str
    reducer: Reducer
    of_all: Reducer
    half_of_all: Reducer
    choose: Callable[..., Any]

    @property
    def node(self) -> str:
        """The grad_fn name, without its ending."""
        return self.name.title()

    def reducer_of_all(self, dtype: dtype) -> Reducer:
        """Return the reducer of all elements of a dtype."""
        return self.half_of_all if dtype in OPMATH_DTYPE else self.of_all


MAX = Extreme(
    "max", reduction.LARGEST, reduction.LARGEST_OF_ALL, reduction.LARGEST_HALF_OF_ALL, max
)
MIN = Extreme(
    "min", reduction.SMALLEST, reduction.SMALLEST_OF_ALL, reduction.SMALLEST_HALF_OF_ALL, min
)


def check_not_empty(name: str, geometry: Geometry, dim: int) -> None:
    if geometry.rank and not geometry.shape[view_shapes.wrap_dim(dim, geometry.rank)]:
        raise IndexError(f"{name}: Expected reduction dim {dim} to have non-zero size.")


def amax(
    extreme: Extreme,
    tensor: Tensor,
    dims: tuple[int, ...],
    keepdim: bool,
    out: Tensor | None = None,
) -> Tensor:
    name, dtype = f"a{extreme.name}", tensor._dtype
    geometry, key = tensor._geometry, (f"a{extreme.name}", dims, keepdim)
    if out is None and (result := cached_result(tensor, key)) is not None:
        return result
    if references.uses_reference(tensor, out):
        node = f"A{extreme.name}Backward0"
        result = references.amax(name, node, tensor, dims, keepdim, out)
        check_no_complex_gradient(name, tensor._dtype, tensor)
        return result
    if out is not None:
        check(
            out._dtype is dtype,
            lambda: (
                "Expected the dtype for input and out to match, but got"
                f" {spec_of(dtype).cpp_name} for input's dtype and {spec_of(out._dtype).cpp_name}"
                " for out's dtype."
            ),
        )
    if not geometry.numel:
        check(dims, lambda: _NOTHING.format(name))
        for dim in dims:
            check_not_empty(f"{name}()", geometry, dim)
    check_dims(dims, geometry.rank)
    spec = Reduction(
        name, f"{extreme.name}_values_cpu", DTYPES, extreme.reducer, 0,
        f"A{extreme.name}Backward0", initial=partial(_bound, least=extreme is MAX),
    )  # fmt: skip
    result = reduce(spec, tensor, dims, keepdim, dtype, out, key)
    check_no_complex_gradient(name, tensor._dtype, tensor)
    return result


_NOTHING = (
    "{}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction"
    " dim with the 'dim' argument."
)


def max_all(extreme: Extreme, tensor: Tensor, out: Tensor | None = None) -> Tensor:
    if out is not None and references.uses_reference(tensor, out):
        return references.result(extreme.name, tensor, dense(()), tensor._dtype, out)
    if out is not None:
        return _max_all_into(extreme, tensor, out)
    result = small_extreme(extreme.choose, f"{extreme.node}Backward1", tensor)
    if result is not None:
        return result
    name, node = extreme.name, f"{extreme.node}Backward1"
    key = (name,)
    if (result := cached_result(tensor, key)) is not None:
        return result
    if references.uses_reference(tensor):
        on_meta = on_device(dense(()), META)
        result = references.result(name, tensor, on_meta, tensor._dtype, None, node)
        check_no_complex_gradient(name, tensor._dtype, tensor)
        return result
    check(tensor._geometry.numel, lambda: _NOTHING.format(name))
    check_contiguous_copy(tensor)
    spec = Reduction(name, f"{name}_all", DTYPES, extreme.reducer_of_all(tensor._dtype), 0, node)
    return reduce(spec, tensor, None, False, tensor._dtype, key=key)


def check_contiguous_copy(tensor: Tensor) -> None:
    """Warn of the contiguous copy that torch makes to reduce all elements, or raise as it does."""
    if not tensor._geometry.is_contiguous:
        warn_of_narrow_complex(tensor._dtype, allocated=False, converted=True)
        check_opaque_copy(tensor, tensor._dtype)


def _max_all_into(extreme: Extreme, tensor: Tensor, out: Tensor) -> Tensor:
    dtype = tensor._dtype
    _check_expected(
        "self.device() == out.device()", tensor._geometry.device is out._geometry.device
    )
    _check_expected(
        "canCast( typeMetaToScalarType(self.dtype()), typeMetaToScalarType(out.dtype()))",
        can_cast(dtype, out._dtype),
    )
    resize_output(out, ())
    check_contiguous_copy(tensor)
    check_kernel(f"{extreme.name}_all", DTYPES, dtype, tensor)
    geometry = tensor._geometry
    if geometry.numel:
        reducer = extreme.reducer_of_all(dtype)
        result = reduced(reducer, tensor, tuple(range(geometry.rank)), dtype)
        opmath = OPMATH_DTYPE.get(dtype, dtype)
        number = convert(convert(np.asarray(result), opmath, dtype), dtype, opmath).item()
    else:
        number = _bound(dtype, least=extreme is MAX)
    # The number is converted like a scalar, which raises on overflow.
    write_elements(out, encode_scalar(number, out._dtype, ScalarPath.SCALAR_ZERO_DIM))
    bump_version(out)
    return out


def _check_expected(text: str, condition: bool) -> None:
    """Raise the error of a TORCH_CHECK without a message."""
    check(
        condition,
        lambda: (
            f"Expected {text} to be true, but got false.  (Could this error message be improved?"
            "  If so, please report an enhancement request to PyTorch.)"
        ),
    )


def _bound(dtype: dtype, *, least: bool) -> Any:
    """Return the initial value of torch's search for the largest or smallest number.

    None for the smallest int64, whose kernel writes no result before it has read all elements
    (min_values_kernel_impl in native/cpu/ReduceOpsKernel.cpp).
    """
    if dtype is INT64 and not least:
        return None
    if dtype is BOOL:
        return not least
    if dtype.is_floating_point:
        return -inf if least else inf
    limits = iinfo(dtype)  # type: ignore[call-arg]  # its metaclass takes it
    return limits.min if least else limits.max
