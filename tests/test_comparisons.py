"""Comparisons, powers, bitwise operators, where, clamp and lerp, with torch's results."""

import math

import pytest

import impl as torch

INF, NAN = math.inf, math.nan


def _same(result, expected, dtype=None):
    """Compare a tensor with a list: NaN equals NaN, and zeros have signs."""
    assert repr(result.tolist()) == repr(expected)
    assert dtype is None or result.dtype is dtype


def test_a_number_out_of_range_is_converted_before_it_is_compared():
    assert (torch.tensor([3], dtype=torch.uint8) < -1).item()
    assert (torch.tensor([-56], dtype=torch.int8) == 200).item()


def test_comparisons_write_into_any_dtype():
    x = torch.tensor([1.0, NAN])
    _same(torch.eq(x, x, out=torch.empty(2, dtype=torch.complex64)), [(1 + 0j), 0j])
    _same(x.ge_(1), [1.0, 0.0])


def test_aliases_compare_alike():
    x, y = torch.tensor([1, 2, 3]), torch.tensor([3, 2, 1])
    for name, alias in (("gt", "greater"), ("ge", "greater_equal"), ("ne", "not_equal")):
        _same(getattr(torch, alias)(x, y), getattr(x, name)(y).tolist(), torch.bool)


def test_order_is_refused_where_torch_has_none():
    x = torch.ones(2, dtype=torch.complex64)
    with pytest.raises(NotImplementedError, match="\"lt_cpu\" not implemented for 'ComplexFloat'"):
        x < x  # noqa: B015


def test_a_tensor_compared_with_anything_else_is_not_equal():
    assert (torch.ones(2) == "a") is False


def test_logical_operators_leave_what_autograd_knows_alone():
    x = torch.ones(2, requires_grad=True)
    assert x.logical_and_(torch.zeros(2)) is x
    assert x.requires_grad
    assert x.is_leaf


def test_closeness():
    x, y = torch.tensor([1.0, NAN, INF]), torch.tensor([1.0 + 1e-6, NAN, INF])
    _same(torch.isclose(x, y), [True, False, True])
    _same(torch.isclose(x, y, equal_nan=True), [True, True, True])
    assert torch.allclose(x, y, equal_nan=True)
    assert not torch.allclose(x, y)
    with pytest.raises(RuntimeError, match="Float did not match Double"):
        torch.isclose(x, x.double())


def test_equal_looks_at_shapes_first():
    assert not torch.equal(torch.ones(2), torch.ones(3))
    assert torch.equal(torch.ones(2), torch.ones(2, dtype=torch.int64))
    n = torch.tensor([NAN])
    assert not torch.equal(n, n)


@pytest.mark.parametrize(
    ("left", "right", "shifted", "back"),
    [(1, 3, 8, 0), (-1, 7, -128, -1), (-8, 1, -16, -4), (5, 8, 0, 0), (-5, -1, 0, -1)],
)
def test_shifts_of_int8(left, right, shifted, back):
    x, y = (torch.tensor([value], dtype=torch.int8) for value in (left, right))
    assert (x << y).item() == shifted
    assert (x >> y).item() == back


def test_bits():
    x = torch.tensor([12, 10])
    _same(x & 6, [4, 2])
    _same(6 | x, [14, 14])
    _same(x ^ torch.tensor(1), [13, 11])
    _same(1 << torch.tensor([1, 2]), [2, 4])
    with pytest.raises(
        NotImplementedError, match="\"bitwise_and_cpu\" not implemented for 'Float'"
    ):
        x & 1.5


def test_divisors_and_multiples():
    x, y = torch.tensor([12, -4, 0]), torch.tensor([-18, 6, 0])
    _same(torch.gcd(x, y), [6, 2, 0])
    _same(torch.lcm(x, y), [36, 12, 0])


def test_the_larger_of_two():
    x, y = torch.tensor([1.0, NAN, -0.0]), torch.tensor([NAN, 2.0, 0.0])
    _same(torch.maximum(x, y), [NAN, NAN, -0.0])
    _same(torch.fmax(x, y), [1.0, 2.0, -0.0])
    _same(torch.fmax(x.bfloat16(), y.bfloat16()), [1.0, 2.0, 0.0])
    with pytest.raises(RuntimeError, match="maximum not implemented for complex tensors"):
        torch.maximum(x, y * 1j)


def test_remainders_have_the_sign_of_the_divisor_or_of_the_dividend():
    x = torch.tensor([5, -5, 5, -5])
    y = torch.tensor([3, 3, -3, -3])
    _same(x % y, [2, 1, -1, -2])
    _same(torch.fmod(x, y), [2, -2, 2, -2])
    _same(7 % torch.tensor([-4.0]), [-1.0])
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        x % 0
    _same(torch.fmod(x[:0], y[:1] * 0), [])


def test_neighbours():
    for dtype, step in ((torch.float16, 2.0**-10), (torch.bfloat16, 2.0**-7)):
        one = torch.ones(1, dtype=dtype)
        assert torch.nextafter(one, one * 2).item() == 1 + step
        assert torch.nextafter(one, one * 0).item() == 1 - step / 2


