"""The suite itself: differences that it must detect, and differences that it must forgive.

These properties claim nothing of the subject. They fail if the comparator or a normalization is
blind, and they catch the planted faults of the suite.
"""

from ..core.domain import Domain
from ..engine import rule_checks
from ..engine.decorators import exhaustive
from ..engine.probe import Probe
from ..generators.unwritten_pairs import UNWRITTEN, WRITTEN
from ..rules.operators import OPERATORS


def _noted(note: str) -> str:
    error = "ValueError('x')"
    return f"[error.add_note({note!r}) or (_ for _ in ()).throw(error) for error in [{error}]]"


def _with(name: str, value: str) -> str:
    """Return the text of a tensor with one false attribute."""
    return f"type('T', (torch.Tensor,), {{'{name}': {value}, '__repr__': lambda self: 'T'}})([1.0])"


NAN, ZERO = "float('nan')", "0.0"

_SPARSE = "torch.sparse_coo_tensor({}, {}, (2, 2))"
_INDICES, _VALUES = "[[0, 1], [1, 0]]", "[1.0, 2.0]"
SPARSE = _SPARSE.format(_INDICES, _VALUES)


def _false_sparse(**answers: str) -> str:
    """Return the text of a tensor that claims to be sparse, with false attributes."""
    answers = {
        "_indices": "torch.zeros(1, 2)", "_values": "torch.ones(2)", "sparse_dim": "1",
        "dense_dim": "0", "_nnz": "2", "is_coalesced": "False", "stride": "(1,)", "__repr__": "'T'",
    } | answers  # fmt: skip
    methods = ", ".join(f"'{name}': lambda self: {answer}" for name, answer in answers.items())
    return f"type('T', (torch.Tensor,), {{'layout': torch.sparse_coo, {methods}}})([1.0])"


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
    "classes of errors that say the same": ("{}[1]", "exec('raise ValueError(1)')"),
    "error and its base": (
        "iter([]).throw",
        "operator.itemgetter(0)([])",
    ),
    "messages": ("int('a')", "int('b')"),
    "spaces in a message": ("int('a')", "int('a ')"),
    "arguments of an error": (
        "(_ for _ in ()).throw(ValueError('(1,)'))",
        "(_ for _ in ()).throw(ValueError((1,)))",
    ),
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
    "dtypes of tensors": (_with("dtype", "torch.int32"), _with("dtype", "torch.float32")),
    "shapes": ("torch.zeros(2, 3)[:, :0]", "torch.zeros(3, 2)[:0]"),
    "strides": ("torch.zeros(4).as_strided((1,), (1,))", "torch.zeros(4).as_strided((1,), (2,))"),
    "offsets": ("torch.zeros(4)[0:2]", "torch.zeros(4)[1:3]"),
    "elements": ("torch.zeros(2)", "torch.zeros(2).neg()"),
    "elements alike in print": ("torch.tensor(1.00001)", "torch.tensor(1.00002)"),
    "devices": (_with("device", "'cpu'"), _with("device", "'cpu:1'")),
    "layouts": (_with("layout", "torch.strided"), _with("layout", "torch.jagged")),
    "gradients": (_with("requires_grad", "True"), _with("requires_grad", "False")),
    "conjugate bits": (
        "torch.zeros(2, dtype=torch.complex64)",
        "torch.zeros(2, dtype=torch.complex64).conj()",
    ),
    "negative bits": (_with("is_neg", "lambda self: True"), _with("is_neg", "lambda self: False")),
    "sparse and dense": (SPARSE, "torch.tensor([[0.0, 1.0], [2.0, 0.0]])"),
    "dtypes of values": (
        _false_sparse(_values="torch.ones(2)"),
        _false_sparse(_values="torch.ones(2).view(torch.int32)"),
    ),
    "shapes of values": (
        _false_sparse(_values="torch.ones(2, 1)"),
        _false_sparse(_values="torch.ones(1, 2)"),
    ),
    "values": (SPARSE, _SPARSE.format(_INDICES, "[1.0, 3.0]")),
    "values alike in print": (SPARSE, _SPARSE.format(_INDICES, "[1.0, 2.00001]")),
    "order of values": (SPARSE, _SPARSE.format("[[1, 0], [0, 1]]", "[2.0, 1.0]")),
    "indices": (SPARSE, _SPARSE.format("[[0, 1], [1, 1]]", _VALUES)),
    "dtypes of indices": (
        _false_sparse(_indices="torch.zeros(2, 2).view(torch.int32)"),
        _false_sparse(_indices="torch.zeros(2, 2)"),
    ),
    "strides of indices": (SPARSE, _SPARSE.format(f"torch.tensor({_INDICES}).t()", _VALUES)),
    "strides of values": (SPARSE, _SPARSE.format(_INDICES, "torch.tensor([1.0, 0.0, 2.0])[::2]")),
    "strides of a sparse tensor": (
        _false_sparse(stride="(0, 0)"),
        _false_sparse(stride="(2, 1)"),
    ),
    "coalesced or not": (SPARSE, f"{SPARSE}.coalesce()"),
    "coalesced variables": (f"x = {SPARSE}; None", f"x = {SPARSE}.coalesce(); None"),
    "coalesced in a list": (f"[{SPARSE}]", f"[{SPARSE}.coalesce()]"),
    "coalesced by a failure": (
        f"x = {SPARSE}; (x._coalesced_(True), x.view(4))",
        f"x = {SPARSE}; (x, x.view(4))",
    ),
    "numbers of values": (_false_sparse(_nnz="2"), _false_sparse(_nnz="3")),
    "sparse dimensions": (_false_sparse(sparse_dim="2"), _false_sparse(sparse_dim="1")),
    "dense dimensions": (_false_sparse(dense_dim="0"), _false_sparse(dense_dim="1")),
    "values that are shared": (f"x = {SPARSE}; x.detach()", f"x = {SPARSE}; x.clone()"),
    "values of a dense tensor": (
        f"x = torch.ones(2); {_SPARSE.format(_INDICES, 'x')}",
        f"x = torch.ones(2); {_SPARSE.format(_INDICES, 'x.clone()')}",
    ),
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
    "equal sparse tensors": (SPARSE, SPARSE),
    "equal containers": ("[(1, None)]", "[(1, None)]"),
}


