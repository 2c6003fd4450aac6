"""Products of matrices and vectors beside loops of Python."""

import itertools
import math
from typing import Any

import pytest
from hypothesis import given, strategies as st

import impl as torch
from impl.testing import simulated_cuda

pytestmark = pytest.mark.filterwarnings(
    "ignore:An output with one or more",
    "ignore:torch.chain",
    "ignore:Sparse CSR",
    "ignore:Using torch.cross",
)
SIZES = st.integers(0, 4)
DTYPES = st.sampled_from(
    [torch.float32, torch.float64, torch.bfloat16, torch.float16, torch.complex64, torch.int8]
)


def numbers(shape: tuple[int, ...], dtype: Any, first: int = 0) -> Any:
    """Return a tensor of small numbers whose last two dimensions lie transposed in memory."""
    tensor = ((torch.arange(math.prod(shape)) * 5 + first) % 7 - 3).reshape(shape).to(dtype)
    return tensor.mT.contiguous().mT if len(shape) > 1 else tensor


def looped(left: list[Any], right: list[Any]) -> list[Any]:
    """Return the product of two matrices, given as lists of rows."""
    columns = len(right[0]) if right else 0
    return [
        [sum(a * b[index] for a, b in zip(row, right, strict=True)) for index in range(columns)]
        for row in left
    ]


def as_list(tensor: Any) -> Any:
    """Return the elements of a tensor as numbers that compare with those of Python."""
    return tensor.to(torch.complex128 if tensor.is_complex() else torch.float64).tolist()


@given(rows=SIZES, inner=st.integers(1, 4), columns=st.integers(1, 4), dtype=DTYPES)
def test_mm(rows: int, inner: int, columns: int, dtype: Any) -> None:
    left, right = numbers((rows, inner), dtype), numbers((inner, columns), dtype, 1)
    wanted = looped(as_list(left), as_list(right))
    assert as_list(torch.mm(left, right)) == wanted
    assert as_list(left @ right) == wanted
    assert as_list(torch.mv(left, right[:, 0])) == [row[0] for row in wanted]
    assert as_list(torch.bmm(left[None], right[None])[0]) == wanted
    out = torch.zeros(0, dtype=dtype)
    assert torch.mm(left, right, out=out) is out
    assert as_list(out) == wanted
    added = numbers((rows, columns), dtype, 2)
    sums = [
        [2 * own + 3 * new for own, new in zip(*pair, strict=True)]
        for pair in zip(as_list(added), wanted, strict=True)
    ]
    assert as_list(torch.addmm(added, left, right, beta=2, alpha=3)) == sums
    assert as_list(added.clone().addmm_(left, right, beta=2, alpha=3)) == sums
    assert as_list(torch.baddbmm(added, left[None], right[None], beta=2, alpha=3)[0]) == sums
    assert as_list(torch.addbmm(added, left[None], right[None], beta=2, alpha=3)) == sums


@pytest.mark.parametrize("size", [3, 9, 40])
@pytest.mark.parametrize("name", ["bmm", "matmul"])
def test_batches_by_each_kernel(size: int, name: str) -> None:
    left = numbers((2, size, 5), torch.int64)
    right = numbers((2, 5, size), torch.int64, 1)
    for dtype in (torch.int64, torch.float32, torch.bfloat16, torch.complex64):
        product = getattr(torch, name)(left.to(dtype), right.to(dtype))
        for index in range(2):
            wanted = looped(left[index].tolist(), right[index].tolist())
            assert (product[index] == torch.tensor(wanted)).all()


@given(left=st.lists(SIZES, min_size=1, max_size=4), right=st.lists(SIZES, min_size=1, max_size=4))
def test_matmul_broadcasts(left: list[int], right: list[int]) -> None:
    right[-2 if len(right) > 1 else -1] = left[-1]
    tensors = numbers((*left,), torch.int32), numbers((*right,), torch.int32, 1)
    batches = torch.Size(left[:-2]), torch.Size(right[:-2])
    try:
        batch = torch.broadcast_shapes(*batches)
    except RuntimeError:
        with pytest.raises(RuntimeError):
            torch.matmul(*tensors)
        return
    result = torch.matmul(*tensors)
    assert result.shape == (*batch, *left[-2:-1], *(right[-1:] if len(right) > 1 else []))
    first = tensors[0] if len(left) > 1 else tensors[0][None]
    second = tensors[1] if len(right) > 1 else tensors[1][:, None]
    first = first.expand(*batch, *first.shape[-2:])
    second = second.expand(*batch, *second.shape[-2:])
    products = (first[..., None] * second[..., None, :, :]).sum(-2).to(torch.int32)
    assert (products.reshape(result.shape) == result).all()


