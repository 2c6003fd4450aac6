"""Products asked again with operands of known geometries, whose checks are kept."""

import threading
import warnings
from typing import Any

import pytest

import impl as torch

CALLS = {
    "mm": lambda a, v, p, **out: torch.mm(a, a, **out),
    "matmul": lambda a, v, p, **out: torch.matmul(p, a, **out),
    "bmm": lambda a, v, p, **out: torch.bmm(p, p, **out),
    "mv": lambda a, v, p, **out: torch.mv(a, v, **out),
    "outer": lambda a, v, p, **out: torch.outer(v, v, **out),
    "inner": lambda a, v, p, **out: torch.inner(a, v, **out),
    "kron": lambda a, v, p, **out: torch.kron(a, v, **out),
    "tensordot": lambda a, v, p, **out: torch.tensordot(a, a, 1, **out),
    "dot": lambda a, v, p: torch.dot(v, v),
    "addmm": lambda a, v, p, **out: torch.addmm(v, a, a, beta=2, **out),
    "addmv": lambda a, v, p, **out: torch.addmv(v, a, v, alpha=0.5, **out),
    "addr": lambda a, v, p, **out: torch.addr(a, v, v, **out),
    "baddbmm": lambda a, v, p, **out: torch.baddbmm(a, p, p, **out),
    "addbmm": lambda a, v, p, **out: torch.addbmm(a, p, p, **out),
}
calls = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
outs = pytest.mark.parametrize("call", [CALLS[x] for x in CALLS if x != "dot"])


def operands(dtype=torch.float32):
    """Return a matrix, a vector and a batch of matrices."""
    numbers = torch.arange(18).reshape(2, 3, 3) % 5 - 1
    return numbers[0].clone().to(dtype), torch.arange(3).to(dtype), numbers.to(dtype)


def facts(tensor):
    """Return what is compared of results."""
    return (
        tensor.tolist(), tensor.dtype, tensor.stride(), tensor._version, tensor.requires_grad,
        tensor.is_inference(), tensor.untyped_storage().nbytes(), tensor._base is None,
    )  # fmt: skip


@calls
def test_a_call_asked_again_gives_an_equal_new_tensor(call):
    first, second, third = (call(*operands()) for _ in range(3))
    assert facts(first) == facts(second) == facts(third)
    second.fill_(7)
    assert facts(call(*operands())) == facts(first)


@calls
def test_a_plan_computes_with_the_numbers_of_each_call(call):
    tensors = operands()
    call(*tensors)
    for tensor in tensors:
        tensor.zero_()
    assert not call(*tensors).any()


@calls
def test_a_known_call_records_the_gradients_of_its_operands(call):
    tensors = operands()
    assert call(*tensors).grad_fn is None
    for tensor in tensors:
        tensor.requires_grad_()
    assert call(*tensors).grad_fn is not None
    with torch.no_grad():
        assert call(*tensors).grad_fn is None
    assert call(*operands()).grad_fn is None


@calls
def test_a_known_call_returns_inference_tensors_in_inference_mode(call):
    for is_inference in (False, True, False, True):
        with torch.inference_mode(is_inference):
            assert call(*operands()).is_inference() is is_inference


@calls
@pytest.mark.parametrize("default", [torch.float64, torch.bfloat16])
def test_the_default_dtype_does_not_change_a_known_call(call, default):
    tensors = operands()
    expected = facts(call(*tensors))
    torch.set_default_dtype(default)
    try:
        assert facts(call(*tensors)) == expected
    finally:
        torch.set_default_dtype(torch.float32)


