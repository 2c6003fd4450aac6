"""Copies of views, copies with other elements in a view, and unsafe parts."""

from typing import Any

import pytest

import impl as torch

pytestmark = pytest.mark.filterwarnings(
    "ignore:An output with one or more", "ignore:Sparse inv", "ignore:Casting complex"
)

COPIES: dict[str, tuple[Any, ...]] = {
    "alias_copy": (),
    "as_strided_copy": ((2, 2), (1, 2), 3),
    "detach_copy": (),
    "diagonal_copy": (1,),
    "expand_copy": ((2, 2, 3, 4),),
    "narrow_copy": (1, 1, 2),
    "permute_copy": ((2, 0, 1),),
    "select_copy": (1, -1),
    "slice_copy": (1, 0, 3, 2),
    "squeeze_copy": (0,),
    "transpose_copy": (0, 1),
    "unfold_copy": (1, 2, 1),
    "unsqueeze_copy": (1,),
    "view_copy": ((2, 3, 4),),
}
PARTS: dict[str, tuple[Any, ...]] = {
    "split_copy": (2, 1),
    "split_with_sizes_copy": ((1, 2), 1),
    "unbind_copy": (1,),
}


def cube() -> Any:
    """Return a tensor of 2 x 3 x 4 elements whose dimensions lie in another order."""
    return torch.arange(24.0).reshape(4, 2, 3).permute(1, 2, 0)


def view_of(tensor: Any, name: str) -> Any:
    """Return the view that a function copies."""
    name, arguments = name.removesuffix("_copy"), {**COPIES, **PARTS}[name]
    if name == "slice":
        return tensor[:, 0:3:2]
    if name == "alias":
        return tensor
    return getattr(tensor, "reshape" if name == "view" else name)(*arguments)


@pytest.mark.parametrize("name", COPIES)
def test_copy_is_the_contiguous_view(name: str) -> None:
    tensor = cube()
    view = view_of(tensor, name)
    copy = getattr(torch, name)(tensor, *COPIES[name])
    assert copy.is_contiguous()
    assert copy._base is None
    assert copy.tolist() == view.tolist()
    assert copy.untyped_storage().nbytes() == 4 * view.numel()
    out = torch.zeros(0)
    assert getattr(torch, name)(tensor, *COPIES[name], out=out) is out
    assert out.tolist() == view.tolist()
    on_meta = getattr(torch, name)(tensor.to("meta"), *COPIES[name])
    assert on_meta.stride() == copy.stride()


@pytest.mark.parametrize("name", PARTS)
def test_copies_of_several_views(name: str) -> None:
    tensor = cube()
    views = view_of(tensor, name)
    copies = getattr(torch, name)(tensor, *PARTS[name])
    assert isinstance(copies, tuple)
    assert [each.tolist() for each in copies] == [each.tolist() for each in views]
    assert all(each.is_contiguous() for each in copies)
    out = [torch.zeros_like(view) for view in views]
    assert getattr(torch, name)(tensor, *PARTS[name], out=out) is None
    assert [each.tolist() for each in out] == [each.tolist() for each in views]
    assert [each._version for each in out] == [1] * len(out)
    with pytest.raises(RuntimeError, match="expected an out= argument of size"):
        getattr(torch, name)(tensor, *PARTS[name], out=out[:1])
    with pytest.raises(RuntimeError, match="support mutable TensorLists with negation"):
        getattr(torch, name)(tensor, *PARTS[name], out=[each._neg_view() for each in out])


def test_parts_are_written_until_one_is_refused() -> None:
    out = [torch.zeros(3), torch.zeros(3, device="meta")]
    with pytest.raises(RuntimeError, match="from device cpu to device meta"):
        torch.split_with_sizes_copy(torch.ones(2, 3), (1, 1), out=out)
    assert out[0].tolist() == [[1, 1, 1]]
    tensor, target = torch.ones(2, 3), torch.zeros(3, requires_grad=True)
    with pytest.raises(RuntimeError, match=r"unbind_copy\(\): functions with out="):
        torch.unbind_copy(tensor, out=[target, target])
    on_meta = [each.detach().to("meta").requires_grad_() for each in (target, target)]
    assert torch.unbind_copy(tensor.to("meta"), out=on_meta) is None  # which nothing checks


