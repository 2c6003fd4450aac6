"""Factories of tensors of given sizes: empty, zeros, ones and full."""

from collections.abc import Callable
from typing import Any

from .._argparser.parser import Parser
from .._autograd.autograd_meta import bump_version
from .._devices.availability import check_pinning, initialize_device, resolve_device
from .._devices.device import CPU, META, PINNED, device
from .._dtypes.constants import BFLOAT16, COMPLEX32, COMPLEX64, INT64, UINT64
from .._dtypes.default_dtype import SCALAR_DTYPES, get_default_dtype
from .._dtypes.scalars import (
    PYTHON_NUMBERS,
    is_subclass_instance,
    numpy_types,
    python_number,
    scalar_dtype,
)
from .._dtypes.table import DTYPES, as_dtype, dtype
from .._geometry import extents, strides
from .._geometry.broadcasting import check_no_internal_overlap
from .._geometry.extents import Ints
from .._geometry.geometry import dense, on_device, strided
from .._geometry.layout import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    jagged,
    layout,
    memory_format,
    sparse_coo,
    strided as strided_layout,
)
from .._numerics.deterministic import SWITCHES, fill_value, fills_uninitialized_memory
from .._numerics.encode_scalar import discard_imaginary
from .._runtime.device_modes import DEVICE_MODE_THREADS, default_device, use_default_device
from .._runtime.errors import NotDense, check
from .._runtime.torch_function import overridable_part
from .._storage.untyped_storage import check_named_device, new_storage
from .allocation import (
    LARGE_BYTES,
    check_new,
    check_zeroed,
    empty_on_meta,
    empty_tensor,
    empty_with,
    fill_code,
    fill_if_deterministic,
    fill_path,
    full_of_raw,
    full_scalar,
    resize_factory_out,
    resize_out,
    resize_output,
    warn_complex32,
    warn_if_complex32,
)
from .data_access import resolved_array, write_elements
from .out_autograd import (
    check_no_leaf,
    check_out,
    check_resizable,
    record_out,
    set_out_requires_grad,
    set_requires_grad_if,
)
from .sparse_dispatch import dispatch_sparse
from .sparse_missing import could_not_run, sparse_backend
from .tensor import Tensor, new_tensor, set_geometry

OPTIONS = (
    "ScalarType? dtype=None, Layout? layout=None, Device? device=None,"
    " bool? pin_memory=False, bool? requires_grad=False"
)
"""The keyword parameters of all factories, in torch's signature notation."""


_STRIDED = (
    "empty_strided", "new_empty_strided", "empty_like", "zeros_like", "ones_like", "full_like",
    "rand_like", "randn_like", "randint_like",
)  # fmt: skip
"""The factories that call aten::empty_strided for a dense tensor."""


_STRIDED_LAYOUTS = (None, strided_layout, jagged)
"""The layouts of factories that make strided tensors."""


def check_options(
    name: str,
    layout: layout | None,
    device: device | None,
    pin: Any,
    *,
    meta: bool = False,
    shape: Ints = (),
    dtype: Any = None,
) -> Any:
    """Return the device of a new tensor; raise, in torch's order, if a factory cannot make it.

    ``meta`` is whether it supports meta; torch checks ``shape`` and ``dtype`` before the kernel.
    """
    device = resolve_device(device, "empty_strided" if name in _STRIDED else "empty.memory_format")
    if device is META and not meta:
        raise NotImplementedError(f"impl cannot make {name}() on meta yet")
    is_strided = layout in _STRIDED_LAYOUTS
    if layout is not None and not is_strided and name in _STRIDED and name != "zeros_like":
        raise could_not_run("empty_strided", sparse_backend(device, layout))
    if pin and (device is not META or layout is sparse_coo):
        check_pinning(device, is_strided=is_strided)
        return PINNED
    if layout is sparse_coo:
        kernel = _KERNELS.get(name)
        extents.check_numel(shape)
        warn_if_complex32(dtype, 2)
        raise NotDense if kernel is None else could_not_run(kernel, sparse_backend(device))
    check(
        layout is not jagged or device is not META or name in (*_STRIDED, "randn"),
        lambda: "non-strided meta tensors not supported yet",
        NotImplementedError,
    )
    if not is_strided:
        raise NotImplementedError(f"impl cannot make tensors of layout {layout} yet ({name})")
    return device