@pytest.mark.parametrize(
    ("base", "exponent", "power"),
    [(2, 10, 1024), (-2, 63, -(2**63)), (3, 0, 1), (0, 0, 1), (1, 5, 1)],
)
def test_powers_of_integers_wrap(base, exponent, power):
    assert (torch.tensor([base]) ** exponent).item() == power


def test_negative_powers_of_integers():
    x = torch.tensor([2, 1, -1, -1])
    _same(torch.pow(x, torch.tensor([-1, -2, -2, -3])), [0, 1, 1, -1])
    with pytest.raises(RuntimeError, match="Integers to negative integer powers are not allowed"):
        x**-1


def test_powers_of_one_half():
    x = torch.tensor([-INF, -0.0, 4.0])
    _same(x**0.5, [NAN, -0.0, 2.0])
    _same(x.half() ** 0.5, [INF, 0.0, 2.0])


def test_a_number_to_the_power_of_a_tensor_is_contiguous():
    x = torch.ones(2, 3).t()
    assert (x**2).stride() == (1, 3)
    assert (2**x).stride() == (2, 1)


def test_exponents_are_in_range():
    with pytest.raises(RuntimeError, match="type uint8_t without overflow"):
        torch.tensor([2], dtype=torch.uint8) ** 300
    with pytest.raises(RuntimeError, match="type c10::Half without overflow"):
        torch.ones(1, dtype=torch.float16) ** 1e10


def test_float_power_is_double():
    assert torch.float_power(torch.tensor([2]), 2).dtype is torch.float64
    with pytest.raises(RuntimeError, match="float_power_ has dtype Float but the operation's"):
        torch.ones(1).float_power_(2)


def test_autograd_tells_overloads_apart():
    x = torch.ones(2, requires_grad=True)
    nodes = {
        "PowBackward0": x**2, "PowBackward1": x**x, "PowBackward2": 2**x,
        "ClampBackward0": torch.clamp(x, x, x), "ClampBackward1": torch.clamp(x, 0, 1),
        "XlogyBackward2": torch.xlogy(x, 2), "NotImplemented": 2 % x, "LerpBackward0": x.lerp(x, 1),
    }  # fmt: skip
    for name, result in nodes.items():
        assert type(result.grad_fn).__name__ == name


def test_bounds():
    x = torch.tensor([1, 5, 9])
    _same(x.clamp(2, 8), [2, 5, 8])
    _same(x.clamp(8, 2), [2, 2, 2])
    _same(x.clamp(min=1.5), [1.5, 5.0, 9.0], torch.float32)
    _same(torch.clamp(x, torch.tensor(2), torch.tensor([8, 4, 4])), [2, 4, 4])
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output"):
        x.clamp_(1.5)
    with pytest.raises(RuntimeError, match="At least one of 'min' or 'max' must not be None"):
        x.clamp()


def test_where():
    condition = torch.tensor([True, False])
    _same(torch.where(condition, torch.tensor([1.0, 2.0]), 3), [1.0, 3.0])
    _same(torch.where(condition, 1, 2.5), [1.0, 2.5], torch.float32)
    with pytest.raises(RuntimeError, match="where expected condition to be a boolean tensor"):
        torch.where(torch.tensor([1, 0]), 1, 2)
    with pytest.raises(RuntimeError, match="Expected out type to be Float but got Double"):
        torch.where(condition, torch.ones(2), torch.ones(2), out=torch.empty(2).double())


def test_nonzero():
    x = torch.tensor([[0.0, 3.0], [NAN, 0.0]])
    indices = torch.nonzero(x)
    _same(indices, [[0, 1], [1, 0]])
    assert indices.stride() == (1, 2)
    _same(torch.where(x)[1], [1, 0])
    assert torch.nonzero(torch.tensor(3)).shape == (1, 0)


def test_interpolation():
    x, y = torch.tensor([0.0, 10.0]), torch.tensor([10.0, 20.0])
    _same(torch.lerp(x, y, 0.25), [2.5, 12.5])
    _same(torch.lerp(x, y, torch.tensor([0.5, 1.0])), [5.0, 20.0])
    with pytest.raises(RuntimeError, match="expected dtype float for `end` but got dtype double"):
        torch.lerp(x, y.double(), 0.5)


def test_added_products_and_quotients():
    x = torch.tensor([1.0, 2.0])
    _same(torch.addcmul(x, x, x, value=2), [3.0, 10.0])
    _same(torch.addcdiv(x, x, x * 2), [1.5, 2.5])
    with pytest.raises(RuntimeError, match="Integer division with addcdiv is no longer supported"):
        torch.addcdiv(x, torch.tensor([1]), torch.tensor([2]))


def test_powers_of_two_scale():
    _same(torch.ldexp(torch.tensor([1.0, 1.5]), torch.tensor([3, -1])), [8.0, 0.75])
    _same(torch.ldexp(torch.tensor([2]), torch.tensor([3])), [16.0], torch.float32)


def test_an_out_that_is_an_operand_keeps_its_shape():
    x = torch.ones(1)
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        torch.maximum(x, torch.ones(3), out=x)
