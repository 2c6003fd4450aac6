"""The default dtype."""

from collections.abc import Callable
from threading import Thread

import pytest

import impl as torch

ALLOWED = ["float16", "bfloat16", "float32", "float64"]


def test_float32_is_the_first() -> None:
    assert torch.get_default_dtype() is torch.float32


@pytest.mark.parametrize("name", ALLOWED)
def test_what_is_set_is_got(name: str) -> None:
    assert torch.set_default_dtype(getattr(torch, name)) is None
    assert torch.get_default_dtype() is getattr(torch, name)


def test_all_threads_share_it() -> None:
    """A thread reads the default of the process, and sets it for all threads (#115917)."""
    dtypes = []

    def swap() -> None:
        dtypes.append(torch.get_default_dtype())
        torch.set_default_dtype(torch.bfloat16)

    torch.set_default_dtype(torch.float64)
    thread = Thread(target=swap)
    thread.start()
    thread.join()
    assert [*dtypes, torch.get_default_dtype()] == [torch.float64, torch.bfloat16]


NO_DTYPE = (
    "TypeError: invalid dtype object: only floating-point types are supported as the default type"
)
NO_FLOAT = "TypeError: only floating-point types are supported as the default type"
REFUSED = [
    ("1", NO_DTYPE),
    ("None", NO_DTYPE),
    ("'float32'", NO_DTYPE),
    ("float", NO_DTYPE),
    ("torch.finfo()", NO_DTYPE),
    ("torch.int8", NO_FLOAT),
    ("torch.bool", NO_FLOAT),
    ("torch.complex64", NO_FLOAT),
    ("torch.qint8", NO_FLOAT),
    ("torch.float8_e5m2", "TypeError: couldn't find storage object Float8_e5m2Storage"),
    ("torch.float8_e8m0fnu", "TypeError: couldn't find storage object Float8_e8m0fnuStorage"),
    ("torch.float4_e2m1fn_x2", "TypeError: couldn't find storage object Float4_e2m1fn_x2Storage"),
]


@pytest.mark.parametrize(("value", "failure"), REFUSED)
def test_refusals_change_nothing(
    failure_of: Callable[[str], str], value: str, failure: str
) -> None:
    torch.set_default_dtype(torch.float64)
    assert failure_of(f"torch.set_default_dtype({value})") == failure
    assert torch.get_default_dtype() is torch.float64


FAILURES = [
    ("get_default_dtype(1)", "torch.get_default_dtype() takes no arguments (1 given)"),
    ("get_default_dtype(1, 2)", "torch.get_default_dtype() takes no arguments (2 given)"),
    ("get_default_dtype(x=1)", "torch.get_default_dtype() takes no keyword arguments"),
    ("get_default_dtype(1, x=1)", "torch.get_default_dtype() takes no keyword arguments"),
    ("set_default_dtype()", "set_default_dtype() missing 1 required positional argument: 'd'"),
    (
        "set_default_dtype(torch.half, 1)",
        "set_default_dtype() takes 1 positional argument but 2 were given",
    ),
    (
        "set_default_dtype(d=torch.half)",
        "set_default_dtype() got some positional-only arguments passed as keyword arguments: 'd'",
    ),
]


@pytest.mark.parametrize(("call", "message"), FAILURES)
def test_ways_not_to_call(failure_of: Callable[[str], str], call: str, message: str) -> None:
    assert failure_of(f"torch.{call}") == f"TypeError: {message}"


@pytest.mark.parametrize(
    ("name", "of_complex"),
    [
        ("float16", "complex32"),
        ("bfloat16", "complex64"),
        ("float32", "complex64"),
        ("float64", "complex128"),
    ],
)
def test_the_default_rules_what_floats_count_as(name: str, of_complex: str) -> None:
    torch.set_default_dtype(getattr(torch, name))
    assert torch.result_type(1, 1.5) is getattr(torch, name)
    assert torch.result_type(1, 1j) is getattr(torch, of_complex)
