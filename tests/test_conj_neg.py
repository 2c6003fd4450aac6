"""The conj bit and the neg bit."""

import copy
import pickle
import warnings
from typing import Any

import pytest

import impl as torch


def pair() -> Any:
    return torch.tensor([1 + 2j, 3 - 4j])


@pytest.mark.parametrize(
    ("view", "numbers", "is_conj", "is_neg"),
    [
        (lambda x: x.conj(), [1 - 2j, 3 + 4j], True, False),
        (lambda x: x.conj().conj(), [1 + 2j, 3 - 4j], False, False),
        (lambda x: x._neg_view(), [-1 - 2j, -3 + 4j], False, True),
        (lambda x: x.conj()._neg_view(), [-1 + 2j, -3 - 4j], True, True),
        (lambda x: x.conj().imag, [-2.0, 4.0], False, True),
        (lambda x: x.conj().real, [1.0, 3.0], False, False),
        (lambda x: x._neg_view().conj().imag, [2.0, -4.0], False, False),
        (lambda x: x[None].mH.view(-1), [1 - 2j, 3 + 4j], True, False),
        (lambda x: x.conj()[1:], [3 + 4j], True, False),
        (lambda x: x.conj().detach(), [1 - 2j, 3 + 4j], True, False),
        (lambda x: x.conj().data, [1 - 2j, 3 + 4j], True, False),
        (lambda x: x.conj().as_strided((1,), (1,), 1), [3 + 4j], True, False),
    ],
)
def test_views_carry_the_bits_and_share_memory(
    view: Any, numbers: Any, is_conj: bool, is_neg: bool
) -> None:
    x = pair()
    result = view(x)
    assert result.tolist() == numbers
    assert (result.is_conj(), result.is_neg()) == (is_conj, is_neg)
    assert result.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()


@pytest.mark.parametrize(
    "resolve",
    [
        lambda x: x.clone(),
        lambda x: x.resolve_conj(),
        lambda x: x.to(torch.complex128).to(torch.complex64),
        lambda x: torch.cat([x]),
        lambda x: torch.stack([x])[0],
        lambda x: copy.deepcopy(x),
        lambda x: x[True][0],
        lambda x: x.expand(2, 2).reshape(4)[:2],
        lambda x: reversed(reversed(x)),
    ],
)
def test_copies_are_resolved(resolve: Any) -> None:
    copied = resolve(pair().conj())
    assert copied.tolist() == [1 - 2j, 3 + 4j]
    assert not copied.is_conj()


@pytest.mark.parametrize(
    "dtype", [torch.int8, torch.float16, torch.bfloat16, torch.float32, torch.complex64]
)
def test_every_carrier_is_negated(dtype: Any) -> None:
    x = torch.tensor([1, 0, 3]).to(dtype)
    assert x._neg_view().tolist() == [-1, 0, -3]
    assert x._neg_view().clone().tolist() == [-1, 0, -3]
    assert x.tolist() == [1, 0, 3]


@pytest.mark.filterwarnings("ignore:ComplexHalf")
def test_halves_are_conjugated_and_negated() -> None:
    x = pair().to(torch.complex32)
    assert x.conj().tolist() == [1 - 2j, 3 + 4j]
    assert x._neg_view().tolist() == [-1 - 2j, -3 + 4j]


@pytest.mark.parametrize(
    ("write", "memory"),
    [
        (lambda x: x.fill_(1j), [-1j, -1j]),
        (lambda x: x.copy_(torch.tensor([5j, 6])), [-5j, 6]),
        (lambda x: x.__setitem__(0, 7j), [-7j, 3 - 4j]),
        (lambda x: x.copy_(x.clone()), [1 + 2j, 3 - 4j]),
        (lambda x: x.imag.fill_(9), [1 - 9j, 3 - 9j]),
        (lambda x: setattr(x, "imag", 9), [1 - 9j, 3 - 9j]),
        (lambda x: setattr(x, "real", x.imag), [-2 + 2j, 4 - 4j]),
        (lambda x: x.conj_physical_(), [1 - 2j, 3 + 4j]),
        (lambda x: torch.full((2,), 2j, out=x), [-2j, -2j]),
        (lambda x: torch.cat([x[1:], x[:1]], out=x), [3 - 4j, 1 + 2j]),
    ],
)
def test_what_is_written_is_what_is_read(write: Any, memory: Any) -> None:
    x = pair()
    view = x.conj()
    write(view)
    assert x.tolist() == memory
    assert view.tolist() == [complex(number).conjugate() for number in memory]


def test_copies_between_bits() -> None:
    x = pair()
    x.copy_(x.conj())
    assert x.tolist() == [1 - 2j, 3 + 4j]
    y = torch.zeros(2, dtype=torch.complex64)
    y.conj().copy_(x.conj())
    assert y.tolist() == x.tolist()


def test_a_copy_negates_what_is_converted_and_a_cast_before() -> None:
    x = torch.tensor([200], dtype=torch.uint8)._neg_view()
    assert torch.zeros(1).copy_(x).tolist() == [-200.0]
    assert x.to(torch.float32).tolist() == [56.0]


