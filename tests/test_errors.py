"""The errors that many rules raise."""

import builtins
import math
import operator
from collections.abc import Callable
from types import MappingProxyType
from typing import Any, NoReturn

import numpy
import pytest
from hypothesis import given, strategies as st

import impl
from impl._runtime.errors import check, takes_no_arguments, type_name


def message_of(call: Callable[..., Any], *args: Any, **kwargs: Any) -> str:
    """Return the message of the TypeError of a call."""
    with pytest.raises(TypeError) as caught:
        call(*args, **kwargs)
    return str(caught.value)


def test_check_builds_no_message_while_all_is_well() -> None:
    def fail() -> NoReturn:
        raise AssertionError("the message was built")

    check([1], fail)
    with pytest.raises(AssertionError, match=r"^the message was built$"):
        check([], fail)


def test_check_raises_runtime_errors() -> None:
    with pytest.raises(RuntimeError, match=r"^two words$") as caught:
        check(0, lambda: "two words")
    assert caught.type is RuntimeError


@pytest.mark.parametrize("cls", [TypeError, ValueError, NotImplementedError])
def test_check_raises_the_kind_it_is_given(cls: type[Exception]) -> None:
    with pytest.raises(cls, match=r"^two words$") as caught:
        check(None, lambda: "two words", cls)
    assert caught.type is cls


ASCII_WORDS = st.from_regex("[A-Za-z_][A-Za-z_0-9. ]{0,20}", fullmatch=True)
NOT_INTEGERS = st.one_of(
    st.none(),
    st.floats(),
    st.text(max_size=3),
    st.binary(max_size=3),
    st.lists(st.none(), max_size=2),
    st.sampled_from(
        [(), {}, set(), ..., 1j, object(), type, int, len, [].append, list.append, math, range(3)]
    ),
    st.sampled_from([impl.float32, impl.dtype, impl.finfo, impl.finfo(), impl.iinfo(impl.int8)]),
    st.sampled_from([numpy.float32(1), numpy.dtype("int8"), numpy, iter([])]),
    ASCII_WORDS.map(lambda name: type(name, (), {})()),
)


@given(NOT_INTEGERS)
def test_type_name_is_the_one_that_c_code_prints(value: object) -> None:
    """CPython uses the same name in its TypeError."""
    refusal = message_of(operator.index, value)
    assert refusal == f"'{type_name(value)}' object cannot be interpreted as an integer"


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (1, "int"),
        (True, "bool"),
        (MappingProxyType({}), "mappingproxy"),
        (numpy.int8(1), "numpy.int8"),
        (numpy.array(1), "numpy.ndarray"),
    ],
)
def test_type_name_of_what_c_code_refuses_otherwise(value: object, name: str) -> None:
    assert type_name(value) == name


@pytest.mark.parametrize(
    ("args", "kwargs"), [((1,), {}), ((1, 2, 3), {}), ((), {"x": 1}), ((1, 2), {"x": 1, "y": 2})]
)
@pytest.mark.parametrize("method", ["dict.items", "list.reverse", "str.lower"])
def test_takes_no_arguments_says_what_cpython_says(
    method: str, args: tuple[int, ...], kwargs: dict[str, int]
) -> None:
    cls, name = method.split(".")
    without_parameters = getattr(getattr(builtins, cls)(), name)
    assert message_of(takes_no_arguments, method, args, kwargs) == message_of(
        without_parameters, *args, **kwargs
    )
