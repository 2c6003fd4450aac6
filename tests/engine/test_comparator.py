"""The comparator and each normalization, with a pair that each must reject."""

import pytest

from conformance.comparison import comparator
from conformance.comparison.comparator import NORMALIZATIONS, is_equal

ANSWER = {"raises": None, "warnings": [], "value": {"int": "1"}}
ERROR = {"raises": "TypeError", "message": "no", "warnings": []}


def differing(left, right, case="case"):
    return [difference.facet for difference in comparator.compare(left, right, case).differences]


def test_equal_observations_have_no_difference():
    result = comparator.compare(ANSWER, dict(ANSWER), "case")
    assert (len(result.facets), result.differences, result.normalized) == (3, [], [])


@pytest.mark.parametrize(
    ("change", "facet"),
    [
        ({"value": {"int": "2"}}, "value"),
        ({"value": {"float": "1"}}, "value"),
        ({"value": True}, "value"),
        ({"warnings": ["UserWarning: a"]}, "warnings"),
    ],
)
def test_a_changed_facet_is_found(change, facet):
    assert differing(ANSWER, ANSWER | change) == [facet]


def test_a_facet_that_one_side_lacks_is_found():
    assert differing(ANSWER | {"repr": "x"}, ANSWER) == ["repr"]
    assert differing(ANSWER, ANSWER | {"repr": "x"}) == ["repr"]


def test_an_error_where_a_value_was_due_is_one_difference():
    assert differing(ANSWER, ERROR) == ["raises"]
    assert differing(ERROR, ANSWER) == ["raises"]


def test_another_class_and_another_message_are_found():
    assert differing(ERROR, ERROR | {"raises": "ValueError"}) == ["raises"]
    assert differing(ERROR, ERROR | {"message": "No"}) == ["message"]


@pytest.mark.parametrize(
    ("left", "right"),
    [(1, True), (0, False), (1, 1.0), ("1", 1), ([], ()), ([1], [True]), ([1], [1, 1]),
     ({"a": 1}, {"a": True}), ({"a": 1}, {"b": 1}), ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
     (None, False), ({}, None)],
)  # fmt: skip
def test_types_are_part_of_equality(left, right):
    assert not is_equal(left, right)
    assert is_equal(left, left)
    assert is_equal(right, right)


def message(text):
    return {"raises": "E", "message": text, "warnings": []}


ASSERTED = 'ix != -1 INTERNAL ASSERT FAILED at "{}c10/core/ScalarType.cpp":{}, please'
GOT = "f() received an invalid combination of arguments - got ({}), but expected one of:\n * ()\n"
WRONG = (
    GOT.format("a=int, ") + "      didn't match because some of the keywords were incorrect: {}\n"
)

NO_SPARSE = "Could not run 'aten::{}' with arguments from the 'SparseCPU' backend."

