"""Meta tensors: the sizes, strides, dtypes and errors of CPU tensors, without memory."""

import copy
import math
import pickle
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

import impl as torch

ROOT = Path(__file__).parents[1]

OPERATIONS = [
    "x", "x.t()", "x[1:, None]", "x[..., 0]", "x.expand(4, 2, 3)", "x.t().reshape(-1)",
    "x.as_strided((2, 2), (1, 2), 1)",
    "x.clone()", "x.t().contiguous()", "x.to(torch.int8)", "x.t().to(torch.float64)", "x.double()",
    "x + 1", "x + x.t().t()", "1 / x", "x == x", "x * torch.ones(())", "x.add_(x)", "x.t() + x.t()",
    "torch.exp(x)", "x.abs()",
    "torch.where(x > 0, x, 1.5)", "torch.lerp(x, x, 0.5)", "torch.isclose(x, x)",
    "x.masked_fill(x > 0, 1)", "x ** 2", "2 ** x",
    "x.sum()", "x.sum(1, keepdim=True)", "x.mean(0)", "x.amax(0)", "x.max(1)[1]", "x.argmin()",
    "x.any(0)", "x.cumsum(1)", "x.prod()", "x.count_nonzero(0)",
    "torch.cat([x, x], 1)", "torch.stack([x, x.t().t()], 1)", "x[[1, 0, 1]]", "x.new_zeros(3)",
    "torch.full_like(x.t(), 2)", "torch.rand_like(x)",
    "x.transpose_(0, 1)", "x.resize_(5)", "x.set_()", "x.fill_(2)", "x.copy_(x[:1] + 0)",
    "copy.deepcopy(x)", "pickle.loads(pickle.dumps(x))",
    "x.int() & x.int()", "x.view(torch.uint8)", "x.detach().requires_grad_()",
]  # fmt: skip


def of(device: str, operation: str) -> Any:
    x = torch.ones((2, 3), device=device)
    return eval(operation, {"x": x, "torch": torch, "copy": copy, "pickle": pickle})


@pytest.mark.parametrize("operation", OPERATIONS)
def test_geometry_is_what_it_is_where_there_are_elements(operation: str) -> None:
    result, expected = of("meta", operation), of("cpu", operation)
    assert result.device == torch.device("meta")
    for name in ("shape", "dtype", "requires_grad", "is_leaf"):
        assert getattr(result, name) == getattr(expected, name)
    assert result.stride() == expected.stride()
    assert result.storage_offset() == expected.storage_offset()
    assert result.untyped_storage().nbytes() == expected.untyped_storage().nbytes()


WRONG = ["x.view(4)", "x[5]", "x.sum(7)", "x.argmax(2)",
         "x.expand(3)"]  # fmt: skip


@pytest.mark.parametrize("operation", WRONG)
def test_errors_are_the_same(operation: str) -> None:
    messages = []
    for device in ("meta", "cpu"):
        with pytest.raises((RuntimeError, IndexError, NotImplementedError)) as caught:
            of(device, operation)
        message = str(caught.value).replace("MetaFloatType", "torch.FloatTensor")
        messages.append((caught.type, message))
    assert messages[0] == messages[1]


@pytest.mark.parametrize(("operation", "message"), [
    ("x[0, 0].item()", r"Tensor.item\(\) cannot be called on meta tensors"),
    ("x.tolist()", "Cannot copy out of meta tensor; no data!"),
    ("x.cpu()", "Cannot copy out of meta tensor; no data!"),
    ("torch.ones(2, 3).copy_(x)", "Cannot copy out of meta tensor; no data!"),
    ("x.numpy()", "can't convert meta device type tensor to numpy"),
    ("x.nonzero()", "register_meta function"),
    ("x + x[:, :2]", "Attempting to broadcast a dimension of length 2 at -1!"),
    ("x.int().add_(1.5)", r"Promotion of int.add/sub_\(float\) in in-place ops"),
    ("x + torch.ones(3)", "Tensor on device cpu is not on the expected device meta!"),
    ("torch.ones(3) + x", "Tensor on device meta is not on the expected device cpu!"),
    ("torch.stack([x, torch.ones(2, 3)])",
     "Tensor on device cpu is not on the expected device meta!"),
    ("torch.add(torch.ones(2, 3), 1, out=x)", "Attempting to copy from device cpu to device meta"),
])  # fmt: skip
def test_what_needs_elements_or_another_device_is_refused(operation: str, message: str) -> None:
    with pytest.raises((RuntimeError, NotImplementedError, TypeError), match=message):
        of("meta", operation)


def test_numbers_without_dimensions_come_from_the_cpu() -> None:
    x, number = torch.ones((2, 3), device="meta"), torch.ones(())
    assert (x + number).device == (number + x).device == torch.device("meta")
    assert (torch.ones(2) + number).device == torch.device("cpu")


