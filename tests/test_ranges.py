"""arange, range, linspace, logspace and eye, with the values of torch 2.13.0 in one thread."""

import hashlib
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import impl
from impl._tensor.data_access import raw_array

torch: Any = impl
INF, NAN = float("inf"), float("nan")


def quietly(call: Callable[[], Any]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call()


def digest(tensor: Any) -> str:
    return hashlib.sha256(raw_array(tensor).tobytes()).hexdigest()[:12]


@pytest.mark.parametrize(
    ("call", "elements"),
    [
        ("arange(0.5, 20, 0.3)", "dddc36451c4f"),
        ("arange(0.5, 20, 0.3, dtype=torch.float64)", "a24aea7621eb"),
        ("arange(0.5, 20, 0.3, dtype=torch.float16)", "f67895aa34da"),
        ("arange(0.5, 20, 0.3, dtype=torch.bfloat16)", "cf91afcc1737"),
        ("arange(126, 200, dtype=torch.int8)", "5b11d988c09e"),
        ("arange(-1.5, 4, 0.5, dtype=torch.uint8)", "15300bd714ef"),
        ("range(0.5, 20, 0.3)", "c8e8de6a960d"),
        ("range(0.5, 20, 0.3, dtype=torch.float16)", "13d0f41c214b"),
        ("linspace(-1.3, 2.9, 50)", "6fc0ecaefefb"),
        ("linspace(-1.3, 2.9, 50, dtype=torch.float64)", "c0d01134b711"),
        ("linspace(-1.3, 2.9, 50, dtype=torch.float16)", "c2dcfc8f541d"),
        ("linspace(-1.3, 2.9, 50, dtype=torch.bfloat16)", "19e09132ceb1"),
        ("linspace(-7, 100, 50, dtype=torch.int32)", "ad824b87ebf7"),
        ("linspace(1 - 2j, 3 + 0.5j, 50)", "0ae82d4b0507"),
        ("logspace(-1.3, 2.9, 50, 2.5, dtype=torch.float16)", "e9513bebd3e8"),
        ("logspace(0, 2, 50, dtype=torch.int16)", "d4413dd32078"),
        ("eye(3, 5, dtype=torch.float8_e8m0fnu)", "faa481c426bb"),
    ],
)
def test_elements_to_the_bit(call: str, elements: str) -> None:
    assert digest(quietly(lambda: eval(f"torch.{call}"))) == elements


@pytest.mark.parametrize(
    ("call", "dtype", "elements"),
    [
        ("arange(3)", "int64", [0, 1, 2]),
        ("arange(True)", "int64", [0]),
        ("arange(5.5)", "float32", [0, 1, 2, 3, 4, 5]),
        ("arange(7, 1, -3)", "int64", [7, 4]),
        ("arange(start=1, end=5, step=2)", "int64", [1, 3]),
        ("arange(5, 5)", "int64", []),
        ("arange(0, 5, INF)", "float32", []),
        ("arange(2 + 0j)", "float32", [0, 1]),
        ("arange(2.7, dtype=torch.int8)", "int8", [0, 1, 2]),
        ("arange(0.5, 2.7, 0.5, dtype=torch.int8)", "int8", [0] * 5),
        ("arange(torch.tensor(3, dtype=torch.uint8))", "int64", [0, 1, 2]),
        ("arange(1e6, 2e6, 1e6, dtype=torch.float16)", "float16", [INF]),
        ("range(1, 3)", "float32", [1, 2, 3]),
        ("range(1.5, 5.7, 1.6, dtype=torch.int8)", "int8", [1, 2, 3, 4, 5]),
        ("linspace(0, 1, 0)", "float32", []),
        ("linspace(3, 1, 1, dtype=torch.uint16)", "uint16", [3]),
        ("linspace(torch.tensor(1), 5, 3)", "float32", [1, 3, 5]),
        ("linspace(1, 5j, 3)", "complex64", [1, 0.5 + 2.5j, 5j]),
        ("logspace(1, 3, 3, base=2, dtype=torch.int8)", "int8", [2, 4, 8]),
        ("logspace(1, 5, 3, base=-2)", "float32", [-2, -8, -32]),
        ("logspace(-1, 1, 3, 0.0)", "float32", [INF, 1, 0]),
        ("eye(2, 1, dtype=torch.bool)", "bool", [[True], [False]]),
        ("eye(0, 3)", "float32", []),
    ],
)
def test_dtypes_and_counts(call: str, dtype: str, elements: list[Any]) -> None:
    result = quietly(lambda: eval(f"torch.{call}"))
    assert result.dtype is getattr(torch, dtype)
    assert result.tolist() == elements


def test_default_dtypes() -> None:
    torch.set_default_dtype(torch.float64)
    try:
        assert torch.arange(1.5).dtype is torch.linspace(0, 1, 2).dtype is torch.float64
        assert torch.linspace(0, 1j, 2).dtype is torch.complex128
        assert torch.arange(2).dtype is torch.int64
    finally:
        torch.set_default_dtype(torch.float32)


def test_logspace_of_complex_numbers() -> None:
    values = torch.logspace(1, 5j, 3, dtype=torch.complex128).tolist()
    assert values == pytest.approx([10, 2.7336603 - 1.589686j, 0.4945797 - 0.8691323j], abs=1e-6)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ("arange(0, 5, 0)", "RuntimeError: step must be nonzero"),
        ("arange(0, 5, 0.5, dtype=torch.int64)", "ValueError: step must be nonzero"),
        ("arange(0, 5, NAN)", "RuntimeError: step must be nonzero"),
        ("arange(NAN)", "RuntimeError: unsupported range: 0 -> nan"),
        ("arange(1e300, INF)", "RuntimeError: unsupported range: 1e+300 -> inf"),
        (
            "arange(5, 0)",
            "RuntimeError: upper bound and lower bound inconsistent with step sign",
        ),
        ("arange(1e300)", "RuntimeError: invalid size, possible overflow?"),
        ("arange(-2**63, 2**63 - 1)", "RuntimeError: invalid size, possible overflow?"),
        (
            "arange(2**63)",
            "RuntimeError: value cannot be converted to type int64_t without overflow",
        ),
        ("arange(5j)", "RuntimeError: value cannot be converted to type double without overflow"),
        (
            "arange(2**62)",
            "RuntimeError: Storage size calculation overflowed with sizes=[4611686018427387904]",
        ),
        (
            "arange(5, dtype=torch.bool)",
            "NotImplementedError: \"arange_cpu\" not implemented for 'Bool'",
        ),
        (
            "arange(3, requires_grad=True)",
            "RuntimeError: Only Tensors of floating point and complex dtype can require gradients",
        ),
        (
            "arange(3, out=torch.empty(0), dtype=torch.int8)",
            "RuntimeError: dtype Char does not match dtype of out parameter (Float)",
        ),
        (
            "arange(3, out=torch.empty(3, requires_grad=True))",
            "RuntimeError: aten::arange(): functions with out=... arguments don't support automatic"
            " differentiation, but one of the arguments requires grad.",
        ),
        ("range(0, 1, 0)", "RuntimeError: step must be nonzero"),
        (
            "range(0, 1, dtype=torch.uint16)",
            "NotImplementedError: \"range_cpu\" not implemented for 'UInt16'",
        ),
        ("linspace(0, 1, -1)", "RuntimeError: number of steps must be non-negative"),
        (
            "linspace(0, 1, 2, dtype=torch.bool)",
            "NotImplementedError: \"linspace_cpu\" not implemented for 'Bool'",
        ),
        (
            "linspace(0, 300, 3, dtype=torch.uint8)",
            "RuntimeError: value cannot be converted to type uint8_t without overflow",
        ),
        (
            "linspace(0, 1j, 3, dtype=torch.float16)",
            "RuntimeError: torch.linspace(): inferred dtype c10::complex<float> can't be safely"
            " cast to passed dtype Half",
        ),
        (
            "linspace(torch.zeros(1), torch.zeros(()), 3)",
            "RuntimeError: linspace only supports 0-dimensional start and end tensors, but got"
            " start with 1 dimension(s) and end with 0 dimension(s).",
        ),
        (
            "logspace(0, torch.zeros(2, 2), 3)",
            "RuntimeError: logspace only supports 0-dimensional start and end tensors, but got end"
            " with 2 dimension(s).",
        ),
        ("eye(-3)", "RuntimeError: n must be greater or equal to 0, got -3"),
        ("eye(0, -1)", "RuntimeError: m must be greater or equal to 0, got -1"),
        ("eye(2, dtype=torch.uint16)", "NotImplementedError: \"eye\" not implemented for 'UInt16'"),
        (
            "eye(0, dtype=torch.bits8)",
            "NotImplementedError: \"fill_cpu\" not implemented for 'Bits8'",
        ),
        ("eye(2**40)", "RuntimeError: numel: integer multiplication overflow"),
    ],
)
def test_refusals(call: str, error: str) -> None:
    with pytest.raises((RuntimeError, ValueError)) as caught:
        quietly(lambda: eval(f"torch.{call}"))
    assert f"{caught.type.__name__}: {caught.value}" == error


