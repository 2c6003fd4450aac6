"""Tensor.to, masked_fill and advanced indexing, with torch's results."""

import warnings
from typing import Any

import numpy
import pytest

import impl as torch
from impl._runtime.warnings import WarnOnceState


def refusal(text: str, **scope: Any) -> str:
    with pytest.raises(Exception) as caught:  # noqa: PT011  # the class is part of the answer
        eval(text, {"torch": torch, "numpy": numpy, **scope})
    return f"{type(caught.value).__name__}: {caught.value}"


@pytest.fixture
def warned(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Record all warnings, also those that warn only once."""
    monkeypatch.setattr(WarnOnceState, "seen", set())
    monkeypatch.setattr(WarnOnceState, "always", False)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught


def floats(*shape: int) -> Any:
    return torch.arange(6.0).reshape(*(shape or (2, 3)))


def test_to_returns_the_tensor_itself_where_nothing_changes() -> None:
    x = floats()
    for args in ((), ("cpu",), (torch.float32,), ("cpu", None), (None, None), (x,)):
        assert x.to(*args) is x
    assert x.to(memory_format=torch.contiguous_format) is x
    assert x.to(torch.float32, copy=True) is not x
    # A device with an index is another device (#115405).
    assert x.to("cpu:0") is not x
    assert x.to("cpu:0").device == torch.device("cpu")


@pytest.mark.parametrize(
    ("other", "dtype"),
    [
        (2.5, torch.float64),
        (True, torch.bool),
        (1j, torch.complex128),
        (torch.ones(1, dtype=torch.int16), torch.int16),
    ],
)
def test_to_another_or_a_number(other: Any, dtype: Any) -> None:
    assert floats().to(other).dtype is dtype
    assert floats().to(tensor=other, copy=True).dtype is dtype


def test_numbers_that_are_no_devices() -> None:
    assert floats().to(tensor=2**63).dtype is torch.uint64
    assert refusal("x.to(-1)", x=floats()) == "RuntimeError: Device index must not be negative"
    assert refusal("x.to('mps')", x=floats()) == (
        "RuntimeError: PyTorch is not linked with support for mps devices"
    )


def test_moves() -> None:
    x = floats()
    assert refusal("x.cuda()", x=x) == "AssertionError: Torch not compiled with CUDA enabled"
    assert refusal("x.cuda('cpu')", x=x) == "RuntimeError: Invalid device, must be cuda device"
    assert refusal("x.mtia('cpu')", x=x) == "RuntimeError: Invalid device, must be MTIA device"
    assert refusal("x.ipu()", x=x).endswith("not linked with support for ipu devices")


def test_type_names() -> None:
    packed = torch.zeros(4, dtype=torch.uint8)
    assert floats().type() == floats().type(None) == "torch.FloatTensor"
    assert packed.view(torch.qint8).type() == "torch.quantized.QInt8Tensor"
    assert packed.view(torch.bits8).type() == "torch.Bits8Tensor"


def test_quantized_dtypes_have_no_strides(warned: Any) -> None:
    x = floats()
    assert refusal("x.to(torch.qint8)", x=x).startswith("RuntimeError: empty_strided not supported")
    assert not warned
    contiguous = "x.to(torch.{}, memory_format=torch.contiguous_format)"
    assert refusal(contiguous.format("quint4x2"), x=x) == (
        "NotImplementedError: \"Copy\" not implemented for 'QUInt4x2'"
    )
    assert "quantized tensor creation functions" in str(warned[0].message)
    message = "RuntimeError: Quantized copy only works with "
    assert refusal(contiguous.format("qint8"), x=x.int()) == message + "kFloat as source Tensor"
    assert refusal(contiguous.format("qint8"), x=x.t()) == message + "contiguous and NHWC Tensors"


def test_complex_numbers_lose_their_imaginary_part_with_one_warning(warned: Any) -> None:
    x = torch.tensor([1 + 2j])
    assert x.to(torch.bool).tolist() == [True]
    assert torch.zeros(0, dtype=torch.complex64).float().tolist() == []
    assert not warned
    assert x.to(torch.int8).tolist() == x.float().tolist() == [1]
    assert len(warned) == 1
    assert str(warned[0].message).startswith("Casting complex values to real discards")


def test_complex32_is_warned_of_before_a_memory_format_is_looked_at(warned: Any) -> None:
    assert refusal("x.chalf(memory_format=torch.channels_last)", x=floats()) == (
        "RuntimeError: required rank 4 tensor to use channels_last format"
    )
    assert str(warned[0].message).startswith("ComplexHalf support is experimental")


def test_a_number_that_is_copied_keeps_all_its_digits() -> None:
    x = torch.zeros(1, dtype=torch.float64)
    assert x.copy_(0.1).tolist() == [0.1]
    assert x.copy_(1e300).tolist() == [1e300]


def test_tensors_become_numbers(warned: Any) -> None:
    x = torch.ones((), requires_grad=True)
    assert (int(x), x.item(), warned) == (1, 1.0, [])
    assert float(x) == complex(x) == 1.0
    assert len(warned) == 1
    large = torch.tensor(2**64 - 1, dtype=torch.uint64)
    message = "RuntimeError: value cannot be converted to type int64_t without overflow"
    assert refusal("int(x)", x=large) == refusal("[1][x]", x=large) == message
    assert float(large) == 2.0**64


# masked_fill.

MASK = torch.tensor([True, False, True])


def test_masked_fill_is_contiguous_and_of_both_shapes() -> None:
    filled = floats(3, 2).t().masked_fill(MASK, 9)
    assert (filled.tolist(), filled.stride()) == ([[9, 2, 9], [9, 3, 9]], (3, 1))
    assert floats(6)[:3].masked_fill(MASK.expand(2, 3), 1).shape == (2, 3)
    assert torch.tensor([1, 2, 3]).masked_fill(MASK, 2.5).tolist() == [2, 2, 2]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("x.masked_fill(m, 1j)",
         "RuntimeError: value cannot be converted to type float without overflow"),
        ("x.int().masked_fill_(m, 2**40)",
         "RuntimeError: value cannot be converted to type int without overflow"),
        (
            "x.masked_fill(m, torch.tensor([1]))",
            "RuntimeError: masked_fill_ only supports a 0-dimensional value tensor, but got "
            "tensor with 1 dimension(s).",
        ),
        (
            "x.masked_fill(m.to(torch.uint8), 1)",
            "RuntimeError: masked_fill_ only supports boolean masks, but got mask with dtype "
            "unsigned char",
        ),
        (
            "x[0].masked_fill_(m.expand(2, 3), 1)",
            "RuntimeError: output with shape [3] doesn't match the broadcast shape [2, 3]",
        ),
        ("x.to(torch.uint16).masked_fill(m, 1)",
         "NotImplementedError: \"masked_fill\" not implemented for 'UInt16'"),
    ],
)  # fmt: skip
def test_masked_fill_refuses(call: str, expected: str) -> None:
    x = floats()
    assert refusal(call, x=x, m=MASK) == expected
    assert x.tolist() == floats().tolist()


# Indices.

CUBE = torch.arange(24).reshape(2, 3, 4)
PLACES = torch.tensor([1, 0])


@pytest.mark.parametrize(
    ("item", "shape", "stride", "first"),
    [
        (PLACES, (2, 3, 4), (12, 4, 1), 12),
        ((slice(None), PLACES), (2, 2, 4), (8, 4, 1), 4),
        ((PLACES, slice(None), PLACES), (2, 3), (3, 1), 13),
        ((0, PLACES), (2, 4), (4, 1), 4),
        ((..., MASK[:, None].expand(3, 4)), (2, 8), (8, 1), 0),
        ((MASK[:2], slice(1, None)), (1, 2, 4), (8, 4, 1), 4),
        ([0, 1, -1], (3, 3, 4), (12, 4, 1), 0),
        (numpy.array([True, False]), (1, 3, 4), (12, 4, 1), 0),
        ((None, True, PLACES), (1, 2, 3, 4), (24, 12, 4, 1), 12),
        (False, (0, 2, 3, 4), (24, 12, 4, 1), None),
    ],
)
def test_reading_by_places(item: Any, shape: Any, stride: Any, first: Any) -> None:
    result = CUBE[item]
    assert (result.shape, result.stride()) == (shape, stride)
    assert first is None or result.reshape(-1)[0].item() == first


def test_what_is_taken_lies_in_the_order_of_the_tensor() -> None:
    assert CUBE.permute(2, 0, 1)[:, PLACES].stride() == (1, 4, 8)
    assert CUBE.permute(2, 0, 1)[:, :, PLACES].stride() == (2, 8, 1)


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ("5, [0]", "index 5 is out of bounds for dimension 0 with size 2"),
        ("[0, 5], [7, 0]", "index 7 is out of bounds for dimension 1 with size 3"),
        ("[True, False, True]",
         "The shape of the mask [3] at index 0 does not match the shape of the indexed tensor "
         "[2, 3, 4] at index 0"),
        ("[0, 1], [0, 1, 2]",
         "shape mismatch: indexing tensors could not be broadcast together with shapes [2], [3]"),
        ("torch.tensor([1.5])", "tensors used as indices must be long, int, byte or bool tensors"),
        ("[0], 0, 0, 0", "too many indices for tensor of dimension 3"),
        ("..., ..., [0]", "too many indices for tensor of dimension 3 (got 5)"),
    ],
)  # fmt: skip
def test_places_that_are_not_there(item: str, expected: str) -> None:
    assert refusal(f"x[{item}]", x=CUBE) == f"IndexError: {expected}"


def test_masks_of_bytes_and_lists_of_indices_are_warned_of(warned: Any) -> None:
    assert CUBE[torch.tensor([1, 0], dtype=torch.uint8)].shape == (1, 3, 4)
    assert str(warned[0].message).startswith("indexing with dtype torch.uint8 is now deprecated")
    assert CUBE[[[0, 1], [1, 2]]].shape == (2, 4)
    assert str(warned[1].message).startswith("Using a non-tuple sequence for multidimensional")


def test_of_what_is_written_twice_the_last_stays() -> None:
    x = torch.zeros(3)
    x[torch.tensor([0, 0, -1])] = torch.tensor([1.0, 2.0, 3.0])
    assert x.tolist() == [2, 0, 3]
    x[MASK] = 7
    x[[1]] = torch.tensor([[5.0]])
    assert x.tolist() == [7, 5, 7]
    grid = torch.zeros(2, 3)
    grid[:, [0, 2]] = torch.tensor([1.0, 2.0])
    grid[torch.tensor([[True, False, False], [False, True, True]])] = torch.tensor(9)
    assert grid.tolist() == [[9, 0, 2], [1, 9, 9]]


@pytest.mark.parametrize(
    ("item", "value", "expected"),
    [
        ([0, 1], "torch.ones(2)",
         "RuntimeError: shape mismatch: value tensor of shape [2] cannot be broadcast to "
         "indexing result of shape [2, 3]"),
        ([0], "torch.ones(3).int()",
         "RuntimeError: Index put requires the source and destination dtypes match, got Float "
         "for the destination and Int for the source."),
        ([9], "1", "IndexError: index 9 is out of bounds for dimension 0 with size 2"),
        (MASK, "1",
         "IndexError: The shape of the mask [3] at index 0 does not match the shape of the "
         "indexed tensor [2, 3] at index 0"),
        ([0], "x",
         "RuntimeError: unsupported operation: some elements of the input tensor and the "
         "written-to tensor refer to a single memory location. Please clone() the tensor before "
         "performing the operation."),
        (9, "'a'", "TypeError: can't assign a str to a torch.FloatTensor"),
    ],
)  # fmt: skip
def test_writes_that_are_refused(item: Any, value: str, expected: str) -> None:
    x = floats()
    assert refusal(f"x.__setitem__(item, {value})", x=x, item=item) == expected
    assert x.tolist() == floats().tolist()


def test_index_put() -> None:
    x = torch.zeros(3)
    indices = (torch.tensor([0, 0, 2]),)
    assert x.index_put(indices, torch.tensor(1.0), accumulate=True).tolist() == [2, 0, 1]
    assert x.tolist() == [0, 0, 0]
    assert x.index_put_(indices, torch.tensor([1.0, 2.0, 3.0])) is x
    assert x.tolist() == [2, 0, 3]
    # Each sum is rounded: 256 + 1 is 256 in bfloat16.
    short = torch.tensor([256.0]).bfloat16()
    ones = torch.ones(2).bfloat16()
    assert torch.index_put_(short, (torch.tensor([0, 0]),), ones, True).tolist() == [256]
    assert refusal("x.index_put_((None,), x)", x=x) == (
        "TypeError: expected Tensor as element 0 in argument 0, but got NoneType"
    )
