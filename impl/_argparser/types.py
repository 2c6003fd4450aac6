"""The types of parameters: what each takes, what messages call it, and what arguments become.

Torch asks twice.  Whether an argument fits is asked first and decides which
signature is meant (FunctionParameter::_check in python_arg_parser.cpp); what
it is worth is asked of the chosen signature alone (PythonArgs in
python_arg_parser.h).  So a list whose second element is bad fits, and is
refused afterwards.
"""

from collections.abc import Callable
from operator import index
from typing import Any, NamedTuple

from .._dtypes.scalars import _is_a, _numpy_types, is_number, scalar_dtype
from .._dtypes.table import Kind, dtype, is_dtype, spec_of
from .._runtime.errors import type_name

Accepts = Callable[[Any], bool]
Convert = Callable[[Any, str], Any]
"""Makes a value of an argument that fits; the text says which argument it is, for messages."""

_INT64_END = 2**63
_PLAIN_NUMBERS = {bool, int, float, complex}


class ParameterType(NamedTuple):
    """One type of parameters.

    ``exact`` are Python types that fit without a question, ``accepts`` tells of
    all else.  Without ``convert``, an argument is bound as it came.
    """

    printed: str
    accepts: Accepts
    exact: set[type]
    convert: Convert | None = None


# What modules further down register: their classes, how their arguments are converted, and the
# objects that declarations name as defaults.
_CLASSES: dict[str, tuple[type, ...]] = dict.fromkeys(
    ("Tensor", "Layout", "MemoryFormat", "Device", "Generator", "Storage", "Stream", "QScheme"), ()
)
_CONVERTERS: dict[str, Callable[[Any], Any]] = {}
_NAMED_DEFAULTS: dict[str, Any] = {}


def register(kind: str, *classes: type, convert: Callable[[Any], Any] | None = None) -> None:
    """Let parameters of a type of torch's take instances of classes, and of their subclasses.

    The kinds are Tensor, Layout, MemoryFormat, Device, Generator, Storage,
    Stream and QScheme.  A Tensor has to have dtype, requires_grad, dim(),
    numel() and item().  What is given for a Device, a str or an int too, is
    bound as ``convert`` returns it.
    """
    _CLASSES[kind] += classes
    TYPES[kind].exact.update(classes)
    if kind == "Tensor":
        TENSOR_OR_NUMBER.exact.update(classes)
    if convert:
        _CONVERTERS[kind] = convert


def register_default(text: str, value: object) -> None:
    """Say what a name means where a declaration has it as a default, such as torch.strided."""
    _NAMED_DEFAULTS[text] = value


def named_default(text: str) -> Any:
    """Return the default that was registered under a name; raise ValueError if there is none."""
    try:
        return _NAMED_DEFAULTS[text]
    except KeyError:
        raise ValueError(f"no default is registered as {text}") from None


def is_tensor(value: object) -> bool:
    """Tell whether a value is a Tensor or of a subclass."""
    return issubclass(type(value), _CLASSES["Tensor"])


def is_long(value: object) -> bool:
    """Tell whether torch takes ``value`` as an int: Python's and NumPy's, but no bool."""
    if _is_a(value, (int,)):
        return type(value) is not bool
    return _is_a(value, _numpy_types("integer"))


def is_list(value: object) -> bool:
    """Tell a tuple or a list, or an instance of a subclass of theirs."""
    return _is_a(value, (tuple, list))


def is_int_list(value: Any) -> bool:
    """Tell whether a tuple or list starts as one of ints; later elements are not looked at."""
    cls = type(value)
    if cls is not tuple and cls is not list and not is_list(value):
        return False
    return not value or type(value[0]) is int or _is_index(value[0])


def _is_index(value: Any) -> bool:
    """Tell whether a value serves as a SymInt: an int, or what has an index, but no bool."""
    if is_long(value):
        return True
    if type(value) is bool:
        return False
    if is_tensor(value) and value.numel() == 1 and _is_integral(value.dtype, or_bool=True):
        return True
    try:
        index(value)
    except Exception:  # noqa: BLE001  # whatever its __index__ raises, it is not one
        return False
    return True


def _is_integral(dtype: dtype, or_bool: bool) -> bool:
    """Tell the integers of whole bytes, as c10::isIntegralType does."""
    row = spec_of(dtype)
    if row.kind is Kind.BOOL:
        return or_bool
    return row.kind in (Kind.UNSIGNED, Kind.SIGNED) and row.bits >= 8


