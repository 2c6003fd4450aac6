"""What a plan has to know of an operand: its layout, its dtype, and how torch converts it."""

from typing import Any

from ..._arrays.opaque_dtypes import is_opaque
from ..._dtypes.scalars import tensor_dtype_of
from ..._dtypes.table import dtype
from ..._geometry import strides
from ..._geometry.extents import Ints, Layout
from ..._geometry.geometry import Geometry
from ..._tensor.tensor import Tensor
from ..common.meta_reference import reference_layouts
from ..common.reference_strides import UNCONVERTED, composed_result
from ..common.result_type import result_type_of


def input_layouts(operands: tuple[Any, ...], common: dtype | None) -> tuple[Layout, ...]:
    """Return the shapes and strides of operands.

    Those of another dtype than ``common``, if that is given, count as copies.
    """
    inputs: list[Any] = []
    for operand in operands:
        operand_shape: tuple[int, ...] = ()
        stride: tuple[int, ...] = ()
        if isinstance(operand, Tensor):
            operand_shape, stride = operand._geometry.shape, operand._geometry.stride
            if operand_shape and common not in (None, operand._dtype):
                stride = strides.like(operand_shape, stride)
        inputs.append((operand_shape, stride))
    return tuple(inputs)


def reference_stride(spec: Any, operands: tuple[Any, ...], common: dtype) -> Ints:
    """Return the strides of the result of an operator's reference, for tensors on meta."""
    converts = UNCONVERTED.isdisjoint((spec.name, spec.node))
    layouts = reference_layouts(operands, input_layouts(operands, common if converts else None))
    scaled = spec.rounds_outside_vectors
    return composed_result(
        spec.name, spec.kernel, common, layouts, scaled=scaled, converts=converts
    )[1]


def dtype_of(operand: Any) -> dtype:
    """Return the dtype of a tensor, or the widest dtype of a number's category."""
    return operand._dtype if isinstance(operand, Tensor) else tensor_dtype_of(operand)


def is_copied(operand: Any, common: dtype) -> bool:
    """Return whether torch would convert an operand from or to a dtype without a copy kernel."""
    dtype = dtype_of(operand)
    if dtype is common or not (is_opaque(common) or is_opaque(dtype)):
        return False
    return not isinstance(operand, Tensor) or operand._geometry.numel > 0


def is_one_number(operand: Any, common: dtype) -> bool:
    """Return whether an operand is a number for torch's kernel, as after ``expand``.

    An operand of another dtype is converted first, and then no longer expanded.
    """
    if not isinstance(operand, Tensor) or operand._geometry.numel == 1:
        return True
    geometry = operand._geometry
    return (
        operand._dtype is common
        and geometry.numel > 0
        and all(
            not step
            for size, step in zip(geometry.shape, geometry.stride, strict=True)
            if size != 1
        )
    )


def dim_order(geometry: Geometry) -> tuple[int, ...] | None:
    """Return the dimensions, outermost in memory first; None if the geometry is contiguous."""
    if geometry.is_contiguous:
        return None
    stride = geometry.stride
    return tuple(sorted(range(geometry.rank), key=lambda dim: -stride[dim]))


def tensors_of(operands: tuple[Any, ...]) -> tuple[Tensor, ...]:
    """Return the operands that are tensors."""
    return tuple([operand for operand in operands if isinstance(operand, Tensor)])


def common_dtype(operands: tuple[Any, ...]) -> dtype:
    """Return the promoted dtype of operands, which torch asserts to be defined."""
    return result_type_of(operands, _UNDEFINED)


_UNDEFINED = (
    "common_dtype_ != ScalarType::Undefined INTERNAL ASSERT FAILED at"
    ' "aten/src/ATen/TensorIterator.cpp":322, please report a bug to PyTorch. '
)