def test_only_split_copy_does_not_resize() -> None:
    tensor = torch.ones(2, 3)
    with pytest.raises(RuntimeError, match="size of tensor a"):
        torch.split_copy(tensor, 1, out=[torch.zeros(0), torch.zeros(0)])
    out = [torch.zeros(0), torch.zeros(0)]
    torch.unbind_copy(tensor, out=out)
    assert [each.shape for each in out] == [(3,), (3,)]
    assert [each._version for each in out] == [2, 2]  # the change of the sizes counts, too


def test_gradients_of_copies() -> None:
    leaf = torch.ones(2, 3, requires_grad=True)
    assert torch.t_copy(leaf).grad_fn.name() == "TBackward0_copy"
    assert torch.detach_copy(leaf).grad_fn.name() == "torch::autograd::NotImplemented"
    assert not torch.view_copy(leaf, torch.int32).requires_grad
    first, second = torch.unbind_copy(leaf)
    assert (first.output_nr, second.output_nr) == (0, 1)
    with pytest.raises(RuntimeError, match=r"aten::t_copy.*requires grad"):
        torch.t_copy(torch.ones(2, 3), out=torch.zeros(3, 2, requires_grad=True))
    with pytest.raises(RuntimeError, match="select_copy does not support automatic"):
        torch.select_copy(leaf.to(torch.complex64), 0, 0)


def test_out_has_to_have_the_dtype_and_device() -> None:
    tensor = torch.ones(2, 3)
    with pytest.raises(RuntimeError, match="to have dtype float, but got double"):
        torch.t_copy(tensor, out=torch.zeros(0, dtype=torch.float64))
    with pytest.raises(RuntimeError, match=r"dtype torch.float32 but got torch.float64"):
        torch.t_copy(tensor.to("meta"), out=torch.zeros(0, dtype=torch.float64, device="meta"))
    with pytest.raises(RuntimeError, match="from device cpu to device meta"):
        torch.t_copy(tensor, out=torch.zeros(0, device="meta"))
    with pytest.raises(RuntimeError, match="to have device cpu, but got meta"):
        torch.select_copy(tensor, 0, 0, out=torch.zeros(0, device="meta"))


def test_view_copy_copies_what_has_no_view() -> None:
    tensor = torch.arange(6).reshape(2, 3).t()
    assert torch.view_copy(tensor, (6,)).tolist() == [0, 3, 1, 4, 2, 5]
    with pytest.raises(RuntimeError, match="view size is not compatible"):
        torch.view_copy(tensor.to("meta"), (6,))


def test_no_copy_has_negative_sizes() -> None:
    view = torch.zeros(0, 16).as_strided((-1, 0), (1, 1))
    for copy in (torch.clone, torch.alias_copy):
        with pytest.raises(RuntimeError, match="negative dimension -1"):
            copy(view)


def test_narrow_copy_writes_bytes() -> None:
    tensor = torch.arange(6.0).reshape(2, 3).t()
    assert tensor.narrow_copy(0, 1, 2).tolist() == [[1, 4], [2, 5]]
    out = torch.zeros(3, 2).t()  # of which torch does not read the strides
    torch.narrow_copy(tensor.t(), 0, 0, 2, out=out)
    assert out.tolist() == [[0, 2, 4], [1, 3, 5]]
    small = torch.zeros(1).expand(3)
    torch.narrow_copy(torch.arange(3.0), 0, 0, 3, out=small)
    assert small.tolist() == [0, 0, 0]
    itself = torch.arange(8).reshape(2, 4)
    torch.narrow_copy(itself, 1, 2, 1, out=itself)
    assert itself.tolist() == [[2], [3]]
    for arguments, message in (
        ((2, 0, 1), "Expected dim < "),
        ((0, 4, 1), r"start out of range \(expected to be in range of \[-3, 3\], but got 4"),
        ((0, 2, 2), r"start \(2\) \+ length \(2\) exceeds dimension size \(3\)"),
        ((0, 1, -1), r"start \(1\) \+ length \(-1\) exceeds"),
    ):
        with pytest.raises((RuntimeError, IndexError), match=message):
            tensor.narrow_copy(*arguments)
    with pytest.raises(RuntimeError, match=r"self.dtype\(\) == output"):
        torch.narrow_copy(tensor, 0, 0, 1, out=torch.zeros(0, dtype=torch.int8))
    with pytest.raises(RuntimeError, match="0-dim tensor"):
        torch.narrow_copy(torch.zeros(()), 0, 0, 1)


