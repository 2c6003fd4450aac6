"""The functions that make tensors of a shape: empty, zeros, ones, full, and their kin."""

from collections.abc import Callable
from math import prod
from typing import Any

from .._argparser.parser import Parser
from .._arrays.numpy_bridge import np, numpy_storage_dtype
from .._autograd.autograd_meta import count_write
from .._devices.availability import check_pinning, initialise, place_on
from .._devices.device import CPU, META, PINNED, device
from .._dtypes.constants import BFLOAT16, COMPLEX32, COMPLEX64, INT64, UINT64
from .._dtypes.default_dtype import get_default_dtype
from .._dtypes.scalars import python_number, scalar_dtype
from .._dtypes.table import DTYPES, as_dtype, dtype, spec_of
from .._geometry import extents, strides
from .._geometry.broadcasting import check_no_internal_overlap
from .._geometry.geometry import Geometry, dense, strided
from .._geometry.layout import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    layout,
    memory_format,
    sparse_coo,
)
from .._geometry.layout import strided as strided_layout
from .._numerics.conj_neg import check_applied
from .._numerics.deterministic import SWITCHES, filling, fills
from .._numerics.encode_scalar import ScalarPath, check_quantizer, encode_scalar, real_of
from .._runtime.device_modes import DEVICE_MODE_THREADS, default_device, use_default_device
from .._runtime.errors import NotDense, check
from .._runtime.warnings import warn, warn_once
from .._storage.untyped_storage import check_named_device, new_storage, resize, storage_from_array
from .data_access import raw_array, resolved_array, write_elements, write_raw
from .out_autograd import (
    asked,
    check_no_leaf,
    check_out,
    check_resizable,
    require_grad_if,
    returned,
)
from .sparse_dispatch import could_not_run, of_sparse
from .tensor import Tensor, new_tensor, set_geometry

OPTIONS = (
    "ScalarType? dtype=None, Layout? layout=None, Device? device=None,"
    " bool? pin_memory=False, bool? requires_grad=False"
)
"""The keywords that all factories take, in torch's notation."""

_LARGE = 2**30
"""From this many bytes on, NumPy's refusals to allocate are turned into torch's."""


_STRIDED = (
    "empty_strided", "new_empty_strided", "empty_like", "zeros_like", "ones_like", "full_like",
    "rand_like", "randn_like", "randint_like",
)  # fmt: skip
"""The factories that torch allocates strides for at once."""


def check_options(
    kind: str,
    layout: layout | None,
    device: device | None,
    pin: Any,
    *,
    meta: bool = False,
) -> Any:
    """Refuse what a factory cannot make, in torch's order; ``kind`` is the factory's name.

    Return the device on which to make it, which may be ``meta`` if the factory knows of it.
    """
    where = place_on(device, "empty_strided" if kind in _STRIDED else "empty.memory_format")
    if where is META and not meta:
        raise NotImplementedError(f"impl cannot make {kind}() on meta yet")
    if pin and where is not META:
        check_pinning(where, is_strided=layout in (None, strided_layout))
        return PINNED
    if layout is sparse_coo:
        raise _no_sparse(kind)
    if layout is not None and layout is not strided_layout:
        raise NotImplementedError(f"impl cannot make tensors of layout {layout} yet ({kind})")
    return where


def _no_sparse(kind: str) -> NotImplementedError:
    """Return the error of a factory that makes no sparse tensors."""
    kernel = _KERNELS.get(kind)
    return NotDense() if kernel is None else could_not_run(kernel)


_KERNELS = {
    "rand": "uniform_", "randn": "normal_", "arange": "arange.start_out", "eye": "eye.m_out", "range": "range.out",
    "empty_strided": "empty_strided", "empty_permuted": "as_strided", "linspace": "linspace.out",
    "logspace": "logspace.out", "randint": "random_.from", "randperm": "randperm.generator_out", "ones_like": "fill_.Scalar",
    "full_like": "fill_.Scalar", "rand_like": "uniform_", "randn_like": "normal_",
}  # fmt: skip
"""The kernels that torch has not for sparse tensors, by the factories that run them."""


def warn_of_complex32() -> None:
    """Warn that a tensor of complex32 is made (c10's ComplexHalf)."""
    warn_once(
        "ComplexHalf support is experimental and many operators don't support it yet. (Triggered"
        " internally at /__w/pytorch/pytorch/aten/src/ATen/EmptyTensor.cpp:54.)"
    )