def test_out_is_filled_where_it_lies() -> None:
    whole = torch.zeros(4, 6)
    part = whole[:2, ::2]
    assert torch.arange(6, out=part) is part
    assert whole.tolist()[1] == [3, 0, 4, 0, 5, 0]
    square = torch.zeros(2, 3).t()
    torch.eye(3, 2, out=square)
    assert (square.tolist(), square.stride()) == ([[1, 0], [0, 1], [0, 0]], (1, 3))
    torch.linspace(0, 1, 2, out=square)
    assert square.tolist() == [0, 1]


def test_out_of_another_size_warns_in_arange() -> None:
    out = torch.zeros(2, 2)
    with pytest.warns(UserWarning, match=r"out tensor of shape \[2, 2\] is 4 which does not match"):
        torch.arange(5, out=out)
    assert out.tolist() == [0, 1, 2, 3, 4]


def test_range_warns() -> None:
    with pytest.warns(UserWarning, match="torch.range is deprecated") as caught:
        torch.range(0, 1)
    assert caught[0].filename == __file__


def test_what_does_not_fit_changes_nothing() -> None:
    out = torch.zeros(2)
    for call in ("arange(0, 5, 0, out=out)", "linspace(0, 1, -2, out=out)", "eye(-1, out=out)"):
        with pytest.raises(RuntimeError):
            eval(f"torch.{call}")
    assert out.tolist() == [0, 0]
