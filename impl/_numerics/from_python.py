"""Conversion of Python data to elements, and of elements to Python numbers.

`elements_from_data` implements torch.tensor for data that is neither a tensor nor a NumPy array
(internal_new_from_data in torch/csrc/utils/tensor_new.cpp).  Torch makes three passes over the
data: the shape from the first elements, the dtype from all elements, and the stores.  Each pass
raises its own errors.
"""

from collections.abc import Callable
from re import Match
from types import GenericAlias, MappingProxyType
from typing import Any

from .._argparser.types import is_long, is_tensor
from .._arrays.numpy_bridge import is_native, np, numpy_storage_dtype
from .._arrays.opaque_dtypes import is_opaque
from .._dtypes.constants import BFLOAT16, COMPLEX128, INT64
from .._dtypes.default_dtype import SCALAR_DTYPES
from .._dtypes.scalars import is_subclass_instance, numpy_types
from .._dtypes.table import DTYPES, dtype
from .._runtime.errors import check, type_name
from .._runtime.torch_function import ALL_DISABLED, STATE, overrides
from .._runtime.warnings import warn_once
from .cast import to_numbers
from .encode_scalar import ScalarPath, encode_scalar
from .float_formats import decode
from .from_list_fast import LISTS, NUMBERS, read_plain, warn_of_arrays
from .promotion import promote_types
from .rounding import raise_not_implemented

_MAX_DIMENSIONS = 128


def elements_from_data(
    data: Any,
    dtype: dtype | None = None,
    allocate: Callable[[dtype], None] | None = None,
) -> tuple[tuple[int, ...], dtype, Any]:
    """Return the shape, the dtype and the elements of Python data; raise torch.tensor's errors.

    The dtype is inferred if None.  The elements are a new array of `numpy_storage_dtype(dtype)`;
    it is 1-d, as NumPy supports fewer dimensions than torch.  ``allocate`` is called when the dtype
    is known, also if an element raises, as torch allocates before it reads the elements.
    """
    is_list = type(data) in LISTS
    if not is_list:
        _check_not_text(data)
    shape = _shape(data)
    plain = read_plain(data, shape, dtype) if is_list else None
    if plain is not None:
        if allocate is not None:
            allocate(plain[1])
        return plain
    target = infer_dtype(data) if dtype is None else dtype
    elements: list[Any] = []
    arrays: list[Any] = []
    try:
        if 0 not in shape:
            _store(data, shape, 0, target, elements, arrays)
    finally:
        # C++ issues its own warnings at the end of the call, after those of the elements.
        if allocate is not None:
            allocate(target)
        warn_of_arrays(len(arrays))
    return shape, target, np.array(elements, numpy_storage_dtype(target))


def infer_shape_and_dtype(data: Any, dtype: dtype | None) -> tuple[tuple[int, ...], dtype]:
    """Return the shape and the dtype of Python data, without a check of all elements."""
    _check_not_text(data)
    return _shape(data), infer_dtype(data) if dtype is None else dtype


# Shapes.

# CPython does not count these mappings as sequences; Python code cannot detect this.
_MAPPINGS = (dict, MappingProxyType, Match, GenericAlias)


def is_sequence(data: Any) -> bool:
    """Return whether data has ``__getitem__`` and is no C mapping, as PySequence_Check does."""
    cls = type(data)
    if cls in NUMBERS:
        return False
    # Only attributes of the type count: an enum class has items through its metaclass.
    has_items = any("__getitem__" in vars(base) for base in cls.__mro__)
    if not has_items or issubclass(cls, _MAPPINGS) or is_tensor(data):
        return False
    return not issubclass(cls, numpy_types("generic", "dtype")) or issubclass(
        cls, (str, bytes, *numpy_types("void"))
    )


def _check_not_text(data: Any) -> None:
    is_text = is_subclass_instance(data, (str, bytes))
    check(not is_text, lambda: f"new(): invalid data type '{type_name(data)}'", TypeError)


def _shape(data: Any) -> tuple[int, ...]:
    """Return the shape by the first element of each sequence."""
    sizes: list[int] = []
    while type(data) in LISTS or is_sequence(data):
        sizes.append(len(data))
        if len(sizes) > _MAX_DIMENSIONS:
            raise ValueError(f"too many dimensions '{type_name(data)}'")
        if not sizes[-1]:
            break
        try:
            data = data[0]
        except Exception:  # noqa: BLE001  # torch drops what __getitem__ raised
            raise ValueError(
                f"could not determine the shape of object type '{type_name(data)}'"
            ) from None
    return tuple(sizes)


# Dtypes.


def infer_dtype(data: Any) -> dtype:
    """Return the dtype for all elements of the data (infer_scalar_type)."""
    if type(data) in SCALAR_DTYPES and type(data) is not complex:
        return SCALAR_DTYPES[type(data)]
    if is_subclass_instance(data, numpy_types("ndarray", "generic")):
        return numpy_dtype_of(data)
    if is_subclass_instance(data, (float,)):
        return SCALAR_DTYPES[float]
    if is_long(data):
        return INT64
    if is_subclass_instance(data, (complex,)):
        supported = SCALAR_DTYPES[float] is not BFLOAT16
        check(supported, lambda: "invalid default scalar type for complex")
        return SCALAR_DTYPES[complex]
    if is_tensor(data):
        return data._dtype  # type: ignore[no-any-return]  # overrides are not asked
    _check_not_text(data)
    check(is_sequence(data), lambda: f"Could not infer dtype of {type_name(data)}")
    return _infer_all(data)


