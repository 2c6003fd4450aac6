"""Mutation operators on small sources, and the drawing of mutants."""

from itertools import islice

import pytest

from mutation.draw import all_mutants, draw
from mutation.operators import OPERATORS
from mutation.sources import Mutant, Source


def mutants(text: str, path: str = "a.py") -> list[tuple[str, str]]:
    """Return the operator and the text of each mutant."""
    source = Source(path, text.encode())
    return [
        (each.operator, each.apply(source.text).decode())
        for each in all_mutants({path: source}).values()
    ]


@pytest.mark.parametrize(
    ("operator", "text", "expected"),
    [
        ("comparison", "x = a < b", ["x = (a <= b)"]),
        ("comparison", "x = a == b != c", ["x = (a != b != c)", "x = (a == b == c)"]),
        ("comparison", "x = a is None", ["x = (a is not None)"]),
        ("comparison", "x = a not in b", ["x = (a in b)"]),
        ("arithmetic", "x = c - a * b", ["x = (c + a * b)", "x = c - (a + b)"]),
        ("arithmetic", "x //= 2", ["x *= 2"]),
        ("boolean", "x = a and b and c", ["x = (a or b or c)"]),
        ("negation", "if a or b: pass", ["if (not (a or b)): pass"]),
        ("negation", "x = [a for a in b if a]", ["x = [a for a in b if (not (a))]"]),
        ("constant", "x = 3", ["x = 4"]),
        ("constant", "x = 1.5", ["x = 2.5"]),
        ("constant", "x = True", ["x = False"]),
        ("constant", "def f(x=1): pass", []),
        ("deleted_statement", "f(x)", ["pass"]),
        ("deleted_statement", "a.b = 1", ["pass"]),
        ("deleted_statement", "a[b] = 1", ["pass"]),
        ("deleted_statement", "a = 1", []),
        ("deleted_statement", "a, b = 1, 2", []),
        ("deleted_statement", "if a: raise b", ["if a: pass"]),
        ("loop_exit", "for a in b: break", ["for a in b: continue"]),
        ("loop_exit", "for a in b: continue", ["for a in b: break"]),
        ("swapped_arguments", "f(a, b, c)", ["f(b, a, c)", "f(a, c, b)"]),
        ("swapped_arguments", "f(a, a)", []),
        ("swapped_arguments", "f(*a, b)", []),
        ("changed_default", "def f(a=1, *, b=None): pass",
         ["def f(a=2, *, b=None): pass", "def f(a=1, *, b=False): pass"]),
        ("changed_default", "def f(a=x): pass", ["def f(a=None): pass"]),
        ("return_none", "def f(): return a", ["def f(): return None"]),
        ("return_none", "def f(): return None", []),
        ("return_none", "f = lambda: a", ["f = lambda: None"]),
        ("dropped_decorator", "@a\n@b(1)\ndef f(): pass\n",
         ["@b(1)\ndef f(): pass\n", "@a\ndef f(): pass\n"]),
        ("dropped_decorator", "class A:\n    @a\n    def f(): pass\n",
         ["class A:\n    def f(): pass\n"]),
        ("dropped_decorator", "class A:\n    @property\n    def f(): pass\n", []),
        ("swapped_cell", "x = {1: a, 2: b}", ["x = {1: b, 2: a}"]),
        ("swapped_cell", "x = [r(1, 2), r(3, 2)]",
         ["x = [r(3, 2), r(1, 2)]", "x = [r(3, 2), r(1, 2)]"]),
        ("swapped_cell", "A = r(1, 'a')\nB = r(2, 'a')", ["A = r(2, 'a')\nB = r(1, 'a')"]),
        ("swapped_cell", "def f(): return [1, 2]", []),
        ("message_word", "x = 'no such device'", ["x = 'no such other'"]),
        ("message_word", "x = 'device'", []),
        ("message_word", "x = f'no device {a}'", ["x = f'no other {a}'"]),
        ("geometry_step", "x = a * stride", ["x = (a * stride + 1)"]),
        ("geometry_step", "x = a * b", []),
        ("geometry_step", "x = a[1:n]", ["x = a[(1 + 1):n]", "x = a[1:(n + 1)]"]),
        ("geometry_step", "x = range(n)", ["x = range((n - 1))"]),
        ("geometry_step", "x = range(1, n)", ["x = range(1, (n - 1))"]),
        ("cache_key", "key = a, b", ["key = ((b,))", "key = ((a,))"]),
        ("cache_key", "x = plans[a, b]", ["x = plans[((b,))]", "x = plans[((a,))]"]),
        ("cache_key", "x = d.get((a, b))", ["x = d.get(((b,)))", "x = d.get(((a,)))"]),
        ("cache_key", "x = a, b", []),
        ("dropped_normalization", "x = wrap(x, n)", ["x = x"]),
        ("dropped_normalization", "x = x.strip()", ["x = x"]),
        ("dropped_normalization", "y = tuple(x)", ["y = (x)"]),
        ("dropped_normalization", "y = wrap(x)", []),
        ("removed_copy", "y = x.clone()", ["y = x"]),
        ("removed_with", "with lock:\n    f()", ["if True:\n    f()"]),
        ("removed_with", "with a as b:\n    f()", []),
    ],
)  # fmt: skip
def test_operators(operator: str, text: str, expected: list[str]) -> None:
    assert [new for name, new in mutants(text) if name == operator] == expected