def _is_plain_scalar_tensor(value: Any) -> bool:
    return is_tensor(value) and not value.requires_grad and value.dim() == 0


def _is_int64(value: Any) -> bool:
    if is_long(value):
        return True
    return _is_plain_scalar_tensor(value) and _is_integral(value.dtype, or_bool=False)


def _is_double(value: object) -> bool:
    if is_number(value):
        # Python's complex is no double, but NumPy's complex numbers are.
        return not _is_a(value, (complex,)) or _is_a(value, _numpy_types("number"))
    return _is_plain_scalar_tensor(value)


def _is_complex(value: object) -> bool:
    return _is_a(value, (complex,)) or _is_double(value)


def _is_scalar(value: object) -> bool:
    return is_number(value) or _is_plain_scalar_tensor(value)


def _is_text(value: object) -> bool:
    return _is_a(value, (str, bytes))


def _is_device(value: object) -> bool:
    return is_long(value) or _is_text(value) or issubclass(type(value), _CLASSES["Device"])


def _is_float_list(value: Any) -> bool:
    return is_list(value) and (not value or is_number(value[0]))


def _is_scalar_list(value: Any) -> bool:
    return is_list(value) and all(map(is_number, value))


def _is_tensor_list(value: Any) -> bool:
    return is_list(value) and all(map(is_tensor, value))


def _in_range(number: int) -> int:
    if -_INT64_END <= number < _INT64_END:
        return number
    raise ValueError("Overflow when unpacking long long")


def _int_of(value: Any) -> int:
    """Return the int of what has one (THPUtils_unpackIndex), or raise."""
    if _is_a(value, (int,)):
        return _in_range(int.__index__(value))
    return _in_range(index(value))


def _int_of_tensor(value: Any) -> int:
    number = int(value.item())
    if -_INT64_END <= number < _INT64_END:
        return number
    raise RuntimeError("value cannot be converted to type int64_t without overflow")


def _to_int(value: Any, where: str) -> int:
    if type(value) is int and -_INT64_END <= value < _INT64_END:
        return value
    return _int_of_tensor(value) if is_tensor(value) else _int_of(value)


def _to_sym_int(value: Any, where: str) -> int:
    if is_tensor(value) and spec_of(value.dtype).kind is Kind.BOOL:
        raise RuntimeError(
            'scalar.isIntegral( false) INTERNAL ASSERT FAILED at "torch/csrc/utils/pybind.cpp":27,'
            " please report a bug to PyTorch. "
        )
    return _to_int(value, where)


def _int_list_converter(symbolic: bool) -> Convert:
    """Return what makes plain ints of a tuple or list; ``symbolic`` is for a SymIntArrayRef."""

    def convert(value: Any, where: str) -> tuple[int, ...]:
        elements = tuple(value)
        for each in elements:
            if type(each) is not int or not -_INT64_END <= each < _INT64_END:
                break
        else:
            return elements
        return tuple(
            _to_element(each, where, place, symbolic) for place, each in enumerate(elements, 1)
        )

    return convert


def _to_element(value: Any, where: str, place: int, symbolic: bool) -> int:
    problem = f"type must be tuple of ints,but got {type_name(value)}"
    if not is_tensor(value):
        try:
            return _int_of(value)
        except ValueError as error:
            # Torch adds where in its C++ code the number was refused.
            problem = str(error)
        except Exception:  # noqa: BLE001  # torch drops what __index__ raised
            pass
    elif value.numel() == 1 and _is_integral(value.dtype, or_bool=True):
        if symbolic and spec_of(value.dtype).kind is Kind.BOOL:
            raise RuntimeError(
                "Expected scalar.isIntegral( false) to be true, but got false.  (Could this error"
                " message be improved?  If so, please report an enhancement request to PyTorch.)"
            )
        return _int_of_tensor(value)
    raise TypeError(
        f'{where} failed to unpack the object at pos {place} with error "{problem}"'
    ) from None


def _to_double(value: Any, where: str) -> float:
    return float(value)