@exhaustive(lambda torch: Domain(pair=[*APART, *ALIKE]), about_subject=False)
def test_comparator(ask: Probe, pair: str) -> None:
    """The comparator detects every observable difference, and nothing else."""
    ask.tells_apart(*(APART | ALIKE)[pair], apart=pair in APART)


def _raise(message: str) -> str:
    return f"(_ for _ in ()).throw(RuntimeError({message!r}))"


_ASSERT = 'ix INTERNAL ASSERT FAILED at "{}c10/core/ScalarType.cpp":{}, please report.'
_CALL = "f() received an invalid combination of arguments - got ({}), but expected one of:\n * {}\n"
_WRONG = "      didn't match because some of the keywords were incorrect: {}\n"

_DEPTH = "maximum recursion depth exceeded"
_NO_SPARSE = "Could not run 'aten::{}' with arguments from the '{}' backend.{}"
_REASONS = (
    " This could be because the operator doesn't exist for this backend. '{}' is only available for"
    " these backends: [CPU, {}].\n\nCPU: registered at /pytorch/build/RegisterCPU_{}.cpp:3"
    " [kernel]\n"
)

NORMALISED = {
    "reasons of a missing sparse kernel": (
        _NO_SPARSE.format("view", "SparseCPU", _REASONS.format("aten::view", "Meta", 1)),
        _NO_SPARSE.format("view", "SparseCPU", _REASONS.format("view", "CUDA", 2)),
    ),
    "a missing sparse kernel without reasons": (
        _NO_SPARSE.format("view", "SparseCPU", _REASONS.format("aten::view", "Meta", 1)),
        _NO_SPARSE.format("view", "SparseCPU", ""),
    ),
    "folder of an assertion": (_ASSERT.format("/__w/pytorch/pytorch/", 3), _ASSERT.format("", 14)),
    "depth of a recursion": (_DEPTH + " in comparison", _DEPTH),
    "place of a recursion": (_DEPTH + " in comparison", _DEPTH + " while calling a Python object"),
    "advice for compressed layouts": (
        _NO_SPARSE.format("view", "SparseCsrCPU", " This"),
        _NO_SPARSE.format("view", "SparseCsrCPU", " That"),
    ),
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
    "operators without sparse kernel": (
        _NO_SPARSE.format("view", "SparseCPU", " This"),
        _NO_SPARSE.format("as_strided", "SparseCPU", " This"),
    ),
    "overloads without sparse kernel": (
        _NO_SPARSE.format("eq.Tensor", "SparseCPU", " This"),
        _NO_SPARSE.format("eq.Scalar", "SparseCPU", " This"),
    ),
    "backends without kernel": (
        _NO_SPARSE.format("view", "SparseCPU", " This"),
        _NO_SPARSE.format("view", "SparseCUDA", " This"),
    ),
    "reasons of another backend": (
        _NO_SPARSE.format("view", "CUDA", " This"),
        _NO_SPARSE.format("view", "CUDA", " That"),
    ),
    "what stands before a missing kernel": (
        "x" + _NO_SPARSE.format("view", "SparseCPU", " This"),
        "x" + _NO_SPARSE.format("view", "SparseCPU", " That"),
    ),
    "file of an assertion": (
        _ASSERT.format("", 3),
        _ASSERT.format("", 3).replace("Scalar", "Vector"),
    ),
    "subject of an assertion": (_ASSERT.format("", 3), _ASSERT.format("", 3).replace("ix", "iy")),
    "a path elsewhere": ('at "/a/c10/b.cpp":3', 'at "/b/c10/b.cpp":3'),
    "another end of a recursion": (_DEPTH + ": 1", _DEPTH + ": 2"),
    "what stands before a depth": ("a " + _DEPTH + " in b", "a " + _DEPTH + " in c"),
    "types of keywords": (_CALL.format("x=int", "()"), _CALL.format("x=str", "()")),
    "order of arguments": (_CALL.format("int, str", "()"), _CALL.format("str, int", "()")),
    "number of keywords": (_CALL.format("x=int", "()"), _CALL.format("x=int, y=int", "()")),
    "signatures": (_CALL.format("x=int", "(a)"), _CALL.format("x=int", "(b)")),
    "order elsewhere": ("got (y=int, x=str)", "got (x=str, y=int)"),
    "case": ("Abc", "abc"),
    "digits": ("a 1", "a 2"),
}