# rule: facet, case, a pair of answers that it accepts, a pair that it rejects
RULES = {
    "module-of-class": ("repr", "", ("<class 'a.b.x'>", "<class 'torch.x'>"),
                        ("<class 'a.x'>", "<class 'a.y'>")),
    "bound-method": (
        "repr", "",
        ("<built-in method size of Tensor object at 0x7f0a>", "<bound method Tensor.size of x>"),
        ("<built-in method size of Tensor object at 0x7f0a>", "<bound method Tensor.sum of x>"),
    ),
    "object-address": ("repr", "", ("<a.B object at 0x7f0a>", "<a.B object at 0x1>"),
                       ("<a.B object at 0x7f0a>", "<a.C object at 0x7f0a>")),
    "build-path": ("message", "", (ASSERTED.format("/a/pytorch/", 3), ASSERTED.format("", 44)),
                   (ASSERTED.format("", 3), ASSERTED.format("", 3).replace("ix", "iy"))),
    "kernels-listing": ("message", "",
                        ("Could not run 'f' on A. 'f' is only available for these backends: "
                         "[B].\nB: c:1 [kernel]",
                         "Could not run 'f' on A. 'f' is only available for these backends: [D]."),
                        ("Could not run 'f' on A. 'f' is only available for these backends: [B].",
                         "Could not run 'f' on B. 'f' is only available for these backends: [B].")),
    "sparse-kernels-listing": ("message", "",
                               (NO_SPARSE.format("view") + " This could be because the operator",
                                NO_SPARSE.format("view")),
                               (NO_SPARSE.format("view") + " This",
                                NO_SPARSE.format("as_strided") + " This")),
    "recursion-limit": ("message", "",
                        ("maximum recursion depth exceeded in comparison",
                         "maximum recursion depth exceeded while calling a Python object"),
                        ("maximum recursion depth exceeded", "maximum depth exceeded")),
    "keyword-order": ("message", "",
                      (GOT.format("int, a=int, b=str"), GOT.format("int, b=str, a=int")),
                      (GOT.format("int, a=int"), GOT.format("int, a=str"))),
    "set-order": ("message", "",
                  ("must be one of {'a', 'b'}, not 3", "must be one of {'b', 'a'}, not 3"),
                  ("must be one of {'a', 'b'}", "must be one of {'a', 'c'}")),
    "kind-of-function": ("message", "f(torch.can_cast)",
                         ("not function", "not builtin_function_or_method"),
                         ("not function", "not type")),
    "class-in-numpy": ("message", "numpy.f(x)",
                       ("a method of <class 'torch.T'>",
                        "a builtin_function_or_method of <class 'impl.T'>"),
                       ("a <class 'torch.T'>", "a <class 'torch.S'>")),
    "cpp-trace": ("message", "", ("a\nException raised from f at b.cpp:1 (most recent", "a"),
                  ("a\nException raised from f at b.cpp:1", "b")),
    "negated-complex-zero": ("elements", "torch.zeros(1, dtype=torch.complex64)._neg_view()",
                             (["8000000080000000", "800000003f800000"],
                              ["0" * 16, "000000003f800000"]),
                             (["80000000bf800000"], ["800000003f800000"])),
    "zero-sum-of-products": ("elements", "x = (x * 1j).conj()\ntorch.addmm(x, y, z)",
                             (["80000000c0d00000"], ["00000000c0d00000"]),
                             (["80000000c0d00000"], ["00000000c0e00000"])),
    "overlapping-result": ("elements",
                           "x = f().as_strided((2, 3), (0, 1))\ng(x, out=x.as_strided((2,)))",
                           (["3f800000"], ["00000000"]), (["3f800000"], ["3f800000"] * 2)),
    "offset-added-twice": (
        "elements", "x = f().as_strided((2,), (1,), 3)\ny = x.to_sparse()\nx.add_(y)",
        (["3f800000"], ["00000000"]), (["3f800000"], ["3f800000"] * 2),
    ),
    "typed-storage-once": ("warnings", "", (["UserWarning: TypedStorage is deprecated."], []),
                           (["UserWarning: TypedStorage"], [])),
    "foreign-memory": ("value", "torch.finfo() == 1", (True, False), (1, 2)),
}  # fmt: skip


def test_every_rule_is_tested():
    assert set(RULES) == {rule.name for rule in NORMALIZATIONS}


def observation(facet, answer):
    return (
        message(answer) if facet == "message" else {"raises": None, "warnings": [], facet: answer}
    )


@pytest.mark.parametrize("name", RULES)
def test_a_rule_forgives_what_it_is_for_and_is_counted(name):
    facet, case, (left, right), _ = RULES[name]
    result = comparator.compare(observation(facet, left), observation(facet, right), case)
    assert result.differences == []
    assert result.normalized == [name]


@pytest.mark.parametrize(
    "call",
    ["mv(x, y, out=x)", "bmm(y, x, out=x.view(1, 2))", "addmm(z, x, y, out=x)", "matmul(x, out=x)"],
)
def test_a_product_into_its_operand_is_undefined(call):
    pair = [observation("elements", [bits]) for bits in ("3f800000", "00000000")]
    assert differing(*pair, f"x = f()\ntorch.{call}") == []


def test_lists_of_kernels_are_left_out_of_a_state():
    states = [
        {"x": {"autograd": {"grad_fn": f"NotImplementedError: {NO_SPARSE.format(name)}{end}"}}}
        for name, end in (("as_strided", " This"), ("as_strided", ""), ("view", ""))
    ]
    left, right, other = (observation("state", state) for state in states)
    assert differing(left, right) == []
    assert differing(left, other) == ["state"]


@pytest.mark.parametrize("name", RULES)
def test_a_rule_forgives_nothing_else(name):
    facet, case, _, (left, right) = RULES[name]
    assert differing(observation(facet, left), observation(facet, right), case) == [facet]


@pytest.mark.parametrize("name", RULES)
def test_a_rule_holds_for_its_facets_only(name):
    facet, case, (left, right), _ = RULES[name]
    other = "warnings" if facet != "warnings" else "cause"
    pair = [{"raises": None, other: [str(answer)]} for answer in (left, right)]
    assert facet != other
    assert differing(*pair, case) == [other]


