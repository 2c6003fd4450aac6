"""The methods that CPython's errors of operators name."""

import pytest

from conformance.libraries.library import Library
from conformance.libraries.operator_methods import methods_in

OPERATIONS = (
    *(f"x {sign} 1" for sign in ("+", "-", "*", "/", "//", "%", "@", "**", "<<", ">>", "&", "|")),
    *(f"1 {sign} x" for sign in ("+", "-", "*", "/", "//", "%", "@", "**", "<<", ">>", "&", "^")),
    *(f"x {sign} 1" for sign in ("<", "<=", ">", ">=")),
    *(f"1 {sign} x" for sign in ("<", "<=", ">", ">=")),
    "-x", "+x", "~x", "abs(x)", "x[0]", "[*x]", "len(x)", "divmod(x, 1)", "divmod(1, x)",
    "pow(x, 1)", "iter(x)",
)  # fmt: skip
STATEMENTS = ("x[0] = 1", "x += 1", "x **= 1", "x @= 1", "x <<= 1")


def error_of(program, cls):
    with pytest.raises(TypeError) as caught:
        exec(program, {"x": cls()})
    return caught.value


@pytest.mark.parametrize("program", [*OPERATIONS, *STATEMENTS])
def test_with_the_named_method_there_is_no_such_error(program):
    lacking = type("Thing", (), {})
    methods = [
        method for name, method in methods_in(str(error_of(program, lacking))) if name == "Thing"
    ]
    assert len(methods) == 1
    result = iter(()) if methods == ["__iter__"] else 1
    exec(program, {"x": type("Thing", (), {methods[0]: lambda *_: result})()})


@pytest.mark.parametrize("message", ["", "expected Tensor", "unsupported operand type(s) for ?: 1"])
def test_other_errors_name_no_method(message):
    assert [*methods_in(message)] == []


def test_a_library_lacks_the_method_of_an_operator():
    class Tensor:
        def __add__(self, other):
            return self

    subject = Library("mine", type("mine", (), {"Tensor": Tensor}), ())
    subject.variables_in({"x": Tensor()})
    lacking = {program: subject.missing_operator(error_of(program, Tensor)) for program in (
        "1 + x", "x - 1", "x > 1", "x[0]", "[] + 'a'",
    )}  # fmt: skip
    assert lacking == {
        "1 + x": "torch.Tensor.__radd__",
        "x - 1": "torch.Tensor.__sub__",
        "x > 1": "torch.Tensor.__gt__",
        "x[0]": "torch.Tensor.__getitem__",
        "[] + 'a'": None,
    }
