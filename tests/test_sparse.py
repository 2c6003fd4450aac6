"""Sparse tensors: indices and values, coalescing, and errors."""

import random
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import impl
import impl as torch
from impl._ops.sparse.merge_order import merged
from impl._ops.sparse.sort_order import sort_order
from impl._runtime.errors import NotDense
from impl._tensor.sparse_coo import linear_indices
from impl._tensor.sparse_dispatch import SPARSE_FIRST, SPARSE_KERNELS
from impl._tensor.sparse_missing import could_not_run
from impl.sparse import check_sparse_tensor_invariants


@pytest.fixture(autouse=True)
def _no_invariant_checks() -> None:
    """Disable the checks of sparse invariants explicitly, which avoids the warning."""
    check_sparse_tensor_invariants.disable()


def sparse(indices: Any, values: Any, size: Sequence[int], **options: Any) -> Any:
    """Return a sparse tensor."""
    return torch.sparse_coo_tensor(indices, values, size, **options)


def merged_by_loop(left: list[int], right: list[int]) -> tuple[list[int], list[int], int]:
    """Return the merged positions of two lists, by torch's loop."""
    one = other = count = 0
    at_left, at_right = [], []
    while one < len(left) or other < len(right):
        takes_left = other == len(right) or (one < len(left) and left[one] <= right[other])
        takes_right = one == len(left) or (other < len(right) and right[other] <= left[one])
        if takes_left:
            at_left.append(count)
            one += 1
        if takes_right:
            at_right.append(count)
            other += 1
        count += 1
    return at_left, at_right, count


@pytest.mark.parametrize("most", [2, 4, 9, 30])
def test_places_are_walked_through_as_by_a_loop(most: int) -> None:
    draw = random.Random(most)
    for _ in range(2000):
        left, right = ([draw.randrange(most) for _ in range(draw.randrange(10))] for _ in "ab")
        if draw.random() < 0.3:
            left.sort()
            right.sort()
        at_left, at_right, count = merged(np.array(left, np.int64), np.array(right, np.int64))
        assert (at_left.tolist(), at_right.tolist(), count) == merged_by_loop(left, right), (
            left,
            right,
        )


def test_places_are_numbered_in_order() -> None:
    indices = np.array([[0, 1, 1], [2, 0, 2]])
    assert linear_indices(indices, (2, 4)).tolist() == [2, 4, 6]
    assert linear_indices(np.empty((0, 3), np.int64), ()).tolist() == [0, 0, 0]


def test_values_of_one_place_are_added_in_order_and_each_sum_is_rounded() -> None:
    x = sparse([[1, 1, 1]], torch.tensor([256.0, 1.0, 1.0]).bfloat16(), (4,))
    assert x.coalesce().values().tolist() == [256.0]
    assert x.to_dense().tolist() == [0.0, 256.0, 0.0, 0.0]
    assert x.sum().item() == 258.0  # the values are summed without coalescing


def test_coalescing_sorts_and_leaves_a_coalesced_one_alone() -> None:
    x = sparse([[1, 0, 1], [2, 0, 2]], [3, 4, 5], (2, 4))
    result = x.coalesce()
    assert result.indices().tolist() == [[0, 1], [0, 2]]
    assert result.values().tolist() == [4, 8]
    assert result.coalesce() is result
    assert (x.is_coalesced(), result.is_coalesced()) == (False, True)
    with pytest.raises(RuntimeError, match="Cannot get values on an uncoalesced tensor"):
        x.values()


def test_products_are_looked_up_and_sums_are_merged() -> None:
    x = sparse([[0, 1, 1], [2, 0, 2]], [3.0, 4.0, 5.0], (2, 4))
    y = sparse([[1, 0, 1], [2, 0, 2]], [3.0, 4.0, 5.0], (2, 4))
    assert (x * y)._values().tolist() == [15.0, 0.0, 25.0]
    assert (x + y)._indices().tolist() == [[0, 1, 1, 0, 1], [2, 0, 2, 0, 2]]
    assert (x + y).to_dense().tolist() == (x.to_dense() + y.to_dense()).tolist()


def test_what_changes_a_sparse_tensor_counts_as_a_write() -> None:
    x = sparse([[0, 1]], [1.0, 2.0], (3,))
    before = x._version
    assert x.add_(x) is x
    assert (x._version, x.to_dense().tolist()) == (before + 1, [2.0, 4.0, 0.0])


