"""Python data becomes elements, and elements become Python numbers.

`read` does what torch.tensor does with data that is neither a tensor nor a
NumPy array (internal_new_from_data in torch/csrc/utils/tensor_new.cpp).
Torch goes through the data three times: for the shape it looks at first
elements alone, then it infers a dtype from all of them, and last it stores
them.  Whatever it does not like, it says when it comes to it.
"""

from re import Match
from types import GenericAlias, MappingProxyType
from typing import Any

from .._argparser.types import is_long, is_tensor
from .._arrays.numpy_bridge import is_native, np, numpy_storage_dtype
from .._arrays.opaque_dtypes import is_opaque
from .._dtypes.constants import BFLOAT16, COMPLEX128, INT64, UINT64
from .._dtypes.default_dtype import SCALAR_DTYPES
from .._dtypes.scalars import _is_a, _numpy_types
from .._dtypes.table import DTYPES, Kind, dtype, spec_of
from .._runtime.errors import check, type_name
from .._runtime.warnings import warn_once
from .cast import numbers
from .encode_scalar import ScalarPath, encode_scalar
from .float_formats import decode
from .from_list_fast import LISTS, NUMBERS, read_plain, warn_of_arrays
from .promotion import promote_types

_MOST_DIMENSIONS = 128


def read(
    data: Any, dtype: dtype | None = None, unknown: bool = False
) -> tuple[tuple[int, ...], dtype, Any]:
    """Return the shape, the dtype and the elements of Python data.

    The dtype is inferred unless it is given.  The elements are a new array of
    `arrays.carrier` of the dtype; it has one dimension, as NumPy knows fewer
    of them than torch.  Raises what torch.tensor does.
    ``unknown`` says that it is for meta, so that tensors in it that have no elements will do.
    """
    if type(data) in LISTS:
        shape = _shape(data)
        plain = read_plain(data, shape, dtype)
        if plain is not None:
            return plain
    else:
        _refuse_text(data)
        shape = _shape(data)
    found = _infer(data) if dtype is None else dtype
    elements: list[Any] = []
    if 0 not in shape:
        _store(_known(data, found) if unknown else data, shape, 0, found, elements)
    return shape, found, np.array(elements, numpy_storage_dtype(found))


def describe(data: Any, dtype: dtype | None = None) -> tuple[tuple[int, ...], dtype]:
    """Return the shape and the dtype of Python data; elements that do not fit go unnoticed."""
    _refuse_text(data)
    return _shape(data), _infer(data) if dtype is None else dtype


# Shapes.

# What can be asked for items by key alone is no sequence to CPython; its classes cannot tell.
_MAPPINGS = (dict, MappingProxyType, Match, GenericAlias)


def _is_sequence(data: Any) -> bool:
    """Tell a sequence, as PySequence_Check does: what has items, but for mappings made in C."""
    cls = type(data)
    if cls in NUMBERS:
        return False
    # What an instance has, not its class: the class of an enum has items.
    has_items = any("__getitem__" in vars(each) for each in cls.__mro__)
    if not has_items or issubclass(cls, _MAPPINGS) or is_tensor(data):
        return False
    return not issubclass(cls, _numpy_types("generic", "dtype")) or issubclass(
        cls, (str, bytes, *_numpy_types("void"))
    )


def _is_text(data: Any) -> bool:
    return _is_a(data, (str, bytes))


def _refuse_text(data: Any) -> None:
    check(not _is_text(data), lambda: f"new(): invalid data type '{type_name(data)}'", TypeError)


def _shape(data: Any) -> tuple[int, ...]:
    """Return the shape that the first element of each sequence promises."""
    sizes: list[int] = []
    while type(data) in LISTS or _is_sequence(data):
        sizes.append(len(data))
        if len(sizes) > _MOST_DIMENSIONS:
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


def _infer(data: Any) -> dtype:
    """Return the dtype that holds all of the data (infer_scalar_type)."""
    if type(data) in SCALAR_DTYPES and type(data) is not complex:
        return SCALAR_DTYPES[type(data)]
    if _is_a(data, _numpy_types("ndarray", "generic")):
        return numpy_dtype_of(data)
    if _is_a(data, (float,)):
        return SCALAR_DTYPES[float]
    if is_long(data):
        return INT64
    if _is_a(data, (complex,)):
        return _default_complex()
    if is_tensor(data):
        return data.dtype  # type: ignore[no-any-return]
    _refuse_text(data)
    check(_is_sequence(data), lambda: f"Could not infer dtype of {type_name(data)}")
    return _infer_all(data)


def _infer_all(data: Any) -> dtype:
    count = len(data)
    found = None if count else SCALAR_DTYPES[float]
    for index in range(count):
        item = data[index]
        check(item is not data, lambda: "new(): self-referential lists are incompatible", TypeError)
        kind = _infer(item)
        found = kind if found is None else promote_types(found, kind)
        if found is COMPLEX128:  # nothing is wider
            break
    assert found is not None
    return found