def test_there_is_no_memory() -> None:
    tracemalloc.start()
    x = torch.empty((2**30, 2**20), device="meta")
    y = (x + 1).t().sum(0, keepdim=True).to(torch.float64)
    z = torch.cat([y, y]).contiguous().clone()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (z.shape, z.nbytes) == ((2, 2**30), 2**34)
    assert x.data_ptr() == z.untyped_storage().data_ptr() == 0
    assert peak < 2**20


def test_numpy_is_not_loaded() -> None:
    program = """
import sys
import impl as torch
x = torch.ones((2, 3), device="meta")
for _ in range(1000):
    y = ((x + 1) * x.t().t()).sum(0, keepdim=True)
y.to(torch.bfloat16).clone().view(3).exp(), torch.cat([x, x]).max(1), torch.where(x > 0, x, x)
x.add_(2).fill_(1), repr(x), torch.arange(5, device="meta"), torch.zeros_like(x)
x.mean(), x[1:].any()
assert "numpy" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT)


def test_plans_of_one_device_are_not_those_of_another() -> None:
    for _ in range(3):
        for device in ("cpu", "meta"):
            x = torch.ones(4, device=device)
            assert (x + x).device == x.sum().device == x[1].device == torch.device(device)


def test_ranges_check_their_bounds_as_the_reference_does() -> None:
    with pytest.raises(RuntimeError, match=r"^upper bound and lower bound inconsistent"):
        torch.arange(math.nan, device="meta")
    with pytest.raises(RuntimeError, match=r"^step must be finite but got nan$"):
        torch.arange(2, 5, math.nan, device="meta")
    for name, bounds in (
        ("length", (2**63,)),
        ("start", (2**63, 2**63 + 5)),
        ("step", (2, 2, 2**63)),
    ):
        with pytest.raises(
            RuntimeError, match=rf"'int' for argument '{name}'.*\nPosition: \d\nValue"
        ):
            torch.arange(*bounds, device="meta")


def test_bytes_wrap_around_where_torch_does_not_check_them() -> None:
    assert torch.eye(2**31, 2**30, device="meta").untyped_storage().nbytes() == -(2**63)
    with pytest.warns(UserWarning, match="torch.range is deprecated"):
        assert torch.range(0, 2**60, device="meta").untyped_storage().nbytes() == 2**62
    with pytest.raises(RuntimeError, match=r"sizes=\[4611686018427387904\]$"):
        torch.eye(1, 2**62, device="meta")


def on_meta(dtype: torch.dtype, *shape: int) -> torch.Tensor:
    return torch.empty(shape, dtype=dtype, device="meta")


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (torch.float8_e5m2, torch.float32, torch.float8_e5m2),
        (torch.float8_e5m2, torch.int64, torch.float8_e5m2),
        (torch.uint16, torch.uint8, torch.uint16),
        (torch.uint16, torch.float64, torch.float64),
        (torch.float16, torch.bfloat16, torch.float32),
        (torch.int8, torch.uint8, torch.int16),
        (torch.bool, torch.bool, torch.bool),
    ],
)
def test_references_promote_by_their_own_rule(
    left: torch.dtype, right: torch.dtype, expected: torch.dtype
) -> None:
    assert (on_meta(left, 2) * on_meta(right, 2)).dtype is expected
    assert torch.cat([on_meta(left, 2), on_meta(right, 2)]).dtype is expected


def test_references_refuse_dtypes_without_numbers_or_order() -> None:
    with pytest.raises(ValueError, match=r"^Invalid dtype!$"):
        on_meta(torch.bits8, 2) + on_meta(torch.float32, 2)
    with pytest.raises(RuntimeError, match=r"^Unexpected termination!$"):
        on_meta(torch.float8_e5m2, 2) + on_meta(torch.float8_e4m3fn, 2)
    with pytest.raises(KeyError):
        on_meta(torch.float8_e5m2, 2) + on_meta(torch.complex64, 2)
    with pytest.raises(RuntimeError, match=r"integral dtype. Got torch.float32"):
        on_meta(torch.int64, 2) << on_meta(torch.float32, 2)


def test_ranges_count_beyond_int64() -> None:
    assert torch.arange(2**62, 2**63, 2**62, device="meta").shape == (1,)
    assert torch.linspace(2**63, 1e19, 5, dtype=torch.uint8, device="meta").shape == (5,)
    with pytest.raises(RuntimeError, match="Storage size calculation overflowed"):
        torch.arange(0, 2**62, 2, dtype=torch.float32, device="meta")


def test_nextafter_takes_a_number_on_the_cpu_beside_meta() -> None:
    x, number = torch.ones(2, device="meta"), torch.ones(())
    assert torch.nextafter(x, number).device == torch.nextafter(number, x).device == x.device
    assert x.nextafter_(number) is x
    with pytest.raises(RuntimeError, match="is not on the expected device meta"):
        torch.nextafter(x, torch.ones(2))


@pytest.mark.parametrize(
    ("call", "stride"),
    [
        (lambda x, y: y + x, (4, 2, 1)),
        (lambda x, y: torch.where(y > 0, x, 0), (4, 2, 1)),
        (lambda x, y: x.masked_fill(y > 0, 1), (4, 2, 1)),
        (lambda x, y: torch.add(y.t(), y[:, :1].t(), alpha=3), (1, 2)),
    ],
)
def test_strides_where_broadcasting_adds_a_dimension(call: Any, stride: tuple[int, ...]) -> None:
    """In torch's references, expand() gives a dimension of size 1 the stride of a dense one."""
    memory = torch.empty(9, device="meta")
    x, y = memory.as_strided((1, 2, 2), (1, 1, 2)), memory.as_strided((2, 2), (2, 1))
    assert call(x, y).stride() == stride


