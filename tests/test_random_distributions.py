"""exponential_, geometric_, cauchy_, log_normal_ and multinomial by torch's numbers for a seed."""

import math

import pytest

import impl as torch


@pytest.mark.parametrize(
    ("name", "arguments", "numbers"),
    [
        ("exponential_", (), [3.508326292037964, 1.2303847074508667, 0.615044116973877]),
        ("exponential_", (2.5,), [1.4033304452896118, 0.49215391278266907, 0.24601763486862183]),
        ("geometric_", (0.3,), [1.0, 1.0, 3.0]),
        ("cauchy_", (1, 2), [22.195459365844727, 2.5295345783233643, 0.743401288986206]),
        ("log_normal_", (), [59.2634162902832, 1.5115599632263184, 0.03481946140527725]),
    ],
)
def test_numbers_follow_from_the_seed(
    name: str, arguments: tuple[float, ...], numbers: list[float]
) -> None:
    torch.manual_seed(0)
    x = torch.empty(3)
    assert getattr(x, name)(*arguments) is x
    assert x.tolist() == numbers


def test_other_dtypes_and_orders_take_the_same_stream() -> None:
    torch.manual_seed(0)
    assert torch.empty(4, dtype=torch.int8).geometric_(0.01).tolist() == [4, 35, 78, 9]
    torch.manual_seed(0)
    x = torch.empty(2, dtype=torch.float64).log_normal_(0.5, 0.25)
    assert x.tolist() == [2.4235878553037287, 1.5321052554493706]
    torch.manual_seed(0)
    in_memory_order = torch.empty(3, 2).t().exponential_().t().flatten().tolist()
    torch.manual_seed(0)
    assert in_memory_order == torch.empty(6).exponential_().tolist()


def test_large_results_are_those_of_the_c_library() -> None:
    generator = torch.Generator().manual_seed(5)
    x = torch.empty(3000, dtype=torch.float64).exponential_(generator=generator)
    u = torch.rand(3000, dtype=torch.float64, generator=generator.manual_seed(5)).tolist()
    exact = [-math.log1p(-number) for number in u]
    assert x.tolist() == exact
    rounded = torch.empty(3000).exponential_(generator=generator.manual_seed(5))
    assert rounded.tolist() == torch.tensor(exact, dtype=torch.float64).float().tolist()


def test_numbers_beyond_a_function_are_infinite() -> None:
    assert torch.empty(3).log_normal_(1e5, 1).tolist() == [math.inf] * 3
    assert torch.empty(3).exponential_(1e-200).tolist() == [math.inf] * 3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("exponential_(0)", "exponential_ expects lambda > 0.0, but found lambda=0"),
        ("geometric_(1)", "geometric_ expects p to be in (0, 1), but got p=1"),
        ("cauchy_(0, math.nan)", "cauchy_ expects sigma > 0.0, but found sigma=nan"),
        ("log_normal_(0, -1)", "log_normal_ expects std > 0.0, but found std=-1"),
    ],
)
def test_wrong_parameters_leave_the_stream(call: str, message: str) -> None:
    torch.manual_seed(0)
    with pytest.raises(RuntimeError) as caught:
        eval(f"torch.empty(3).{call}", {"torch": torch, "math": math})
    assert str(caught.value) == message
    assert torch.rand(1).item() == 0.49625658988952637


def test_multinomial_draws_by_probabilities() -> None:
    torch.manual_seed(0)
    weights = torch.tensor([[0.1, 0.2, 0.7], [3, 0, 1]])
    assert torch.multinomial(weights, 2).tolist() == [[2, 1], [0, 2]]
    again = weights[0].multinomial(6, True)
    assert again.tolist() == [1, 2, 2, 1, 2, 1]
    assert again.dtype is torch.int64


def test_multinomial_writes_the_rows_before_an_invalid_one() -> None:
    weights = torch.tensor([[0.0, 1.0], [1.0, -1.0]])
    out = torch.full((2, 3), 7)
    with pytest.raises(RuntimeError, match="encountering probability entry < 0"):
        torch.multinomial(weights, 3, True, out=out)
    assert out.tolist() == [[1, 1, 1], [7, 7, 7]]
    with pytest.raises(RuntimeError, match="probability tensor contains either"):
        torch.multinomial(weights, 1, out=out)