@pytest.mark.parametrize(("program", "message"), [
    ("x.view(8)", "Could not run 'aten::view' with arguments from the 'SparseCPU' backend"),
    ("x.untyped_storage()", "Cannot access storage of SparseTensorImpl"),
    ("x.is_shared()", "Cannot access storage of SparseTensorImpl"),
    ("x.numpy()", "can't convert Sparse layout tensor to numpy"),
    ("x + 1", r"add\(sparse, dense\) is not supported"),
    ("x.reshape(8)", "reshape is not implemented for sparse tensors"),
    ("x.hypot(x)", "Could not run 'aten::hypot' with arguments from the 'SparseCPU' backend"),
    ("x.lt_(2)", r"Could not run 'aten::lt_.Scalar'"),
    ("x.lt_(x)", r"Could not run 'aten::lt_.Tensor'"),
    ("x.clip(2)", r"Could not run 'aten::clamp'"),
    ("x.amax(7)", r"Could not run 'aten::amax'"),
    ("x.masked_fill_(x, 1)", r"Could not run 'aten::masked_fill_.Scalar'"),
    ("x.random_(1, 5)", r"Could not run 'aten::random_.from'"),
    ("x.split((3, 2))", r"Could not run 'aten::as_strided'"),
    ("x.chunk(0)", "chunk expects `chunks` to be greater than 0, got: 0"),
    ("x.expand(3)", r"expand\(torch.sparse.FloatTensor{\[2, 4\]}, size=\[3\]\)"),
    ("x.copy_(2)", "Found self type = torch.sparse.FloatTensor and src type = torch.LongTensor"),
    ("x.copy_(2.5)", "src type = torch.DoubleTensor"),
    ("x.new([2, 3])", r"SparseTensor.new\(sequence\) only accepts sizes"),
    ("x.new(x, x)", "expected indices to be a dense tensor, but got indices of layout Sparse"),
    ("torch.ones(2, 4).coalesce()", "coalesce expected sparse coordinate tensor layout"),
    ("torch.ones(2, 3, layout=torch.sparse_coo)",
     r"full\(...\) is not implemented for sparse layout"),
    ("torch.zeros(2, layout=torch.sparse_csr)",
     "impl cannot make tensors of layout torch.sparse_csr"),
])  # fmt: skip
def test_what_sparse_tensors_have_not_is_refused(program: str, message: str) -> None:
    x = sparse([[0, 1], [2, 0]], [3.0, 4.0], (2, 4))
    with pytest.raises((RuntimeError, TypeError), match=message):
        eval(program, {"torch": torch, "x": x})


@pytest.mark.parametrize(
    "name", sorted({*vars(impl.Tensor)} - {"__init_subclass__", "__class__", "__slots__"})
)
def test_no_method_takes_a_sparse_tensor_for_a_dense_one(name: str) -> None:
    """Code without support for sparse tensors raises an error of torch, not NotDense."""
    x = sparse([[0, 1], [2, 0]], [3.0, 4.0], (2, 4))
    for arguments in ((), (0,), (x,), ({},)):
        try:
            member = getattr(x, name)
            if callable(member):
                member(*arguments)
        except NotDense as error:
            pytest.fail(f"{name}{arguments} lets {error!r} out")
        except Exception:  # noqa: BLE001  # any other error is allowed
            continue


def test_every_operator_that_knows_of_sparse_tensors_is_in_the_table_or_refused() -> None:
    assert {*SPARSE_KERNELS} - SPARSE_FIRST <= {
        "to_dtype", "to_place", "empty", "zeros", "ones_like", "full_like", "resize_and_clear_",
        "zeros_like", "empty_like", "new_zeros", "new_empty", "new_ones", "new_full",
        "getitem", "T", "mT", "H", "mH",
        "iter", "split", "tensor_split", "index_select",
        "real", "imag",
    }  # fmt: skip
    assert "aten::view" in str(could_not_run("view", "SparseCPU"))


