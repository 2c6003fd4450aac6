"""The rules of promotion and casting, compared with the golden tables and with each other.

The rules map names of dtypes to names of dtypes, without a library.
"""

import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from conformance.core.float_formats import FORMATS
from conformance.engine.rule_checks import _becomes, _numbers_of
from conformance.rules import ALL_RULES, promotion
from conformance.rules.casts import CAST_RULES, CASTS, CONVERSIONS, cast, conversion
from conformance.rules.devices import DEVICE_RULES, TensorOperand, common_device
from conformance.rules.dtypes import DTYPES, smallest_holding
from conformance.rules.functions import FUNCTION_RULES, FUNCTIONS, FunctionCall, function_result
from conformance.rules.operands import GROUP_RULES, OPERAND_RULES, Operand, common_dtype
from conformance.rules.operators import OPERATOR_RULES, OPERATORS, SYMBOLS, UNARY, result_of
from conformance.rules.promotion import PYTHON_TYPES, ROWS, RULES
from conformance.spec.clauses import load_clauses

ROOT = Path(__file__).parents[2]
GOLDEN = (ROOT / "tests/golden/promotion.txt").read_text(encoding="utf-8")
REFUSED_BY = {
    "q": "quantised-refused",
    "b": "bits-refused",
    "8": "float8-refused",
    "u": "unsigned-refused",
    "A": "unplaced-refused",
    "B": "unplaced-refused",
}
"""The rule of each refusal of torch, by its mark in the golden table."""


def golden(title):
    """Return the cells of a table by pairs of dtype names, with abbreviations expanded."""
    lines = GOLDEN.partition(f"\n\n[{title}]\n")[2].partition("\n\n")[0].splitlines()
    rows = [line.split() for line in lines[1:]]
    names = {abbr: name for name, abbr, *_ in rows}
    return {
        (name, other): names.get(cell, cell)
        for name, _, *cells in rows
        for other, cell in zip(names.values(), cells, strict=True)
    }


PROMOTED, CASTABLE = golden("promote_types"), golden("can_cast")
OPERANDS = [
    *(Operand(form, name) for form in ("dimensioned", "zero-dim") for name in DTYPES),
    *(Operand("number", name) for name in ("bool", "int", "float", "complex")),
]


def test_promotion_is_what_torch_wrote_and_refused_for_torchs_reason():
    assert len(PROMOTED) == 46 * 46
    wrong = [
        (pair, cell, decision)
        for pair, cell in PROMOTED.items()
        for decision in [promotion(*pair)]
        if (decision.result or decision.rule) != REFUSED_BY.get(cell, cell)
    ]
    assert wrong == []


def test_casts_are_what_torch_wrote():
    assert {pair: "+" if cast(*pair).allowed else "." for pair in PROMOTED} == CASTABLE


def test_pythons_types_are_cast_as_what_they_stand_for():
    for name, dtype in PYTHON_TYPES.items():
        assert cast(name, "int8").allowed == cast(dtype, "int8").allowed
        assert cast("int8", name).allowed == cast("int8", dtype).allowed


@pytest.mark.parametrize(
    ("source", "target", "rule"),
    [
        ("float32", "float8_e8m0fnu", "power-of-two"),
        ("bool", "float8_e8m0fnu", "power-of-two"),
        ("float8_e5m2", "float8_e5m2fnuz", "no-infinity"),
        ("int64", "float8_e4m3fnuz", "no-infinity"),
        ("float64", "float8_e4m3fn", "saturates"),
        ("float32", "float8_e5m2", "rounded"),
        ("complex64", "int32", "real-part"),
    ],
)
def test_conversions(source, target, rule):
    assert conversion(source, target).rule == rule


@pytest.mark.parametrize("missing", ["power-of-two", "no-infinity", "saturates"])
def test_a_conversion_without_its_rule_predicts_something_else(missing):
    target = {
        "power-of-two": "float8_e8m0fnu",
        "no-infinity": "float8_e5m2fnuz",
        "saturates": "float8_e4m3fn",
    }[missing]
    others = [conversion for conversion in CONVERSIONS if conversion.rule.id != missing]
    forms = FORMATS["float32"], FORMATS[target]
    whole, less = (
        [str(_becomes(number, *forms, rules)) for number in _numbers_of(forms[0])]
        for rules in (CONVERSIONS, others)
    )
    assert whole != less


def test_promotion_does_not_depend_on_order_or_default():
    for left, right in PROMOTED:
        one, other = promotion(left, right), promotion(right, left, "float64")
        assert (one.result, one.rule) == (other.result, other.rule)


def test_pythons_types_stand_for_dtypes():
    assert [promotion(name, name).result for name in PYTHON_TYPES] == [*PYTHON_TYPES.values()]
    assert promotion("float", "complex64", "float16").result == "complex128"


def test_what_is_no_dtype_has_no_rule():
    with pytest.raises(KeyError, match="int9"):
        promotion("int9", "int8")


def test_each_reason_is_one_sentence_about_the_pair():
    for left, right in PROMOTED:
        decision = promotion(left, right)
        result = decision.result or "refused"
        assert decision.why.startswith(f"{left} with {right} is {result}: ")
        assert decision.why.endswith(".")
        assert ". " not in decision.why
        assert decision.clauses == RULES[decision.rule].clauses


