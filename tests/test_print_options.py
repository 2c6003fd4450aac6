"""The options of printing, on a stand-in for a tensor."""

from math import inf, nan
from typing import Any, NoReturn

import pytest

from impl._tensor.printing import (
    get_printoptions,
    printoptions,
    set_printoptions,
)

from .printed_tensor import (
    Tensor,
    counting,
    options_are_restored,  # noqa: F401
)

DEFAULTS = {
    "precision": 4,
    "threshold": 1000,
    "edgeitems": 3,
    "linewidth": 80,
    "sci_mode": None,
}


def test_options_are_set_and_got() -> None:
    assert get_printoptions() == DEFAULTS
    set_printoptions(1, 2, 3, 4, "full", True)
    assert list(get_printoptions().values()) == [1, 2, 3, 4, True]
    set_printoptions(profile="full")
    assert get_printoptions() == {**DEFAULTS, "threshold": inf}
    set_printoptions(profile="short", precision=7)
    assert get_printoptions() == {**DEFAULTS, "precision": 7, "edgeitems": 2}
    set_printoptions(sci_mode=False)
    set_printoptions(profile=["unknown"])
    assert get_printoptions() == {**DEFAULTS, "precision": 7, "edgeitems": 2}


def test_what_is_got_is_a_copy() -> None:
    get_printoptions()["precision"] = 9
    assert get_printoptions() == DEFAULTS


def test_options_of_a_context_end_with_it() -> None:
    set_printoptions(linewidth=70)
    with printoptions(precision=1, sci_mode=True) as value:
        assert value is None
        assert repr(Tensor([0.25])) == "tensor([2.5e-01])"
    assert get_printoptions() == {**DEFAULTS, "linewidth": 70}


@printoptions(profile="short")
def fail() -> NoReturn:
    raise KeyError(repr(Tensor([0.25])))


def test_options_of_a_context_end_with_an_error() -> None:
    with pytest.raises(KeyError, match=r"tensor\(\[0\.25\]\)"):
        fail()
    assert get_printoptions() == DEFAULTS


def test_sci_mode_is_obeyed() -> None:
    set_printoptions(sci_mode=False)
    assert repr(Tensor([1e-5, 1e5])) == "tensor([     0.0000, 100000.0000])"
    set_printoptions(sci_mode="any", precision=1)
    assert repr(Tensor([1.0, nan])) == "tensor([1.0e+00,     nan])"
    assert repr(Tensor([0.0])) == "tensor([0.])"


NO_LENGTH = "slice indices must be integers or None or have an __index__ method"
BAD = [
    ({"precision": -1}, ValueError, "Format specifier missing precision"),
    ({"linewidth": "a"}, TypeError, "unsupported operand type(s) for -: 'str' and 'int'"),
    ({"linewidth": inf}, OverflowError, "cannot convert float infinity to integer"),
    ({"threshold": "a"}, TypeError, "'>' not supported between instances of 'int' and 'str'"),
    ({"threshold": 1, "edgeitems": 0.5}, TypeError, "'float' object cannot be interpreted as an"),
    ({"threshold": 1, "edgeitems": 1.0}, TypeError, NO_LENGTH),
    ({"threshold": 1, "edgeitems": -1}, RuntimeError, "stack expects a non-empty TensorList"),
]


@pytest.mark.parametrize(("options", "cls", "message"), BAD)
def test_bad_options_fail_when_they_are_needed(
    options: dict[str, Any], cls: type[Exception], message: str
) -> None:
    set_printoptions(**options)
    with pytest.raises(cls) as caught:
        repr(Tensor([[1.5, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    assert str(caught.value).startswith(message)


def test_negative_edges_of_a_vector() -> None:
    set_printoptions(threshold=1, edgeitems=-1)
    assert repr(counting(3)) == "tensor([0, 1,  ..., 1, 2])"
    set_printoptions(threshold=1, edgeitems=-9)
    assert repr(counting(3)) == "tensor([ ...])"


def test_unknown_options_are_refused() -> None:
    with pytest.raises(TypeError) as caught:
        set_printoptions(foo=1)  # type: ignore[call-arg]
    assert str(caught.value) == "set_printoptions() got an unexpected keyword argument 'foo'"
    assert get_printoptions() == DEFAULTS