def _default_complex() -> dtype:
    check(
        SCALAR_DTYPES[float] is not BFLOAT16,
        lambda: "invalid default scalar type for complex",
    )
    return SCALAR_DTYPES[complex]


# Elements, one after the other.


def stand_in(tensor: Any) -> Any:
    """Return a number of a tensor's kind, for one on meta, which has none to be written anywhere."""
    check(
        tensor.numel() == 1,
        lambda: f"a Tensor with {tensor.numel()} elements cannot be converted to Scalar",
    )
    if tensor.is_complex():
        return 0j
    return 0.0 if tensor.is_floating_point() else 0


def _known(data: Any, dtype: dtype) -> Any:
    """Return data with stand-ins for tensors on meta."""
    if type(data) in (list, tuple):
        return type(data)(_known(each, dtype) for each in data)
    if not (is_tensor(data) and data.is_meta and not data.dim()):
        return data
    number = stand_in(data)
    is_integral = spec_of(dtype).kind in (Kind.UNSIGNED, Kind.SIGNED)
    if (is_integral and type(number) is not int) or dtype is UINT64:
        encode_scalar(data, dtype, ScalarPath.TENSOR)  # refuses
    return number


def _store(
    data: Any, shape: tuple[int, ...], depth: int, dtype: dtype, elements: list[Any]
) -> None:
    """Append the codes of all elements of the data (recursive_store)."""
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
        if _is_a(item, _numpy_types("ndarray")):
            warn_of_arrays(1)
        _store(item, shape, depth + 1, dtype, elements)


def _items(data: Any) -> list[Any]:
    """Return what iterating gives: torch counts that again, as it need not be what len() told."""
    try:
        iterator = iter(data)
    except TypeError:
        raise TypeError("not a sequence") from None
    return list(iterator)


# NumPy's arrays.

_SUPPORTED = (
    "float64", "float32", "float16", "complex64", "complex128", "int64", "int32", "int16", "int8",
    "uint64", "uint32", "uint16", "uint8", "bool",
)  # fmt: skip


def numpy_dtype_of(array: Any) -> dtype:
    """Return the dtype for the elements of a NumPy array or scalar, of whichever byte order.

    >>> import numpy
    >>> numpy_dtype_of(numpy.zeros(2, ">i2"))
    torch.int16
    """
    dtype = array.dtype
    # longlong is int64 to torch, but ulonglong is nothing (numpy_dtype_to_aten).
    name = "int64" if dtype.char == "q" else dtype.name
    if name in _SUPPORTED and dtype.char != "Q":
        return DTYPES[name]
    supported = ", ".join(_SUPPORTED[:-1]) + f", and {_SUPPORTED[-1]}"
    raise TypeError(
        f"can't convert np.ndarray of type {_numpy_name(dtype)}."
        f" The only supported types are: {supported}."
    )


def _numpy_name(kind: Any) -> str:
    return f"numpy.{kind.type.__name__}"


def check_numpy(array: Any, warn_if_read_only: bool = True) -> dtype:
    """Return the dtype of a NumPy array whose memory torch can share, or raise what from_numpy does.

    Torch has no read-only tensors, and warns once of an array that is.
    """
    check(
        _is_a(array, _numpy_types("ndarray")),
        lambda: f"expected np.ndarray (got {type_name(array)})",
        TypeError,
    )
    if warn_if_read_only and not array.flags.writeable:
        warn_once(_READ_ONLY)
    kind = numpy_dtype_of(array)
    check(
        all(each % array.itemsize == 0 for each in array.strides),
        lambda: (
            "given numpy array strides not a multiple of the element byte size. "
            "Copy the numpy array to reallocate the memory."
        ),
        ValueError,
    )
    check(
        all(each >= 0 for each in array.strides),
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
    return kind


_READ_ONLY = (
    "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This"
    " means writing to this tensor will result in undefined behavior. You may want to copy the"
    " array to protect its data or make it writable before converting it to a tensor. This type of"
    " warning will be suppressed for the rest of this program. (Triggered internally at"
    " /__w/pytorch/pytorch/torch/csrc/utils/tensor_numpy.cpp:213.)"
)


# The way back.


def python_value(element: Any, dtype: dtype) -> Any:
    """Return the Python number of one code, a Python number itself, as Tensor.item() does."""
    if is_native(dtype):
        return element
    if dtype.is_complex:
        return numbers(np.array([element], numpy_storage_dtype(dtype)), dtype).item()
    if not is_opaque(dtype):
        return decode(element, dtype).item()
    row = spec_of(dtype)
    raise NotImplementedError(f"\"_local_scalar_dense_cpu\" not implemented for '{row.cpp_name}'")


def python_values(array: Any, dtype: dtype) -> Any:
    """Return the Python numbers of an array of codes in nested lists, as Tensor.tolist() does."""
    if is_native(dtype):
        return array.tolist()
    if not is_opaque(dtype):
        return numbers(array, dtype).reshape(array.shape).tolist()
    # Without elements there is none that cannot be read (load_scalar in utils/python_scalars.h).
    check(not array.size, lambda: "load_scalar: invalid type")
    return array.tolist()
