"""Encoding and decoding of the float formats that NumPy lacks.

A `FloatFormat` has exponent bits, mantissa bits, a bias and specials.  Decoding uses a table of all
bit patterns.  `nearest` encodes by a search among the midpoints of adjacent numbers; a tie goes to
the even pattern.  `encode` gives the same results faster, by bit arithmetic for 16-bit formats and
a table of the upper float32 halves for 8-bit formats.  For few numbers it searches in float32.
"""

from functools import cache
from threading import local
from typing import Any, NamedTuple

from .._arrays.numpy_bridge import np, numpy_storage_dtype
from .._arrays.parallel import BLOCK_ELEMENTS, parallel_blocks, without_fp_warnings
from .._dtypes.constants import BFLOAT16, FLOAT16
from .._dtypes.table import FloatFormat, Specials, dtype, spec_of


@cache
def table(fmt: FloatFormat) -> Any:
    """Return the number of each bit pattern, as float32, in order."""
    signed = fmt.specials is not Specials.NAN_ONLY
    bits = fmt.exponent_bits + fmt.mantissa_bits
    raw = np.arange(2**bits)
    exponent, mantissa = raw >> fmt.mantissa_bits, raw & (2**fmt.mantissa_bits - 1)
    is_normal = (exponent > 0) | (not signed)
    significand = mantissa / 2.0**fmt.mantissa_bits + is_normal
    numbers = np.ldexp(significand, np.maximum(exponent, int(signed)) - fmt.bias)
    top = exponent == 2**fmt.exponent_bits - 1
    match fmt.specials:
        case Specials.IEEE:
            numbers[top] = np.where(mantissa[top] == 0, np.inf, np.nan)
        case Specials.FN | Specials.NAN_ONLY:
            numbers[-1] = np.nan
    if signed:
        numbers = np.concatenate([numbers, -numbers])
    if fmt.specials is Specials.FNUZ:
        numbers[2**bits] = np.nan
    singles = numbers.astype(np.float32)
    # The bits of NaNs: shifted to the top and quieted, or those of c10/util/Float8_*.h.
    nans = np.flatnonzero(np.isnan(singles))
    quieted = (
        (nans >> bits << 31) | 0x7FC00000 | (mantissa[nans % 2**bits] << 23 - fmt.mantissa_bits)
    )
    is_shifted = fmt.specials in (Specials.IEEE, Specials.FN)
    singles.view(np.uint32)[nans] = quieted if is_shifted else 0x7F800001
    return singles


@cache
def _midpoints(fmt: FloatFormat) -> Any:
    """Return the midpoints between adjacent nonnegative finite numbers."""
    numbers = table(fmt)[: 2 ** (fmt.exponent_bits + fmt.mantissa_bits)].astype(np.float64)
    finite = numbers[np.isfinite(numbers)]
    # The last midpoint is between the largest number and the next one without overflow.
    overflow = finite[-1] + (finite[-1] - finite[-2])
    return (finite + np.append(finite[1:], overflow)) / 2


def decode(raw: Any, dtype: dtype) -> Any:
    """Return the numbers of a raw array of a real format, as float32."""
    return table(format_of(dtype))[raw]


def encode(numbers: Any, dtype: dtype) -> Any:
    """Return float32 numbers, rounded to a real format, as unsigned integers."""
    if numbers.size <= FEW:
        result = encoder_of_few(dtype)(numbers)
        return result.view(np.uint16) if dtype is FLOAT16 else result
    raw = np.empty(numbers.shape, f"uint{8 * dtype.itemsize}")
    parallel_blocks(encoder(dtype), raw, numbers)
    return raw


FEW = 256
"""The largest number of elements that a search encodes faster than arithmetic."""


@cache
def encoder_of_few(value: dtype, *, doubles: bool = False) -> Any:
    """Return a function that encodes an array of up to `FEW` numbers in its storage dtype.

    The numbers are float32, or with ``doubles`` float64, which is rounded to float32 first.
    """
    starts, raw = intervals(value)
    if doubles:
        starts = _float64_starts(starts)
    search, dtype = starts.searchsorted, starts.dtype
    take = raw.view(numpy_storage_dtype(value)).take
    return lambda numbers: take(search(numbers.view(dtype), "right"))


