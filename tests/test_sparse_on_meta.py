"""Sparse tensors on meta, for which torch has few kernels."""

import pytest

import impl as torch

pytestmark = pytest.mark.filterwarnings("ignore:Sparse invariant checks")


def on_meta(coalesced=None):
    indices = torch.zeros(2, 3, dtype=torch.int64, device="meta")
    values = torch.ones(3, device="meta")
    return torch.sparse_coo_tensor(indices, values, (2, 3), is_coalesced=coalesced)


MISSING = {
    "abs.out": (torch.abs, torch.absolute, torch.abs_, torch.isfinite),
    "mul.out": (torch.deg2rad, torch.rad2deg_),
    "trunc": (torch.trunc, torch.fix),
    "sin_": (torch.sin_, lambda x: x.sin_()),
    "neg": (torch.negative, lambda x: -x),
    "nan_to_num.out": (torch.nan_to_num, torch.nan_to_num_),
    "mul.Tensor": (lambda x: x * 2, lambda x: torch.mul(x, x)),
    "mul_.Tensor": (lambda x: x.mul_(2),),
    "sub.Tensor": (lambda x: x - x, lambda x: torch.rsub(x, 2)),
    "rsub.Tensor": (lambda x: torch.rsub(x, x),),
    "div.Tensor": (lambda x: x / 2, lambda x: torch.true_divide(x, 2)),
    "div.Tensor_mode": (lambda x: torch.div(x, 2, rounding_mode="floor"),),
    "floor_divide_.Tensor": (lambda x: x.floor_divide_(2),),
    "pow.Tensor_Scalar": (lambda x: x**2, torch.square, lambda x: torch.float_power(x, 2)),
    "pow.Scalar": (lambda x: 2**x,),
    "pow_.Scalar": (lambda x: x.pow_(2), torch.square_),
    "round.decimals": (lambda x: torch.round(x, decimals=1),),
    "sum.dim_IntList": (lambda x: torch.sum(x, 0),),
    "mean.dim": (torch.mean,),
    "any": (torch.any,),
    "amax": (torch.amax,),
    "max.dim": (lambda x: torch.max(x, 1),),
    "cumsum": (lambda x: torch.cumsum(x, 0),),
    "_cummax_helper": (lambda x: torch.cummax(x, 0),),
    "as_strided": (
        lambda x: x.permute(1, 0), lambda x: x.unsqueeze(0), torch.squeeze, lambda x: x[None],
        lambda x: torch.stack([x, x]), lambda x: x.movedim(0, 1), lambda x: x.T,
    ),
    "cat": (lambda x: torch.cat([x, x]),),
    "index.Tensor": (lambda x: x[[0]],),
    "_to_dense": (lambda x: x.to_dense(),),
    "fill_.Scalar": (lambda x: x.new_ones(2), lambda x: torch.where(x, 1, 2)),
    "new_empty_strided": (lambda x: x.new_empty_strided((2,), (1,)),),
}  # fmt: skip


@pytest.mark.parametrize(
    ("kernel", "call"), [(kernel, call) for kernel, calls in MISSING.items() for call in calls]
)
def test_the_error_names_the_kernel_and_the_backend(kernel, call):
    with pytest.raises(NotImplementedError) as caught:
        call(on_meta())
    text = f"Could not run 'aten::{kernel}' with arguments from the 'SparseMeta' backend."
    assert str(caught.value).startswith(text)


@pytest.mark.parametrize(
    ("call", "shape"),
    [
        (torch.clone, (2, 3)),
        (lambda x: x.transpose(0, 1), (3, 2)),
        (lambda x: x.to(torch.float64), (2, 3)),
        (lambda x: x + x, (2, 3)),
        (torch.empty_like, (2, 3)),
    ],
)
def test_copies_have_no_values(call, shape):
    result = call(on_meta())
    assert result.device.type == "meta"
    assert result.shape == shape
    assert result._nnz() == 0
    assert result.is_coalesced()


def test_writes_change_nothing():
    x = on_meta()
    assert x.add_(x) is x
    assert x.copy_(3) is x
    assert x._nnz() == 3
    assert torch.add(x, x, out=x)._nnz() == 3
    assert x.zero_()._nnz() == 0
    assert x.device.type == "meta"


def test_a_dense_tensor_takes_a_sparse_one_without_values():
    dense, sparse = torch.ones(2, 3, device="meta"), torch.empty_like(on_meta())
    assert (dense + sparse).layout is torch.strided
    assert dense.add_(sparse) is dense
    with pytest.raises(RuntimeError, match="its data is not allocated yet"):
        dense + on_meta(coalesced=True)
    with pytest.raises(NotImplementedError, match="aten::_coalesce"):
        dense + on_meta()


def test_a_position_needs_elements():
    for call in (lambda x: x[0], lambda x: x.select(0, 1), torch.unbind):
        with pytest.raises(NotImplementedError, match=r"register_meta function for torch.nonzero"):
            call(on_meta())


def test_values_on_meta_are_not_pinned() -> None:
    indices, values = torch.tensor([[1, 0]]), torch.ones(2, device="meta")
    message = "cannot pin 'MetaFloatType' only dense CPU tensors can be pinned"
    for device in (None, "meta"):
        with pytest.raises(RuntimeError, match=message):
            torch.sparse_coo_tensor(
                indices.to("meta"), values, (3,), device=device, pin_memory=True
            )
