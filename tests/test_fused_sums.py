"""Products and sums with one rounding, and the small sums that Python adds."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

import impl as torch
from impl._numerics.fma import fused

SINGLES = st.floats(width=32, allow_nan=False, allow_infinity=False)


def rounded(number: Fraction) -> np.float32:
    """Return the nearest float32, the even one of two."""
    nearest = np.float32(float(number))
    others = np.nextafter(nearest, np.float32([-np.inf, np.inf]))
    candidates = [each for each in (nearest, *others) if np.isfinite(each)]
    return min(
        candidates,
        key=lambda each: (abs(Fraction(float(each)) - number), int(each.view(np.uint32)) & 1),
    )


def check_fused(left: float, right: float, added: float) -> None:
    arrays = [np.array([number], np.float32) for number in (left, right, added)]
    exact = Fraction(left) * Fraction(right) + Fraction(added)
    if abs(exact) < Fraction(float(np.finfo(np.float32).max)):
        assert fused(*arrays)[0] == rounded(exact)


@given(SINGLES, SINGLES, SINGLES)
def test_fused_sums_round_once(left: float, right: float, added: float) -> None:
    check_fused(left, right, added)


@given(st.integers(-(2**12), 2**12), st.integers(-(2**12), 2**12), st.integers(-(2**25), 2**25))
def test_fused_sums_round_once_at_midpoints(left: int, right: int, added: int) -> None:
    """The product is a little more or less than half of the last bit of the sum."""
    check_fused(left * 2.0**-12, right * 2.0**-13, float(np.float32(added)))


@given(st.integers(-(2**12), 2**12), st.integers(-(2**12), 2**12), st.integers(-(2**8), 2**8))
def test_fused_sums_round_once_to_subnormal_numbers(left: int, right: int, added: int) -> None:
    check_fused(left * 2.0**-88, right * 2.0**-88, added * 2.0**-149)


def test_fused_sums_that_two_roundings_miss() -> None:
    tiny, bit = 2.0**-80, 2.0**-23
    # The product is half of the last bit of the sum, and a little more or less.
    half = 2.0**-24 * (1 + bit)
    for sign in (1, -1):
        check_fused(1 - bit, sign * half, 1 + bit)
        check_fused(tiny, sign * tiny, 1 + bit)
        check_fused((1 + bit) * 2.0**-75, sign * (1 - bit) * 2.0**-75, 513 * 2.0**-149)


@pytest.mark.parametrize("rows", [1, 5, 40])
def test_variances_of_few_and_many_rows_are_the_same_sums(rows: int) -> None:
    numbers = np.random.default_rng(rows).standard_normal((rows, 30)) * 1e3
    variances, means = torch.var_mean(torch.from_numpy(numbers), 1)
    assert np.allclose(variances.numpy(), numbers.var(1, ddof=1), rtol=1e-13)
    assert np.allclose(means.numpy(), numbers.mean(1), rtol=1e-13)
    both = torch.from_numpy(np.concatenate([numbers] * 40))
    repeated = both.var(1).view(40, rows)
    assert (repeated == variances).all()


def test_repeated_comparisons_in_place_write_numbers() -> None:
    for dtype in (torch.bfloat16, torch.float32, torch.int64):
        ones = torch.ones(3, dtype=dtype)
        for _ in range(3):
            target = torch.tensor([0, 2, 3]).to(dtype)
            assert target.logical_and_(ones).tolist() == [0, 1, 1]
            assert target.logical_xor_(ones).tolist() == [1, 0, 0]