def _float64_starts(starts: Any) -> Any:
    """Return the bits of the first float64 numbers that round to the float32 bits ``starts``."""
    magnitudes = starts.astype(np.int64) & 0x7FFFFFFF
    infinity = 0x7F800000
    pairs = np.stack([magnitudes - 1, magnitudes]).clip(0, infinity).astype(np.int32)
    numbers = pairs.view(np.float32).astype(np.float64)
    numbers[np.isinf(numbers)] = 2.0**128  # the next float32 without overflow
    # The midpoint with the previous number; a tie goes to the even one.
    midpoints = numbers.sum(0) / 2
    bits = midpoints.view(np.int64) + (magnitudes & 1)
    # The dropped bits of a NaN do not matter: it stays a quiet NaN.
    lower = np.where(magnitudes == infinity + 1, 1, (magnitudes - infinity) << 29)
    nan = np.float64(np.inf).view(np.int64) + lower
    bits = np.where(magnitudes > infinity, nan, np.where(magnitudes == 0, 0, bits))
    return np.where(starts < 0, bits + np.int64(-(2**63)), bits)


def encoder(dtype: dtype) -> Any:
    """Return a function ``(raw, numbers)`` that writes float32 numbers, encoded, to ``raw``."""
    if dtype is BFLOAT16:
        return _encode_bfloat16
    return _encode_float16 if dtype is FLOAT16 else _byte_encoder(dtype)


def _encode_bfloat16(raw: Any, numbers: Any) -> None:
    """Write bfloat16: the upper half of float32, rounded to nearest even (c10/util/BFloat16.h)."""
    bits = numbers.view(np.uint32)
    (words,) = scratch(numbers.shape, 0)
    np.right_shift(bits, 16, out=words)
    np.bitwise_and(words, 1, out=words)
    np.add(words, 0x7FFF, out=words)
    np.add(words, bits, out=words)
    np.right_shift(words, 16, out=words)
    np.copyto(raw, words, casting="unsafe")
    if np.isnan(np.maximum.reduce(numbers, axis=None, initial=0)):
        raw[np.isnan(numbers)] = 0x7FC0


def _encode_float16(raw: Any, numbers: Any) -> None:
    """Write float16.

    Adding and subtracting a larger power of two rounds at the last bit of a float16.  Scaling then
    gives the exponent of a float16, and subnormal float16 numbers become subnormal float32 ones.
    NaNs are converted as by processors: they are quiet and keep their upper bits.
    """
    words, large = scratch(numbers.shape, 0, 1)
    singles, large_singles = words.view(np.float32), large.view(np.float32)
    np.clip(numbers, -65536, 65536, out=singles)  # larger numbers become infinity
    np.bitwise_and(words, 0x7F800000, out=large)
    np.clip(large, 113 << 23, 255 << 23, out=large)  # 2**-14, the least normal number
    np.add(large, (13 << 23) + (1 << 22), out=large)  # times 1.5 * 2**13
    np.add(singles, large_singles, out=singles)
    np.subtract(singles, large_singles, out=singles)
    np.multiply(singles, 2.0**-112, out=singles)
    np.right_shift(words, 13, out=words)
    np.copyto(raw, words, casting="unsafe")
    np.bitwise_and(raw, 0x7FFF, out=raw)
    np.right_shift(numbers.view(np.uint32), 16, out=words)
    signs = words.astype(np.uint16)
    np.bitwise_and(signs, 0x8000, out=signs)
    np.bitwise_or(raw, signs, out=raw)


@cache
def _byte_encoder(dtype: dtype) -> Any:
    """Return the encoder of an 8-bit format, by a table of the upper halves of float32.

    The last bit of an upper half is set if the lower half is nonzero.  So it is on the same side of
    every midpoint as the number (rounding to odd: Boldo and Melquiond, "Emulation of FMA and
    correctly rounded sums", 2008).
    """
    halves = np.arange(2**16, dtype=np.uint32) << 16
    table = nearest(halves.view(np.float32), dtype)

    def encode_byte(raw: Any, numbers: Any) -> None:
        bits = numbers.view(np.uint32)
        (words,) = scratch(numbers.shape, 0)
        np.bitwise_and(bits, 0xFFFF, out=words)
        np.add(words, 0xFFFF, out=words)
        np.bitwise_or(words, bits, out=words)
        np.right_shift(words, 16, out=words)
        look_up(raw, table, words)

    return encode_byte


_MAX_KEYS = 2**15
"""The largest number of keys in a lookup, as NumPy converts keys to 64-bit integers."""


def look_up(out: Any, table: Any, keys: Any) -> None:
    """Write ``table[keys]`` into ``out``; the keys are unsigned integers in range."""
    if keys.size <= _MAX_KEYS or keys.ndim != 1:
        np.take(table, keys, out=out, mode="clip")
        return
    for start in range(0, keys.size, _MAX_KEYS):
        part = slice(start, start + _MAX_KEYS)
        np.take(table, keys[part], out=out[part], mode="clip")