def _to_doubles(value: Any, where: str) -> tuple[float, ...]:
    numbers = []
    for place, each in enumerate(value, 1):
        try:
            numbers.append(float(each))
        except Exception:  # noqa: BLE001  # torch drops what __float__ raised
            raise TypeError(
                f"{where} must be tuple of floats, but found element of type {type_name(each)}"
                f" at pos {place}"
            ) from None
    return tuple(numbers)


def _to_scalar(value: Any, where: str) -> Any:
    """Refuse integers that fit in neither 64-bit type; what is bound is the argument itself."""
    cls = type(value)
    if cls is int:
        if not -_INT64_END <= value < _INT64_END:
            scalar_dtype(value)
    elif cls not in _PLAIN_NUMBERS and not is_tensor(value) and is_long(value):
        scalar_dtype(value)
    return value


def _to_text(value: str | bytes, where: str) -> str:
    return value.decode(errors="surrogateescape") if isinstance(value, bytes) else value


def _to_device(value: Any, where: str) -> Any:
    if _is_text(value):
        value = _to_text(value, where)
    elif is_long(value):
        value = _int_of(value)
    convert = _CONVERTERS.get("Device")
    return convert(value) if convert else value


def _to_tuple(value: Any, where: str) -> tuple[Any, ...]:
    return tuple(value)


def _registered(printed: str, kind: str) -> ParameterType:
    return ParameterType(printed, lambda value: issubclass(type(value), _CLASSES[kind]), set())


TENSOR_OR_NUMBER = ParameterType(
    "Tensor",
    lambda value: is_tensor(value) or is_number(value),
    {*_PLAIN_NUMBERS},
    _to_scalar,
)
"""What a Tensor parameter is in the functions of `NUMBERS_AS_TENSORS`; numbers are bound as such."""

_INT = ParameterType("int", _is_int64, {int}, _to_int)
_STRING = ParameterType("str", _is_text, {str}, _to_text)
_TENSOR_LIST = ParameterType("tuple of Tensors", _is_tensor_list, set(), _to_tuple)

TYPES = {
    "Tensor": _registered("Tensor", "Tensor"),
    "Scalar": ParameterType("Number", _is_scalar, _PLAIN_NUMBERS, _to_scalar),
    "int64_t": _INT,
    "DeviceIndex": _INT,
    "SymInt": ParameterType("int", _is_index, {int}, _to_sym_int),
    "bool": ParameterType("bool", lambda value: type(value) is bool, {bool}),
    "double": ParameterType("float", _is_double, {bool, int, float}, _to_double),
    "complex": ParameterType("complex", _is_complex, _PLAIN_NUMBERS),
    "IntArrayRef": ParameterType("tuple of ints", is_int_list, set(), _int_list_converter(False)),
    "SymIntArrayRef": ParameterType("tuple of ints", is_int_list, set(), _int_list_converter(True)),
    "ArrayRef<double>": ParameterType("tuple of floats", _is_float_list, set(), _to_doubles),
    "ScalarList": ParameterType("tuple of Scalars", _is_scalar_list, set(), _to_tuple),
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
    "string": _STRING,
    "std::string": _STRING,
    "std::string_view": _STRING,
    "::std::string_view": _STRING,
    "c10::string_view": _STRING,
}
"""The types by the names that declarations give them (type_map in python_arg_parser.cpp)."""


def sized(base: ParameterType, size: int) -> ParameterType:
    """Return the type of ``IntArrayRef[2]`` and its like: a list, or one int for all its elements.

    A ``TensorList[2]`` has to hold that many tensors.
    """
    if base is _TENSOR_LIST:
        return base._replace(convert=lambda value, where: _tensors(value, size))
    # The lines at which torch's asserts stand.
    line = 573 if base is TYPES["SymIntArrayRef"] else 658
    convert_list = base.convert
    assert convert_list is not None

    def accepts(value: Any) -> bool:
        return is_int_list(value) if is_list(value) else _is_index(value)

    def convert(value: Any, where: str) -> tuple[int, ...]:
        if is_list(value):
            return convert_list(value, where)  # type: ignore[no-any-return]
        if not is_long(value) and not is_tensor(value):
            raise RuntimeError(
                "PyList_Check(arg) INTERNAL ASSERT FAILED at"
                f' "torch/csrc/utils/python_arg_parser.h":{line},'
                " please report a bug to PyTorch. expected tuple or list"
            )
        return (_to_int(value, where),) * size

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
"""The functions in which a number may stand for a Tensor (should_allow_numbers_as_tensors)."""