def test_factor_of_nothing() -> None:
    nothing = torch.full((2, 2), math.nan)
    ones = torch.ones(2, 2)
    assert torch.addmm(nothing, ones, ones, beta=0).tolist() == [[2, 2], [2, 2]]
    assert torch.addmm(ones, nothing, ones, alpha=0).tolist() == [[1, 1], [1, 1]]
    half = torch.float16
    assert torch.addmm(ones.to(half), nothing.to(half), ones.to(half), alpha=0).isnan().all()
    assert torch.addr(nothing, ones[0], ones[0], beta=0).tolist() == [[1, 1], [1, 1]]


def test_sums_are_rounded_once() -> None:
    ones = torch.ones(3001, dtype=torch.float16)
    assert torch.dot(ones, ones) == 3000
    assert torch.mv(ones[None], ones) == 3000
    assert (torch.ones(300, dtype=torch.uint8) @ torch.ones(300, dtype=torch.uint8)) == 300 - 256


@pytest.mark.parametrize(("first", "second"), [*itertools.product([False, True], repeat=2)])
def test_conjugates(first: bool, second: bool) -> None:
    numbers_of = [1 + 2j, 3 - 1j], [2 - 1j, 1j]
    vectors = [torch.tensor(each) for each in numbers_of]
    conjugated = [x.conj() if is_conj else x for x, is_conj in zip(vectors, (first, second))]  # noqa: B905
    values = [[*map(complex, x.tolist())] for x in conjugated]
    assert torch.dot(*conjugated) == sum(a * b for a, b in zip(*values, strict=True))
    assert torch.vdot(*conjugated) == sum(a.conjugate() * b for a, b in zip(*values, strict=True))
    matrices = [x[None].mT @ y[None] for x, y in itertools.permutations(conjugated)]
    assert matrices[0].mT.tolist() == matrices[1].tolist()


