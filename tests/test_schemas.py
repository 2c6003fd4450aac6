"""Schemas in torch's notation: defaults, lists, registered classes and deprecated signatures.

Every message and value is torch's for the same arguments.
"""

import math
import warnings
from typing import Any

import pytest

import impl as torch
from impl._argparser.parser import Parser
from impl._argparser.types import register

from .schema_values import (
    CONTIGUOUS,
    SCOPE,
    Subclass,
    choose,
    named,
    refusal,
    stand_ins,  # noqa: F401
)


def test_a_bad_element_ends_the_search_for_a_signature() -> None:
    both = ("atleast_1d(TensorList tensors)", "atleast_1d(PyObject* anything)")
    assert (
        refusal(both, "[1]") == "TypeError: expected Tensor as element 0 in argument 0, but got int"
    )
    assert choose(both, "1") == (1, (1,))


def test_tensor_lists_are_bound_as_tuples_of_their_length() -> None:
    x = SCOPE["x"]
    assert choose(("stack(TensorList tensors, int64_t dim=0)",), "[x, x], 1") == (0, ((x, x), 1))
    two = ("median(*, TensorList[2] out=None)",)
    assert choose(two, "out=[x, x]") == (0, ((x, x),))
    assert refusal(two, "out=(x,)") == "TypeError: expected tuple of 2 elements but got 1"


@pytest.mark.parametrize(
    ("declaration", "default"),
    [
        ("f(int64_t a=-1)", -1),
        ("f(double a=1)", 1.0),
        ("f(Scalar a=1.0)", 1.0),
        ("f(bool a=True)", True),
        ("f(IntArrayRef[2] a=1)", (1, 1)),
        ("f(IntArrayRef a={0,1})", (0, 1)),
        ('f(c10::string_view a="mean")', "mean"),
        ("f(MemoryFormat a=contiguous_format)", CONTIGUOUS),
        ("f(bool? a=False)", False),
    ],
)
def test_defaults(declaration: str, default: object) -> None:
    _, (bound,) = choose((declaration,), "")
    assert bound == default
    assert type(bound) is type(default)
    if "?" in declaration:
        assert choose((declaration,), "None") == (0, (default,))


def test_sized_lists_take_one_int_for_all() -> None:
    pool = ("pool(SymIntArrayRef[2] size)",)
    assert choose(pool, "3") == (0, ((3, 3),))
    assert choose(pool, "(3, 4)") == (0, ((3, 4),))
    assert choose(pool, "i") == (0, ((1, 1),))
    # The first argument is a list, so several arguments are not one list.
    assert refusal(("hash(IntArrayRef[1] dim=None, *, int64_t mode=0)",), "0, 1") == (
        "TypeError: hash() takes from 0 to 1 positional arguments but 2 were given"
    )


def test_doubles() -> None:
    dropout = ("dropout(double p, bool train)",)
    assert choose(dropout, "f, True") == (0, (1.5, True))
    assert choose(dropout, "True, True") == (0, (1.0, True))
    assert math.isinf(choose(dropout, "numpy.float32('inf'), True")[1][0])
    for bad, type_name in (("1j", "complex"), ("grad", "Tensor"), ("x", "Tensor"), ("'a'", "str")):
        assert refusal(dropout, f"{bad}, True") == (
            f"TypeError: dropout(): argument 'p' (position 1) must be float, not {type_name}"
        )
    ranged = ("histogramdd(ArrayRef<double>? range=None)",)
    assert choose(ranged, "(1, 2.5)") == (0, ((1.0, 2.5),))
    assert refusal(ranged, "(1, 'a')") == (
        "TypeError: histogramdd(): argument 'range' must be tuple of floats,"
        " but found element of type str at pos 2"
    )


def test_devices_are_converted_first_by_who_registered_them() -> None:
    converted = []

    def convert(value: object) -> object:
        converted.append(value)
        if value == "nowhere":
            raise RuntimeError("no such device")
        return [value]

    device = named("torch.device")()
    register("Device", type(device), convert=convert)
    empty = ("empty(SymIntArrayRef size, *, Device? device=None)",)
    assert choose(empty, "2") == (0, ((2,), None))
    for device_argument, value in (("'cpu'", "cpu"), ("b'cpu'", "cpu"), ("numpy.int8(3)", 3)):
        assert choose(empty, f"2, device={device_argument}") == (0, ((2,), [value]))
    assert refusal(empty, "2, 'a', device='nowhere'") == "RuntimeError: no such device"
    assert converted[-1] == "nowhere"
    assert refusal(empty, "2, device=1.0") == (
        "TypeError: empty(): argument 'device' must be torch.device, not float"
    )


def test_subclasses_of_registered_classes_fit() -> None:
    x = Subclass(1, dtype=torch.int8)
    assert Parser("f(Tensor input)")((x,), {}) == (x,)


def test_values_can_be_looked_at_before_they_are_converted() -> None:
    signature, values = Parser("f(IntArrayRef size, Device? device=None)").match(([1, 2.5],), {})
    assert values == [[1, 2.5], None]
    with pytest.raises(TypeError, match="failed to unpack the object at pos 2"):
        signature.convert(values)


ADD = ("add(Scalar alpha, Tensor other)|deprecated", "add(Tensor other, *, Scalar alpha=1)")


def test_deprecated_signatures_come_last_and_warn_once() -> None:
    parser = Parser(*ADD)

    def add(*args: object) -> tuple[int, Any]:
        return parser.bind(args, {})

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert [add(2, SCOPE["x"])[0], add(2, SCOPE["x"])[0], add(SCOPE["x"])[0]] == [0, 0, 1]
    (warning,) = caught
    assert warning.filename == __file__
    assert str(warning.message) == (
        "This overload of add is deprecated:\n\tadd(Number alpha, Tensor other)\nConsider using one"
        " of the following signatures instead:\n\tadd(Tensor other, *, Number alpha = 1) (Triggered"
        " internally at /__w/pytorch/pytorch/torch/csrc/utils/python_arg_parser.cpp:1841.)"
    )


@pytest.mark.parametrize(
    "declaration", ["f(Nothing a)", "f(int64_t)", "f()|secret", "f(Layout a=torch.nowhere)"]
)
def test_what_is_no_declaration_is_refused(declaration: str) -> None:
    with pytest.raises(ValueError, match=r"not a|no default"):
        assert Parser(declaration).signatures
