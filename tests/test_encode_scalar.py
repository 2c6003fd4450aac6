"""Python numbers to elements, by each of torch's paths, as in torch 2.13."""

import math
from typing import Any

import numpy
import pytest

import impl as torch
from impl._arrays.numpy_bridge import numpy_storage_dtype
from impl._dtypes.table import ALL_DTYPES, DTYPES
from impl._numerics.encode_scalar import ScalarPath, check_quantizer, encode_scalar

T, S, Z, N, X = (
    ScalarPath.TENSOR,
    ScalarPath.SCALAR,
    ScalarPath.SCALAR_ZERO_DIM,
    ScalarPath.SCALAR_TENSOR,
    ScalarPath.SETITEM,
)
EVERY = (T, S, Z, N, X)
FILLS = (S, Z, N)


def bits(value: Any, name: str, path: ScalarPath) -> str:
    """Return the bytes of the element, the most significant first."""
    dtype = DTYPES[name]
    array = numpy.empty(1, numpy_storage_dtype(dtype))
    with numpy.errstate(all="raise"):
        array[...] = encode_scalar(value, dtype, path)
    return array.tobytes()[::-1].hex()


def failure(value: Any, name: str, path: ScalarPath) -> str:
    with pytest.raises((RuntimeError, TypeError, ValueError, OverflowError)) as caught:
        encode_scalar(value, DTYPES[name], path)
    return f"{caught.type.__name__}: {caught.value}"


OUT = "RuntimeError: value cannot be converted to type {} without overflow"


@pytest.mark.parametrize(
    ("value", "name", "paths", "expected"),
    [
        (True, "uint8", EVERY, "01"),
        (-1, "uint8", EVERY, "ff"),
        (-255, "uint8", EVERY, "01"),
        (255.0, "uint8", EVERY, "ff"),
        (-0.0, "uint8", EVERY, "00"),
        (-1.9, "int8", EVERY, "ff"),
        (-128, "int8", EVERY, "80"),
        (2.0**63, "int64", EVERY, "8000000000000000"),
        (2**63 - 1, "int64", EVERY, "7fffffffffffffff"),
        (1 + 0j, "int32", (S, Z, N, X), "00000001"),
        (-1, "uint64", (S, Z, N, X), "ffffffffffffffff"),
        (2.0**64, "uint64", (S, Z, N, X), "0000000000000000"),
        (2**64 - 1, "uint64", (T, S, Z, N), "ffffffffffffffff"),
        (1e-320, "bool", EVERY, "01"),
        (math.nan, "bool", EVERY, "01"),
        (0j, "bool", EVERY, "00"),
        (10**400, "bool", (T,), "01"),
        (65504, "float16", EVERY, "7bff"),
        (65519, "float16", (T, Z, N, X), "7bff"),
        (65520, "float16", (T, Z, N, X), "7c00"),
        # Converted to float32 first, so rounded twice.
        (1 + 2**-11 + 2**-30, "float16", EVERY, "3c00"),
        (-math.inf, "float16", EVERY, "fc00"),
        (1e300, "float32", (T,), "7f800000"),
        (1e-46, "float32", EVERY, "00000000"),
        (-0.0, "float32", EVERY, "80000000"),
        (math.inf, "float32", EVERY, "7f800000"),
        (2**54 + 2**30 + 1, "float32", (T,), "5a800000"),
        (2**54 + 2**30 + 1, "float32", (S, Z, N, X), "5a800001"),
        (2**53 + 1, "float64", EVERY, "4340000000000000"),
        (2**63 + 2**10 + 1, "float64", (T, S, Z, N), "43e0000000000001"),
        (1e40, "bfloat16", (T, Z, N, X), "7f80"),
        (math.nan, "bfloat16", EVERY, "7fc0"),
        (1.01171875, "bfloat16", EVERY, "3f82"),
        (-math.inf, "float8_e5m2", EVERY, "fc"),
        (61440, "float8_e5m2", (T, Z, N, X), "7c"),
        (math.inf, "float8_e4m3fn", (T, Z, N, X), "7e"),
        (-1e9, "float8_e4m3fn", (T, Z, N, X), "fe"),
        (math.inf, "float8_e4m3fnuz", (T, Z, N, X), "80"),
        (-0.0, "float8_e4m3fnuz", EVERY, "00"),
        (57345, "float8_e5m2fnuz", (T, Z, N, X), "7f"),
        (-3, "float8_e8m0fnu", EVERY, "81"),
        (0, "float8_e8m0fnu", EVERY, "00"),
        (0.0, "float8_e8m0fnu", (T, Z, N, X), "00"),
        (math.nan, "float8_e8m0fnu", EVERY, "ff"),
        (1 + 2j, "complex32", EVERY, "40003c00"),
        (1e5, "complex32", (T, S), "00007c00"),
        (complex(0, math.nan), "complex64", EVERY, "7fc0000000000000"),
        (1e39j, "complex64", (T,), "7f80000000000000"),
        (-1.5, "complex128", EVERY, "0000000000000000bff8000000000000"),
    ],
)
def test_bits(value: Any, name: str, paths: tuple[ScalarPath, ...], expected: str) -> None:
    assert [bits(value, name, path) for path in paths] == [expected] * len(paths)


