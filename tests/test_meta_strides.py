"""The strides of results on meta, which torch's references convert and compose."""

import pytest

import impl as torch


def strided(dtype: str, size: tuple[int, ...], stride: tuple[int, ...]) -> torch.Tensor:
    return torch.empty_strided(size, stride, dtype=getattr(torch, dtype), device="meta")


@pytest.mark.filterwarnings("ignore:ComplexHalf")
@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "complex32", "float32", "float8_e5m2"])
def test_a_converted_operand_keeps_strides_without_gaps(dtype: str) -> None:
    x, y = strided(dtype, (1, 3, 1), (3, 1, 3)), strided(dtype, (1, 1, 1), (1, 1, 1))
    assert (x * y).stride() == (3, 1, 3)
    assert (x * x).stride() == (3, 1, 1)


def test_only_what_references_widen_is_converted() -> None:
    strides = {
        dtype: (
            strided(dtype, (1, 1, 3), (2, 2, 3)) * strided(dtype, (1, 1, 3), (2, 2, 3))
        ).stride()
        for dtype in ("bfloat16", "float32", "float8_e5m2")
    }
    assert strides == {"bfloat16": (3, 3, 1), "float32": (1, 1, 1), "float8_e5m2": (1, 1, 1)}


@pytest.mark.parametrize(
    ("name", "dtype", "size", "stride", "expected"),
    [
        ("sigmoid", "int64", (1, 2, 3, 1), (2, 6, 4, 4), (1, 3, 1, 1)),  # no reference converts it
        ("relu", "bool", (1, 5, 1), (2, 4, 2), (5, 1, 1)),  # compared with an int
        ("sgn", "complex64", (1, 2), (2, 2), (2, 1)),  # divided by its magnitude
        ("conj_physical", "complex64", (1, 3, 1), (7, 1, 3), (3, 1, 1)),
    ],
)
def test_unary_references(name, dtype, size, stride, expected) -> None:
    assert getattr(torch, name)(strided(dtype, size, stride)).stride() == expected


@pytest.mark.parametrize(
    ("name", "dtype", "layouts", "expected"),
    [
        ("heaviside", "bool", ((1, 6, 1), (0, 2, 3)), (6, 3, 1)),
        ("logaddexp", "uint8", ((1, 6, 1), (0, 2, 3)), (6, 3, 1)),
    ],
)
def test_binary_references(name, dtype, layouts, expected) -> None:
    x, y = (strided(dtype, (1, 2, 3), stride) for stride in layouts)
    assert getattr(torch, name)(x, y).stride() == expected


def test_lcm_computes_short_integers_in_int32() -> None:
    x, y = ((1, 2, 1, 1), (5, 0, 2, 7)), ((1, 2, 1, 1), (4, 1, 7, 7))
    assert torch.lcm(strided("int16", *x), strided("int16", *y) != 0).stride() == (1, 1, 1, 2)


def test_heaviside_converts_the_values_that_int64_holds() -> None:
    x, values = ((2, 1, 1), (1, 1, 1)), ((2, 1, 1), (2, 7, 1))
    strides = [
        torch.heaviside(strided(dtype, *x), strided(dtype, *values)).stride()
        for dtype in ("uint8", "uint16")
    ]
    assert strides == [(1, 1, 1), (1, 2, 1)]


def test_heaviside_takes_the_values_of_a_number_on_the_cpu() -> None:
    x, values = strided("uint8", (2, 3), (1, 2)), torch.tensor(1, dtype=torch.uint8)
    assert torch.heaviside(x, values).stride() == (1, 2)
    assert torch.heaviside(values, x).stride() == (1, 2)


def test_a_scalar_overload_converts_nothing() -> None:
    x = strided("float16", (2, 1, 3), (0, 1, 4))
    assert (x.subtract(1, 1).stride(), x.subtract(1).stride()) == ((3, 1, 1), (3, 3, 1))


def test_floor_divide_of_integers_broadcasts_a_number() -> None:
    size, stride = (0, 1, 3, 1), (3, 3, 1, 3)
    assert strided("int32", size, stride).floor_divide(2).stride() == (3, 3, 1, 3)
    assert strided("float32", size, stride).floor_divide(2).stride() == (3, 3, 1, 1)


def test_normal_converts_the_mean() -> None:
    assert torch.normal(strided("float16", (3, 1), (2, 7)), 2).stride() == (1, 1)


@pytest.mark.parametrize(("dtype", "last"), [(torch.int8, 3), (torch.int16, 3), (torch.int32, 1)])
def test_lcm_broadcasts_before_it_widens(dtype: torch.dtype, last: int) -> None:
    """The reference converts broadcast operands of narrow integers, which lose their strides."""
    x = torch.empty(3, dtype=dtype, device="meta").as_strided((1, 1, 3, 1), (3, 1, 1, 1))
    y = torch.empty(5, dtype=dtype, device="meta").as_strided((1, 1, 1, 1), (4, 1, 1, 4))
    assert x.lcm(y).stride() == (3, 1, 1, last)