def bound(parse: Parser, args: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Any, ...]:
    """Bind the arguments of a factory that heeds the default device.

    Torch looks at the device before it converts the others.
    """
    signature, values = parse.match(args, keywords)
    if DEVICE_MODE_THREADS:
        use_default_device(signature, values)
    if keywords.get("out") is None:
        check_named_device(signature, values)
    return signature.convert(values)


def empty_tensor(shape: tuple[int, ...], dtype: dtype, device: device = CPU) -> Tensor:
    """Make a contiguous tensor whose elements are not initialised."""
    size = extents.contiguous_bytes(shape, dtype.itemsize)
    if dtype is COMPLEX32:
        warn_of_complex32()
    tensor = new_tensor(new_storage(size, device), dense(shape), 0, dtype)
    return _filled_if_asked(tensor) if SWITCHES.enabled else tensor


def empty_with(geometry: Geometry, dtype: dtype, device: device | None = None) -> Tensor:
    """Make a tensor of a geometry without gaps or of any other, not initialised.

    It lies on the device of the geometry, if no other is named.
    """
    size = extents.strided_bytes(geometry.shape, geometry.stride, dtype.itemsize)
    if dtype is COMPLEX32:
        warn_of_complex32()
    storage = new_storage(size, geometry.device if device is None else device)
    return _filled_if_asked(new_tensor(storage, geometry, 0, dtype))


def _filled_if_asked(tensor: Tensor) -> Tensor:
    if fills():
        write_raw(tensor, filling(tensor._dtype))
    return tensor


def full_tensor(shape: tuple[int, ...], value: Any, dtype: dtype, device: device = CPU) -> Tensor:
    """Make a contiguous tensor with the same code in every element."""
    if dtype is COMPLEX32:
        warn_of_complex32()
    return _full_of_code(shape, value, dtype, device)


