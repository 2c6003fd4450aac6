"""Sums with alpha of float16 and bfloat16: the position of an element decides how it is rounded.

300 * 2.5 is 750, which bfloat16 rounds to 752; so 2 - 750 is -748 or -750, rounded to -752.
"""

import pytest

import impl as torch

ONCE, TWICE = -748.0, -752.0


def difference(left, right):
    return torch.sub(left, right, alpha=300)


def rounded(left, right):
    return difference(left, right).tolist()


def operand(number, *size):
    return torch.full(size, number, dtype=torch.bfloat16)


@pytest.mark.parametrize(
    ("count", "vectors"), [(1, 0), (31, 0), (32, 32), (63, 32), (64, 64), (70, 64)]
)
def test_the_rest_of_the_last_vector_is_rounded_twice(count, vectors):
    expected = [ONCE] * vectors + [TWICE] * (count - vectors)
    assert rounded(operand(2, count), operand(2.5, count)) == expected
    assert rounded(operand(2, count), operand(2.5)) == expected
    assert rounded(operand(2), operand(2.5, count)) == expected


def test_strided_operands_are_rounded_twice():
    for left, right in (
        (operand(2, 64)[::2], operand(2.5, 32)),
        (operand(2, 32), operand(2.5, 64)[::2]),
        (operand(2).expand(32), operand(2.5).expand(32)),
    ):
        assert rounded(left, right) == [TWICE] * 32


def test_each_row_that_is_not_coalesced_has_its_own_vectors():
    rows = rounded(operand(2, 3, 41)[:, :40], operand(2.5, 3, 40))
    assert rows == [[ONCE] * 32 + [TWICE] * 8] * 3


def test_vectors_follow_the_order_in_memory():
    result = difference(operand(2, 40, 3).t(), operand(2.5, 40, 3).t())
    assert result.t().flatten().tolist() == [ONCE] * 96 + [TWICE] * 24


def test_out_of_another_dtype_is_cast_from_the_rounded_result():
    out = torch.zeros(80, dtype=torch.float64)[::2]
    torch.sub(operand(2, 40), operand(2.5, 40), alpha=300, out=out)
    assert out.tolist() == [ONCE] * 32 + [TWICE] * 8
    strided = operand(2, 80)[::2]
    assert strided.sub_(operand(2.5, 40), alpha=300).tolist() == [TWICE] * 40