def test_each_operator_is_tested() -> None:
    (parameters,) = test_operators.pytestmark  # type: ignore[attr-defined]
    assert {row[0] for row in parameters.args[1]} == set(OPERATORS)


def test_the_rest_of_the_text_is_kept() -> None:
    text = "x = (  # größer\n    a<b,\n    1 )\n"
    assert ("comparison", text.replace("a<b", "(a <= b)")) in mutants(text)
    assert ("constant", text.replace("1 )", "2 )")) in mutants(text)


@pytest.mark.parametrize(
    "text",
    [
        '"""A docstring of 1 module."""',
        'def f():\n    """Some text."""',
        "def f(a: 'A type' | 1) -> 2: ...",
        "a: tuple[1, 2]",
        "if TYPE_CHECKING:\n    from a import b\n    x = 1",
        "__all__ = ['a', 'b']",
        "from a import b\nimport c",
    ],
)
def test_what_has_no_effect_is_not_mutated(text: str) -> None:
    assert mutants(text) == []


def one(text: str, operator: str) -> Mutant:
    source = Source("a.py", text.encode())
    found = all_mutants({"a.py": source}).values()
    return next(each for each in found if each.operator == operator)


def test_an_id_does_not_depend_on_the_lines_before() -> None:
    text = "def f():\n    return a < b\n"
    first, later = one(text, "comparison"), one(f"x = y\n\n{text}", "comparison")
    assert first.id == later.id
    assert (first.line, later.line) == (2, 4)
    assert first.id != one(text.replace(" f", " g"), "comparison").id


def test_equal_statements_have_distinct_mutants() -> None:
    source = Source("a.py", b"f(1)\nf(1)\n")
    found = all_mutants({"a.py": source}).values()
    constants = [each for each in found if each.operator == "constant"]
    assert [each.apply(source.text) for each in constants] == [b"f(2)\nf(1)\n", b"f(1)\nf(2)\n"]


def test_a_diff_shows_the_changed_lines() -> None:
    source = Source("b/a.py", b"x = 1\ny = 2\n")
    mutant = next(each for each in all_mutants({"b/a.py": source}).values() if each.line == 2)
    assert mutant.diff(source.text) == "--- impl/b/a.py\n@@ -2 +2 @@\n-y = 2\n+y = 3"
    assert mutant.package == "b"


@pytest.mark.parametrize(
    ("operator", "lines"),
    [
        ("negation", (4,)),  # the header of the compound statement
        ("deleted_statement", (5, 6)),
        ("changed_default", (4, 5, 6)),  # the body of the function
        ("dropped_decorator", (1, 2, 3, 4, 5, 6)),  # and the decorator itself
    ],
)
def test_the_lines_of_a_mutant(operator: str, lines: tuple[int, ...]) -> None:
    text = "@a\ndef f(x=1):\n    'Text.'\n    if x:\n        g(\n            x)\n"
    found = one(text.replace("    'Text.'\n", "\n"), operator)
    assert found.lines == lines


SOURCES = {
    "a/one.py": Source("a/one.py", b"def f(a, b=1):\n    return g(a, b) if a < b else 'no way'\n"),
    "b/two.py": Source("b/two.py", b"X = {1: 2, 3: 4}\nif X and a: raise b\n"),
}


def ids(seed: int, count: int) -> list[str]:
    every = [*all_mutants(SOURCES).values()]
    return [each.id for each in islice(draw(SOURCES, every, seed), count)]


def test_draws_depend_on_the_seed_alone() -> None:
    assert ids(0, 99) == ids(0, 99) != ids(1, 99)
    assert ids(0, 5) == ids(0, 99)[:5]
    assert len({*ids(0, 99)}) == len(ids(0, 99))


def test_a_change_leaves_most_of_the_draw() -> None:
    text = b"\n".join(b"def f%d(a):\n    return g(a, %d)" % (n, n) for n in range(20))
    before = {"a/one.py": Source("a/one.py", text)}
    after = {"a/one.py": Source("a/one.py", text.replace(b"g(a, 7)", b"h(a) + 1"))}
    first, second = (
        {each.id for each in islice(draw(sources, [*all_mutants(sources).values()], 0), 30)}
        for sources in (before, after)
    )
    assert first != second
    assert len(first & second) > 20


def test_all_valid_mutants_are_drawn_in_the_end() -> None:
    every = all_mutants(SOURCES)
    valid = {name for name, each in every.items() if SOURCES[each.path].is_valid(each.edit)}
    assert {*ids(0, 999)} == valid
    assert {every[name].package for name in ids(0, 999)} == {"a", "b"}


def test_what_is_not_python_is_not_drawn() -> None:
    source = Source("a.py", b"for a in b:\n    try:\n        pass\n    finally:\n        break\n")
    edit = source.replace(source.tree.body[0], "continue")
    assert not source.is_valid(edit)
    assert not source.is_valid(
        source.replace(source.tree.body[0], source.code(source.tree.body[0]))
    )