def test_narrow_copy_of_sparse_tensors() -> None:
    tensor = torch.sparse_coo_tensor([[0, 1, 3], [2, 0, 1]], [1.0, 2.0, 3.0], (4, 3))
    part = tensor.narrow_copy(0, 1, 3)
    assert part.to_dense().tolist() == tensor.to_dense()[1:].tolist()
    assert not part.is_coalesced()
    hybrid = torch.sparse_coo_tensor([[0, 2]], torch.arange(6.0).reshape(2, 3), (3, 3))
    assert hybrid.narrow_copy(1, 1, 2).to_dense().tolist() == hybrid.to_dense()[:, 1:].tolist()
    for arguments, message in (
        ((-1, 0, 1), "Dimension -1 out of range"),
        ((0, 3, 2), r"must be a subset of range\(0, 4\)"),
        ((0, 0, -1), "length must be non-negative"),
    ):
        with pytest.raises(RuntimeError, match=message):
            tensor.narrow_copy(*arguments)
    with pytest.raises(NotImplementedError, match="aten::t_copy"):
        torch.t_copy(tensor)


SCATTERS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "select_scatter": (lambda x: x.select(1, 2), (1, 2)),
    "slice_scatter": (lambda x: x[:, 0:3:2], (1, 0, 3, 2)),
    "diagonal_scatter": (lambda x: x.diagonal(1), (1,)),
    "as_strided_scatter": (lambda x: x.as_strided((2, 2), (1, 2), 3), ((2, 2), (1, 2), 3)),
}


@pytest.mark.parametrize("name", SCATTERS)
def test_scatter_writes_to_a_view_of_a_copy(name: str) -> None:
    view, arguments = SCATTERS[name]
    tensor = cube()
    before = tensor.tolist()
    source = torch.full_like(view(tensor), 7, dtype=torch.int64)
    result = getattr(torch, name)(tensor, source, *arguments)
    assert tensor.tolist() == before
    assert view(result).tolist() == source.tolist()
    view(tensor).copy_(source)
    assert result.tolist() == tensor.tolist()
    with pytest.raises(RuntimeError, match="src to have a size equal to the slice of self"):
        getattr(torch, name)(tensor, source[:0], *arguments)


def test_scatter_copies_the_storage() -> None:
    tensor = torch.arange(60.0).reshape(10, 6)[1:3, ::2]
    result = tensor.slice_scatter(torch.ones(1, 3), 0, 1, 2)
    assert (result.stride(), result.storage_offset()) == ((6, 2), 6)
    assert result.untyped_storage().nbytes() == 240
    repeated = torch.zeros(1, 3).expand(2, 3)
    assert repeated.slice_scatter(torch.ones(1, 3), 0, 0, 1).tolist() == [[1, 1, 1], [0, 0, 0]]
    on_meta = tensor.to("meta")
    for source in (torch.ones(5), torch.ones(1, device="meta")):  # which nothing checks
        result = on_meta.slice_scatter(source, 0, 1, 2)
        assert result.stride() == on_meta.stride()
    assert tensor.select_scatter(torch.ones(9, device="meta"), 0, 0).tolist() == tensor.tolist()


