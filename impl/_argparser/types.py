"""Parameter types: accepted arguments, printed names, and conversion of arguments.

Torch works in two steps.  A check of each argument selects the signature
(FunctionParameter::_check in python_arg_parser.cpp).  The selected signature
converts the values (PythonArgs in python_arg_parser.h).  So a list with a bad
second element matches, and its conversion raises.
"""

from collections import defaultdict
from collections.abc import Callable
from operator import index
from typing import Any, NamedTuple

from .._dtypes.scalars import (
    INT64_END,
    is_number,
    is_subclass_instance,
    numpy_types,
    real_if_numpy_complex,
    scalar_dtype,
)
from .._dtypes.table import Kind, dtype, is_dtype, spec_of
from .._runtime.errors import type_name

Accepts = Callable[[Any], bool]
Convert = Callable[[Any, str], Any]
"""Converts a matching argument; the text names the argument in messages."""

_PLAIN_NUMBERS = {bool, int, float, complex}


class ParameterType(NamedTuple):
    """One type of parameters.

    - ``printed``: the name of the type in messages.
    - ``accepts``: the check of arguments whose type is not in ``exact``.
    - ``exact``: Python types that match without a check.
    - ``convert``: the conversion; without it the argument is bound unchanged.
    """

    printed: str
    accepts: Accepts
    exact: set[type]
    convert: Convert | None = None


# Registered by higher modules: classes, converters, and objects for defaults in declarations.
_CLASSES: defaultdict[str, tuple[type, ...]] = defaultdict(tuple)
_CONVERTERS: dict[str, Callable[[Any], Any]] = {}
_NAMED_DEFAULTS: dict[str, Any] = {}


def register(name: str, *classes: type, convert: Callable[[Any], Any] | None = None) -> None:
    """Register the classes whose instances a parameter type accepts, subclasses included.

    The names are Tensor, Layout, MemoryFormat, Device, Generator, Storage,
    Stream and QScheme.  A Tensor must have dtype, requires_grad, dim(),
    numel() and item().  ``convert`` converts the argument of a Device, which
    may be a str or an int as well.
    """
    _CLASSES[name] += classes
    TYPES[name].exact.update(classes)
    if name == "Tensor":
        TENSOR_OR_NUMBER.exact.update(classes)
    if convert:
        _CONVERTERS[name] = convert


def register_default(text: str, value: object) -> None:
    """Register the object for a name such as torch.strided in the defaults of declarations."""
    _NAMED_DEFAULTS[text] = value


def named_default(text: str) -> Any:
    """Return the default registered under a name; raise ValueError if there is none."""
    try:
        return _NAMED_DEFAULTS[text]
    except KeyError:
        raise ValueError(f"no default is registered as {text}") from None


def is_tensor(value: object) -> bool:
    """Return whether a value is an instance of Tensor or of a subclass."""
    return issubclass(type(value), _CLASSES["Tensor"])


def is_long(value: object) -> bool:
    """Return whether torch takes ``value`` as an int: Python's and NumPy's, but no bool."""
    if is_subclass_instance(value, (int,)):
        return type(value) is not bool
    return is_subclass_instance(value, numpy_types("integer"))


def is_list(value: object) -> bool:
    """Return whether a value is a tuple or a list, subclasses included."""
    return is_subclass_instance(value, (tuple, list))


def is_int_list(value: Any) -> bool:
    """Return whether a value is a tuple or list that is empty or starts with an int."""
    cls = type(value)
    if cls is not tuple and cls is not list and not is_list(value):
        return False
    return not value or type(value[0]) is int or _is_index(value[0])


def _is_index(value: Any) -> bool:
    """Return whether a value is a SymInt: an int or an object with ``__index__``, but no bool."""
    if is_long(value):
        return True
    if type(value) is bool:
        return False
    if is_tensor(value) and value.numel() == 1 and is_integral_dtype(value.dtype, or_bool=True):
        return True
    try:
        index(value)
    except Exception:  # noqa: BLE001  # __index__ may raise any error
        return False
    return True


def is_integral_dtype(dtype: dtype, or_bool: bool) -> bool:
    """Return whether a dtype is an integer of whole bytes (c10::isIntegralType)."""
    spec = spec_of(dtype)
    if spec.kind is Kind.BOOL:
        return or_bool
    return spec.kind in (Kind.UNSIGNED, Kind.SIGNED) and spec.bits >= 8


def _is_plain_scalar_tensor(value: Any) -> bool:
    return is_tensor(value) and not value.requires_grad and value.dim() == 0


def _is_int64(value: Any) -> bool:
    if is_long(value):
        return True
    return _is_plain_scalar_tensor(value) and is_integral_dtype(value.dtype, or_bool=False)


