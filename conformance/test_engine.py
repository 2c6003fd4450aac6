"""The suite itself: what it must tell apart, and what it must not.

These properties say nothing of the subject.  They fail when the comparator or
a normalisation has become blind, and the planted faults of the suite are
caught by them.
"""

from .domains import Domain
from .properties import exhaustive
from .session import Asker


def _noted(note: str) -> str:
    error = "ValueError('x')"
    return f"[error.add_note({note!r}) or (_ for _ in ()).throw(error) for error in [{error}]]"


# A tensor that says something of itself that is not so.
LAYOUT = "type('T', (torch.Tensor,), {{'layout': {}, '__repr__': lambda self: 'T'}})([1.0])"
DEVICE = "type('T', (torch.Tensor,), {{'device': '{}', '__repr__': lambda self: 'T'}})([1.0])"
DTYPE = "type('T', (torch.Tensor,), {{'dtype': {}, '__repr__': lambda self: 'T'}})([1.0])"
GRAD = "type('T', (torch.Tensor,), {{'requires_grad': {}, '__repr__': lambda self: 'T'}})([1.0])"
NEG = (
    "type('T', (torch.Tensor,), {{'is_neg': lambda self: {}, '__repr__': lambda self: 'T'}})([1.0])"
)
NAN, ZERO = "float('nan')", "0.0"

APART = {
    "NaN and zero": (NAN, ZERO),
    "NaN and None": (NAN, "None"),
    "NaN and its negative": (NAN, f"-{NAN}"),
    "zero and negative zero": (ZERO, "-0.0"),
    "imaginary zeros": ("complex(0.0, 0.0)", "complex(0.0, -0.0)"),
    "neighbouring floats": ("1.0", "1.0000000000000002"),
    "int and bool": ("1", "True"),
    "int and float": ("1", "1.0"),
    "int and its text": ("1", "'1'"),
    "text and bytes": ("'a'", "b'a'"),
    "tuple and list": ("(1,)", "[1]"),
    "inside a tuple": ("(1, 2)", "(1, 2.0)"),
    "longer list": ("[1]", "[1, 1]"),
    "order of a dict": ("{1: 1, 2: 2}", "{2: 2, 1: 1}"),
    "dtypes": ("torch.float32", "torch.float64"),
    "dtype and its name": ("torch.float32", "'torch.float32'"),
    "dtype and class": ("torch.float32", "torch.dtype"),
    "value and error": ("1", "1 / 0"),
    "classes of errors": ("{}['a']", "[]['a']"),
    "error and its base": (
        "iter([]).throw",
        "operator.itemgetter(0)([])",
    ),
    "messages": ("int('a')", "int('b')"),
    "spaces in a message": ("int('a')", "int('a ')"),
    "warning and silence": ("operator.call(__import__('warnings').warn, 'a')", "None"),
    "warnings": (
        "operator.call(__import__('warnings').warn, 'a')",
        "operator.call(__import__('warnings').warn, 'b')",
    ),
    "notes of an error": (_noted("one"), _noted("two")),
    "something that equals all": (
        "type('Equal', (), {'__eq__': lambda self, other: True, '__repr__': lambda self: '1'})()",
        "1",
    ),
    "classes that print alike": (
        "type('A', (), {'__repr__': lambda self: 'x'})()",
        "type('B', (), {'__repr__': lambda self: 'x'})()",
    ),
    "what they print": (
        "type('A', (), {'__repr__': lambda self: 'x'})()",
        "type('A', (), {'__repr__': lambda self: 'y'})()",
    ),
    "dtypes of tensors": (DTYPE.format("torch.int32"), DTYPE.format("torch.float32")),
    "shapes": ("torch.zeros(2, 3)[:, :0]", "torch.zeros(3, 2)[:0]"),
    "strides": ("torch.zeros(4).as_strided((1,), (1,))", "torch.zeros(4).as_strided((1,), (2,))"),
    "offsets": ("torch.zeros(4)[0:2]", "torch.zeros(4)[1:3]"),
    "elements": ("torch.zeros(2)", "torch.zeros(2).neg()"),
    "elements alike in print": ("torch.tensor(1.00001)", "torch.tensor(1.00002)"),
    "devices": (DEVICE.format("cpu"), DEVICE.format("cpu:1")),
    "layouts": (LAYOUT.format("torch.strided"), LAYOUT.format("torch.jagged")),
    "gradients": (GRAD.format("True"), GRAD.format("False")),
    "conjugate bits": (
        "torch.zeros(2, dtype=torch.complex64)",
        "torch.zeros(2, dtype=torch.complex64).conj()",
    ),
    "negative bits": (NEG.format("True"), NEG.format("False")),
    "sizes of storages": ("torch.zeros(3)[:2]", "torch.zeros(2)[:2]"),
    "a view and a copy": ("x = torch.zeros(2); x.detach()", "x = torch.zeros(2); x.clone()"),
    "itself and a view": ("x = torch.zeros(2); x", "x = torch.zeros(2); x.detach()"),
    "state of a variable": ("x = torch.zeros(2); None", "x = torch.ones(2); None"),
    "what a failure leaves": (
        "x = torch.zeros(2); (x.fill_(1), x.view(5))",
        "x = torch.zeros(2); (x, x.view(5))",
    ),
    "lists of tensors": ("[torch.zeros(2)]", "[torch.ones(2)]"),
    "storages": ("torch.UntypedStorage([1])", "torch.UntypedStorage([2])"),
    "arrays": ("numpy.zeros(2)", "numpy.zeros(2, dtype='float32')"),
    "sizes and tuples": ("torch.Size([2])", "(2,)"),
    "numpy and python": ("numpy.float64(1)", "1.0"),
    "devices of one name": ("torch.device('cpu')", "torch.device('cpu', 0)"),
    "subclass of int": ("type('int', (int,), {})(1)", "1"),
}
ALIKE = {
    "NaN and NaN": (NAN, NAN),
    "equal numbers": ("0.5", "1 / 2"),
    "aliases": ("torch.float", "torch.float32"),
    "equal errors": ("int('a')", "int('a')"),
    "equal containers": ("[(1, None)]", "[(1, None)]"),
}