@pytest.mark.parametrize(
    ("value", "name", "paths", "expected"),
    [
        (256, "uint8", (T,), OUT.format("uint8")),
        (-256, "uint8", (S, Z, N, X), OUT.format("uint8_t")),
        (-0.5, "uint8", (T,), OUT.format("uint8")),
        (127.5, "int8", (S, Z, N, X), OUT.format("int8_t")),
        (math.nan, "int32", (S, Z, N, X), OUT.format("int")),
        (1j, "int64", (S, Z, N, X), OUT.format("int64_t")),
        (2**63, "int64", FILLS, OUT.format("int64_t")),
        (-0.5, "uint64", FILLS, OUT.format("uint64_t")),
        (65505, "float16", (S,), OUT.format("c10::Half")),
        (1j, "float16", (Z, N, X), OUT.format("double")),
        (3.4e38, "bfloat16", (S,), OUT.format("c10::BFloat16")),
        (3.4028235e38, "float32", (S, Z, N, X), OUT.format("float")),
        (1j, "float64", (S, Z, N, X), OUT.format("double")),
        (math.inf, "float8_e4m3fn", (S,), OUT.format("c10::Float8_e4m3fn")),
        (0.0, "float8_e8m0fnu", (S,), OUT.format("c10::Float8_e8m0fnu")),
        (1 + 0j, "float8_e8m0fnu", (S,), OUT.format("c10::Float8_e8m0fnu")),
        (65505, "complex32", (Z, N, X), OUT.format("c10::complex<c10::Half>")),
        (1e39, "complex32", (S,), OUT.format("c10::complex<float>")),
        (1e39j, "complex64", (S, Z, N, X), OUT.format("c10::complex<float>")),
        (2**63, "uint8", (T, X), "ValueError: Overflow when unpacking long long"),
        (2**64, "float32", FILLS, "OverflowError: int too big to convert"),
        (-(2**63) - 1, "bool", FILLS, "OverflowError: can't convert negative int to unsigned"),
        (10**400, "float32", (T,), "OverflowError: int too large to convert to float"),
        (-1, "uint64", (T,), "OverflowError: can't convert negative int to unsigned"),
        (2**64, "uint64", (T,), "OverflowError: int too big to convert"),
        (1.0, "uint64", (T,), "TypeError: an integer is required"),
        (numpy.int8(1), "uint64", (T,), "TypeError: an integer is required"),
        (numpy.uint64(2**63), "float64", FILLS, "TypeError: an integer is required"),
        (1j, "int8", (T,), "TypeError: 'complex' object cannot be interpreted as an integer"),
        (1j, "float8_e5m2", (T,), "TypeError: must be real number, not complex"),
        ("1", "float32", (T,), "TypeError: must be real number, not str"),
        ("1", "complex64", (T,), "TypeError: must be real number, not str"),
        (None, "bool", (T,), "TypeError: 'NoneType' object cannot be interpreted as an integer"),
        (
            numpy.float32(1),
            "int32",
            (T,),
            "TypeError: 'numpy.float32' object cannot be interpreted as an integer",
        ),
        (
            numpy.float32(1),
            "complex64",
            (X,),
            "TypeError: can't assign a numpy.float32 to a torch.ComplexFloatTensor",
        ),
        ([], "qint8", (X,), "TypeError: can't assign a list to a torch.FloatTensor"),
        (1, "bits8", (T,), "RuntimeError: store_scalar: invalid type"),
        (1, "int4", (S,), "NotImplementedError: \"fill_cpu\" not implemented for 'Int4'"),
        (
            1e40,
            "bits16",
            (Z, N, X),
            "NotImplementedError: \"fill_out\" not implemented for 'Bits16'",
        ),
        (1, "qint8", (N,), "NotImplementedError: \"fill_out\" not implemented for 'QInt8'"),
        (1, "quint4x2", (S,), "NotImplementedError: \"fill_cpu\" not implemented for 'QUInt4x2'"),
        (1, "quint4x2", (X,), "NotImplementedError: \"copy_\" not implemented for 'QUInt4x2'"),
        (1e40, "quint8", (X,), OUT.format("float")),
    ],
)
def test_refusals(value: Any, name: str, paths: tuple[ScalarPath, ...], expected: str) -> None:
    assert [failure(value, name, path) for path in paths] == [expected] * len(paths)


