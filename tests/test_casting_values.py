"""Casts of single elements in which torch differs from NumPy."""

import pytest

import impl as torch


def bytes_of(tensor):
    return bytes(tensor.untyped_storage().tolist())


@pytest.mark.parametrize(
    ("number", "byte"),
    [(2.0**53 - 2, 254), (-1.0, 255), (-(2.0**40) - 3, 253), (300.7, 44), (2.0**62, 0)],
)
def test_floats_become_uint8_by_way_of_int64(number, byte):
    x = torch.tensor([number], dtype=torch.float64)
    assert x.to(torch.uint8).tolist() == [byte]
    assert torch.zeros(1, dtype=torch.uint8).copy_(x).tolist() == [byte]


@pytest.mark.parametrize(
    "copy",
    [
        lambda x: x.clone(),
        lambda x: x.to(torch.bool, copy=True),
        lambda x: torch.zeros(4, dtype=torch.bool).copy_(x),
        lambda x: x.as_strided((2, 2), (1, 2)).contiguous().t().contiguous(),
    ],
)
def test_a_copied_bool_is_0_or_1(copy):
    x = torch.frombuffer(bytearray([0, 1, 2, 255]), dtype=torch.bool)
    assert bytes_of(copy(x)) == bytes([0, 1, 1, 1])
    assert bytes_of(x) == bytes([0, 1, 2, 255])


def test_one_bool_is_copied_so_too():
    x = torch.frombuffer(bytearray([4]), dtype=torch.bool)[0]
    assert bytes_of(x.clone()) == b"\1"
    assert bytes_of(torch.zeros(2, dtype=torch.bool).fill_(x)) == b"\1\1"


@pytest.mark.parametrize("name", ["quint4x2", "quint2x4"])
def test_what_is_quantized_below_a_byte_is_not_copied(name, failure_of):
    source = f"torch.frombuffer(bytearray(4), dtype=torch.uint8).view(torch.{name})"
    kernel = name.replace("quint", "QUInt")
    assert failure_of(f"{source}.copy_({source})") == (
        f"NotImplementedError: \"copy_kernel\" not implemented for '{kernel}'"
    )


@pytest.mark.parametrize(
    ("call", "kernel"),
    [
        ("x.to(torch.float32)", "copy_kernel"),
        ("x[::2].to(torch.float32)", "copy_"),
        ("x[0].to(torch.float32)", "copy_"),
        ("x.to(torch.float64)", "copy_"),
        ("torch.zeros(8).copy_(x[0])", "copy_kernel"),
        ("torch.zeros(16)[::2].copy_(x)", "copy_"),
        ("torch.zeros(2, 4).t().copy_(x.view(2, 4).t())", "copy_kernel"),
        ("torch.zeros(2, 4).t().copy_(x.view(4, 2))", "copy_"),
        ("torch.zeros(8).fill_(x[0])", "copy_kernel"),
        ("x[:1].copy_(torch.zeros(1))", "copy_kernel"),
    ],
)
def test_the_kernel_that_refuses_packed_floats_is_that_for_the_layout(call, kernel, failure_of):
    x = "torch.frombuffer(bytearray(8), dtype=torch.uint8).view(torch.float4_e2m1fn_x2)"
    assert failure_of(call.replace("x", x)) == (
        f"NotImplementedError: \"{kernel}\" not implemented for 'Float4_e2m1fn_x2'"
    )