@calls
def test_another_thread_may_ask_a_known_call(call):
    expected, seen = facts(call(*operands())), []
    threads = [
        threading.Thread(target=lambda: seen.append(facts(call(*operands())))) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [expected] * 3


@calls
def test_operands_with_the_conj_bit_are_not_taken_for_known_ones(call):
    tensors = [x * (1 + 1j) for x in operands(torch.complex64)]
    call(*tensors)
    assert torch.equal(
        call(*[x.conj() for x in tensors]), call(*[x.conj().resolve_conj() for x in tensors])
    )


@outs
def test_a_known_call_writes_out_and_counts_the_write(call):
    expected = call(*operands())
    versions = []
    for _ in range(3):
        out = torch.empty_like(expected)
        assert call(*operands(), out=out) is out
        assert torch.equal(out, expected)
        versions.append(out._version)
    is_kron = call is CALLS["kron"]  # whose out= is written through an unsafe view
    assert versions == ([0] * 3 if is_kron else [versions[0]] * 3)
    assert is_kron or versions[0] > 0


@outs
def test_a_known_call_refuses_an_out_that_requires_gradients(call):
    out = torch.empty_like(call(*operands()))
    call(*operands(), out=out)
    with pytest.raises(RuntimeError, match=r"automatic differentiation|leaf Variable"):
        call(*operands(), out=out.requires_grad_())


def test_an_operand_resized_in_place_is_checked_again():
    matrix, vector, _ = operands()
    torch.mv(matrix, vector)
    matrix.resize_(3, 2)
    with pytest.raises(RuntimeError, match=r"^size mismatch, got input \(3\), mat \(3x2\), vec"):
        torch.mv(matrix, vector)
    vector.resize_(2)
    assert torch.mv(matrix, vector).shape == (3,)


@pytest.mark.parametrize("factor", [-0.0, 0.0, True, 1, 1.0, 2, 2.5])
def test_factors_of_other_types_and_signs_are_told_apart(factor):
    matrix, _, _ = operands(torch.int64)
    expected = matrix * int(factor) + matrix @ matrix
    for _ in range(3):
        torch.addmm(matrix, matrix, matrix, beta=1)
        torch.addmm(matrix, matrix, matrix, beta=3)
        assert torch.equal(torch.addmm(matrix, matrix, matrix, beta=factor), expected)


def test_a_known_factor_does_not_stand_for_an_equal_one_that_is_refused():
    matrix, vector, _ = operands(torch.int64)
    torch.addr(matrix, vector, vector, beta=1)
    with pytest.raises(RuntimeError):
        torch.addr(matrix, vector, vector, beta=1.0)


def test_errors_of_calls_without_a_plan_have_no_context():
    with pytest.raises(RuntimeError) as caught:
        torch.addmm(torch.ones(3), torch.ones(2, 2), torch.ones(3, 2), beta=True)
    assert caught.value.__context__ is None


@pytest.mark.parametrize("bits", [3, 23, 31, 62])
def test_large_integers_wrap_around_as_in_loops(bits):
    left = torch.arange(32 * 32).reshape(32, 32) * 7919 % 2**bits
    left[0, 0] = -(2**bits)
    right = left.t().contiguous()
    rows, columns = left.tolist(), left.tolist()
    expected = [
        [(sum(map(int.__mul__, row, column)) + 2**63) % 2**64 - 2**63 for column in columns]
        for row in rows
    ]
    assert (left @ right).tolist() == expected


def test_operands_that_were_one_tensor_may_differ():
    own, other = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 5.0])
    for _ in range(3):
        assert torch.kron(own, own).tolist() == [1, 2, 2, 4]
        assert torch.outer(own, own).tolist() == [[1, 2], [2, 4]]
    assert torch.kron(own, other).tolist() == [3, 5, 6, 10]
    assert torch.outer(other, own).tolist() == [[3, 6], [5, 10]]


def test_an_operand_with_another_storage_or_other_strides_is_read_anew():
    left, right = torch.arange(6.0).reshape(2, 3), torch.tensor([[-2.0], [-1.0], [0.0]])
    for _ in range(3):
        assert torch.mm(left, right).tolist() == [[-1], [-10]]
    left.set_(torch.ones(6).untyped_storage(), 0, (2, 3), (3, 1))
    assert torch.mm(left, right).tolist() == [[-3], [-3]]
    left.as_strided_((2, 3), (0, 0))
    assert torch.mm(left, right).tolist() == [[-3], [-3]]


def test_a_known_call_warns_each_time():
    vector, out = torch.ones(2), torch.empty(2, 2)
    for _ in range(3):
        with pytest.warns(UserWarning, match="ger is deprecated"):
            torch.ger(vector, vector, out=out)


def test_sparse_operands_are_not_taken_for_dense_ones():
    dense = torch.ones(2, 2)
    for _ in range(3):
        assert torch.mm(dense, dense).tolist() == [[2, 2], [2, 2]]
        assert torch.mm(dense.to_sparse(), dense).tolist() == [[2, 2], [2, 2]]


def test_a_target_that_shares_memory_with_an_operand_takes_the_long_way() -> None:
    def added(base: Any, *offsets: int) -> Any:
        views = [base.as_strided((2, 2), (2, 1), offset) for offset in offsets]
        return torch.addmm(*views[:3], out=views[3])

    for _ in range(3):
        added(torch.arange(40.0), 0, 10, 20, 30)
    base = torch.arange(40.0)
    with pytest.raises(RuntimeError, match="a single memory location"):
        added(base, 0, 10, 20, 2)
    assert base.tolist() == [*range(40)]


@pytest.mark.parametrize("number", [2**11 + 1, 2**25 + 1, 2**26 - 1, 2**28 + 1, 2**31 + 1])
def test_integers_are_multiplied_exactly(number: int) -> None:
    size = 32
    left = torch.full((size, size), number)
    right = torch.full((size, size), number + 2)
    wanted = size * number * (number + 2)
    wanted = (wanted + 2**63) % 2**64 - 2**63
    for _ in range(2):
        assert torch.mm(left, right).unique().tolist() == [wanted]


@outs
def test_a_result_that_is_resized_warns_once_without_recording(call: Any) -> None:
    with torch.no_grad():
        for _ in range(2):
            a, v, p = operands()
            out = torch.ones(7)
            with warnings.catch_warnings(record=True) as warned:
                warnings.simplefilter("always")
                call(a.requires_grad_(), v.requires_grad_(), p.requires_grad_(), out=out)
            resized = [x for x in warned if "was resized" in str(x.message)]
            assert len(resized) == (call is not CALLS["addbmm"])


def test_a_deprecated_product_warns_once_without_recording() -> None:
    v = torch.ones(3, requires_grad=True)
    with torch.no_grad(), pytest.warns(UserWarning, match="torch.ger is deprecated") as warned:
        torch.ger(v, v, out=torch.ones(0))
    assert len(warned) == 1