_NOT = "f(): argument 'a' must be torch.dtype, not {}"

# Two results, the case that they answer, and whether they count as different.
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
def test_normalisations(ask: Probe, pair: str) -> None:
    """Each normalization forgives the differences it is for, and no others."""
    if pair in ANSWERS:
        left, right, case, apart = ANSWERS[pair]
        ask.tells_apart(left, right, apart=apart, case=case)
        return
    left, right = (NORMALISED | NOT_NORMALISED)[pair]
    ask.tells_apart(_raise(left), _raise(right), apart=pair in NOT_NORMALISED)


@exhaustive(lambda torch: Domain(pair=[*WRITTEN, *UNWRITTEN]), about_subject=False)
def test_unwritten(ask: Probe, pair: str) -> None:
    """An element is forgiven exactly if nothing wrote it, also beside elements that are defined."""
    ask.tells_unwritten_apart(*(WRITTEN | UNWRITTEN)[pair], apart=pair in WRITTEN)


@exhaustive(
    lambda torch: Domain(
        default=rule_checks.DEFAULTS,
        left=rule_checks.dtypes_and_python_types(torch),
        right=rule_checks.dtypes_and_python_types(torch),
    ),
    about_subject=False,
)
def test_promotion_rules(ask: Probe, default: str, left: str, right: str) -> None:
    """The promotion rules predict torch for every pair of dtypes and every default dtype."""
    rule_checks.check_promotion(ask, default, left, right)


@exhaustive(
    lambda torch: Domain(
        default=rule_checks.DEFAULTS,
        left=rule_checks.operand_labels(torch),
        right=rule_checks.operand_labels(torch),
    ),
    parts=4,
    about_subject=False,
    one_in=3,
)
def test_operand_rules(ask: Probe, default: str, left: str, right: str) -> None:
    """The rules predict the common dtype of any two tensors, 0-dim tensors and numbers."""
    rule_checks.check_operands(ask, default, left, right)


@exhaustive(
    lambda torch: Domain(
        source=rule_checks.dtypes_and_python_types(torch),
        target=rule_checks.dtypes_and_python_types(torch),
    ),
    about_subject=False,
    one_in=3,
)
def test_cast_rules(ask: Probe, source: str, target: str) -> None:
    """The rules predict the casts that torch allows, and the numbers after a conversion."""
    rule_checks.check_cast(ask, source, target)


@exhaustive(
    lambda torch: Domain(
        operator=OPERATORS,
        form=("function", "in place", "bool", "int32", "float16"),
        left=(
            *(f"dimensioned {name}" for name in ("bool", "uint8", "int64", "float16", "bfloat16")),
            *("dimensioned complex64", "dimensioned uint16", "zero-dim float64"),
        ),
        right=(
            *("dimensioned int8", "dimensioned complex128", "zero-dim float32"),
            *("number int", "number float", "number complex"),
        ),
    ),
    parts=4,
    about_subject=False,
    one_in=3,
)
def test_operator_rules(ask: Probe, operator: str, form: str, left: str, right: str) -> None:
    """The rules predict an operator's result dtype, in place and with out=, or torch's error."""
    rule_checks.check_operator(ask, operator, form, left, right)


OPERANDS = [
    f"{sizes} {device}"
    for sizes in ("(2,)", "()")
    for device in ("cpu", "cuda:0", "cuda:1", "meta")
]


@exhaustive(lambda torch: Domain(left=OPERANDS, right=OPERANDS), about_subject=False, cuda=True)
def test_device_rules(ask: Probe, left: str, right: str) -> None:
    """The rules predict the common device of two operands, or torch's error."""
    rule_checks.check_device(ask, left, right)
