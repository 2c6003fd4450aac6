"""Schemas in torch's notation: accepted arguments, converted values and errors.

Every message and value is torch's for the same arguments.  Stand-ins replace the classes that
other modules register.
"""

import math
import warnings
from collections.abc import Iterator
from typing import Any

import numpy
import pytest

import impl as torch
from impl._argparser import parser, types
from impl._argparser.parser import Parser
from impl._argparser.types import register, register_default


class Tensor:
    """The attributes of a tensor that parameters read."""

    def __init__(self, *items: Any, dtype: torch.dtype, requires_grad: bool = False) -> None:
        self.items, self.dtype, self.requires_grad = items, dtype, requires_grad

    def dim(self) -> int:
        return int(len(self.items) != 1)

    def numel(self) -> int:
        return len(self.items)

    def item(self) -> Any:
        return self.items[0]

    def __float__(self) -> float:
        return float(self.items[0])


class Subclass(Tensor):
    pass


class Indexed:
    def __index__(self) -> int:
        return 1


class Broken:
    def __index__(self) -> int:
        raise KeyError("no index")


class Ints(tuple[int, ...]):
    pass


def named(name: str) -> type:
    """Return a class with the name ``name`` in messages, as torch's C classes."""
    return type(name, (), {})


LAYOUT, MEMORY_FORMAT = named("torch.layout"), named("torch.memory_format")
STRIDED, CONTIGUOUS = LAYOUT(), MEMORY_FORMAT()

SCOPE = {
    "torch": torch,
    "numpy": numpy,
    "Indexed": Indexed,
    "Broken": Broken,
    "Ints": Ints,
    "x": Tensor(*range(6), dtype=torch.float32),
    "i": Tensor(1, dtype=torch.int64),
    "f": Tensor(1.5, dtype=torch.float32),
    "b": Tensor(True, dtype=torch.bool),
    "big": Tensor(2**63, dtype=torch.uint64),
    "grad": Tensor(1.0, dtype=torch.float32, requires_grad=True),
    "strided": STRIDED,
    "contiguous_format": CONTIGUOUS,
}


