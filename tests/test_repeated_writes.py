"""In-place operators called again with operands of known geometries, whose checks are kept."""

import warnings

import pytest

import impl as torch

OPERATORS = (
    ("add", 1), ("sub", 1), ("mul", 1), ("fmod", 1), ("xlogy", 1), ("eq", 1), ("clamp", 2),
    ("lerp", 2), ("addcmul", 2), ("log", 0), ("nan_to_num", 0), ("floor_divide", 1),
)  # fmt: skip


def views(count, step=1):
    """Return views of one storage, which share no element, and new tensors equal to them."""
    base = torch.arange(4.0 * step * (count + 1)) + 1
    parts = [base[4 * step * i : 4 * step * (i + 1) : step] for i in range(count + 1)]
    return base, parts, [part.clone() for part in parts]


@pytest.mark.parametrize("step", [1, 2])
@pytest.mark.parametrize(("name", "count"), OPERATORS)
def test_views_of_one_storage_are_written_as_new_tensors(name, count, step):
    for _ in range(4):
        base, (target, *others), (alone, *copies) = views(count, step)
        expected = getattr(torch, name)(alone, *copies).to(alone.dtype)
        before = base.clone()
        assert getattr(target, f"{name}_")(*others) is target
        assert torch.equal(target, expected)
        before[: 4 * step : step] = expected
        assert torch.equal(base, before)
        assert (base._version, target._version) == (1, 1)


def writer(name, count):
    """Return the in-place operator with its other operands, after its checks were kept."""

    def write(target, *others):
        return getattr(target, f"{name}_")(*others)

    for _ in range(3):
        _, (target, *others), _ = views(count)
        write(target, *others)
    return write, others


@pytest.mark.parametrize(("name", "count"), OPERATORS)
def test_the_target_is_checked_each_time(name, count):
    write, others = writer(name, count)
    with torch.inference_mode():
        made = torch.ones(4)
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor"):
        write(made, *others)
    if name != "eq":  # its result has no gradient
        with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
            write(torch.ones(4, requires_grad=True), *others)
        base = torch.ones(8, requires_grad=True).clone()
        write(base[:4], *others)
        assert type(base.grad_fn).__name__ == "CopySlices"
    negated = torch.complex(torch.ones(4), torch.ones(4)).conj().imag
    expected = write(negated.clone(), *others)
    assert torch.allclose(write(negated, *others), expected, equal_nan=True)
    assert negated.is_neg()


@pytest.mark.parametrize(("name", "count"), [each for each in OPERATORS if each[1]])
def test_overlaps_are_checked_each_time(name, count):
    write, others = writer(name, count)
    base = torch.arange(8.0) + 1
    with pytest.raises(RuntimeError, match="refer to a single memory location"):
        write(base[:4], base[1:5], *others[1:])
    assert base.tolist() == [1, 2, 3, 4, 5, 6, 7, 8]
    expected = write(base[:4].clone(), *[base[:4].clone()] * count)
    assert torch.equal(write(base[:4], *[base[:4]] * count), expected)


def test_pow_looks_at_the_exponent_before_it_looks_for_overlaps() -> None:
    tensor = torch.tensor([1, 2]).expand(2, 2)
    with pytest.raises(RuntimeError, match="negative integer powers are not allowed"):
        tensor.pow_(-1)
    with pytest.raises(RuntimeError, match="more than one element"):
        tensor.pow_(2)


@pytest.mark.parametrize("name", ["clamp_min_", "clamp_max_"])
def test_a_repeated_call_does_not_show_warnings_of_numpy(name: str) -> None:
    with warnings.catch_warnings(action="error"):
        for _ in range(4):
            tensor, bound = torch.tensor([True, False]), torch.tensor([False, True])
            getattr(tensor, name)(bound)