def test_a_copy_negates_place_by_place() -> None:
    x = torch.zeros(3, dtype=torch.int16).as_strided((2, 2), (1, 1))._neg_view()
    x.copy_(torch.ones(2, 2))
    assert x.tolist() == [[1, -1], [-1, 1]]


def test_filling_an_expanded_view_is_refused() -> None:
    x = pair()
    with pytest.raises(RuntimeError, match=r"^unsupported operation: more than one element"):
        x.expand(2, 2).conj().fill_(1)
    assert x.expand(2, 2).fill_(1).tolist() == [[1, 1], [1, 1]]


def test_a_changed_shape_is_warned_of_twice() -> None:
    with pytest.warns(UserWarning, match="An output with one or more elements") as caught:
        torch.cat([pair(), pair()], out=pair().conj())
    assert len(caught) == 2


def test_squeezing_in_place_makes_a_clone() -> None:
    x = torch.tensor([[1.0, 2.0]])._neg_view()
    with pytest.warns(UserWarning, match="An output with one or more elements"):
        x.squeeze_(0)
    assert x.tolist() == [-1.0, -2.0]


def test_real_numbers_are_their_own_conjugates() -> None:
    x = torch.ones(2, 2)
    assert x.conj() is x
    assert x.conj_physical() is x
    assert not x.H.is_conj()
    with pytest.raises(RuntimeError, match="INTERNAL ASSERT FAILED"):
        x._conj()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: torch.view_as_real(x.conj()), RuntimeError, "view_as_real doesn't work on"),
        (lambda x: x.conj().view(torch.float32), RuntimeError, "conjugate view tensors when"),
        (lambda x: x._neg_view().view(torch.float32), RuntimeError, "negative bit set when"),
        (lambda x: x.conj().numpy(), RuntimeError, r"conjugate bit set. Use tensor.resolve_conj"),
        (lambda x: x.conj().imag.numpy(), RuntimeError, "negative bit set. Use tensor.resolve_neg"),
        (lambda x: x.conj().__dlpack__(), BufferError, "Can't export tensors with the conjugate"),
        (lambda x: x.conj().new(), RuntimeError, "DispatchKey Conjugate doesn't correspond"),
        (lambda x: x._neg_view().conj().new_tensor(1), RuntimeError, "DispatchKey Negative"),
        (lambda x: x.bool()._neg_view().clone(), NotImplementedError, "\"neg_cpu\" .* 'Bool'"),
        (lambda x: setattr(x, "imag", "a"), TypeError, "can't assign a str to a torch.FloatTensor"),
        (lambda x: setattr(x.real, "imag", 1), RuntimeError, "imag is not implemented"),
        (
            lambda x: torch.conj_physical(x, out=torch.ones(2)),
            RuntimeError,
            "Found dtype Float but",
        ),
    ],
)
def test_refusals(call: Any, error: Any, message: str) -> None:
    x = pair()
    with pytest.raises(error, match=message):
        call(x)
    assert x.tolist() == [1 + 2j, 3 - 4j]


def test_bytes_are_handed_out_as_they_lie_or_resolved() -> None:
    x = pair()
    assert x.conj().numpy(force=True).tolist() == [1 - 2j, 3 + 4j]
    assert torch.from_dlpack(x.conj().imag).tolist() == [2.0, -4.0]
    assert torch.from_dlpack(torch.to_dlpack(x.conj())).tolist() == x.tolist()


@pytest.mark.parametrize("again", [copy.copy, lambda x: pickle.loads(pickle.dumps(x))])
def test_pickles_keep_the_bits(again: Any) -> None:
    x = again(pair().conj()._neg_view())
    assert (x.is_conj(), x.is_neg(), x.tolist()) == (True, True, [-1 + 2j, -3 - 4j])


def test_set_keeps_the_tensors_own_bits_and_data_takes_those_of_the_new() -> None:
    x = pair()
    assert torch.zeros(2, dtype=torch.complex64).set_(x.conj()).tolist() == x.tolist()
    assert x.conj().set_(pair()).tolist() == [1 - 2j, 3 + 4j]
    y = torch.zeros(2)
    y.data = x.conj()
    assert y.tolist() == [1 - 2j, 3 + 4j]


def test_nothing_is_set_to_a_tensor_with_a_bit() -> None:
    x = pair().conj()
    assert not x.is_set_to(x)


def test_new_tensors_have_no_bits() -> None:
    x = pair().conj()
    for tensor in (torch.empty_like(x), torch.zeros_like(x), x.new_zeros(2), torch.rand_like(x)):
        assert not tensor.is_conj()