@pytest.mark.parametrize("count", [16, 17, 18, 100, 1000])
def test_many_indices_are_sorted_as_by_introsort(count: int) -> None:
    half = count // 2
    killer = np.arange(count)
    killer[1:half:2], killer[half : 2 * half] = killer[1:half:2] + half, 2 * np.arange(half)
    for keys in (np.zeros(count, np.int64), np.arange(count)[::-1] % 3, killer):
        order = sort_order(keys.copy())
        assert (np.sort(keys) == keys[order]).all()
        assert sorted(order.tolist()) == [*range(count)]
    is_stable = sort_order(np.zeros(count, np.int64)).tolist() == [*range(count)]
    assert is_stable == (count <= 16)


def test_invariants_are_checked_where_that_is_asked_for() -> None:
    sparse([[5]], [1.0], (2,))
    with check_sparse_tensor_invariants():
        assert check_sparse_tensor_invariants.is_enabled()
        with pytest.raises(
            RuntimeError,
            match="size is inconsistent with indices: for dim 0, size is 2 but found index 5",
        ):
            sparse([[5]], [1.0], (2,))
    assert not check_sparse_tensor_invariants.is_enabled()
    with pytest.raises(RuntimeError, match="found negative index -1 for dim 0"):
        sparse([[-1]], [1.0], (2,), check_invariants=True)


def test_they_are_printed() -> None:
    x = sparse([[0, 1], [2, 0]], [3.0, 4.0], (2, 4))
    assert repr(x) == (
        "tensor(indices=tensor([[0, 1],\n                       [2, 0]]),\n"
        "       values=tensor([3., 4.]),\n       size=(2, 4), nnz=2, layout=torch.sparse_coo)"
    )


def test_on_meta_they_have_no_values() -> None:
    x = sparse([[0, 1], [2, 0]], [3.0, 4.0], (2, 4)).to("meta")
    assert (x.device.type, x._nnz(), x.is_coalesced()) == ("meta", 0, True)
    assert torch.zeros(2, layout=torch.sparse_coo, device="meta").is_meta
    with pytest.raises(NotImplementedError, match=r"^Cannot copy out of meta tensor; no data!$"):
        x.to("cpu")


def test_factories_empty_a_sparse_out() -> None:
    for call in (torch.zeros, torch.empty):
        x = sparse([[0, 1]], [3.0, 4.0], (2,))
        assert call((2, 3), out=x) is x
        assert (x.shape, x._nnz(), x.sparse_dim(), x.is_coalesced()) == ((2, 3), 0, 2, True)
        assert x._version == 1


@pytest.mark.parametrize(
    ("call", "kernel"),
    [
        (lambda x: torch.arange(3, out=x), "arange.start_out"),
        (lambda x: torch.eye(2, out=x), "eye.out"),
        (lambda x: torch.eye(2, 1, out=x), "eye.m_out"),
        (lambda x: torch.rand(2, out=x), "resize_"),
        (lambda x: torch.randperm(2, out=x), "randperm.generator_out"),
    ],
)
def test_other_factories_have_no_sparse_kernel(call: Any, kernel: str) -> None:
    with pytest.raises(NotImplementedError, match=f"^Could not run 'aten::{kernel}'"):
        call(sparse([[0]], [1.0], (2,)))
    with pytest.raises(RuntimeError, match=r"^full\(...\) is not implemented for sparse layout$"):
        torch.ones(2, out=sparse([[0]], [1.0], (2,)))


def test_the_sum_of_torch_sparse_coalesces_first() -> None:
    x = sparse([[0, 0]], [complex("inf"), complex("nan")], (2,))
    assert str(impl.sparse.sum(x).item()) == "(nan+nanj)"
    assert str(x.sum().item()) == "(nan+0j)"


def test_a_sum_of_another_dtype_than_out_changes_its_dense_operand() -> None:
    sparse = torch.sparse_coo_tensor([[1]], [2.0], (3,))
    dense, out = torch.ones(3), torch.zeros(3, dtype=torch.float64)
    torch.add(dense, sparse, out=out)
    assert dense.tolist() == out.tolist() == [1, 3, 1]
    dense = torch.ones(3)
    torch.add(dense, sparse, out=torch.zeros(3))
    assert dense.tolist() == [1, 1, 1]


def test_a_number_is_added_as_a_dense_tensor() -> None:
    with pytest.raises(RuntimeError, match=r"^add: expected 'self' and 'other' to have same size"):
        torch.add(2, sparse([[0]], [1.0], (2,)))