def _is_double(value: object) -> bool:
    if is_number(value):
        # Python's complex does not match a double, but NumPy's complex numbers do.
        return not is_subclass_instance(value, (complex,)) or is_subclass_instance(
            value, numpy_types("number")
        )
    return _is_plain_scalar_tensor(value)


def _is_scalar(value: object) -> bool:
    return is_number(value) or _is_plain_scalar_tensor(value)


def _is_text(value: object) -> bool:
    return is_subclass_instance(value, (str, bytes))


def _is_device(value: object) -> bool:
    return is_long(value) or _is_text(value) or issubclass(type(value), _CLASSES["Device"])


def _is_float_list(value: Any) -> bool:
    return is_list(value) and (not value or is_number(value[0]))


def _is_list_of(accepts: Accepts) -> Accepts:
    return lambda value: is_list(value) and all(map(accepts, value))


def int64_of(value: Any) -> int:
    """Return the int64 of an object with ``__index__``, or raise (THPUtils_unpackIndex)."""
    number = index(value)
    if -INT64_END <= number < INT64_END:
        return number
    raise ValueError("Overflow when unpacking long long")


def _int_of_tensor(value: Any) -> int:
    number = int(value.item())
    if -INT64_END <= number < INT64_END:
        return number
    raise RuntimeError("value cannot be converted to type int64_t without overflow")


def _to_int(value: Any, argument: str) -> int:
    if type(value) is int and -INT64_END <= value < INT64_END:
        return value
    return _int_of_tensor(value) if is_tensor(value) else int64_of(value)


def _to_sym_int(value: Any, argument: str) -> int:
    if is_tensor(value) and spec_of(value.dtype).kind is Kind.BOOL:
        value.item()  # raises on meta
        raise RuntimeError(
            'scalar.isIntegral( false) INTERNAL ASSERT FAILED at "torch/csrc/utils/pybind.cpp":27,'
            " please report a bug to PyTorch. "
        )
    return _to_int(value, argument)


def _int_list_converter(symbolic: bool) -> Convert:
    """Return the converter from a list to plain ints; ``symbolic`` is for a SymIntArrayRef."""

    def convert(value: Any, argument: str) -> tuple[int, ...]:
        elements = tuple(value)
        for element in elements:
            if type(element) is not int or not -INT64_END <= element < INT64_END:
                break
        else:
            return elements
        return tuple(
            _to_element(element, argument, position, symbolic)
            for position, element in enumerate(elements, 1)
        )

    return convert


def _to_element(value: Any, argument: str, position: int, symbolic: bool) -> int:
    message = f"type must be tuple of ints,but got {type_name(value)}"
    if not is_tensor(value):
        try:
            return int64_of(value)
        except ValueError as error:
            # Torch appends the C++ source line; this message has none.
            message = str(error)
        except Exception:  # noqa: BLE001  # torch drops the error of __index__
            pass
    elif value.numel() == 1 and is_integral_dtype(value.dtype, or_bool=True):
        if symbolic and spec_of(value.dtype).kind is Kind.BOOL:
            value.item()  # raises on meta
            raise RuntimeError(
                "Expected scalar.isIntegral( false) to be true, but got false.  (Could this error"
                " message be improved?  If so, please report an enhancement request to PyTorch.)"
            )
        return _int_of_tensor(value)
    raise TypeError(
        f'{argument} failed to unpack the object at pos {position} with error "{message}"'
    ) from None


def _to_doubles(value: Any, argument: str) -> tuple[float, ...]:
    numbers = []
    for position, element in enumerate(value, 1):
        try:
            numbers.append(float(element))
        except Exception:  # noqa: BLE001  # torch drops the error of __float__
            raise TypeError(
                f"{argument} must be tuple of floats, but found element of type"
                f" {type_name(element)} at pos {position}"
            ) from None
    return tuple(numbers)


def _to_scalar(value: Any, argument: str) -> Any:
    """Return the argument; raise if an integer fits neither int64 nor uint64.

    A complex number of NumPy becomes its real part.
    """
    cls = type(value)
    if cls is int:
        if not -INT64_END <= value < INT64_END:
            scalar_dtype(value)
    elif cls not in _PLAIN_NUMBERS and not is_tensor(value):
        if is_long(value):
            scalar_dtype(value)
        else:
            return real_if_numpy_complex(value)
    return value


def _to_text(value: str | bytes, argument: str) -> str:
    return value.decode(errors="surrogateescape") if isinstance(value, bytes) else value


def _to_device(value: Any, argument: str) -> Any:
    if _is_text(value):
        value = _to_text(value, argument)
    elif is_long(value):
        value = int64_of(value)
    convert = _CONVERTERS.get("Device")
    return convert(value) if convert else value