@pytest.mark.parametrize(
    ("result", "name"),
    [
        (lambda x: x.conj(), "ConjBackward0"),
        (lambda x: x._neg_view(), "NegViewBackward0"),
        (lambda x: x.conj().imag, "SelectBackward0"),
        (lambda x: x.mH, "ConjBackward0"),
        (lambda x: x.conj().resolve_conj(), "CloneBackward0"),
        (lambda x: x.conj_physical(), "ConjPhysicalBackward0"),
        (lambda x: x.clone().conj_physical_(), "ConjPhysicalBackward1"),
    ],
)
def test_names_of_autograd(result: Any, name: str) -> None:
    x = torch.tensor([[1 + 2j]], requires_grad=True)
    assert type(result(x).grad_fn).__name__ == name


def test_printing() -> None:
    assert repr(pair().conj()) == "tensor([1.-2.j, 3.+4.j])"
    assert repr(pair().conj().imag) == "tensor([-2.,  4.])"
    assert f"{pair().conj()[0]}" == "(1-2j)"


# Operators that the conj/neg fallback wraps.


@pytest.mark.parametrize(
    ("run", "numbers"),
    [
        (lambda x: x + x, [2 - 4j, 6 + 8j]),
        (lambda x: x.sub(1j), [1 - 3j, 3 + 3j]),
        (lambda x: torch.where(torch.tensor([True, False]), x, 0), [1 - 2j, 0j]),
        (lambda x: x.masked_fill(torch.tensor([True, False]), 2), [2 + 0j, 3 + 4j]),
        (lambda x: x[torch.tensor([1, 0])], [3 + 4j, 1 - 2j]),
        (lambda x: torch.addcmul(x, x, x), [-2 - 6j, -4 + 28j]),
    ],
)
def test_operators_read_what_the_elements_mean(run: Any, numbers: Any) -> None:
    result = run(pair().conj())
    assert (result.tolist(), result.is_conj()) == (numbers, False)


@pytest.mark.parametrize(
    ("change", "numbers"),
    [
        (lambda x: x.add_(1j), [1 - 1j, 3 + 5j]),
        (lambda x: x.masked_fill_(torch.tensor([True, False]), 2j), [2j, 3 + 4j]),
        (lambda x: x.__setitem__([0], 5j), [5j, 3 + 4j]),
        (lambda x: torch.mul(x, 2, out=x), [2 - 4j, 6 + 8j]),
    ],
)
def test_operators_write_what_is_meant_and_count_once(change: Any, numbers: Any) -> None:
    x = pair()
    y = x.conj()
    change(y)
    assert (y.tolist(), y.is_conj(), y._version) == (numbers, True, 1)
    assert x.tolist() == [number.conjugate() for number in numbers]


def test_indices_are_read_as_they_lie() -> None:
    x = torch.tensor([10, 20, 30])
    assert x[torch.tensor([1, 2])._neg_view()].tolist() == [20, 30]


def test_written_views_come_from_their_function() -> None:
    x = torch.tensor([1 + 2j], requires_grad=True).clone().conj()
    x.mul_(2)
    assert type(x.grad_fn).__name__ == "ConjBackward0"


def test_set_warns_at_the_callers_line_under_a_default_device() -> None:
    with torch.device("meta"):
        x = torch.ones(2, 2, dtype=torch.complex64).conj()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            x[0].set_(x.untyped_storage())
    assert [warning.filename for warning in caught] == [__file__]


@pytest.mark.parametrize(
    ("write", "other", "count"),
    [
        # Torch copies the target for autograd, clones it without its bit, and makes the product.
        (lambda x, y: x.conj().mul_(y), "grad", 2),
        (lambda x, y: x.mul_(y), "grad", 1),
        (lambda x, y: x.mul_(y), "plain", 0),
        (lambda x, y: x.conj().mul_(y), "plain", 1),
    ],
)
def test_autograd_copies_a_target_before_its_bits_are_resolved(
    write: Any, other: str, count: int
) -> None:
    x = torch.zeros(2, dtype=torch.complex64).to(torch.complex32)
    y = torch.ones(2, dtype=torch.complex64).to(torch.complex32)
    if other == "grad":
        y = y.requires_grad_()
    torch.set_warn_always(True)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            write(x, y)
    finally:
        torch.set_warn_always(False)
    assert len(caught) == count


def test_an_index_of_int64_is_read_without_its_negative_bit() -> None:
    rows = torch.arange(6.0).view(3, 2)
    assert rows[torch.tensor([1])._neg_view()].tolist() == [[2, 3]]
    assert rows[torch.tensor([1], dtype=torch.int32)._neg_view()].tolist() == [[4, 5]]


@pytest.mark.parametrize(
    "call",
    [
        lambda x, mask: x[mask],
        lambda x, mask: x.to("meta")[mask],
        lambda x, mask: x.index_put_((mask,), torch.tensor(1.0)),
        lambda x, mask: torch.eq(mask, mask, out=torch.zeros(0, device="meta", dtype=torch.bool)),
    ],
)
def test_a_negated_mask_is_refused(call: Any) -> None:
    mask = torch.tensor([True, False])._neg_view()
    with pytest.raises(NotImplementedError, match="\"neg_cpu\" not implemented for 'Bool'"):
        call(torch.ones(2), mask)