_KERNELS = {
    "rand": "uniform_", "randn": "normal_", "arange": "arange.start_out", "eye": "eye.m_out",
    "range": "range.out", "empty_permuted": "as_strided",
    "linspace": "linspace.out", "logspace": "logspace.out", "randint": "random_.from",
    "randperm": "randperm.generator_out", "normal": "normal_",
}  # fmt: skip
"""The overloads that factories call and that have no sparse kernel, by factory name."""


def bind_with_default_device(
    parse: Parser, args: tuple[Any, ...], keywords: dict[str, Any]
) -> tuple[Any, ...]:
    """Bind the arguments of a factory, with the default device for a missing ``device``.

    Torch checks the device before it converts the other arguments.
    """
    signature, values = parse.match(args, keywords)
    if DEVICE_MODE_THREADS:
        use_default_device(signature, values)
    if keywords.get("out") is None:
        check_named_device(signature, values)
    return signature.convert(values)


def format_strides(shape: Ints, memory_format: memory_format | None) -> Ints | None:
    """Return the strides of a memory format, or None for contiguous_format."""
    if memory_format is None or memory_format is contiguous_format:
        return None
    if memory_format is channels_last:
        return strides.channels_last(shape)
    if memory_format is channels_last_3d:
        return strides.channels_last_3d(shape)
    raise RuntimeError("unsupported memory format Preserve")


def _dtype_or_default(dtype: Any) -> dtype:
    return get_default_dtype() if dtype is None else as_dtype(dtype)


_INTS = frozenset({int})
_parse_empty = Parser(
    f"empty(SymIntArrayRef size, *, MemoryFormat? memory_format=None, Tensor out=None, {OPTIONS})"
)


def _fast_path(args: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Any, Any]:
    """Return the size and dtype of a call with plain sizes, ``dtype`` and the CPU device only."""
    size = args[0] if len(args) == 1 and type(args[0]) is tuple else args
    if not (
        size and _INTS.issuperset(map(type, size)) and min(size) >= 0 and max(size) < LARGE_BYTES
    ):
        return None, None
    if DEVICE_MODE_THREADS and (device := default_device()) is not None and device.type != "cpu":
        return None, None
    if not keywords:
        return size, SCALAR_DTYPES[float]
    result = None
    for name, value in keywords.items():
        if name == "dtype" and type(value) is dtype:
            result = value
        elif name != "device" or not (value is CPU or (type(value) is str and value == "cpu")):
            return None, None
    return size, result or SCALAR_DTYPES[float]


def empty(*args: Any, **keywords: Any) -> Tensor:
    """empty(*size, dtype=None, ...): return an uninitialized tensor.

    >>> import impl as torch
    >>> torch.empty((1, 2, 3, 4), memory_format=torch.channels_last).stride()
    (24, 1, 8, 2)
    """
    size, dtype = _fast_path(args, keywords)
    if dtype is not None:
        return empty_tensor(size, dtype)
    return _bind_empty(args, keywords)


@overridable_part("empty")
def _bind_empty(args: Any, keywords: Any) -> Tensor:
    size, memory_format, out, dtype, layout, device, pin, grad = bind_with_default_device(
        _parse_empty, args, keywords
    )
    if out is not None:
        check_out(out, dtype, layout, device)
        check(
            memory_format is None,
            lambda: "'memory_format' argument is incompatible with 'out' tensor argument",
        )
        if out._geometry.is_sparse:
            return set_out_requires_grad(dispatch_sparse("resize_and_clear_", out, size), grad)
        extents.check_nonnegative(size)
        check_resizable(out)
        old_shape = out._geometry.shape
        resize_out(out, size)
        if out._geometry.shape != old_shape:
            bump_version(out)
        if fills_uninitialized_memory():
            bump_version(fill_if_deterministic(out))
        return set_out_requires_grad(out, grad)
    if layout is sparse_coo:
        return dispatch_sparse("empty", size, _dtype_or_default(dtype), device, pin, grad)  # type: ignore[no-any-return]
    device = check_options("empty", layout, device, pin, meta=True)
    extents.check_nonnegative(size)
    result = empty_tensor(size, _dtype_or_default(dtype), device)
    stride = format_strides(result._geometry.shape, memory_format)
    if stride is not None:
        set_geometry(result, strided(result._geometry.shape, stride))
    return set_requires_grad_if(result, grad)