def scratch(shape: tuple[int, ...], *slots: int) -> list[Any]:
    """Return scratch arrays of 32-bit words; each thread reuses the memory of a slot.

    The encoders use slots 0 and 1, casts slot 2, and operators slots 3 and 4.
    """
    if len(shape) != 1 or not 1024 <= shape[0] <= BLOCK_ELEMENTS:
        return [np.empty(shape, np.uint32) for _ in slots]
    words: dict[Any, Any] = vars(_THREAD_LOCAL)
    for slot in slots:
        if slot not in words:
            words[slot] = np.empty(BLOCK_ELEMENTS, np.uint32)
    return [words[slot][: shape[0]] for slot in slots]


_THREAD_LOCAL = local()


class Intervals(NamedTuple):
    """Intervals of float32 bits, as int32; from ``starts[i - 1]`` on the encoding is ``raw[i]``."""

    starts: Any
    raw: Any


@cache
def intervals(dtype: dtype) -> Intervals:
    """Return the intervals of float32 numbers with equal encodings.

    An interval begins at or right after a midpoint, which has one more bit than the format.
    """
    spacing = 2 ** (22 - format_of(dtype).mantissa_bits)
    starts, encodings, last = [], [], None
    for first in range(-(2**31), 2**31, _BATCH * spacing):
        candidates = np.arange(first, min(first + _BATCH * spacing, 2**31), spacing, np.int64)
        candidates = np.stack([candidates, candidates + 1], 1).astype(np.int32).reshape(-1)
        raw = np.empty(candidates.shape, f"uint{8 * dtype.itemsize}")
        without_fp_warnings(encoder(dtype), raw, candidates.view(np.float32))
        is_new = np.append(raw[0] != last, raw[1:] != raw[:-1])
        starts.append(candidates[is_new])
        encodings.append(raw[is_new])
        last = raw[-1]
    return Intervals(np.concatenate(starts)[1:], np.concatenate(encodings))


_BATCH = 2**14
"""The number of candidates in one batch; it bounds the temporary memory."""


def nearest(numbers: Any, dtype: dtype) -> Any:
    """Return float32 numbers, rounded to a real format by a search, as unsigned integers.

    Too large numbers become infinity, or NaN in formats without infinity.  In float8_e4m3fn they
    become its largest number (#178817).
    """
    if not numbers.ndim:
        return nearest(numbers.reshape(1), dtype).reshape(())
    fmt = format_of(dtype)
    if fmt.specials is Specials.NAN_ONLY:
        return _encode_e8m0(numbers)
    bits = fmt.exponent_bits + fmt.mantissa_bits
    with np.errstate(invalid="ignore"):  # widening a signaling NaN
        magnitudes = np.abs(numbers).astype(np.float64)
    midpoints = _midpoints(fmt)
    low = np.searchsorted(midpoints, magnitudes, "left")
    high = np.searchsorted(midpoints, magnitudes, "right")
    raw = np.where(low % 2 == 0, low, high)
    sign = np.signbit(numbers)
    largest = len(midpoints) - 1
    is_nan = np.isnan(numbers)
    match fmt.specials:
        case Specials.IEEE | Specials.FN:
            raw = np.minimum(raw, largest + (fmt.specials is Specials.IEEE))
            raw[is_nan] = 2**bits - 1  # c10/util/Float8_e5m2.h
        case Specials.FNUZ:
            is_nan_result = is_nan | (raw > largest)
            # There is no negative zero; its bit pattern is NaN.
            sign = (sign & (raw > 0)) | is_nan_result
            raw = np.where(is_nan_result, 0, raw)
    return (raw | (sign.astype(np.int64) << bits)).astype(f"uint{8 * dtype.itemsize}")


def _encode_e8m0(numbers: Any) -> Any:
    """Return float8_e8m0fnu: the nearest power of two of the absolute value, ties upwards."""
    bits = np.asarray(numbers, np.float32).view(np.uint32) & 0x7FFFFFFF
    exponent, fraction = bits >> 23, bits & 0x7FFFFF
    # At the lowest exponent a tie goes down (c10/util/Float8_e8m0fnu.h).
    up = (fraction > 0x400000) | ((fraction == 0x400000) & (exponent > 0))
    return np.minimum(np.where(exponent == 255, 255, exponent + up), 255).astype(np.uint8)


def format_of(dtype: dtype) -> FloatFormat:
    """Return the format of a float or complex dtype."""
    fmt = spec_of(dtype).float_format
    assert fmt is not None
    return fmt