def _full_of_code(shape: tuple[int, ...], value: Any, dtype: dtype, device: device = CPU) -> Tensor:
    size = extents.contiguous_bytes(shape, dtype.itemsize)
    if device is not CPU:
        made = new_tensor(new_storage(size, device), dense(shape), 0, dtype)
        write_raw(made, value)
        return made
    if size > _LARGE:
        new_storage(size)  # raises where there is no memory for it
    array = np.empty(size // dtype.itemsize, numpy_storage_dtype(dtype))
    array.fill(value)
    return new_tensor(storage_from_array(array), dense(shape), 0, dtype)


def format_strides(shape: tuple[int, ...], form: memory_format | None) -> tuple[int, ...] | None:
    """Return the strides of a memory format, or None for the contiguous one."""
    if form is None or form is contiguous_format:
        return None
    if form is channels_last:
        return strides.channels_last(shape)
    if form is channels_last_3d:
        return strides.channels_last_3d(shape)
    raise RuntimeError("unsupported memory format Preserve")


def _with_format(tensor: Tensor, form: memory_format | None) -> Tensor:
    stride = format_strides(tensor._geometry.shape, form)
    if stride is not None:
        set_geometry(tensor, strided(tensor._geometry.shape, stride))
    return tensor


def _dtype_or_default(given: Any) -> dtype:
    return get_default_dtype() if given is None else as_dtype(given)


_INTS = frozenset({int})
_parse_empty = Parser(
    f"empty(SymIntArrayRef size, *, MemoryFormat? memory_format=None, Tensor out=None, {OPTIONS})"
)


def _usual_dtype(keywords: dict[str, Any]) -> dtype | None:
    """Return the dtype of a tensor on the CPU, if no more is asked for than that: the short way."""
    if DEVICE_MODE_THREADS and (where := default_device()) is not None and where.type != "cpu":
        return None
    kind = None
    for name, value in keywords.items():
        if name == "dtype" and type(value) is dtype:
            kind = value
        elif name != "device" or not (value is CPU or (type(value) is str and value == "cpu")):
            return None
    return kind or get_default_dtype()


def empty(*args: Any, **keywords: Any) -> Tensor:
    """empty(*size, dtype=None, ...): return a tensor whose elements are not initialised.

    >>> import impl as torch
    >>> torch.empty((1, 2, 3, 4), memory_format=torch.channels_last).stride()
    (24, 1, 8, 2)
    """
    usual = _usual_dtype(keywords)
    if usual is not None:
        size = args[0] if len(args) == 1 and type(args[0]) is tuple else args
        if size and _INTS.issuperset(map(type, size)) and min(size) >= 0 and max(size) < _LARGE:
            return empty_tensor(size, usual)
    size, form, out, kind, layout, device, pin, grad = bound(_parse_empty, args, keywords)
    if out is not None:
        check(
            form is None,
            lambda: "'memory_format' argument is incompatible with 'out' tensor argument",
        )
        check_resizable(out)
        extents.check_nonnegative(size)
        before = out._geometry.shape
        resized_out(out, size, kind, layout, device)
        if out._geometry.shape != before:
            count_write(out)
        if fills():
            count_write(_filled_if_asked(out))
        return asked(out, grad)
    if layout is sparse_coo:
        return of_sparse("empty", size, _dtype_or_default(kind), device, pin, grad)  # type: ignore[no-any-return]
    where = check_options("empty", layout, device, pin, meta=True)
    extents.check_nonnegative(size)
    made = empty_tensor(size, _dtype_or_default(kind), where)
    return require_grad_if(_with_format(made, form), grad)


def resized_out(
    out: Tensor, shape: tuple[int, ...], kind: Any, layout: layout | None, device: device | None
) -> Tensor:
    """Make the tensor given as ``out`` one of a shape, if what is asked for is what it is."""
    check_out(out, kind, layout, device)
    return resize_out(out, shape)


def _fill_out(
    out: Tensor,
    shape: tuple[int, ...],
    value: Any,
    kind: Any,
    layout: layout | None,
    device: device | None,
) -> None:
    """Make the tensor given as ``out`` one of a shape, with the same value in every element.

    Into one with the conjugate or the negative bit torch copies what it has filled
    (ATen/native/MathBitsFallback.h), and says so where the shape changes.
    """
    if not out._conj_neg:
        resized_out(out, shape, kind, layout, device)
    else:
        check_out(out, kind, layout, device)
        if out._dtype is COMPLEX32:
            warn_of_complex32()  # torch makes a tensor to fill
        if out._geometry.device is META:
            check_applied(out._dtype, out._conj_neg)
        else:
            resolved_array(out)  # and reads this one into it
        if out._geometry.shape != shape:
            resize_output(out, shape)
        check_no_internal_overlap(shape, out._geometry.stride)
    write_elements(out, encode_scalar(value, out._dtype, fill_way(shape)))


def resize_out(out: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Resize a tensor for a result."""
    extents.numel(tuple([each % 2**64 for each in shape]))  # torch counts in uint64
    if out._geometry.shape != shape:
        before = out._storage._size
        resize_tensor(out, dense(shape))
        fill_new_part(out, before)
    return out


def fill_new_part(tensor: Tensor, before: int) -> None:
    """Fill what a storage has beyond so many bytes, where new memory is filled."""
    if not fills():
        return
    if tensor._dtype is COMPLEX32:
        warn_of_complex32()  # torch makes a tensor of the new part
    if tensor._storage._device is META:
        return
    itemsize, size = tensor._dtype.itemsize, tensor._storage._size
    if size > before:
        whole = new_tensor(tensor._storage, dense((size // itemsize,)), 0, tensor._dtype)
        raw_array(whole)[before // itemsize :] = filling(tensor._dtype)


def resize_output(out: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Resize a tensor for an operator's result, which warns if there is something in it."""
    warn_of_resizing(out._geometry.shape, shape)
    return resize_out(out, shape)


def warn_of_resizing(before: tuple[int, ...], shape: tuple[int, ...]) -> None:
    """Warn that an output gets another shape, if there is something in it."""
    if before == shape or not extents.numel(before):
        return
    warn(
        "An output with one or more elements was resized since it had shape"
        f" {[*before]}, which does not match the required output shape"
        f" {[*shape]}. This behavior is deprecated, and in a future PyTorch release outputs"
        " will not be resized unless they have zero elements. You can explicitly reuse an out"
        " tensor t by resizing it, inplace, to zero elements with t.resize_(0). (Triggered"
        " internally at /__w/pytorch/pytorch/aten/src/ATen/native/Resize.cpp:30.)"
    )


def resize_tensor(tensor: Tensor, geometry: Geometry) -> None:
    """Give a tensor another geometry; its storage grows if it has to, and never shrinks."""
    size = extents.strided_bytes(
        geometry.shape, geometry.stride, tensor._dtype.itemsize, tensor._offset
    )
    if size > tensor._storage._size:
        resize(tensor._storage, size)
    set_geometry(tensor, geometry)


def _full(
    name: str, size: tuple[int, ...], value: Any, dtype: dtype, device: device = CPU
) -> Tensor:
    extents.check_nonnegative(size)
    extents.contiguous_bytes(size, dtype.itemsize)
    dense(size)
    if fills():
        filling(dtype)  # raises where there is nothing to fill with
    if name == "zeros":
        check_zero(size, dtype)
        return full_tensor(size, 0, dtype, device)
    return full_of_number(size, value, dtype, device)


def full_of_number(size: tuple[int, ...], value: Any, dtype: dtype, device: device = CPU) -> Tensor:
    """Make a contiguous tensor with the same number in every element; torch allocates it first."""
    if dtype is COMPLEX32:
        warn_of_complex32()
    return _full_of_code(size, new_code(value, dtype, size), dtype, device)


_PLAIN = (
    "bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64",
    "complex64", "complex128",
)  # fmt: skip
"""Dtypes that any number becomes an element of without a word."""


_BRAIN_FORMAT = spec_of(BFLOAT16).float_format
assert _BRAIN_FORMAT is not None
_ONE_OF_BRAIN = _BRAIN_FORMAT.bias << _BRAIN_FORMAT.mantissa_bits
"""The code of 1.0, which has no bit but those of the bias."""


def _constant(name: str, value: int) -> Callable[..., Tensor]:
    parse = Parser(f"{name}(SymIntArrayRef size, *, Tensor out=None, {OPTIONS})")
    plain = dict.fromkeys(map(DTYPES.get, _PLAIN), value)
    if value:
        plain[BFLOAT16] = _ONE_OF_BRAIN

    def function(*args: Any, **keywords: Any) -> Tensor:
        usual = _usual_dtype(keywords)
        if usual is not None and usual in plain:
            size = args[0] if len(args) == 1 and type(args[0]) is tuple else args
            if size and _INTS.issuperset(map(type, size)) and min(size) >= 0 and max(size) < _LARGE:
                return _full_of_code(size, plain[usual], usual)
        size, out, kind, layout, device, pin, grad = bound(parse, args, keywords)
        if out is not None:
            check_no_leaf(f"aten::{name}", out)
            _fill_out(out, size, value, kind, layout, device)
            return returned(out, grad)
        if name == "zeros":
            check(
                not size or min(size) >= 0,
                lambda: "zeros: Dimension size must be non-negative.",
            )
        if layout is sparse_coo:
            check(name == "zeros", lambda: "full(...) is not implemented for sparse layout")
            return of_sparse(name, size, _dtype_or_default(kind), device, pin, grad)  # type: ignore[no-any-return]
        where = check_options(name, layout, device, pin, meta=True)
        return require_grad_if(_full(name, size, value, _dtype_or_default(kind), where), grad)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name}(*size, dtype=None, ...): return a tensor of {name}."
    return function


zeros = _constant("zeros", 0)
ones = _constant("ones", 1)

_PYTHON_NUMBERS = frozenset({bool, int, float, complex})

_parse_full = Parser(f"full(SymIntArrayRef size, Scalar fill_value, *, Tensor out=None, {OPTIONS})")


def full(*args: Any, **keywords: Any) -> Tensor:
    """full(size, fill_value, dtype=None, ...): return a tensor with one value in every element.

    Without a dtype it is that of the value: bool, int64, or the default one.
    """
    size, given, out, kind, layout, device, pin, grad = bound(_parse_full, args, keywords)
    value = number_of(given)
    if out is not None:
        check_no_leaf("aten::full", out)
        _fill_out(out, size, value, kind, layout, device)
        return returned(out, grad)
    if layout is not None and layout is not strided_layout:
        raise RuntimeError("full(...) is not implemented for sparse layout")
    where = check_options("full", layout, device, pin, meta=True)
    wanted = _dtype_of_fill(value) if kind is None else as_dtype(kind)
    return require_grad_if(_full("full", size, value, wanted, where), grad)


def check_zero(size: tuple[int, ...], dtype: dtype) -> None:
    """Refuse to fill what has no elements with zero where nothing can be filled with it."""
    if not prod(size):
        encode_scalar(0, dtype, ScalarPath.SCALAR)


def new_code(value: Any, dtype: dtype, size: tuple[int, ...]) -> Any:
    """Return the code of a value for every element of a new tensor of a size."""
    check_quantizer(dtype, isinstance(value, complex))
    return encode_scalar(value, dtype, fill_way(size))


def fill_way(size: tuple[int, ...]) -> ScalarPath:
    """Return how torch writes one value into a tensor of a size: one element has a way of its own."""
    return ScalarPath.SCALAR_ZERO_DIM if prod(size) == 1 else ScalarPath.SCALAR


def _dtype_of_fill(value: Any) -> dtype:
    """Return the dtype of a full tensor of a value: complex64 even where floats are halves."""
    found = scalar_dtype(value)
    if found is COMPLEX32:
        return COMPLEX64
    return INT64 if found is UINT64 else found


def number_of(value: Any) -> Any:
    """Return the Python number of what was taken as a Scalar."""
    if isinstance(value, Tensor):
        return value.item()
    return value if type(value) in _PYTHON_NUMBERS else python_number(real_of(value))


_parse_strided = Parser(f"empty_strided(SymIntArrayRef size, SymIntArrayRef stride, *, {OPTIONS})")
_parse_permuted = Parser(
    f"empty_permuted(SymIntArrayRef size, IntArrayRef physical_layout, *, {OPTIONS})"
)


def empty_strided(*args: Any, **keywords: Any) -> Tensor:
    """empty_strided(size, stride, dtype=None, ...): return a tensor of these strides, not initialised."""
    size, stride, kind, layout, device, pin, grad = bound(_parse_strided, args, keywords)
    return require_grad_if(
        new_strided(size, stride, _dtype_or_default(kind), "empty_strided", layout, device, pin),
        grad,
    )


def new_strided(
    size: tuple[int, ...],
    stride: tuple[int, ...],
    dtype: dtype,
    name: str,
    layout: layout | None,
    device: device | None,
    pin: Any,
) -> Tensor:
    """Make a tensor of any strides, not initialised; ``name`` is the factory's."""
    where = check_options(name, layout, device, pin, meta=True)
    check(
        len(size) == len(stride),
        lambda: (
            f"dimensionality of sizes ({len(size)}) must match dimensionality of strides"
            f" ({len(stride)})"
        ),
    )
    extents.check_nonnegative(size)
    extents.strided_bytes(size, stride, dtype.itemsize)
    return empty_with(strided(size, extents.replace_negative_strides(size, stride)), dtype, where)


def empty_permuted(*args: Any, **keywords: Any) -> Tensor:
    """empty_permuted(size, physical_layout, *, dtype=None, layout=None, device=None, ...).

    Return a dense tensor of a size, not initialised, whose dimensions lie in
    memory as listed, the outermost first.

    >>> import impl as torch
    >>> torch.empty_permuted((2, 3, 5, 7), (0, 2, 3, 1)).stride()
    (105, 1, 21, 3)
    """
    if not keywords and len(args) == 2 and not DEVICE_MODE_THREADS:
        size, order = args
        if (
            type(size) is tuple and type(order) is tuple
            and _INTS.issuperset(map(type, size + order))
            and max(size, default=0) < _LARGE
        ):  # fmt: skip
            return _permuted(size, order, get_default_dtype())
    size, order, kind, layout, device, pin, grad = bound(_parse_permuted, args, keywords)
    initialise(device)
    strides.permuted((1,) * len(size), order)  # the order alone is looked at first
    where = check_options("empty_permuted", layout, device, pin, meta=True)
    return require_grad_if(_permuted(size, order, _dtype_or_default(kind), where), grad)


def _permuted(
    size: tuple[int, ...], order: tuple[int, ...], dtype: dtype, device: device = CPU
) -> Tensor:
    geometry = strided(size, strides.permuted(size, order, dtype.itemsize))
    if dtype is COMPLEX32:
        warn_of_complex32()
    tensor = new_tensor(new_storage(geometry.numel * dtype.itemsize, device), geometry, 0, dtype)
    return _filled_if_asked(tensor) if SWITCHES.enabled else tensor