def _fill_out(
    name: str, out: Tensor, shape: Ints, value: Any, dtype: Any, layout: Any, device: Any, grad: Any
) -> Tensor:
    """Return ``out``, resized, with one value in every element.

    For an ``out`` with the conj or neg bit, torch fills a clone and copies it back.  It warns if
    the shape changes (ATen/native/MathBitsFallback.h).
    """
    check_out(out, dtype, layout, device)
    check_no_leaf(f"aten::{name}", out)
    if out._geometry.is_sparse:
        check(name == "zeros", lambda: "full(...) is not implemented for sparse layout")
        return set_out_requires_grad(dispatch_sparse("resize_and_clear_", out, shape), grad)
    if not out._conj_neg:
        resize_factory_out(out, shape, with_strides=name == "full")
    else:
        if out._dtype is COMPLEX32:
            warn_complex32()  # torch fills a clone
        if out._geometry.device is not META:
            resolved_array(out)  # torch copies this tensor into the clone
        if out._geometry.shape != shape:
            resize_output(out, shape)
        if out._geometry.device is not META:
            check_no_internal_overlap(shape, out._geometry.stride)
    if name == "zeros":
        check_zeroed(out._geometry, out._dtype)
        write_elements(out, 0)
    else:
        write_elements(out, fill_code(value, out._dtype, fill_path(shape), out._geometry.device))
    return record_out(out, grad)


def _full(
    name: str, size: tuple[int, ...], value: Any, dtype: dtype, device: device = CPU
) -> Tensor:
    extents.check_nonnegative(size)
    check_new(size, dtype, by_reference=device is META)
    if fills_uninitialized_memory():
        fill_value(dtype)  # raises for a dtype without a fill value
    if name == "zeros":
        check_zeroed(on_device(dense(size), device), dtype)
        return full_of_raw(size, 0, dtype, device)
    return full_scalar(size, value, dtype, device)


_FAST_DTYPES = (
    "bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64",
    "complex64", "complex128",
)  # fmt: skip
"""The dtypes that store 0 and 1 without an error or a warning."""


def _constant(name: str, value: int) -> Callable[..., Tensor]:
    parse = Parser(f"{name}(SymIntArrayRef size, *, Tensor out=None, {OPTIONS})")
    raw_values = dict.fromkeys(map(DTYPES.get, _FAST_DTYPES), value)
    if value:
        raw_values[BFLOAT16] = 0x3F80  # the bits of 1.0

    def function(*args: Any, **keywords: Any) -> Tensor:
        size, dtype = _fast_path(args, keywords)
        if dtype in raw_values:
            return full_of_raw(size, raw_values[dtype], dtype)
        return bind(args, keywords)

    @overridable_part(name)
    def bind(args: Any, keywords: Any) -> Tensor:
        size, out, dtype, layout, device, pin, grad = bind_with_default_device(
            parse, args, keywords
        )
        if out is not None:
            return _fill_out(name, out, size, value, dtype, layout, device, grad)
        if name == "zeros" and (layout is sparse_coo or device is None or device.type != "meta"):
            check(min(size, default=0) >= 0, lambda: "zeros: Dimension size must be non-negative.")
        if layout is sparse_coo:
            check(name == "zeros", lambda: "full(...) is not implemented for sparse layout")
            return dispatch_sparse(name, size, _dtype_or_default(dtype), device, pin, grad)  # type: ignore[no-any-return]
        device = check_options(name, layout, device, pin, meta=True)
        return set_requires_grad_if(
            _full(name, size, value, _dtype_or_default(dtype), device), grad
        )

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name}(*size, dtype=None, ...): return a tensor of {name}."
    return function


zeros = _constant("zeros", 0)
ones = _constant("ones", 1)

_parse_full = Parser(f"full(SymIntArrayRef size, Scalar fill_value, *, Tensor out=None, {OPTIONS})")


def full(*args: Any, **keywords: Any) -> Tensor:
    """full(size, fill_value, dtype=None, ...): return a tensor with one value in every element.

    The default dtype is inferred from the value: bool, int64, or the default dtype.
    """
    size, fill_value, out, dtype, layout, device, pin, grad = bind_with_default_device(
        _parse_full, args, keywords
    )
    value = python_scalar(fill_value)
    if out is not None:
        return _fill_out("full", out, size, value, dtype, layout, device, grad)
    check(layout in _STRIDED_LAYOUTS, lambda: "full(...) is not implemented for sparse layout")
    device = check_options("full", layout, device, pin, meta=True)
    dtype = _dtype_of_fill(value) if dtype is None else as_dtype(dtype)
    return set_requires_grad_if(_full("full", size, value, dtype, device), grad)