@pytest.fixture(autouse=True)
def stand_ins(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Register classes during a test; no stream is a terminal."""
    for name in ("_CLASSES", "_CONVERTERS", "_NAMED_DEFAULTS"):
        monkeypatch.setattr(types, name, dict(getattr(types, name)))
    monkeypatch.setattr(parser, "_warned", [])
    monkeypatch.setattr("os.isatty", lambda stream: False)
    exact = {id(type_.exact): type_.exact for type_ in types.TYPES.values()}.values()
    before = [set(classes) for classes in exact]
    register("Tensor", Tensor)
    register("Layout", LAYOUT)
    register("MemoryFormat", MEMORY_FORMAT)
    register_default("contiguous_format", CONTIGUOUS)
    yield
    for classes, registered in zip(exact, before, strict=True):
        classes.intersection_update(registered)
    types.TENSOR_OR_NUMBER.exact.discard(Tensor)


def choose(declarations: tuple[str, ...], arguments: str) -> tuple[int, Any]:
    """Parse arguments in the syntax of a call."""
    parser = Parser(*declarations)
    parse = {"parse": lambda *args, **kwargs: parser.bind(args, kwargs)}
    return eval(f"parse({arguments})", {**SCOPE, **parse})  # type: ignore[no-any-return]


def refusal(declarations: tuple[str, ...], arguments: str) -> str:
    with pytest.raises((OverflowError, RuntimeError, TypeError, ValueError)) as caught:
        choose(declarations, arguments)
    return f"{caught.type.__name__}: {caught.value}"


VIEW = ("view(ScalarType dtype)", "view(SymIntArrayRef size)")
PERMUTE = ("permute(IntArrayRef dims)",)
SELECT = ("select(int64_t dim, SymInt index)",)
FLATTEN = ("flatten(int64_t start_dim=0, int64_t end_dim=-1)",)
SQUEEZE = ("squeeze()", "squeeze(int64_t dim)", "squeeze(IntArrayRef dim)")
SUM = (
    "sum(*, ScalarType? dtype=None)",
    "sum(IntArrayRef[1]? dim, bool keepdim=False, *, ScalarType? dtype=None)",
)
STD = (
    "std(IntArrayRef[1]? dim, bool unbiased=True, bool keepdim=False)",
    "std(IntArrayRef[1]? dim=None, *, Scalar? correction=None, bool keepdim=False)",
    "std(bool unbiased=True)",
)
EXPAND = ("expand(SymIntArrayRef size, *, bool implicit=False)",)
UNFLATTEN = ("unflatten(int64_t dim, SymIntArrayRef sizes)",)
CONTIGUOUS_ = ("contiguous(*, MemoryFormat memory_format=contiguous_format)",)
SIZE = ("size(int64_t? dim=None)",)
NARROW = (
    "narrow(int64_t dim, Tensor start, SymInt length)",
    "narrow(int64_t dim, SymInt start, SymInt length)",
)
ADD = ("add(Scalar alpha, Tensor other)|deprecated", "add(Tensor other, *, Scalar alpha=1)")
COPY = (
    "copy_(Tensor other, bool non_blocking=False)",
    "copy_(Tensor other, bool async=False)|deprecated",
)
INDEX_PUT = (
    "index_put_(c10::List<::std::optional<Tensor>> indices, Tensor values, bool accumulate=False)",
)

BOUND = [
    (VIEW, "2, 3", (1, ((2, 3),))),
    (VIEW, "6", (1, ((6,),))),
    (VIEW, "[3, 2]", (1, ((3, 2),))),
    (VIEW, "Ints((2, 3))", (1, ((2, 3),))),
    (VIEW, "size=(6,)", (1, ((6,),))),
    (VIEW, "torch.int32", (0, (torch.int32,))),
    (VIEW, "()", (1, ((),))),
    (VIEW, "numpy.int8(2), 3", (1, ((2, 3),))),
    (VIEW, "6, Indexed()", (1, ((6, 1),))),
    (VIEW, "6, i", (1, ((6, 1),))),
    (VIEW, "6, True", (1, ((6, 1),))),
    (PERMUTE, "1, 0", (0, ((1, 0),))),
    (PERMUTE, "(0, b)", (0, ((0, 1),))),
    (SELECT, "0, 1", (0, (0, 1))),
    (SELECT, "index=i, dim=numpy.int64(1)", (0, (1, 1))),
    (SELECT, "0, Indexed()", (0, (0, 1))),
    (FLATTEN, "", (0, (0, -1))),
    (FLATTEN, "end_dim=1", (0, (0, 1))),
    (SQUEEZE, "", (0, ())),
    (SQUEEZE, "0", (1, (0,))),
    (SQUEEZE, "axis=0", (1, (0,))),
    (SQUEEZE, "0, 1", (2, ((0, 1),))),
    (SUM, "", (0, (None,))),
    (SUM, "None", (1, (None, False, None))),
    (SUM, "1, True", (1, ((1,), True, None))),
    (SUM, "axis=(0, 1), keepdims=True, dtype=int", (1, ((0, 1), True, int))),
    (STD, "0", (0, ((0,), True, False))),
    (STD, "unbiased=False", (2, (False,))),
    (STD, "correction=f", (1, (None, SCOPE["f"], False))),
    (CONTIGUOUS_, "", (0, (CONTIGUOUS,))),
    (SIZE, "None", (0, (None,))),
    (NARROW, "0, i, 1", (0, (0, SCOPE["i"], 1))),
    (NARROW, "0, 1, i", (1, (0, 1, 1))),
    (ADD, "2.5", (1, (2.5, 1))),
    (ADD, "x2=x, alpha=2", (1, (SCOPE["x"], 2))),
]


@pytest.mark.parametrize(("declarations", "arguments", "bound"), BOUND)
def test_values_are_bound_in_the_order_of_the_parameters(
    declarations: tuple[str, ...], arguments: str, bound: tuple[int, Any]
) -> None:
    assert repr(choose(declarations, arguments)) == repr(bound)


INT_LIST = "TypeError: {}(): argument '{}' failed to unpack the object at pos {} with error "
OVERFLOW = '"Overflow when unpacking long long"'
NOT_INTS = '"type must be tuple of ints,but got {}"'

REFUSED = [
    (PERMUTE, "", 'TypeError: permute() missing 1 required positional arguments: "dims"'),
    (PERMUTE, "0.0, 1", "TypeError: permute() takes 1 positional argument but 2 were given"),
    (PERMUTE, "True, 0", "TypeError: permute() takes 1 positional argument but 2 were given"),
    (
        PERMUTE,
        "'a'",
        "TypeError: permute(): argument 'dims' (position 1) must be tuple of ints, not str",
    ),
    (
        PERMUTE,
        "('a', 0)",
        "TypeError: permute(): argument 'dims' (position 1) must be tuple of ints,"
        " but found element of type str at pos 0",
    ),
    (
        PERMUTE,
        "dims=('a', 0)",
        "TypeError: permute(): argument 'dims' must be tuple of ints, not tuple",
    ),
    (PERMUTE, "(0, 'a')", INT_LIST.format("permute", "dims", 2) + NOT_INTS.format("str")),
    (PERMUTE, "1, f", INT_LIST.format("permute", "dims", 2) + NOT_INTS.format("Tensor")),
    (PERMUTE, "1, Broken()", INT_LIST.format("permute", "dims", 2) + NOT_INTS.format("Broken")),
    (PERMUTE, "0, 2**63", INT_LIST.format("permute", "dims", 2) + OVERFLOW),
    (
        PERMUTE,
        "big, 1",
        "RuntimeError: value cannot be converted to type int64_t without overflow",
    ),
    (
        VIEW,
        "6, b",
        "RuntimeError: Expected scalar.isIntegral( false) to be true, but got false.  (Could this"
        " error message be improved?  If so, please report an enhancement request to PyTorch.)",
    ),
    (SELECT, "0, True", "TypeError: select(): argument 'index' (position 2) must be int, not bool"),
    (
        SELECT,
        "numpy.bool_(0), 1",
        "TypeError: select(): argument 'dim' (position 1) must be int, not numpy.bool",
    ),
    (
        SELECT,
        "Indexed(), 1",
        "TypeError: select(): argument 'dim' (position 1) must be int, not Indexed",
    ),
    (SELECT, "f, 0", "TypeError: select(): argument 'dim' (position 1) must be int, not Tensor"),
    (
        SELECT,
        "0, None",
        "TypeError: select(): argument 'index' (position 2) must be int, not NoneType",
    ),
    (SELECT, "0, 2**63", "ValueError: Overflow when unpacking long long"),
    (
        SELECT,
        "numpy.timedelta64(1), 0",
        "TypeError: 'numpy.timedelta64' object cannot be interpreted as an integer",
    ),
    (
        SELECT,
        "0, b",
        'RuntimeError: scalar.isIntegral( false) INTERNAL ASSERT FAILED at "torch/csrc/utils/pybind'
        '.cpp":27, please report a bug to PyTorch. ',
    ),
    (
        FLATTEN,
        "0, 1, 2",
        "TypeError: flatten() takes from 0 to 2 positional arguments but 3 were given",
    ),
    (FLATTEN, "0, end=1", "TypeError: flatten() got an unexpected keyword argument 'end'"),
    (
        FLATTEN,
        "0, start_dim=1",
        "TypeError: flatten() got multiple values for argument 'start_dim'",
    ),
    (CONTIGUOUS_, "1", "TypeError: contiguous() takes 0 positional arguments but 1 was given"),
    (
        CONTIGUOUS_,
        "memory_format=None",
        "TypeError: contiguous(): argument 'memory_format' must be torch.memory_format, not "
        "NoneType",
    ),
    (
        EXPAND,
        "2, 3, implicit=None",
        "TypeError: expand(): argument 'implicit' must be bool, not NoneType",
    ),
    # After a list as positional arguments, a keyword is reported as a duplicate.
    (
        EXPAND,
        "2, 3, implicit=True, a=2",
        "TypeError: expand() got multiple values for argument 'implicit'",
    ),
    # The last argument is converted first.
    (
        UNFLATTEN,
        "2**63, (1, 2.5)",
        INT_LIST.format("unflatten", "sizes", 2) + NOT_INTS.format("float"),
    ),
    (SUM, "1, 2", "TypeError: sum(): argument 'keepdim' (position 2) must be bool, not int"),
    # A NumPy keyword is valid alone, but reported as unknown beside another error.
    (SUM, "axis=0, foo=1", "TypeError: sum() got an unexpected keyword argument 'axis'"),
    (SUM, "dim=0, axis=1", "TypeError: sum() got an unexpected keyword argument 'axis'"),
    (SUM, "2**63", "ValueError: Overflow when unpacking long long"),
    (
        SUM,
        "Indexed()",
        "RuntimeError: PyList_Check(arg) INTERNAL ASSERT FAILED at"
        ' "torch/csrc/utils/python_arg_parser.h":658,'
        " please report a bug to PyTorch. expected tuple or list",
    ),
    (
        SUM,
        "True",
        "TypeError: sum() received an invalid combination of arguments - got (bool), but expected"
        " one of:\n"
        " * (*, torch.dtype dtype = None)\n"
        " * (tuple of ints dim, bool keepdim = False, *, torch.dtype dtype = None)\n",
    ),
    # Torch counts a default as the name of its parameter, and the star as a parameter.
    (
        STD,
        "'a', unbiased=1, keepdim=3",
        "TypeError: std() received an invalid combination of arguments - got (str, keepdim=int,"
        " unbiased=int), but expected one of:\n"
        " * (tuple of ints dim, bool unbiased = True, bool keepdim = False)\n"
        "      didn't match because some of the keywords were incorrect: keepdim, unbiased\n"
        " * (tuple of ints dim = None, *, Number correction = None, bool keepdim = False)\n"
        " * (bool unbiased = True)\n",
    ),
    (
        STD,
        "0, True, f",
        "TypeError: std() received an invalid combination of arguments - got (int, bool, Tensor),"
        " but expected one of:\n"
        " * (tuple of ints dim, bool unbiased = True, bool keepdim = False)\n"
        "      didn't match because some of the arguments have invalid types:"
        " (!int!, !bool!, !Tensor!)\n"
        " * (tuple of ints dim = None, *, Number correction = None, bool keepdim = False)\n"
        " * (bool unbiased = True)\n",
    ),
    (
        NARROW,
        "0, i, 1.0",
        "TypeError: narrow() received an invalid combination of arguments - got (int, Tensor,"
        " float), but expected one of:\n"
        " * (int dim, Tensor start, int length)\n"
        "      didn't match because some of the arguments have invalid types:"
        " (int, Tensor, !float!)\n"
        " * (int dim, int start, int length)\n"
        "      didn't match because some of the arguments have invalid types:"
        " (int, !Tensor!, !float!)\n",
    ),
    # Hidden signatures are not listed.  A single visible signature has another message.
    (
        ADD,
        "1, 2, 3",
        "TypeError: add() received an invalid combination of arguments - got (!int!, !int!, !int!),"
        " but expected (Tensor other, *, Number alpha = 1)",
    ),
    (
        COPY,
        "1, 2, 3",
        "TypeError: copy_() received an invalid combination of arguments - got (int, int, int),"
        " but expected (Tensor other, bool non_blocking = False)",
    ),
    (
        COPY,
        "foo=1, bar=2, baz=3",
        "TypeError: copy_() received an invalid combination of arguments - got unrecognized keyword"
        " arguments: baz, bar, foo",
    ),
    (ADD, "'a'", "TypeError: add(): argument 'other' (position 1) must be Tensor, not str"),
    (ADD, "2**64", "OverflowError: int too big to convert"),
    (INDEX_PUT, "[x, 1], x", "TypeError: expected Tensor as element 1 in argument 0, but got int"),
    (
        INDEX_PUT,
        "1, x",
        "TypeError: index_put_(): argument 'indices' (position 1) must be tuple of Tensors, not"
        " int",
    ),
]


@pytest.mark.parametrize(("declarations", "arguments", "message"), REFUSED)
def test_words_of_refusals(declarations: tuple[str, ...], arguments: str, message: str) -> None:
    assert refusal(declarations, arguments) == message


def test_a_bad_element_ends_the_search_for_a_signature() -> None:
    both = ("atleast_1d(TensorList tensors)", "atleast_1d(PyObject* anything)")
    assert (
        refusal(both, "[1]") == "TypeError: expected Tensor as element 0 in argument 0, but got int"
    )
    assert choose(both, "1") == (1, (1,))


def test_tensor_lists_are_bound_as_tuples_of_their_length() -> None:
    x = SCOPE["x"]
    assert choose(("stack(TensorList tensors, int64_t dim=0)",), "[x, x], 1") == (0, ((x, x), 1))
    two = ("median(*, TensorList[2] out=None)",)
    assert choose(two, "out=[x, x]") == (0, ((x, x),))
    assert refusal(two, "out=(x,)") == "TypeError: expected tuple of 2 elements but got 1"


@pytest.mark.parametrize(
    ("declaration", "default"),
    [
        ("f(int64_t a=-1)", -1),
        ("f(double a=1)", 1.0),
        ("f(Scalar a=1.0)", 1.0),
        ("f(bool a=True)", True),
        ("f(IntArrayRef[2] a=1)", (1, 1)),
        ("f(IntArrayRef a={0,1})", (0, 1)),
        ('f(c10::string_view a="mean")', "mean"),
        ("f(MemoryFormat a=contiguous_format)", CONTIGUOUS),
        ("f(bool? a=False)", False),
    ],
)
def test_defaults(declaration: str, default: object) -> None:
    _, (bound,) = choose((declaration,), "")
    assert bound == default
    assert type(bound) is type(default)
    if "?" in declaration:
        assert choose((declaration,), "None") == (0, (default,))


def test_sized_lists_take_one_int_for_all() -> None:
    pool = ("pool(SymIntArrayRef[2] size)",)
    assert choose(pool, "3") == (0, ((3, 3),))
    assert choose(pool, "(3, 4)") == (0, ((3, 4),))
    assert choose(pool, "i") == (0, ((1, 1),))
    # The first argument is a list, so several arguments are not one list.
    assert refusal(("hash(IntArrayRef[1] dim=None, *, int64_t mode=0)",), "0, 1") == (
        "TypeError: hash() takes from 0 to 1 positional arguments but 2 were given"
    )


def test_doubles() -> None:
    dropout = ("dropout(double p, bool train)",)
    assert choose(dropout, "f, True") == (0, (1.5, True))
    assert choose(dropout, "True, True") == (0, (1.0, True))
    assert math.isinf(choose(dropout, "numpy.float32('inf'), True")[1][0])
    for bad, type_name in (("1j", "complex"), ("grad", "Tensor"), ("x", "Tensor"), ("'a'", "str")):
        assert refusal(dropout, f"{bad}, True") == (
            f"TypeError: dropout(): argument 'p' (position 1) must be float, not {type_name}"
        )
    ranged = ("histogramdd(ArrayRef<double>? range=None)",)
    assert choose(ranged, "(1, 2.5)") == (0, ((1.0, 2.5),))
    assert refusal(ranged, "(1, 'a')") == (
        "TypeError: histogramdd(): argument 'range' must be tuple of floats,"
        " but found element of type str at pos 2"
    )


def test_devices_are_converted_first_by_who_registered_them() -> None:
    converted = []

    def convert(value: object) -> object:
        converted.append(value)
        if value == "nowhere":
            raise RuntimeError("no such device")
        return [value]

    device = named("torch.device")()
    register("Device", type(device), convert=convert)
    empty = ("empty(SymIntArrayRef size, *, Device? device=None)",)
    assert choose(empty, "2") == (0, ((2,), None))
    for device_argument, value in (("'cpu'", "cpu"), ("b'cpu'", "cpu"), ("numpy.int8(3)", 3)):
        assert choose(empty, f"2, device={device_argument}") == (0, ((2,), [value]))
    assert refusal(empty, "2, 'a', device='nowhere'") == "RuntimeError: no such device"
    assert converted[-1] == "nowhere"
    assert refusal(empty, "2, device=1.0") == (
        "TypeError: empty(): argument 'device' must be torch.device, not float"
    )


def test_subclasses_of_registered_classes_fit() -> None:
    x = Subclass(1, dtype=torch.int8)
    assert Parser("f(Tensor input)")((x,), {}) == (x,)


def test_values_can_be_looked_at_before_they_are_converted() -> None:
    signature, values = Parser("f(IntArrayRef size, Device? device=None)").match(([1, 2.5],), {})
    assert values == [[1, 2.5], None]
    with pytest.raises(TypeError, match="failed to unpack the object at pos 2"):
        signature.convert(values)


def test_deprecated_signatures_come_last_and_warn_once() -> None:
    parser = Parser(*ADD)

    def add(*args: object) -> tuple[int, Any]:
        return parser.bind(args, {})

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert [add(2, SCOPE["x"])[0], add(2, SCOPE["x"])[0], add(SCOPE["x"])[0]] == [0, 0, 1]
    (warning,) = caught
    assert warning.filename == __file__
    assert str(warning.message) == (
        "This overload of add is deprecated:\n\tadd(Number alpha, Tensor other)\nConsider using one"
        " of the following signatures instead:\n\tadd(Tensor other, *, Number alpha = 1) (Triggered"
        " internally at /__w/pytorch/pytorch/torch/csrc/utils/python_arg_parser.cpp:1841.)"
    )


@pytest.mark.parametrize(
    "declaration", ["f(Nothing a)", "f(int64_t)", "f()|secret", "f(Layout a=torch.nowhere)"]
)
def test_what_is_no_declaration_is_refused(declaration: str) -> None:
    with pytest.raises(ValueError, match=r"not a|no default"):
        assert Parser(declaration).signatures
