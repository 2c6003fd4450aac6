"""The binding of arguments to signatures, and its error messages."""

import os
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, strategies as st

import impl as torch
from impl._argparser.parser import Parser, positional
from impl._argparser.schema import MISSING

ONE = "iinfo(ScalarType type)"
ONE_OR_NONE = ("finfo(ScalarType type)", "finfo()")
TWO = "promote_types(ScalarType type1, ScalarType type2)"
NUMBERS = (
    "result_type(Tensor tensor, Tensor other)",
    "result_type(Scalar scalar, Tensor tensor)",
    "result_type(Tensor tensor, Scalar other)",
    "result_type(Scalar scalar1, Scalar scalar2)",
)


@pytest.fixture(autouse=True)
def on_terminal(monkeypatch: pytest.MonkeyPatch) -> dict[int, bool]:
    """Replace os.isatty; at first neither the output nor the error stream is a terminal."""
    terminals = {1: False, 2: False}
    monkeypatch.setattr(os, "isatty", lambda stream: terminals.get(stream, False))
    return terminals


def bind(declarations: str | tuple[str, ...], arguments: str) -> tuple[Any, ...]:
    """Parse arguments in the syntax of a call."""
    declared = (declarations,) if isinstance(declarations, str) else declarations
    return eval(f"parse({arguments})", {"torch": torch, "parse": call(Parser(*declared))})


def call(parser: Parser) -> Callable[..., tuple[Any, ...]]:
    return lambda *args, **kwargs: parser(args, kwargs)


def refusal(declarations: str | tuple[str, ...], arguments: str) -> str:
    """Return the error message for invalid arguments."""
    with pytest.raises(TypeError) as caught:
        bind(declarations, arguments)
    return str(caught.value)


BOUND = [
    (ONE, "torch.int8", (torch.int8,)),
    (ONE, "type=int", (int,)),
    (ONE_OR_NONE, "", ()),
    (ONE_OR_NONE, "float", (float,)),
    (TWO, "torch.int8, torch.half", (torch.int8, torch.half)),
    (TWO, "bool, type2=complex", (bool, complex)),
    (TWO, "type2=torch.half, type1=torch.int8", (torch.int8, torch.half)),
    (NUMBERS, "1, 2.5", (1, 2.5)),
    (NUMBERS, "scalar2=True, scalar1=1j", (1j, True)),
    (NUMBERS, "1, scalar2=2", (1, 2)),
]


@pytest.mark.parametrize(("declarations", "arguments", "bound"), BOUND)
def test_arguments_stand_in_the_order_of_the_parameters(
    declarations: str, arguments: str, bound: tuple[Any, ...]
) -> None:
    assert bind(declarations, arguments) == bound


ONE_SIGNATURE = [
    (ONE, "", 'iinfo() missing 1 required positional arguments: "type"'),
    (ONE, "dtype=torch.int8", 'iinfo() missing 1 required positional arguments: "type"'),
    (ONE, "1", "iinfo(): argument 'type' (position 1) must be torch.dtype, not int"),
    (ONE, "type=None", "iinfo(): argument 'type' must be torch.dtype, not NoneType"),
    (ONE, "torch.int8, torch.int8", "iinfo() takes 1 positional argument but 2 were given"),
    (ONE, "torch.int8, type=torch.int8", "iinfo() got multiple values for argument 'type'"),
    (ONE, "type=torch.int8, x=1", "iinfo() got an unexpected keyword argument 'x'"),
    (TWO, "", 'promote_types() missing 2 required positional argument: "type1", "type2"'),
    (TWO, "torch.int8", 'promote_types() missing 1 required positional arguments: "type2"'),
    (
        TWO,
        "type2=torch.int8",
        'promote_types() missing 2 required positional argument: "type1", "type2"',
    ),
    (
        TWO,
        "torch.int8, type1=torch.int8",
        'promote_types() missing 1 required positional arguments: "type2"',
    ),
    (
        TWO,
        "torch.int8, torch.int8, torch.int8",
        "promote_types() takes 2 positional arguments but 3 were given",
    ),
    (
        TWO,
        "torch.int8, torch.int8, type1=torch.int8",
        "promote_types() got multiple values for argument 'type1'",
    ),
    (
        TWO,
        "torch.int8, torch.int8, x=1",
        "promote_types() got an unexpected keyword argument 'x'",
    ),
    (TWO, "1, 2", "promote_types(): argument 'type1' (position 1) must be torch.dtype, not int"),
    (
        TWO,
        "torch.int8, []",
        "promote_types(): argument 'type2' (position 2) must be torch.dtype, not list",
    ),
    (
        TWO,
        "str, int",
        "promote_types(): argument 'type1' (position 1) must be torch.dtype, not type",
    ),
]


@pytest.mark.parametrize(("declaration", "arguments", "message"), ONE_SIGNATURE)
def test_words_for_one_signature(declaration: str, arguments: str, message: str) -> None:
    assert refusal(declaration, arguments) == message


BAD_TYPES = "      didn't match because some of the arguments have invalid types: {}\n"
BAD_NAMES = "      didn't match because some of the keywords were incorrect: {}\n"


