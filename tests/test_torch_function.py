"""Subclasses of Tensor, other objects and modes that override functions."""

import inspect
import pickle
import subprocess
import sys
import threading
from operator import iadd, imul, setitem
from typing import Any

import pytest

import impl as torch
from impl import add as add_read_before

X = torch.ones(2, 2)
CALLS: list[Any] = []


class Noting(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        CALLS.append((func, types, len(args), {**(kwargs or {})}))
        return super().__torch_function__(func, types, args, kwargs or {})


class Derived(Noting):
    pass


class Unrelated(torch.Tensor):
    pass


class Other:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return "other", func.__name__


class Refusing:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return NotImplemented


class Mode(torch.overrides.TorchFunctionMode):
    def __init__(self, name):
        self.name = name

    def __torch_function__(self, func, types, args=(), kwargs=None):
        CALLS.append((self.name, func.__name__))
        return func(*args, **(kwargs or {}))


@pytest.fixture(autouse=True)
def no_calls():
    CALLS.clear()


def noted(expression, **names):
    CALLS.clear()
    result = eval(expression, {"torch": torch, "iadd": iadd, "setitem": setitem, **names})
    return result, CALLS[0]


A = X.as_subclass(Noting)
B = X.as_subclass(Derived)


@pytest.mark.parametrize(
    ("expression", "func", "count", "keywords"),
    [
        ("torch.add(a, 1)", torch.add, 2, {}),
        ("a + 1", torch.Tensor.add, 2, {}),
        ("1 - a", torch.Tensor.__rsub__, 2, {}),
        ("a.add(1, alpha=2)", torch.Tensor.add, 2, {"alpha": 2}),
        ("a.shape", torch.Tensor.shape.__get__, 1, {}),
        ("a.dim()", torch.Tensor.dim, 1, {}),
        ("a[0]", torch.Tensor.__getitem__, 2, {}),
        ("torch.split(a, 1)", torch.split, 2, {"dim": 0}),
        ("torch.cat([x, a])", torch.cat, 1, {}),
        ("a & a if False else a.new_zeros(2)", torch.Tensor.new_zeros, 2, {}),
    ],
)
def test_handlers_get_torch_s_function(expression, func, count, keywords):
    result, call = noted(expression, a=A, x=X)
    assert call == (func, (Noting,), count, keywords)
    results = result if isinstance(result, tuple) and expression != "a.shape" else [result]
    assert all(type(each) is Noting for each in results if isinstance(each, torch.Tensor))


def test_subclasses_are_asked_first():
    assert type(torch.add(A, B)) is Derived
    assert [call[1] for call in CALLS] == [(Derived, Noting)]
    assert type(B + A) is Derived


def test_unrelated_classes_refuse_each_other():
    with pytest.raises(TypeError) as error:
        torch.add(A, X.as_subclass(Unrelated))
    assert str(error.value) == (
        "Multiple dispatch failed for 'torch.add'; all __torch_function__ handlers returned"
        f" NotImplemented:\n\n  - tensor subclass {Noting}\n  - tensor subclass {Unrelated}\n\nFor"
        " more information, try re-running with TORCH_LOGS=not_implemented"
    )
    with pytest.raises(TypeError, match="unsupported operand"):
        A + X.as_subclass(Unrelated)


def test_functions_in_python_name_all_types():
    with pytest.raises(TypeError) as error:
        torch.split(Refusing(), 1)
    assert str(error.value) == (
        "no implementation found for 'torch.functional.split' on types that implement"
        f" __torch_function__: [{Refusing}]"
    )
    torch.broadcast_tensors(X, A)
    assert CALLS[0][1] == (Noting, torch.Tensor)


def test_arguments_are_checked_before():
    for wrong in (lambda: torch.add(A), lambda: torch.add(A, "a"), lambda: A.dim(1)):
        with pytest.raises(TypeError):
            wrong()
    assert CALLS == []


def test_functions_read_before_are_overridable():
    assert add_read_before is torch.add
    assert type(add_read_before(A, 1)) is Noting
    assert next(iter(inspect.signature(torch.split).parameters)) == "tensor"


def test_in_place_calls_and_out_keep_the_object():
    a = X.clone().as_subclass(Noting)
    assert iadd(a, 1) is a
    assert torch.add(X, 1, out=a) is a
    assert type(pickle.loads(pickle.dumps(a))) is Noting


def test_disabled_overrides():
    class Plain(torch.Tensor):
        __torch_function__ = torch._C._disabled_torch_function_impl

    assert type(X.as_subclass(Plain) + 1) is torch.Tensor
    with torch._C.DisableTorchFunctionSubclass():
        assert type(A + 1) is torch.Tensor
        assert not torch._C._is_torch_function_enabled()
        assert not torch.overrides.has_torch_function([A])
    assert CALLS == []


def test_modes_form_a_stack_in_each_thread():
    with Mode("1"), Mode("2"):
        torch.zeros(2)
        assert X.shape == (2, 2)
        thread = threading.Thread(target=lambda: torch.ones(1))
        thread.start()
        thread.join()
        with torch._C.DisableTorchFunction():
            torch.zeros(2)
    assert CALLS == [("2", "zeros"), ("1", "zeros"), ("2", "__get__"), ("1", "__get__")]
    assert torch._C._len_torch_function_stack() == 0


def test_overrides():
    overrides = torch.overrides
    assert overrides.handle_torch_function(torch.add, (Other(),), 1) == ("other", "add")
    with pytest.raises(AttributeError, match="'int' object has no attribute '__module__'"):
        overrides.handle_torch_function(2, ())  # type: ignore[arg-type]
    assert overrides.has_torch_function_unary(Other())
    assert not overrides.has_torch_function_variadic(X, 1)
    assert overrides.is_tensor_like(Other())
    assert torch.Tensor.grad.__get__ in overrides.get_default_nowrap_functions()

    @overrides.wrap_torch_function(lambda value: (value,))
    def twice(value):
        return value * 2

    assert twice(3) == 6
    assert twice(Other()) == ("other", "twice")


_FIRST = """
import impl as torch
from operator import setitem

class Other:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return func.__name__, len(args)

x, other = torch.ones(2), Other()
try:
    print({expression})
except TypeError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("expression", "answer"),
    [
        ("torch.add(x, other)", "('add', 2)"),
        ("x + other", "('add', 2)"),
        ("other ** x", "('__rpow__', 2)"),
        ("x & other", "('__and__', 2)"),
        ("torch.cat([x, other])", "('cat', 1)"),
        ("x[other]", "('__getitem__', 2)"),
        ("setitem(x, 0, other)", "None"),
        ("torch.zeros(2, other)", "('zeros', 2)"),
        ("torch.split(other, 1)", "('split', 2)"),
        ("x.size(other)", "('size', 2)"),
    ],
)
def test_the_first_override_of_a_process(expression, answer):
    program = _FIRST.replace("import impl", f"import {torch.__name__}")
    command = [sys.executable, "-c", program.format(expression=expression)]
    result = subprocess.run(command, check=True, capture_output=True, text=True)
    assert result.stdout.strip() == answer


def test_a_size_is_not_repeated_in_place():
    """The entry of an overridable method hides no frame from what looks at its caller."""
    three, size = torch.tensor(3), torch.Size([2])
    assert three * size == (2, 2, 2)
    with pytest.raises(TypeError, match=r"^unsupported operand type\(s\) for \*="):
        imul(three, size)


def test_items_of_a_subclass_in_a_list_are_read_by_overrides_alone():
    x = X.as_subclass(Noting)
    CALLS.clear()
    assert torch.tensor([[3.0, 4.0], x[0]]).tolist() == [[3, 4], [1, 1]]
    called = [func for func, *_ in CALLS]
    read = torch.Tensor.__float__
    assert called[-4:] == [torch.Tensor.dim, torch.Tensor.unbind, read, read]
    assert called[:-4] == [torch.Tensor.__getitem__]