def _to_tuple(value: Any, argument: str) -> tuple[Any, ...]:
    return tuple(value)


def _registered(printed: str, name: str) -> ParameterType:
    return ParameterType(printed, lambda value: issubclass(type(value), _CLASSES[name]), set())


TENSOR_OR_NUMBER = ParameterType(
    "Tensor",
    lambda value: is_tensor(value) or is_number(value),
    {*_PLAIN_NUMBERS},
    _to_scalar,
)
"""The type of Tensor parameters in `NUMBERS_AS_TENSORS`; numbers are bound unchanged."""

_INT = ParameterType("int", _is_int64, {int}, _to_int)
_TENSOR_LIST = ParameterType("tuple of Tensors", _is_list_of(is_tensor), set(), _to_tuple)


def _to_double(value: Any, _: str) -> float:
    return float(real_if_numpy_complex(value))


TYPES = {
    "Tensor": _registered("Tensor", "Tensor"),
    "Scalar": ParameterType("Number", _is_scalar, _PLAIN_NUMBERS, _to_scalar),
    "int64_t": _INT,
    "DeviceIndex": _INT,
    "SymInt": ParameterType("int", _is_index, {int}, _to_sym_int),
    "bool": ParameterType("bool", lambda value: type(value) is bool, {bool}),
    "double": ParameterType("float", _is_double, {bool, int, float}, _to_double),
    "complex": ParameterType("complex", _is_scalar, _PLAIN_NUMBERS),
    "IntArrayRef": ParameterType("tuple of ints", is_int_list, set(), _int_list_converter(False)),
    "SymIntArrayRef": ParameterType("tuple of ints", is_int_list, set(), _int_list_converter(True)),
    "ArrayRef<double>": ParameterType("tuple of floats", _is_float_list, set(), _to_doubles),
    "ScalarList": ParameterType("tuple of Scalars", _is_list_of(is_number), set(), _to_tuple),
    "TensorList": _TENSOR_LIST,
    "c10::List<::std::optional<Tensor>>": _TENSOR_LIST,
    "ScalarType": ParameterType("torch.dtype", is_dtype, {dtype}),
    "Layout": _registered("torch.layout", "Layout"),
    "MemoryFormat": _registered("torch.memory_format", "MemoryFormat"),
    "QScheme": _registered("torch.qscheme", "QScheme"),
    "Device": ParameterType("torch.device", _is_device, {str, int}, _to_device),
    "Generator": _registered("torch.Generator", "Generator"),
    "Storage": _registered("torch.Storage", "Storage"),
    "Stream": _registered("Stream", "Stream"),
    "PyObject*": ParameterType("object", lambda value: True, set()),
    **dict.fromkeys(
        ("string", "std::string", "std::string_view", "::std::string_view", "c10::string_view"),
        ParameterType("str", _is_text, {str}, _to_text),
    ),
}
"""The types by their names in declarations (type_map in python_arg_parser.cpp)."""


def sized(base: ParameterType, size: int) -> ParameterType:
    """Return a type with a size, such as ``IntArrayRef[2]``: a list, or one int for all elements.

    A ``TensorList[2]`` must contain that number of tensors.
    """
    if base is _TENSOR_LIST:
        return base._replace(convert=lambda value, argument: _tensors(value, size))
    # The source lines of torch's asserts.
    line = 573 if base is TYPES["SymIntArrayRef"] else 658
    convert_list = base.convert
    assert convert_list is not None

    def accepts(value: Any) -> bool:
        return is_int_list(value) if is_list(value) else _is_index(value)

    def convert(value: Any, argument: str) -> tuple[int, ...]:
        if is_list(value):
            return convert_list(value, argument)  # type: ignore[no-any-return]
        if not is_long(value) and not is_tensor(value):
            raise RuntimeError(
                "PyList_Check(arg) INTERNAL ASSERT FAILED at"
                f' "torch/csrc/utils/python_arg_parser.h":{line},'
                " please report a bug to PyTorch. expected tuple or list"
            )
        return (_to_int(value, argument),) * size

    return ParameterType(base.printed, accepts, {int}, convert)


def _tensors(value: Any, size: int) -> tuple[Any, ...]:
    if len(value) != size:
        raise TypeError(f"expected tuple of {size} elements but got {len(value)}")
    return tuple(value)


NUMBERS_AS_TENSORS = frozenset(
    name + suffix
    for name in (
        "add", "div", "divide", "floor_divide", "mul", "multiply", "sub", "subtract",
        "true_divide",
    )
    for suffix in ("", "_", "_out")
) | {"to", "_to_copy", "copy_", "copy", "_conj"}  # fmt: skip
"""The functions that accept a number for a Tensor (should_allow_numbers_as_tensors)."""