def tried(got: str, *reasons: str) -> str:
    """Return the message for `NUMBERS`, with a reason for each signature or without reasons."""
    signatures = (
        " * (Tensor tensor, Tensor other)\n",
        " * (Number scalar, Tensor tensor)\n",
        " * (Tensor tensor, Number other)\n",
        " * (Number scalar1, Number scalar2)\n",
    )
    lines = zip(signatures, reasons or [""] * 4, strict=True)
    return (
        f"result_type() received an invalid combination of arguments - got {got},"
        " but expected one of:\n" + "".join(line for pair in lines for line in pair)
    )


SEVERAL_SIGNATURES = [
    (NUMBERS, "", tried("()")),
    (NUMBERS, "1", tried("(int)")),
    (NUMBERS, "1, 2, 3", tried("(int, int, int)")),
    (NUMBERS, "x=1", tried("(x=int, )")),
    (NUMBERS, "1, 'a'", tried("(int, str)", *[BAD_TYPES.format("(!int!, !str!)")] * 4)),
    (
        NUMBERS,
        "(1,), [1, 2.5]",
        tried(
            "(tuple, list)",
            *[BAD_TYPES.format("(!tuple of (int,)!, !list of [int, float]!)")] * 4,
        ),
    ),
    (
        NUMBERS,
        "(), (1, 'a')",
        tried("(tuple, tuple)", *[BAD_TYPES.format("(!tuple of ()!, !tuple of (int, str)!)")] * 4),
    ),
    (NUMBERS, "1, x=2", tried("(int, x=int)", *[BAD_NAMES.format("x")] * 4)),
    (NUMBERS, "x=1, y=2.5", tried("(y=float, x=int, )", *[BAD_NAMES.format("y, x")] * 4)),
    (
        NUMBERS,
        "1, tensor='a'",
        tried(
            "(int, tensor=str)",
            BAD_NAMES.format("tensor"),
            BAD_TYPES.format("(!int!, !tensor=str!)"),
            BAD_NAMES.format("tensor"),
            BAD_NAMES.format("tensor"),
        ),
    ),
    (
        NUMBERS,
        "tensor=1, other='a'",
        tried(
            "(other=str, tensor=int, )",
            BAD_TYPES.format("(!tensor=int!, !other=str!, )"),
            BAD_NAMES.format("other"),
            BAD_TYPES.format("(!tensor=int!, !other=str!, )"),
            BAD_NAMES.format("other, tensor"),
        ),
    ),
    (
        ONE_OR_NONE,
        "1, 2",
        "finfo() received an invalid combination of arguments - got (int, int),"
        " but expected one of:\n * (torch.dtype type)\n * ()\n",
    ),
    # Only one signature has this number of parameters, so the message is about it.
    (ONE_OR_NONE, "1", "finfo(): argument 'type' (position 1) must be torch.dtype, not int"),
    (ONE_OR_NONE, "x=1", 'finfo() missing 1 required positional arguments: "type"'),
]


@pytest.mark.parametrize(("declarations", "arguments", "message"), SEVERAL_SIGNATURES)
def test_words_for_several_signatures(
    declarations: tuple[str, ...], arguments: str, message: str
) -> None:
    assert refusal(declarations, arguments) == message


@pytest.mark.parametrize(
    ("declarations", "arguments", "message"), ONE_SIGNATURE + SEVERAL_SIGNATURES
)
def test_torch_functions_are_declared_so(
    failure_of: Callable[[str], str],
    declarations: str | tuple[str, ...],
    arguments: str,
    message: str,
) -> None:
    """The public functions accept the arguments of the schemas above, with the same messages."""
    first = declarations if isinstance(declarations, str) else declarations[0]
    function, _, _ = first.partition("(")
    assert failure_of(f"torch.{function}({arguments})") == f"TypeError: {message}"


def test_bad_arguments_are_red_on_a_terminal(on_terminal: dict[int, bool]) -> None:
    on_terminal.update({1: True, 2: True})
    red = "(\33[31;1mint\33[0m, \33[31;1mstr\33[0m)"
    assert refusal(NUMBERS, "1, 'a'") == tried("(int, str)", *[BAD_TYPES.format(red)] * 4)


@pytest.mark.parametrize("other", [1, 2])
def test_one_stream_on_a_terminal_is_not_enough(on_terminal: dict[int, bool], other: int) -> None:
    on_terminal[other] = True
    assert "\33" not in refusal(NUMBERS, "1, 'a'")


def test_an_argument_called_as_its_parameter_is_marked_as_good(
    on_terminal: dict[int, bool],
) -> None:
    """Torch compares names of types, so the message takes a class named Tensor for a tensor."""

    class Tensor:
        pass

    def message() -> str:
        with pytest.raises(TypeError) as caught:
            Parser(*NUMBERS)((Tensor(), "a"), {})
        return str(caught.value)

    assert BAD_TYPES.format("(Tensor, !str!)") in message()
    on_terminal.update({1: True, 2: True})
    assert BAD_TYPES.format("(\33[32;1mTensor\33[0m, \33[31;1mstr\33[0m)") in message()


@given(st.lists(st.none() | st.integers(), max_size=5))
def test_positional_puts_a_call_together_again(args: list[int | None]) -> None:
    """The positional arguments are returned, with and without named parameters."""

    def function(first: Any = MISSING, second: Any = MISSING, /, *extra: Any) -> tuple[Any, ...]:
        return positional(first, second, extra)

    assert function(*args) == tuple(args)