def test_slice_scatter_into_a_tensor_on_meta() -> None:
    tensor, out = torch.zeros(4, 3, device="meta"), torch.zeros(0, device="meta")
    assert torch.slice_scatter(tensor, tensor[:1], 0, -1, out=out).shape == (4, 3)
    for arguments, error, message in (
        ((tensor[:2], 0, 0, 1), RuntimeError, "must match the existing size"),
        ((tensor, 0, 0, 4, 0), ZeroDivisionError, "by zero"),
        ((torch.zeros(1, 3), 0, 0, 1), RuntimeError, "Tensor on device cpu is not on"),
        ((tensor[:1].to(torch.complex64), 0, 0, 1), RuntimeError, "this can't be cast"),
    ):
        with pytest.raises(error, match=message):
            torch.slice_scatter(tensor, *arguments, out=out)
    with pytest.raises(IndexError, match="tuple index"):
        torch.slice_scatter(tensor[0, 0], tensor[0, 0], out=out)


def test_gradients_of_scatters() -> None:
    leaf = torch.ones(4, 6, requires_grad=True)
    result = torch.zeros(4, 6).select_scatter(leaf[0], 0, 1)
    assert result.grad_fn.name() == "SelectScatterBackward0"
    with pytest.raises(RuntimeError, match="only supported for contiguous inputs"):
        leaf[:, ::2].as_strided_scatter(torch.zeros(4), (4,), (1,))
    with pytest.raises(RuntimeError, match="slice_scatter does not support automatic"):
        leaf.to(torch.complex64).slice_scatter(torch.zeros(1, 6), 0, 0, 1)


def test_slice_inverse_takes_a_geometry() -> None:
    part = torch.arange(8.0)[4:]
    result = part.slice_inverse(torch.zeros(2, 4), 0, 4)
    assert result.tolist() == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert result._base is part._base
    with pytest.raises(RuntimeError, match="out of bounds for storage"):
        part.slice_inverse(torch.zeros(9))
    assert part.slice_inverse(torch.zeros(2, 2).to_sparse()).stride() == (0, 0)
    leaf = torch.ones(2, dtype=torch.complex64, requires_grad=True)
    with pytest.raises(RuntimeError, match="slice_inverse does not support automatic"):
        (leaf * 1).slice_inverse(torch.ones(2))


def test_unsafe_parts_of_sparse_tensors_are_refused() -> None:
    tensor = torch.ones(5).to_sparse()
    with pytest.raises(RuntimeError, match=r"but got split_sizes=\[\]"):
        tensor.unsafe_split_with_sizes(())
    with pytest.raises(RuntimeError, match="be non-negative"):
        tensor.unsafe_split(-1)
    with pytest.raises(NotImplementedError, match="aten::as_strided"):
        tensor.unsafe_split_with_sizes((1,))  # whose sum torch does not come to


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("unsafe_split", (2, 1)), ("unsafe_chunk", (2, 1)), ("unsafe_split_with_sizes", ((2, 1), 1))],
)
def test_unsafe_parts_share_memory_but_no_version(name: str, arguments: tuple[Any, ...]) -> None:
    tensor = torch.arange(6.0).reshape(2, 3)
    first, second = getattr(tensor, name)(*arguments)
    assert (first.tolist(), second.tolist()) == ([[0, 1], [3, 4]], [[2], [5]])
    assert not first._is_view()
    first.zero_()
    assert tensor.tolist() == [[0, 0, 2], [0, 0, 5]]
    assert (tensor._version, first._version, second._version) == (0, 1, 0)
    parts = getattr(torch.ones(2, 3, requires_grad=True), name)(*arguments)
    assert [part.output_nr for part in parts] == [0, 1]


def test_narrow_copy_copies_bytes() -> None:
    numbers = torch.tensor([2, 3], dtype=torch.uint8)
    for dtype in (torch.bool, torch.uint4):
        copy = numbers.view(dtype).narrow_copy(0, 0, 2)
        assert copy.view(torch.uint8).tolist() == [2, 3]