def _infer_all(data: Any) -> dtype:
    count = len(data)
    result = None if count else SCALAR_DTYPES[float]
    for index in range(count):
        item = data[index]
        check(item is not data, lambda: "new(): self-referential lists are incompatible", TypeError)
        dtype = infer_dtype(item)
        result = dtype if result is None else promote_types(result, dtype)
        if result is COMPLEX128:  # the top of the lattice
            break
    assert result is not None
    return result


# Elements, one by one.


def _store(
    data: Any,
    shape: tuple[int, ...],
    depth: int,
    dtype: dtype,
    elements: list[Any],
    arrays: list[Any],
) -> None:
    """Append all encoded elements of the data, and NumPy arrays among it (recursive_store)."""
    if depth == len(shape):
        elements.append(encode_scalar(data, dtype, ScalarPath.TENSOR))
        return
    items = data if type(data) in (list, tuple) else _items(data)
    check(
        len(items) == shape[depth],
        lambda: f"expected sequence of length {shape[depth]} at dim {depth} (got {len(items)})",
        ValueError,
    )
    for item in items:
        if is_subclass_instance(item, numpy_types("ndarray")):
            arrays.append(item)
        _store(item, shape, depth + 1, dtype, elements, arrays)


def _items(data: Any) -> list[Any]:
    """Return the items by iteration; torch counts them again, as len() may differ.

    Those of a tensor require no gradient (AutoDispatchBelowADInplaceOrView in tensor_new.cpp). A
    subclass with overrides gives them itself.
    """
    if is_tensor(data) and not overrides(data):
        former, STATE.disabled = STATE.disabled, ALL_DISABLED
        data, STATE.disabled = data.detach(), former
    try:
        iterator = iter(data)
    except TypeError:
        raise TypeError("not a sequence") from None
    return list(iterator)


# NumPy arrays.

_SUPPORTED = (
    "float64", "float32", "float16", "complex64", "complex128", "int64", "int32", "int16", "int8",
    "uint64", "uint32", "uint16", "uint8", "bool",
)  # fmt: skip


def numpy_dtype_of(array: Any) -> dtype:
    """Return the dtype of a NumPy array or scalar, of any byte order.

    >>> import numpy
    >>> numpy_dtype_of(numpy.zeros(2, ">i2"))
    torch.int16
    """
    dtype = array.dtype
    # longlong is int64 for torch, but ulonglong is unsupported (numpy_dtype_to_aten).
    name = "int64" if dtype.char == "q" else dtype.name
    if name in _SUPPORTED and dtype.char != "Q":
        return DTYPES[name]
    supported = ", ".join(_SUPPORTED[:-1]) + f", and {_SUPPORTED[-1]}"
    raise TypeError(
        f"can't convert np.ndarray of type numpy.{dtype.type.__name__}."
        f" The only supported types are: {supported}."
    )


def check_numpy(array: Any, warn_if_read_only: bool = True) -> dtype:
    """Return the dtype of a NumPy array whose memory torch can share; raise from_numpy's errors.

    Torch has no read-only tensors, so it warns once of a read-only array.
    """
    check(
        is_subclass_instance(array, numpy_types("ndarray")),
        lambda: f"expected np.ndarray (got {type_name(array)})",
        TypeError,
    )
    if warn_if_read_only and not array.flags.writeable:
        warn_once(READ_ONLY_WARNING)
    dtype = numpy_dtype_of(array)
    check(
        all(stride % array.itemsize == 0 for stride in array.strides),
        lambda: (
            "given numpy array strides not a multiple of the element byte size. "
            "Copy the numpy array to reallocate the memory."
        ),
        ValueError,
    )
    check(
        all(stride >= 0 for stride in array.strides),
        lambda: (
            "At least one stride in the given numpy array is negative, and tensors with negative"
            " strides are not currently supported. (You can probably work around this by making a"
            " copy of your array  with array.copy().) "
        ),
        ValueError,
    )
    check(
        array.dtype.isnative,
        lambda: (
            "given numpy array has byte order different from the native byte order. "
            "Conversion between byte orders is currently not supported."
        ),
        ValueError,
    )
    return dtype


READ_ONLY_WARNING = (
    "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This"
    " means writing to this tensor will result in undefined behavior. You may want to copy the"
    " array to protect its data or make it writable before converting it to a tensor. This type of"
    " warning will be suppressed for the rest of this program. (Triggered internally at"
    " /__w/pytorch/pytorch/torch/csrc/utils/tensor_numpy.cpp:213.)"
)


# Elements to Python numbers.


def python_value(element: Any, dtype: dtype) -> Any:
    """Return the Python number of one raw element, as Tensor.item() does."""
    if is_native(dtype):
        return element
    if dtype.is_complex:
        return to_numbers(np.array([element], numpy_storage_dtype(dtype)), dtype).item()
    if is_opaque(dtype):
        raise_not_implemented("_local_scalar_dense_cpu", dtype)
    return decode(element, dtype).item()


def python_values(array: Any, dtype: dtype) -> Any:
    """Return the Python numbers of a raw array in nested lists, as Tensor.tolist() does."""
    if is_native(dtype):
        return array.tolist()
    if not is_opaque(dtype):
        return to_numbers(array, dtype).reshape(array.shape).tolist()
    # An empty array has no unreadable elements (load_scalar in utils/python_scalars.h).
    check(not array.size, lambda: "load_scalar: invalid type")
    return array.tolist()