def test_new_sparse_tensors_of_sizes_or_of_parts() -> None:
    x = sparse([[0, 1]], [1.0, 2.0], (3,))
    assert (x.new().shape, x.new(2, 3).shape, x.new(2).layout) == ((0,), (2, 3), torch.sparse_coo)
    made = x.new(torch.tensor([[0, 4]]), torch.tensor([5, 6]))
    assert (made.shape, made.dtype, made.to_dense().tolist()) == (
        (5,),
        torch.int64,
        [5, 0, 0, 0, 6],
    )


def test_permutations_that_begin_with_the_first_dimension_stay_coalesced() -> None:
    x = sparse([[0, 1], [1, 0]], [1.0, 2.0], (2, 3)).coalesce()
    assert x.permute(0, 1).is_coalesced()
    assert not x.permute(-2, -1).is_coalesced()


def test_slices_of_unbind_are_outputs_of_one_function() -> None:
    x = sparse([[0, 1], [1, 0]], [1.0, 2.0], (2, 3)).requires_grad_()
    assert [part.output_nr for part in x.unbind(1)] == [0, 1, 2]
    assert type(x.unbind()[1].grad_fn).__name__ == "UnbindBackward0"


def test_a_product_expands_a_sparse_tensor_to_new_dimensions_alone() -> None:
    dense = torch.arange(12.0).view(3, 4)
    row = sparse([[0, 0], [1, 3]], [2.0, 3.0], (1, 4))
    product = dense * row
    assert (product.shape, product._indices().tolist()) == ((3, 4), [[0, 0], [1, 3]])
    assert product._values().tolist() == [2.0, 9.0]
    product = dense * sparse([[1]], [2.0], (4,))
    assert product._indices().tolist() == [[0, 1, 2], [1, 1, 1]]
    assert product._values().tolist() == [2.0, 10.0, 18.0]
    with pytest.raises(RuntimeError, match=r"^shape '\[2, 1\]' is invalid for input of size 8$"):
        torch.ones(2, 3, 4) * sparse([[0]], [[1.0]], (3, 1))


def test_a_product_of_no_values_has_none() -> None:
    impossible = torch.sparse_coo_tensor([[-1]], torch.ones(1, 4), (0, 4), check_invariants=False)
    product = torch.ones(3, 1, 4) * impossible
    assert (product.shape, product._nnz()) == ((3, 0, 4), 0)


def test_values_are_added_one_by_one_to_elements_that_share_memory() -> None:
    x = torch.tensor([1.0, 2.0]).expand(2, 2)
    assert x.add_(sparse([[0, 1], [0, 0]], [10.0, 100.0], (2, 2))).tolist() == [[111.0, 2.0]] * 2
    assert x.mul_(sparse([[0], [1]], [3.0], (2, 2))).tolist() == [[0.0, 6.0]] * 2


def test_a_sum_of_another_dtype_is_not_copied_to_elements_that_share_memory() -> None:
    x, y = torch.ones(1).expand(2), sparse([[0]], [1.0], (2,), dtype=torch.float64)
    with pytest.raises(RuntimeError, match="refers to a single memory location"):
        x.add_(y)
    empty = torch.sparse_coo_tensor((2,), dtype=torch.float64)
    assert x.mul_(empty).tolist() == [0.0, 0.0]  # nothing is copied


@pytest.mark.parametrize("part", ["indices()", "values()", "detach()", "t()", "select(0, 0)"])
def test_parts_and_views_share_the_version_counter(part: str) -> None:
    x = sparse([[0, 1]], [1.0, 2.0], (3,)).coalesce()
    result = eval(f"x.{part}")
    assert (result._version, x._version) == (0, 0)
    x.mul_(2)
    assert (result._version, x._version) == (1, 1)


def test_a_view_of_a_view_of_another_dtype_is_not_regenerated() -> None:
    x = sparse([[0, 1]], [1j, 2.0], (3,)).coalesce().requires_grad_().clone()
    real = x.real
    assert type(real.grad_fn).__name__ == "SelectBackward0"
    x.mul_(2)
    with pytest.raises(NotImplementedError, match=r"^Could not run 'aten::as_strided'"):
        _ = real.grad_fn