@pytest.mark.parametrize(
    ("name", "case"),
    [
        ("kind-of-function", "f(len)"),
        ("kind-of-function", "torch.f(len)"),
        ("class-in-numpy", "torch.f(x)"),
        (
            "overlapping-result",
            "x = torch.tensor([1, 2]).to(torch.int8)\ntorch.sum(x, 0, out=x.as_strided((), ()))",
        ),
        ("overlapping-result", "x = f()\ny = f()\ntorch.mm(y, y, out=x)"),
        ("overlapping-result", "x = f()\ny = f()\ntorch.addmm(x, y, y, out=x)"),
        (
            "overlapping-result",
            "x = torch.tensor([1, 2])\nm = x.flatten()\nx = m.t()\ntorch.mm(x, x)",
        ),
        ("zero-sum-of-products", "torch.addmm(x, y, z)"),
        ("zero-sum-of-products", "x = (x * 1j).conj()\ntorch.mm(y, z)"),
        (
            "overlapping-result",
            "x = torch.tensor([1.0])\nm = x.t()\nx = m.t()\n"
            "o = m.as_strided(o.shape, [1] * o.dim(), 2)\ntorch.sinh(x, out=o)",
        ),
        (
            "overlapping-result",
            "x = torch.tensor([1, 2])\nv = x.as_strided((2,), (1,), 1)\ntorch.mm(x, x, out=v)",
        ),
        (
            "offset-added-twice",
            "x = f().as_strided((2,), (1,), 0)\ny = x.to_sparse()\nx.add_(y)",
        ),
        (
            "offset-added-twice",
            "x = f().as_strided((2,), (1,), 3)\ny = x.to_sparse()\ntorch.add(x, y)",
        ),
        ("foreign-memory", "torch.finfo() == torch.finfo(torch.half)"),
        ("foreign-memory", "torch.finfo() == torch.float32"),
        ("foreign-memory", "torch.finfo() < 1"),
        ("foreign-memory", "torch.float32 == 1"),
        ("foreign-memory", "1 == 1"),
    ],
)
def test_a_rule_holds_for_its_cases_only(name, case):
    facet, _, (left, right), _ = RULES[name]
    assert differing(observation(facet, left), observation(facet, right), case) == [facet]


def test_keywords_are_sorted_in_both_places():
    assert differing(message(WRONG.format("b, a")), message(WRONG.format("a, b"))) == []
    assert differing(message(WRONG.format("b, a")), message(WRONG.format("a, c"))) == ["message"]


def test_an_argument_is_not_a_keyword():
    left, right = GOT.format("int, str"), GOT.format("str, int")
    assert differing(message(left), message(right)) == ["message"]


def test_two_rules_may_be_needed_together():
    left = GOT.format("int, b=function, a=str")
    right = GOT.format("int, a=str, b=builtin_function_or_method")
    result = comparator.compare(message(left), message(right), "f(torch.can_cast)")
    assert (result.differences, result.normalized) == ([], ["keyword-order", "kind-of-function"])
    assert differing(message(left), message(right), "f(len)") == ["message"]


@pytest.mark.parametrize(("operand", "call", "is_undefined"), [
    ("(2, 3), (3, 1)", "torch.sum(x, [0, 1], out=x.as_strided((2, 3), (3, 1), 1))", True),
    ("(6,)).to(torch.int8", "torch.sum(x, [0, 1], out=x.as_strided((2, 3), (3, 1), 1))", False),
    ("(2, 3), (3, 1)", "torch.cummax(x, 1, out=(x.as_strided((2, 3), (3, 1), 1), p))", False),
    ("(2, 3), (0, 1)", "torch.cummax(x, 1, out=(x, p))", False),
    ("(2, 3), (3, 1)", "torch.prod(x, 1, out=x.as_strided((2, 3), (3, 1), 1))", False),
    ("(2, 3), (3, 1)", "torch.cummax(x, 1, out=(x, p))", False),
    ("(2, 3), (3, 1)", "torch.sum(x, [0, 1], out=o)", False),
    ("(2, 3), (3, 1)", "torch.amax(x, 1, out=x.as_strided((2, 3), (3, 1), 1))", False),
])  # fmt: skip
def test_elements_are_undefined_where_torch_reads_what_it_has_written(operand, call, is_undefined):
    case = f"x = f(1.0).as_strided({operand})\np = g()\n{call}"
    differs = differing(observation("elements", ["00"]), observation("elements", ["01"]), case)
    assert (differs == []) == is_undefined