def test_every_rule_has_an_id_of_its_own_and_is_reached():
    tables = (RULES, OPERAND_RULES, CAST_RULES, OPERATOR_RULES, DEVICE_RULES, FUNCTION_RULES)
    assert len(ALL_RULES) == sum(map(len, tables))
    assert len(CAST_RULES) == len(CASTS) + len(CONVERSIONS)
    assert len(RULES) == len(ROWS)
    assert [name for name, rule in ALL_RULES.items() if name != rule.id] == []
    assert {promotion(*pair).rule for pair in PROMOTED} == set(RULES)
    assert set(ALL_RULES) - reached() == set()


def reached():
    """Return the rules that some question about dtypes, operands, calls or devices reaches."""
    rules = {promotion(*pair).rule for pair in PROMOTED}
    rules |= {cast(*pair).reason.rule for pair in PROMOTED}
    rules |= {conversion(*pair).rule for pair in PROMOTED}
    findings = [common_dtype(pair) for pair in product(OPERANDS, OPERANDS)]
    pair = (Operand("dimensioned", "int32"), Operand("number", "float"))
    findings += [result_of("add", pair, in_place=True), result_of("add", pair, output="bool")]
    findings += [result_of("div", pair), result_of("lt", pair)]
    operands = [
        TensorOperand(*operand) for operand in product((True, False), ("cpu", "cuda:0", "cuda:1"))
    ]
    findings += [common_device(both) for both in product(operands, operands)]
    masks = [Operand("dimensioned", "bool")] * 3
    findings += [
        function_result(FunctionCall(name, masks, dtype))
        for name, dtype in product(FUNCTIONS, (None, "float32"))
    ]
    return rules | {reason.rule for finding in findings for reason in finding.reasons}


def test_every_clause_is_one_of_the_specification():
    clauses = {clause.id: clause for clause in load_clauses()}
    named = {clause for rule in ALL_RULES.values() for clause in rule.clauses}
    assert named - set(clauses) == set()
    assert [name for name in named if clauses[name].superseded_by] == []


def test_every_rule_says_one_thing_and_where_torch_has_it():
    for rule in ALL_RULES.values():
        assert rule.statement.endswith(".")
        assert rule.link.startswith("https://github.com/pytorch/pytorch/")


@pytest.mark.parametrize(
    ("operands", "default", "result"),
    [
        ((("dimensioned", "uint8"), ("zero-dim", "float64")), "float32", "float64"),
        ((("dimensioned", "float32"), ("zero-dim", "float64")), "float32", "float32"),
        ((("dimensioned", "int32"), ("number", "float")), "float64", "float64"),
        ((("zero-dim", "int32"), ("number", "int")), "float32", "int32"),
        ((("dimensioned", "float64"), ("number", "complex")), "float32", "complex128"),
        ((("dimensioned", "int8"), ("number", "complex")), "bfloat16", "complex64"),
        ((("number", "bool"), ("number", "complex")), "float16", "complex32"),
        ((("dimensioned", "bool"), ("number", "bool")), "float32", "bool"),
        ((("dimensioned", "uint16"), ("zero-dim", "int32")), "float32", "uint16"),
        ((("dimensioned", "uint16"), ("dimensioned", "int32")), "float32", None),
        ((("dimensioned", "float8_e5m2"), ("number", "complex")), "float32", None),
        (
            (("dimensioned", "uint8"), ("zero-dim", "int64"), ("number", "float")),
            "float32",
            "float32",
        ),
        (
            (("dimensioned", "float16"), ("zero-dim", "float64"), ("number", "complex")),
            "float32",
            "complex32",
        ),
    ],
)
def test_operands(operands, default, result):
    decision = common_dtype([Operand(*operand) for operand in operands], default)
    assert decision.result == result
    assert decision.reasons


def test_what_is_missing_in_the_table_is_missed():
    complete = [rule for rule in GROUP_RULES if rule.name != "stands"]
    pair = (Operand("dimensioned", "float32"), Operand("zero-dim", "float64"))
    assert common_dtype(pair).result == "float32"
    assert common_dtype(pair, "float32", complete).result == "float64"


@pytest.mark.parametrize(
    ("operator", "output", "in_place", "result", "last"),
    [
        ("add", None, False, "float32", "common"),
        ("eq", None, False, "bool", "comparison"),
        ("add", None, True, None, "output-refused"),
        ("eq", None, True, "int32", "cast-allowed"),
        ("div", "float16", False, "float16", "cast-allowed"),
        ("div", "int64", False, None, "output-refused"),
    ],
)
def test_operators(operator, output, in_place, result, last):
    operands = (Operand("dimensioned", "int32"), Operand("number", "float"))
    decision = result_of(operator, operands, "float32", output, in_place=in_place)
    assert (decision.result, decision.reasons[-1].rule) == (result, last)


def test_the_table_of_operators_is_whole():
    assert set(SYMBOLS.values()) <= set(OPERATORS)
    assert set(UNARY) < set(OPERATORS)
    assert "atan2" not in UNARY
    assert set(OPERATORS.values()) <= set(OPERATOR_RULES)


def test_what_holds_both_is_the_smallest():
    floats = [DTYPES[name] for name in ("float16", "bfloat16")]
    assert smallest_holding("floating", *floats) == "float32"
    assert smallest_holding("complex", *floats) == "complex64"
    assert smallest_holding("integral", DTYPES["uint8"], DTYPES["int8"]) == "int16"


def test_the_rules_need_neither_torch_nor_a_library_under_test():
    code = (
        "import sys, conformance.rules\n"
        "print(sorted({'torch', 'impl', 'numpy', 'pytest', 'hypothesis'} & set(sys.modules)))"
    )
    process = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert process.stdout == "[]\n"
