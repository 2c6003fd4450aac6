"""What torch checks of a call with a sparse tensor before it refuses it, and what it refuses."""

import warnings

import pytest

import impl as torch


def test_sizes_are_checked_before_a_view_of_a_sparse_tensor_is_refused():
    number, vector = torch.tensor(6.0).to_sparse(), torch.tensor([6.0]).to_sparse()
    with pytest.raises(RuntimeError, match="tensor has no dimensions"):
        number.unflatten(0, (-1, 1))
    with pytest.raises(RuntimeError, match="don't multiply up"):
        vector.unflatten(0, (2, 1))
    with pytest.raises(NotImplementedError, match="aten::view"):
        vector.unflatten(0, (1, 1))
    with pytest.raises(IndexError, match="tensor has no dimensions"):
        number.unbind()
    with pytest.raises(IndexError, match="but got 5"):
        number.unbind(5)


def test_parts_of_a_sparse_tensor_are_counted_before_devices_are_compared():
    x = torch.ones(2, 2).to_sparse()
    out = [torch.zeros(2, device=device) for device in ("cpu", "meta", "cpu")]
    with pytest.raises(RuntimeError, match="of size 2, got size 3"):
        torch.unbind_copy(x, 0, out=out)


def test_stack_looks_again_at_the_sizes_of_an_operand_that_is_the_result():
    memory, sparse = torch.arange(10.0), torch.ones(5).to_sparse()
    x, other = memory[5:], memory[:5]
    with (
        pytest.warns(UserWarning, match="was resized"),
        pytest.raises(RuntimeError, match=r"got \[3, 5\] at entry 0 and \[5\] at entry 1"),
    ):
        torch.stack([x, other, sparse], 0, out=x)
    out = torch.zeros(0)
    with pytest.raises(NotImplementedError, match=r"aten::cat\.out"):
        torch.stack([other, sparse], 1, out=out)
    assert out.shape == (0,)


@pytest.mark.parametrize("mask", [True, False])
def test_a_sparse_value_fills_nothing(mask):
    x = torch.ones(2)
    with pytest.raises(NotImplementedError, match=r"aten::masked_fill_\.Tensor"):
        x.masked_fill_(torch.tensor(mask), torch.tensor(2.0).to_sparse())
    assert x.tolist() == [1.0, 1.0]


def test_products_of_integers_have_no_gradient():
    left, right = torch.tensor([[1, 0]]), torch.zeros(2, 3).to_sparse().requires_grad_()
    for multiply in (lambda: torch.mm(left, right), lambda: torch.mv(right.t(), left[0])):
        with pytest.raises(RuntimeError, match="Autograd not support dtype: Long"):
            multiply()


def test_factors_of_sparse_sums_may_be_tensors():
    x, eye = torch.ones(2, 2), torch.eye(2).to_sparse()
    two, three = torch.tensor(2), torch.tensor(3)
    expected = torch.full((2, 2), 5.0)
    assert torch.equal(torch.addmm(x, eye, x, beta=two, alpha=three), expected)
    with warnings.catch_warnings(action="ignore"):  # these overloads are deprecated
        results = torch.addmm(2, x, 3, eye, x), torch.addmm(two, x, eye, x)
    assert [r.tolist() for r in results] == [[[5.0] * 2] * 2, [[3.0] * 2] * 2]
    number, vector = torch.tensor(1.5), torch.tensor([1, 0])
    with pytest.raises(RuntimeError, match="expected 'self' and 'other' to have same size"):
        number.addr_(vector, torch.tensor([1.0, 2.0, 0.0]).to_sparse())


def test_bmm_makes_its_result_before_it_refuses_a_sparse_second_operand() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tensor = torch.sparse_coo_tensor(size=(2, 3)).to(torch.complex32)
        torch.set_warn_always(True)
        del caught[:]
        try:
            with pytest.raises(RuntimeError, match="'mat2' must be dense"):
                torch.bmm(tensor, tensor)
        finally:
            torch.set_warn_always(False)
    assert ["ComplexHalf" in str(each.message) for each in caught] == [True, True]


def test_sparse_tensors_are_refused_before_other_checks() -> None:
    empty, tensor = torch.ones(2, 0).to_sparse(), torch.ones(2).to_sparse()
    for kernel, call in (
        ("nonzero", lambda: empty.nonzero()),
        ("nonzero", lambda: empty.argwhere()),
        ("eq.Tensor", lambda: tensor in torch.ones(2)),
    ):
        with pytest.raises(NotImplementedError, match=f"'aten::{kernel}'"):
            call()
    with pytest.raises(TypeError, match="Cannot assign to a sparse tensor"):
        tensor[0] = "a"


def test_gradients_of_out_come_before_missing_kernels() -> None:
    tensor, out = torch.ones(2).to_sparse().requires_grad_(), torch.zeros(0)
    for call in (
        lambda: torch.logsumexp(tensor, 0, out=out),
        lambda: torch.logcumsumexp(tensor, 0, out=out),
        lambda: torch.narrow_copy(tensor, 0, 0, 1, out=out),
    ):
        with pytest.raises(RuntimeError, match="automatic differentiation"):
            call()


def test_stack_resizes_out_before_it_refuses_a_sparse_tensor() -> None:
    tensor, out = torch.ones(2, 3), torch.zeros(0)
    with pytest.raises(NotImplementedError, match="aten::cat"):
        torch.stack((tensor, tensor.to_sparse()), out=out)
    assert out.shape == (2, 2, 3)