def _dtype_of_fill(value: Any) -> dtype:
    """Return the default dtype of full(): complex64 even if the default dtype is float16."""
    result = scalar_dtype(value)
    return {COMPLEX32: COMPLEX64, UINT64: INT64}.get(result, result)


def python_scalar(value: Any) -> Any:
    """Return the Python number of a Scalar argument; a bool of NumPy becomes a float."""
    if isinstance(value, Tensor):
        return value.item()
    if type(value) in PYTHON_NUMBERS:
        return value
    if is_subclass_instance(value, numpy_types("bool_")):
        return float(value)
    return python_number(discard_imaginary(value))


_parse_strided = Parser(f"empty_strided(SymIntArrayRef size, SymIntArrayRef stride, *, {OPTIONS})")
_parse_permuted = Parser(
    f"empty_permuted(SymIntArrayRef size, IntArrayRef physical_layout, *, {OPTIONS})"
)


def empty_strided(*args: Any, **keywords: Any) -> Tensor:
    """empty_strided(size, stride, dtype=None, ...): return an uninitialized tensor."""
    size, stride, dtype, layout, device, pin, grad = bind_with_default_device(
        _parse_strided, args, keywords
    )
    return set_requires_grad_if(
        new_strided(size, stride, _dtype_or_default(dtype), "empty_strided", layout, device, pin),
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
    """Return an uninitialized tensor of given strides; ``name`` is the factory's name."""
    device = check_options(name, layout, device, pin, meta=True)
    extents.check_nonnegative(size)
    if dtype is COMPLEX32:
        warn_complex32()
    if len(size) != len(stride):
        raise RuntimeError(
            f"dimensionality of sizes ({len(size)}) must match dimensionality of strides"
            f" ({len(stride)})"
        )
    if device is not META:
        needed = extents.strided_bytes(size, stride, dtype.itemsize)
        if needed > LARGE_BYTES:
            new_storage(needed, device)  # raises if the allocation fails
    geometry = strided(size, extents.replace_negative_strides(size, stride))
    if device is not META:
        return empty_with(geometry, dtype, device, warns=False)
    return empty_on_meta(geometry, extents.storage_size(size, stride) * dtype.itemsize, dtype)


def empty_permuted(*args: Any, **keywords: Any) -> Tensor:
    """empty_permuted(size, physical_layout, *, dtype=None, layout=None, device=None, ...).

    Return an uninitialized dense tensor.  ``physical_layout`` is the order of its
    dimensions in memory, outermost first.

    >>> import impl as torch
    >>> torch.empty_permuted((2, 3, 5, 7), (0, 2, 3, 1)).stride()
    (105, 1, 21, 3)
    """
    if not keywords and len(args) == 2 and not DEVICE_MODE_THREADS:
        size, order = args
        if (
            type(size) is tuple and type(order) is tuple
            and _INTS.issuperset(map(type, size + order))
            and max(size, default=0) < LARGE_BYTES
        ):  # fmt: skip
            return _permuted(size, order, get_default_dtype())
    return _bind_empty_permuted(args, keywords)


@overridable_part("empty_permuted")
def _bind_empty_permuted(args: Any, keywords: Any) -> Tensor:
    size, order, dtype, layout, device, pin, grad = bind_with_default_device(
        _parse_permuted, args, keywords
    )
    initialize_device(device)
    strides.permuted((1,) * len(size), order)  # torch checks the order first
    device = check_options("empty_permuted", layout, device, pin, meta=True, shape=size)
    return set_requires_grad_if(_permuted(size, order, _dtype_or_default(dtype), device), grad)


def _permuted(
    size: tuple[int, ...], order: tuple[int, ...], dtype: dtype, device: device = CPU
) -> Tensor:
    if dtype is COMPLEX32:
        extents.check_nonnegative(tuple([size[dim] for dim in order]))
        warn_complex32()
    geometry = strided(size, strides.permuted(size, order, dtype.itemsize))
    tensor = new_tensor(new_storage(geometry.numel * dtype.itemsize, device), geometry, 0, dtype)
    return fill_if_deterministic(tensor) if SWITCHES.enabled else tensor