@pytest.mark.parametrize(
    ("coalesced", "kernel"), [(True, "mul_out_sparse"), (False, "binary_op_intersection_cpu")]
)
def test_products_of_uint16_have_no_kernel(coalesced: bool, kernel: str) -> None:
    x = sparse([[0, 1]], [1, 1], (3,), dtype=torch.uint16)._coalesced_(coalesced)
    with pytest.raises(NotImplementedError, match=f'^"{kernel}" not implemented for'):
        x * x


def test_scans_have_results_only_without_elements() -> None:
    values, indices = torch.ones(2, 0).to_sparse().cummax(5)
    assert values.shape == indices.shape == (2, 0)
    assert values.is_sparse
    assert indices.is_sparse
    assert indices.dtype is torch.int64
    with pytest.raises(NotImplementedError, match=r"aten::fill_\.Tensor"):
        torch.tensor(1.0).to_sparse().cummin(0)


def test_products_without_elements() -> None:
    tensor = torch.tensor([[-4.0], [2.0]]).to_sparse()
    for result in (tensor * torch.ones(2, 0), torch.ones(2, 0) * tensor):
        assert (result.shape, result._nnz()) == ((2, 0), 0)


def test_permuted_tensors_without_elements_have_strides() -> None:
    assert torch.zeros(0).to_sparse().permute(0).stride() == (1,)


def test_filled_like_names_the_backend_of_the_result() -> None:
    tensor = torch.ones(1).to_sparse()
    for call in (
        lambda: torch.full_like(tensor, 3, device="meta"),
        lambda: torch.ones_like(tensor, device="meta"),
    ):
        with pytest.raises(NotImplementedError, match="SparseMeta"):
            call()


def test_an_empty_mask_is_false() -> None:
    mask = torch.tensor(False).to_sparse()  # its item() is the int 0
    assert torch.tensor([7, 8])[mask].shape == (0, 2)


def test_operators_resolve_the_bits_of_dense_operands() -> None:
    number = torch.tensor(2.0).to_sparse()
    x = torch.tensor([1.0, 0.0, 2.0]).to_sparse()
    y = torch.tensor([1 + 2j, 3 - 1j, -1]).conj()
    assert (number * y)._values().tolist() == [2 - 4j, 6 + 2j, -2]  # type: ignore[attr-defined]
    assert (y * x)._values().tolist() == [1 - 2j, -2]  # type: ignore[attr-defined]
    assert (y + x).tolist() == [2 - 2j, 3 + 1j, 1]
    assert (y.imag + x).tolist() == [-1, 1, 2]
    y.add_(x)
    assert (y.is_conj(), y.tolist()) == (True, [2 - 2j, 3 + 1j, 1])
    y.mul_(x)
    assert (y.is_conj(), y.tolist()) == (True, [2 - 2j, 0, 2])
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        torch.tensor([1j]).conj().expand(3).add_(x)


def test_values_with_bits_are_resolved_in_a_new_sparse_tensor() -> None:
    values = torch.tensor([1j, 2 + 1j]).conj()
    x = torch.sparse_coo_tensor([[0, 2]], values, (3,))
    assert not x._values().is_conj()  # type: ignore[attr-defined]
    assert x.to_dense().tolist() == [-1j, 0, 2 - 1j]
    negative = torch.zeros(2, dtype=torch.uint16)._neg_view()  # type: ignore[attr-defined]
    with pytest.raises(IndexError, match="tensor has no dimensions"):
        torch.sparse_coo_tensor(torch.tensor(1), negative, (2,))


def test_results_that_are_coalesced_again_may_not_know_it() -> None:
    x = torch.sparse_coo_tensor([[0, 2]], torch.arange(4)[::2], (3,))
    assert ((x + x).is_coalesced(), (x + x)._nnz()) == (False, 2)
    y = torch.tensor([[2, 0, 1]]).to_sparse()
    assert y.mul_(torch.ones(3, 1, dtype=torch.int64)).shape == (3, 3)
    assert not y.is_coalesced()


def test_addr_of_a_sparse_vector_needs_no_other_module_first():
    program = (
        "import impl as torch\n"
        "torch.sparse.check_sparse_tensor_invariants.disable()\n"
        "z = torch.sparse_coo_tensor([[0, 1]], [1.0, 2.0], (3,))\n"
        "print(torch.zeros(2, 3).addr_(torch.tensor([1, 0]), z).tolist())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "[[1.0, 2.0, 0.0], [0.0, 0.0, 0.0]]\n", done.stderr