@exhaustive(lambda torch: Domain(pair=[*APART, *ALIKE]), about_subject=False)
def test_comparator(ask: Asker, pair: str) -> None:
    """The comparator tells apart what differs in anything that can be seen, and nothing else."""
    ask.tells_apart(*(APART | ALIKE)[pair], apart=pair in APART)


def _raise(message: str) -> str:
    return f"(_ for _ in ()).throw(RuntimeError({message!r}))"


_ASSERT = 'ix INTERNAL ASSERT FAILED at "{}c10/core/ScalarType.cpp":{}, please report.'
_CALL = "f() received an invalid combination of arguments - got ({}), but expected one of:\n * {}\n"
_WRONG = "      didn't match because some of the keywords were incorrect: {}\n"

NORMALISED = {
    "folder of an assertion": (_ASSERT.format("/__w/pytorch/pytorch/", 3), _ASSERT.format("", 14)),
    "order of keywords": (
        _CALL.format("int, y=int, x=str", "()"),
        _CALL.format("int, x=str, y=int", "()"),
    ),
    "order of keywords alone": (
        _CALL.format("y=int, x=str, ", "()"),
        _CALL.format("x=str, y=int, ", "()"),
    ),
    "order of wrong keywords": (
        _CALL.format("x=int", "()\n" + _WRONG.format("b, a")),
        _CALL.format("x=int", "()\n" + _WRONG.format("a, b")),
    ),
}
NOT_NORMALISED = {
    "file of an assertion": (
        _ASSERT.format("", 3),
        _ASSERT.format("", 3).replace("Scalar", "Vector"),
    ),
    "subject of an assertion": (_ASSERT.format("", 3), _ASSERT.format("", 3).replace("ix", "iy")),
    "a path elsewhere": ('at "/a/c10/b.cpp":3', 'at "/b/c10/b.cpp":3'),
    "types of keywords": (_CALL.format("x=int", "()"), _CALL.format("x=str", "()")),
    "order of arguments": (_CALL.format("int, str", "()"), _CALL.format("str, int", "()")),
    "number of keywords": (_CALL.format("x=int", "()"), _CALL.format("x=int, y=int", "()")),
    "signatures": (_CALL.format("x=int", "(a)"), _CALL.format("x=int", "(b)")),
    "order elsewhere": ("got (y=int, x=str)", "got (x=str, y=int)"),
    "case": ("Abc", "abc"),
    "digits": ("a 1", "a 2"),
}


_NOT = "f(): argument 'a' must be torch.dtype, not {}"

# Values that differ, and whether they count as alike when they answer a case.
ANSWERS = {
    "finfo and a number": ("True", "False", "torch.finfo() == 1", False),
    "None and iinfo": ("True", "False", "None != torch.iinfo(torch.uint8)", False),
    "finfo and finfo": ("True", "False", "torch.finfo() == torch.finfo(torch.float16)", True),
    "finfo and dtype": ("True", "False", "torch.finfo() == torch.float32", True),
    "order of finfo": ("True", "False", "torch.finfo() < 1", True),
    "dtype and number": ("True", "False", "torch.float32 == 1", True),
    "finfo and a number, not bools": ("1", "2", "torch.finfo() == 1", True),
    "kind of function": (
        _raise(_NOT.format("function")),
        _raise(_NOT.format("builtin_function_or_method")),
        "f(torch.can_cast)",
        False,
    ),
    "kind of function, of another's": (
        _raise(_NOT.format("function")),
        _raise(_NOT.format("builtin_function_or_method")),
        "f(len)",
        True,
    ),
    "kind of argument": (
        _raise(_NOT.format("function")),
        _raise(_NOT.format("type")),
        "f(torch.can_cast)",
        True,
    ),
    "class elsewhere": ("operator.itemgetter", "pickle.Pickler", "torch.dtype", True),
}


@exhaustive(
    lambda torch: Domain(pair=[*NORMALISED, *NOT_NORMALISED, *ANSWERS]), about_subject=False
)
def test_normalisations(ask: Asker, pair: str) -> None:
    """Each normalisation forgives what it is for, and nothing beside it."""
    if pair in ANSWERS:
        left, right, case, apart = ANSWERS[pair]
        ask.tells_apart(left, right, apart=apart, case=case)
        return
    left, right = (NORMALISED | NOT_NORMALISED)[pair]
    ask.tells_apart(_raise(left), _raise(right), apart=pair in NOT_NORMALISED)