def test_infinite_complex_numbers() -> None:
    infinite = torch.tensor([[complex(math.inf, 0)]])
    assert torch.mm(infinite, torch.tensor([[2 + 1j]])).tolist() == [[complex(math.inf, math.inf)]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: torch.mm(x, x), r"shapes cannot be multiplied \(2x3 and 2x3\)"),
        (lambda x: torch.mm(x, x.double().mT), "same dtype, but got: float != double"),
        (lambda x: torch.mv(x, x[0, :2]), r"size mismatch, got input \(2\), mat \(2x3\), vec"),
        (lambda x: torch.dot(x[0], x[:, 0]), "inconsistent tensor size"),
        (lambda x: torch.bmm(x, x), "batch1 must be a 3D tensor"),
        (lambda x: torch.addmm(x, x, x.mT), "expanded size of the tensor"),
        (lambda x: x.addmm_(x, x.mT), "input tensor size .2, 3. and output tensor size .2, 2."),
        (lambda x: torch.outer(x, x[0]), "Expected 1-D argument self, but got 2-D"),
        (lambda x: torch.matmul(x[0, 0], x), "need to be at least 1D"),
        (lambda x: torch.tensordot(x, x, 3), "expects dims < ndim_a or ndim_b"),
        (lambda x: torch.chain_matmul(x, x), "tensors 0 and 1 with shapes"),
    ],
)
def test_refused(call: Any, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        call(torch.ones(2, 3))


def test_contractions() -> None:
    left, right = numbers((2, 3, 4), torch.int64), numbers((4, 3, 5), torch.int64, 1)
    wanted = (left.permute(0, 2, 1)[:, :, :, None] * right[None]).sum((1, 2))
    assert (torch.tensordot(left, right, ([2, 1], [0, 1])) == wanted).all()
    other = numbers((5, 4), torch.int64)
    assert torch.inner(left, other).tolist() == (left @ other.mT).tolist()
    assert torch.kron(torch.tensor([1, 2]), torch.tensor([3, 4])).tolist() == [3, 4, 6, 8]
    matrices = [numbers(shape, torch.int64) for shape in ((2, 5), (5, 1), (1, 4), (4, 3))]
    product = matrices[0]
    for matrix in matrices[1:]:
        product = product @ matrix
    assert torch.chain_matmul(*matrices).tolist() == product.tolist()


def test_sparse() -> None:
    left = torch.tensor([[0.0, 3, 0], [2, 0, 5]])
    right = torch.tensor([[1.0, 0], [0, 0], [4, 6]])
    wanted = (left @ right).tolist()
    assert (left.to_sparse() @ right).tolist() == wanted
    assert (left @ right.to_sparse()).tolist() == wanted
    both = left.to_sparse() @ right.to_sparse()
    assert both.is_coalesced()
    assert both.to_dense().tolist() == wanted
    assert torch.bmm(left[None].to_sparse(), right[None])[0].tolist() == wanted
    assert torch.mv(left.to_sparse(), right[:, 0]).tolist() == [row[0] for row in wanted]
    sums = torch.addmm(torch.ones(2), left.to_sparse(), right, beta=2, alpha=3)
    assert sums.tolist() == [[2 + 3 * number for number in row] for row in wanted]


@pytest.mark.parametrize(
    ("call", "node"),
    [
        (lambda x: torch.mm(x, x), "MmBackward0"),
        (lambda x: x @ x[0], "MvBackward0"),
        (lambda x: torch.dot(x[0], x[1]), "DotBackward0"),
        (lambda x: torch.addr(x, x[0], x[1]), "AddrBackward0"),
        (lambda x: torch.matmul(torch.ones(3, 2, 2), x), "UnsafeViewBackward0"),
        (lambda x: torch.outer(x[0], x[1]), "MulBackward0"),
    ],
)
def test_grad_fn(call: Any, node: str) -> None:
    assert type(call(torch.ones(2, 2, requires_grad=True)).grad_fn).__name__ == node


def test_cuda_widens_products_of_halves():
    with simulated_cuda():
        left = numbers((2, 3), torch.float16).to("cuda")
        right = numbers((3, 2), torch.float16, 1).to("cuda")
        wanted = looped(as_list(left.cpu()), as_list(right.cpu()))
        product = torch.mm(left, right, torch.float32)
        assert (product.dtype, product.device.type) == (torch.float32, "cuda")
        assert as_list(product.cpu()) == wanted
        out = torch.zeros(0, device="cuda")
        assert torch.addmm(product, left, right, torch.float32, out=out) is out
        assert as_list(out.cpu()) == [[2 * x for x in row] for row in wanted]
        with pytest.raises(RuntimeError, match="out_dtype must be the same as input dtype or fp32"):
            torch.mm(left, right, torch.float64)
    with pytest.raises(NotImplementedError, match=r"'aten::mm.dtype' .* 'CPU' backend"):
        torch.mm(left.cpu(), right.cpu(), torch.float32)


def test_a_matrix_that_out_made_a_vector_is_refused():
    matrix = torch.ones(3, 2)
    with pytest.raises(IndexError, match="got 1"):
        torch.mv(matrix, torch.ones(2), out=matrix)
    assert matrix.shape == (3,)


def test_dot_names_the_kernel_that_a_sparse_out_lacks():
    vector = torch.ones(3)
    sparse, out = (torch.sparse_coo_tensor(size=x, check_invariants=False) for x in ((3,), ()))
    with pytest.raises(NotImplementedError, match=r"aten::fill_\.Tensor"):
        torch.dot(vector, vector, out=out)
    with pytest.raises(NotImplementedError, match="aten::dot"):
        torch.dot(sparse, vector, out=out)


def test_kron_of_as_many_dimensions_as_a_tensor_has() -> None:
    left = numbers((2, 3), torch.float32)
    many = left.reshape((1,) * 62 + (2, 3))
    result = many.kron(left)
    assert result.shape == (1,) * 62 + (4, 9)
    assert result.reshape(4, 9).tolist() == left.kron(left).tolist()


@given(rows=SIZES, dtype=DTYPES)
def test_cross(rows: int, dtype: Any) -> None:
    left, right = numbers((rows, 3), dtype), numbers((rows, 3), dtype, 1)
    wanted = [
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
        for a, b in zip(as_list(left), as_list(right), strict=True)
    ]
    assert as_list(torch.cross(left, right, dim=1)) == wanted
    assert as_list(left.mT.cross(right.mT, 0).mT) == wanted
    out = torch.zeros(0, dtype=dtype)
    assert torch.cross(left, right, 1, out=out) is out
    assert as_list(out) == wanted


def test_cross_keeps_the_first_of_two_nans() -> None:
    for rows in (1, 5, 6, 33):
        left = torch.full((rows, 3), math.nan, dtype=torch.float16)
        right = torch.full((rows, 3), -math.nan, dtype=torch.float16)
        assert not torch.signbit(torch.cross(left, right, 1)).any()
        assert torch.signbit(torch.cross(right, left, 1)).all()


def test_cross_refuses() -> None:
    x = torch.ones(3, 3)
    for call, message in (
        (lambda: torch.cross(x[:2, :2], x[:2, :2]), "no dimension of size 3 in input"),
        (lambda: torch.cross(x, x[0], 1), "inputs must have the same number of dimensions"),
        (lambda: torch.cross(x, x[:, :1], 1), "must have length 3. Got 3 and 1"),
        (lambda: torch.cross(x, x.double(), 1), "expected scalar type Float but found Double"),
        (lambda: torch.cross(x, x, 1, out=x), "refer to a single memory location"),
    ):
        with pytest.raises(RuntimeError, match=message):
            call()


@pytest.mark.parametrize(
    ("equation", "shapes", "wanted"),
    [
        ("ij,jk", ["23", "34"], lambda x, y: x @ y),
        ("ij,jk->ki", ["23", "34"], lambda x, y: (x @ y).mT),
        ("...ij,...jk", ["223", "234"], lambda x, y: x @ y),
        ("i,j->ij", ["2", "3"], lambda x, y: torch.outer(x, y)),
        ("ii", ["33"], lambda x: x.trace()),
        ("ii->i", ["33"], lambda x: x.diagonal()),
        ("ba", ["23"], lambda x: x.mT),
        ("aB", ["23"], lambda x: x.mT),
        (" i j -> ", ["23"], lambda x: x.sum()),
        ("ij,jk,kl->il", ["23", "34", "42"], lambda x, y, z: x @ y @ z),
        ("i...->...", ["23"], lambda x: x.sum(0)),
        ("ij,ij->", ["23", "23"], lambda x, y: (x * y).sum()),
        ("ij,kl->", ["23", "23"], lambda x, y: x.sum() * y.sum()),
    ],
)
def test_einsum(equation: str, shapes: list[str], wanted: Any) -> None:
    tensors = [
        numbers(tuple(map(int, shape)), torch.float64, index) for index, shape in enumerate(shapes)
    ]
    for _ in range(2):  # a second call has a plan
        assert as_list(torch.einsum(equation, *tensors)) == as_list(wanted(*tensors))
    assert torch.equal(torch.einsum(equation, tensors), wanted(*tensors))


def test_einsum_of_sublists() -> None:
    x, y = numbers((2, 3), torch.int64), numbers((3, 4), torch.int64)
    assert torch.equal(torch.einsum(x, [0, 1], y, [1, 27]), x @ y)
    assert torch.equal(torch.einsum(x, [..., 1], y, [1, 27], [27, ...]), (x @ y).mT)
    with pytest.raises(ValueError, match=r"not within the valid range \[0, 52\)"):
        torch.einsum(x, [0, 52])


@pytest.mark.parametrize(
    ("equation", "message"),
    [
        ("i1", "invalid subscript given at index 1 in the equation string"),
        ("ij->i.", "found '.' for output that is not part of any ellipsis"),
        ("..", "found '.' for operand 0 that is not part of any ellipsis"),
        ("......", "found '.' for operand 0 for which an ellipsis was already found"),
        ("ij,j", "fewer operands were provided than specified in the equation"),
        ("i", r"\(1\) does not match the number of dimensions \(2\) for operand 0"),
        ("...ijk", r"\(3\) is more than the number of dimensions \(2\) for operand 0"),
        ("ii", "subscript i is repeated for operand 0 but the sizes don't match, 3 != 2"),
        ("ij->ik", "output subscript k does not appear in the equation for any input operand"),
        ("ij->ii", "output subscript i appears more than once in the output"),
    ],
)
def test_einsum_refuses(equation: str, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        torch.einsum(equation, numbers((2, 3), torch.float32))


def test_addr_rounds_each_product_of_narrow_floats():
    added = (torch.arange(6.0) / 7).reshape(2, 3).bfloat16()
    left, right = (torch.arange(2) / 3.0).bfloat16(), (torch.arange(3) / 5.0 + 0.3).bfloat16()
    assert torch.addr(added, left, right, beta=0.3).tolist() == [
        [0.0, 0.04296875, 0.0859375],
        [0.2294921875, 0.33984375, 0.44921875],
    ]


def test_addr_fuses_the_product_with_the_sum():
    x = torch.tensor([1 + 2.0**-12])
    fused = torch.addr(torch.full((1, 16), -1.0), x, x.repeat(16))
    assert fused.tolist() == [[2.0**-11 + 2.0**-24] * 16]
    assert torch.addr(torch.tensor([[-1.0]]), x, x).item() == 2.0**-11  # no vector is full


def test_blas_scales_an_operand_of_single_complex_products_first() -> None:
    left = torch.tensor([[-4], [0]], dtype=torch.complex64).conj()
    right = torch.tensor([[-2, -1]], dtype=torch.complex64)
    product = torch.mm(left, right)
    assert [str(number) for number in product[1].tolist()] == ["(-0+0j)", "(-0+0j)"]
    out = torch.zeros(2, 2, dtype=torch.complex64).t()
    assert [str(number) for number in torch.mm(left, right, out=out)[1].tolist()] == ["0j", "0j"]