def test_a_quantized_tensor_without_quantizer_is_an_assertion() -> None:
    with pytest.raises(RuntimeError, match=r"cannot call qscheme on UnknownQuantizer$"):
        check_quantizer(torch.qint8, is_complex=False)
    with pytest.raises(NotImplementedError, match=r"^.Copy. not implemented for 'QUInt4x2'$"):
        check_quantizer(torch.quint4x2, is_complex=False)
    with pytest.raises(
        RuntimeError, match=r"^Quantized copy only works with kFloat as source Tensor$"
    ):
        check_quantizer(torch.qint8, is_complex=True)
    check_quantizer(torch.int4, is_complex=False)


class Indexed:
    def __index__(self) -> int:
        return 7


class Floating:
    def __float__(self) -> float:
        return 1.25


class Turning:
    def __complex__(self) -> complex:
        return 1 + 2j


class Own(int):
    def __index__(self) -> int:
        return 99


def test_objects_that_say_what_number_they_are() -> None:
    assert bits(Indexed(), "int8", T) == bits(Indexed(), "uint8", T) == "07"
    assert bits(Indexed(), "float16", T) == "4700"
    assert bits(Floating(), "float32", T) == "3fa00000"
    assert bits(Turning(), "complex32", T) == "40003c00"
    assert bits(Own(3), "int8", S) == bits(Own(3), "int8", X) == "03"
    assert failure(Floating(), "int8", T).endswith("cannot be interpreted as an integer")
    assert failure(Turning(), "float32", T) == "TypeError: must be real number, not Turning"


def test_numpy_scalars() -> None:
    assert bits(numpy.bool_(True), "bool", T) == bits(numpy.bool_(True), "int8", S) == "01"
    assert bits(numpy.float64(1.5), "int8", T) == bits(numpy.float64(1.5), "int8", X) == "01"
    assert bits(numpy.uint64(2**64 - 1), "float32", T) == "5f800000"
    with pytest.warns(numpy.exceptions.ComplexWarning):
        assert bits(numpy.complex64(1 + 2j), "complex64", S) == "000000003f800000"


@pytest.mark.parametrize("dtype", ALL_DTYPES, ids=repr)
def test_every_dtype_takes_one_in_every_way_or_in_none(dtype: torch.dtype) -> None:
    outcomes = set()
    for path in EVERY:
        try:
            outcomes.add(
                numpy.array(encode_scalar(1, dtype, path), numpy_storage_dtype(dtype)).tobytes()
            )
        except (RuntimeError, NotImplementedError):
            outcomes.add(b"")
    assert len(outcomes) == 1
