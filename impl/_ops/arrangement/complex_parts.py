"""Complex numbers of two parts: complex and polar (ATen/native/TensorFactories.cpp)."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._arrays.parallel import BLOCK_ELEMENTS, parallel_blocks
from ..._autograd.autograd_meta import bump_version
from ..._devices.device import META
from ..._dtypes.constants import FLOAT16, FLOAT32, FLOAT64
from ..._dtypes.table import dtype, spec_of
from ..._geometry import strides
from ..._geometry.geometry import on_device, strided
from ..._geometry.strides import memory_order
from ..._kernels.sincos import sin_cos
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import check
from ..._tensor.allocation import empty_with, warn_if_complex32
from ..._tensor.data_access import has_separate_elements, raw_array
from ..._tensor.sparse_dispatch import no_kernel
from ..._tensor.tensor import Tensor
from ..._tensor.views import record_grad_fn
from ..common.array_plans import is_noting, note_arrays
from ..common.conj_neg_fallback import resolves_conj_neg
from ..common.cuda_kernels import check_out_kernel
from ..common.device_checks import check_out_device_for_write, common_device
from ..common.memory_overlap import check_no_overlap
from ..common.meta_reference import (
    converted_on_meta,
    in_reference,
    into_meta,
    reference_layouts,
    reference_shape,
)
from ..common.out_argument import resize_elementwise
from ..common.reference_dtypes import complex_of, reference_dtype
from ..common.reference_strides import result as reference_result
from ..elementwise.binding import Overload, install_operator
from ..elementwise.plan import broadcast

_FLOATS = (FLOAT16, FLOAT32, FLOAT64)


class _Pair(NamedTuple):
    """An operator: its name, the names of its operands, its dtypes and its kernel.

    write: write the complex numbers of two arrays into an array of pairs of parts
    """

    name: str
    parts: tuple[str, str]
    dtypes: tuple[dtype, ...]
    write: Callable[[Any, Any, Any], None]


def _of_parts(target: Any, real: Any, imaginary: Any) -> None:
    target[..., 0], target[..., 1] = real, imaginary


def _of_angle(target: Any, size: Any, angle: Any) -> None:
    if angle.dtype == np.float32:
        sine, cosine = sin_cos(np.asarray(angle))
    else:
        sine, cosine = np.sin(angle), np.cos(angle)
    np.multiply(size, cosine, out=target[..., 0])
    np.multiply(size, sine, out=target[..., 1])


def _joined(pair: _Pair, first: Tensor, second: Tensor, out: Tensor | None = None) -> Tensor:
    operands = first, second
    given = operands if out is None else (*operands, out)
    is_sparse = any(tensor._geometry.is_sparse for tensor in given)
    if not is_sparse and any(tensor._geometry.device is META for tensor in given):
        return _on_meta(pair, operands, out)
    if out is None:  # torch calls the out= function
        check_out_kernel(pair.name, operands, operands[0])
    if is_sparse and out is not None:
        raise no_kernel(f"{pair.name}.out", *given)
    _check_floats(operands)
    if out is None:
        dtype = first._dtype.to_complex()
        warn_if_complex32(dtype, 2 if first._geometry.is_sparse else 1)
        if is_sparse:
            raise no_kernel(f"{pair.name}.out", *given)
    else:
        dtype = out._dtype
    _check_dtypes(operands, dtype)
    if out is not None:
        check_no_overlap(out, *operands)
    shape, device = broadcast(operands), common_device(operands)
    if out is None:
        inputs = tuple([(x._geometry.shape, x._geometry.stride) for x in operands])
        stride = strides.elementwise(shape, inputs)
        result = empty_with(on_device(strided(shape, stride), device), dtype, warns=False)
    else:
        check_out_device_for_write(out, device)
        resize_elementwise(out, shape, *operands)
        result = out
    if first._dtype not in pair.dtypes:
        raise_not_implemented(f"{pair.name}_cpu", first._dtype)
    if result._geometry.numel:
        _write(pair, result, operands, is_new=out is None)
    if out is None:
        if is_noting():
            _note(pair, result, operands)
        return record_grad_fn(result, operands, f"{pair.name.title()}Backward0")
    bump_version(out)
    return out


def _note(pair: _Pair, result: Tensor, operands: tuple[Tensor, Tensor]) -> None:
    """Note the function of arrays that computes a small result."""
    shape, storage_dtype = result._geometry.shape, numpy_storage_dtype(result._dtype)

    def compute(*arrays: Any) -> Any:
        joined = np.empty(shape, storage_dtype)
        pair.write(_pairs(joined, arrays[0].dtype), *arrays)
        return joined

    if result._geometry.numel <= BLOCK_ELEMENTS:
        note_arrays(compute, result, *operands)


def _check_floats(operands: tuple[Tensor, Tensor]) -> None:
    names = [spec_of(tensor._dtype).cpp_name for tensor in operands]
    check(
        all(tensor._dtype in _FLOATS for tensor in operands),
        lambda: (
            f"Expected both inputs to be Half, Float or Double tensors but got {names[0]} and"
            f" {names[1]}"
        ),
    )


def _check_dtypes(operands: tuple[Tensor, Tensor], dtype: dtype) -> None:
    """Raise if the operands have two dtypes, or the result another one."""
    first, second = (tensor._dtype for tensor in operands)
    _check_dtype("second argument", second, first)
    _check_dtype("argument 'out'", dtype, first.to_complex())


def _check_dtype(name: str, found: dtype, wanted: dtype) -> None:
    check(
        found is wanted,
        lambda: (
            f"Expected object of scalar type {spec_of(wanted).cpp_name} but got scalar type"
            f" {spec_of(found).cpp_name} for {name}"
        ),
    )


def _write(pair: _Pair, result: Tensor, operands: tuple[Tensor, Tensor], *, is_new: bool) -> None:
    memory, arrays = raw_array(result), [*map(raw_array, operands)]

    def write(out: Any, first: Any, second: Any) -> None:
        pair.write(_pairs(out, first.dtype), first, second)

    shared = [
        np.broadcast_to(array, memory.shape)
        for tensor, array in zip(operands, arrays, strict=True)
        if tensor._storage is result._storage
    ]
    if not is_new and not has_separate_elements(memory):
        _write_in_order(write, memory, *arrays)
    elif not shared:
        parallel_blocks(write, memory, *arrays)
    elif all(_is_part(memory, array) for array in shared):
        target = np.empty(memory.shape, memory.dtype)
        parallel_blocks(write, target, *arrays)
        memory[...] = target
    else:
        _write_in_order(write, memory, *arrays)


def _is_part(memory: Any, array: Any) -> bool:
    """Return whether each element of an array is in the element of the memory to be written."""
    offset = _address(array) - _address(memory)
    return bool(memory.strides == array.strides and 0 <= offset < memory.itemsize)


def _address(array: Any) -> int:
    return int(array.__array_interface__["data"][0])


def _write_in_order(write: Callable[..., None], memory: Any, *arrays: Any) -> None:
    """Write one element after the other as torch does, where they or operands share memory."""
    operands = memory, *[np.broadcast_to(array, memory.shape) for array in arrays]
    order = memory_order(memory.shape, tuple([array.strides for array in operands]))[::-1]
    moved = [array.transpose(order) for array in operands]
    element = np.empty((), memory.dtype)
    for index in np.ndindex(*moved[0].shape):
        write(element, *[array[(*index, ...)] for array in moved[1:]])
        moved[0][index] = element


def _pairs(array: Any, part: Any) -> Any:
    """Return an array of complex numbers as an array of pairs of parts."""
    return array[..., None].view(part)


def _on_meta(pair: _Pair, operands: tuple[Tensor, Tensor], out: Tensor | None) -> Tensor:
    """Return the result of the reference (meta_complex in torch/_meta_registrations.py)."""
    if out is not None:
        check_out_device_for_write(out, operands[0]._geometry.device)
    result: Tensor = in_reference(_reference, operands)
    if out is None:
        return record_grad_fn(result, operands, f"{pair.name.title()}Backward0")
    bump_version(into_meta(pair.name, out, result._geometry, result._dtype))
    return out


def _reference(operands: tuple[Tensor, Tensor]) -> Tensor:
    for tensor, name in zip(operands, ("real", "imag"), strict=True):
        if not tensor._dtype.is_floating_point:
            raise AssertionError(f"{name} must be floating point, got {tensor._dtype}")
    converted = [converted_on_meta(x, complex_of(x._dtype), warns=True) for x in operands]
    common = reference_dtype(converted)
    converted = [converted_on_meta(x, common, warns=True) for x in converted]
    reference_shape(*operands)
    device = common_device(operands)
    layouts = tuple([(x._geometry.shape, x._geometry.stride) for x in converted])
    shape, stride = reference_result(*reference_layouts(operands, layouts))
    return empty_with(on_device(strided(shape, stride), device), common, warns=True)


for _pair, _doc in (
    (
        _Pair("complex", ("real", "imag"), _FLOATS, _of_parts),
        "Return complex numbers of their real and imaginary parts.",
    ),
    (
        _Pair("polar", ("abs", "angle"), (FLOAT32, FLOAT64), _of_angle),
        "Return complex numbers of their absolute values and angles.",
    ),
):
    install_operator(
        _pair.name,
        Overload(
            f"Tensor {_pair.parts[1]}",
            resolves_conj_neg(partial(_joined, _pair), _pair.name),
            input=f"Tensor {_pair.parts[0]}",
        ),
        doc=_doc,
        method=False,
    )