@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_gradients_are_checked_before_the_device_of_out(device: str) -> None:
    other = {"cpu": "meta", "meta": "cpu"}[device]
    tensor = torch.ones(2, device=device, requires_grad=True)
    with pytest.raises(RuntimeError, match=r"exp\(\): functions with out="):
        torch.exp(tensor, out=torch.zeros(2, device=other))
    with pytest.raises(RuntimeError, match="cross-device copies are not allowed"):
        torch.exp(tensor.detach(), out=torch.zeros(2, device=other))


@pytest.mark.parametrize("generator", [None, torch.Generator()])
def test_random_factories_with_a_generator_fill_a_new_tensor(generator):
    x = torch.randn(2, generator=generator, device="meta", pin_memory=True)
    assert (x.shape, x._version) == ((2,), 0)
    with pytest.raises(NotImplementedError, match="PrimTorch does not support pinned memory"):
        torch.randn(2, device="meta", pin_memory=True)
    with pytest.raises(RuntimeError, match="Trying to create tensor with negative dimension -2"):
        torch.randn(-2, generator=generator, device="meta")
    with pytest.raises(RuntimeError, match="Storage size calculation overflowed"):
        torch.randn(2**62, 4, generator=generator, device="meta", dtype=torch.bool)


def test_references_in_another_dtype_convert_operands_and_results() -> None:
    for dtype, stride in ((torch.float16, (3, 1)), (torch.float32, (1, 1))):
        row = torch.empty_strided((1, 3), (1, 2), dtype=dtype, device="meta")
        assert (row - row).stride() == row.sin().stride() == (row > 1).stride() == stride
        assert row.round().stride() == (1, 1)


def test_a_search_on_meta_compares_before_it_reads() -> None:
    on_meta = torch.ones(2, device="meta")
    for element, message in (
        (1.0, "Tensor.item\\(\\) cannot be called on meta tensors"),
        (torch.ones(2), "Tensor on device meta is not on the expected device cpu!"),
    ):
        with pytest.raises(RuntimeError, match=message):
            _ = element in on_meta
    with pytest.raises(RuntimeError, match="device cpu is not on the expected device meta"):
        _ = on_meta in torch.ones(2)


def test_index_put_has_strides_of_its_own() -> None:
    tensor = torch.empty_strided((1, 1), (2, 2), device="meta")
    indices = (torch.tensor([0], device="meta"),)
    assert tensor.index_put(indices, torch.ones((), device="meta")).stride() == (1, 1)


@pytest.mark.parametrize(
    ("call", "dtype", "alpha", "raises"),
    [
        (torch.add, torch.bool, 2, False),
        (torch.add, torch.int32, 1.0, True),
        (torch.sub, torch.bool, 2, True),
        (torch.sub, torch.bool, 1.0, False),
        (torch.sub, torch.int32, 1.0, False),
        (torch.sub, torch.int32, 1.5, True),
        (torch.rsub, torch.bool, 1j, True),
        (torch.rsub, torch.bool, True, False),
    ],
)
def test_alpha_is_checked_as_by_the_references(
    call: Any, dtype: torch.dtype, alpha: Any, raises: bool
) -> None:
    """The reference of add takes any alpha for bool, that of sub any that equals 1."""
    x = torch.ones(3, dtype=dtype, device="meta")
    if raises:
        with pytest.raises(ValueError, match="cannot be safely cast to type"):
            call(x, True, alpha=alpha)
    else:
        assert call(x, True, alpha=alpha).dtype is dtype


@pytest.mark.parametrize(
    ("end", "size", "nbytes"), [(4, 3, 12), (2**61, 2**61, 4), (2**40, 2**40 - 1, 2**42 - 4)]
)
def test_range_resizes_out_on_meta_without_memory(end: int, size: int, nbytes: int) -> None:
    """A number of bytes beyond int64 wraps around, and a storage never shrinks."""
    out = torch.zeros(1, device="meta")
    with pytest.warns(UserWarning, match="deprecated"):
        torch.range(2, end, out=out)
    assert out.shape == (size,)
    assert out.untyped_storage().nbytes() == nbytes
