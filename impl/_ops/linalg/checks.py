"""The checks of torch.linalg's functions (ATen/native/LinearAlgebraUtils.h and its callers)."""

from typing import Any

from ..._dtypes.constants import COMPLEX64, COMPLEX128, FLOAT32, FLOAT64
from ..._dtypes.table import as_dtype, dtype, spec_of
from ..._numerics.promotion import can_cast, promote_types
from ..._runtime.errors import check
from ..._tensor.tensor import METHODS, Tensor
from ..products.product import resize_counted

LAPACK = frozenset({FLOAT32, FLOAT64, COMPLEX64, COMPLEX128})
"""The dtypes of decompositions and solvers."""


def cpp_name(dtype: dtype) -> str:
    """Return the name of a dtype in C++."""
    return spec_of(dtype).cpp_name


def number_text(number: Any) -> str:
    """Return a number as C++ prints it.

    >>> number_text(-10000000), number_text(-1e7), number_text(-0.5)
    ('-10000000', '-1e+07', '-0.5')
    """
    return str(number) if type(number) is int else format(float(number), "g")


def check_floating(
    name: str, tensor: Tensor, *, low_precision: bool = True, by_reference: bool = False
) -> None:
    """Raise if elements are no real or complex floats, or narrow ones (checkFloatingOrComplex)."""
    dtype = tensor._dtype
    name_of = str if by_reference else cpp_name
    check(
        dtype.is_floating_point or dtype.is_complex,
        lambda: (
            f"{name}: Expected a floating point or complex tensor as input. Got {name_of(dtype)}"
        ),
    )
    check(
        low_precision or dtype in LAPACK,
        lambda: f"{name}: Low precision dtypes not supported. Got {name_of(dtype)}",
    )


def check_real_order(name: str, order: Any) -> None:
    """Raise if the order of a norm is complex."""
    check(
        not isinstance(order, complex),
        lambda: f"{name}: Expected a non-complex scalar as the order of norm.",
    )


def check_dtype(name: str, dtype: Any, tensor: Tensor) -> None:
    """Raise if a norm cannot be computed in a dtype (check_linalg_norm_dtype)."""
    if dtype is None:
        return
    own, dtype = tensor._dtype, as_dtype(dtype)
    check(
        dtype.is_floating_point or dtype.is_complex,
        lambda: f"{name}: dtype should be floating point or complex, but got {cpp_name(dtype)}",
    )
    kind = "complex" if own.is_complex else "real"
    check(
        dtype.is_complex == own.is_complex,
        lambda: f"{name}: dtype should be {kind} for {kind} inputs, but got {cpp_name(dtype)}",
    )
    check(
        promote_types(own, dtype) is dtype,
        lambda: (
            f"{name}: the dtype of the input ({cpp_name(own)}) should be convertible without"
            f" narrowing to the specified dtype ({cpp_name(dtype)})"
        ),
    )


def check_matrix(name: str, tensor: Tensor, argument: str = "A") -> None:
    """Raise if a tensor has no matrices (checkIsMatrix)."""
    check(
        tensor._geometry.rank >= 2,
        lambda: f"{name}: The input tensor {argument} must have at least 2 dimensions.",
    )


def check_square(name: str, tensor: Tensor, *, by_reference: bool = False) -> None:
    """Raise if a tensor has no square matrices (squareCheckInputs)."""
    if by_reference and tensor._geometry.rank < 2:
        rank = tensor._geometry.rank
        message = f"{name}: The input tensor must have at least 2 dimensions, got {rank}"
        raise AssertionError(message)
    check_matrix(name, tensor)
    rows, columns = tensor._geometry.shape[-2:]
    check(
        rows == columns,
        lambda: (
            f"{name}: A must be batches of square matrices, but they are {rows} by {columns}"
            " matrices"
        ),
    )


def check_same_device(name: str, result: Tensor, tensor: Tensor, what: str = "result") -> None:
    """Raise if a result is on another device (checkSameDevice)."""
    devices = result._geometry.device, tensor._geometry.device
    check(
        devices[0] is devices[1],
        lambda: (
            f"{name}: Expected {what} and input tensors to be on the same device, but got {what}"
            f" on {devices[0]} and input on {devices[1]}"
        ),
    )


def check_castable(name: str, wanted: dtype, result: Tensor, what: str = "result") -> None:
    """Raise if numbers cannot be cast to the dtype of a result (checkLinalgCompatibleDtype)."""
    check(
        can_cast(wanted, result._dtype),
        lambda: (
            f"{name}: Expected {what} to be safely castable from {cpp_name(wanted)} dtype, but got"
            f" {what} with dtype {cpp_name(result._dtype)}"
        ),
    )


def copied_into(name: str, out: Tensor, result: Tensor) -> Tensor:
    """Return ``out``, resized, with a copy of a result, whose dtype it has to have."""
    dtypes = result._dtype, out._dtype
    check(
        dtypes[0] is dtypes[1],
        lambda: (
            f"{name} expected out tensor dtype {cpp_name(dtypes[0])} but got: {cpp_name(dtypes[1])}"
        ),
    )
    resize_counted(out, result._geometry.shape)
    METHODS["copy_"](out, result)
    return out
