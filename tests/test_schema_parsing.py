"""Schemas in torch's notation: accepted arguments, converted values and errors.

Every message and value is torch's for the same arguments.  Stand-ins replace the classes that
other modules register.
"""

from typing import Any

import pytest

import impl as torch

from .schema_values import (
    CONTIGUOUS,
    SCOPE,
    choose,
    refusal,
    stand_ins,  # noqa: F401
)

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
