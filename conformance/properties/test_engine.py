"""The suite itself: differences that it must detect, and differences that it must forgive.

These properties claim nothing of the subject. They fail if the comparator or a normalization is
blind, and they catch the planted faults of the suite.
"""

from ..core.domain import Domain
from ..engine import function_checks, rule_checks
from ..engine.decorators import exhaustive
from ..engine.probe import Probe
from ..generators.compared_pairs import ALIKE, APART, UNWRITTEN, WRITTEN
from ..generators.oracle_namespace import dtype_names
from ..rules.operators import OPERATORS


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


@exhaustive(
    lambda torch: Domain(
        default=rule_checks.DEFAULTS,
        call=function_checks.FUNCTION_CALLS,
        x=dtype_names(torch),
    ),
    parts=2,
    about_subject=False,
    one_in=3,
)
def test_function_rules(ask: Probe, default: str, call: str, x: str) -> None:
    """The rules predict the result dtype of reductions, selections and conversions."""
    function_checks.check_function(ask, default, call, x)


@exhaustive(
    lambda torch: Domain(
        default=rule_checks.DEFAULTS,
        call=function_checks.JOIN_CALLS,
        x=rule_checks.operand_labels(torch),
        y=("dimensioned bool", "dimensioned int8", "dimensioned float16", "dimensioned complex128",
           "zero-dim float32", "zero-dim complex64", "number int", "number complex"),
    ),
    parts=2,
    about_subject=False,
    one_in=3,
)  # fmt: skip
def test_join_rules(ask: Probe, default: str, call: str, x: str, y: str) -> None:
    """The rules predict the result dtype of cat, stack and where."""
    function_checks.check_join(ask, default, call, x, y)


@exhaustive(
    lambda torch: Domain(
        default=rule_checks.DEFAULTS,
        call=function_checks.FACTORY_CALLS,
        number=("bool", "int", "float", "complex"),
    ),
    about_subject=False,
)
def test_factory_rules(ask: Probe, default: str, call: str, number: str) -> None:
    """The rules predict the dtype of a factory's result under every default dtype."""
    function_checks.check_factory(ask, default, call, number)


OPERANDS = [
    f"{sizes} {device}"
    for sizes in ("(2,)", "()")
    for device in ("cpu", "cuda:0", "cuda:1", "meta")
]


@exhaustive(lambda torch: Domain(left=OPERANDS, right=OPERANDS), about_subject=False, cuda=True)
def test_device_rules(ask: Probe, left: str, right: str) -> None:
    """The rules predict the common device of two operands, or torch's error."""
    rule_checks.check_device(ask, left, right)
