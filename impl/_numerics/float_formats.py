"""The float formats that NumPy lacks: their codes, and the numbers that they stand for.

A format is a row's exponent bits, mantissa bits, bias and specials.  Decoding
is a table of all codes.  Encoding finds the nearest code: the finite codes
grow with what they stand for, so it is a search among the points half way
between neighbours, and a tie goes to the even code (`nearest`).  `encode` gives
the same faster: 16-bit formats by arithmetic on the bits, 8-bit formats by a
table of what 16 bits of a float32 become; few numbers by a search in float32.
"""

from functools import cache
from threading import local
from typing import Any, NamedTuple

from .._arrays.numpy_bridge import np, numpy_storage_dtype
from .._arrays.parallel import PART, parallel_blocks, quietly
from .._dtypes.constants import BFLOAT16, FLOAT16
from .._dtypes.table import FloatFormat, Specials, dtype, spec_of


@cache
def table(form: FloatFormat) -> Any:
    """Return what each code stands for, as float32, in the order of the codes."""
    signed = form.specials is not Specials.NAN_ONLY
    bits = form.exponent_bits + form.mantissa_bits
    raw = np.arange(2**bits)
    exponent, mantissa = raw >> form.mantissa_bits, raw & (2**form.mantissa_bits - 1)
    is_normal = (exponent > 0) | (not signed)
    significand = mantissa / 2.0**form.mantissa_bits + is_normal
    numbers = np.ldexp(significand, np.maximum(exponent, int(signed)) - form.bias)
    top = exponent == 2**form.exponent_bits - 1
    match form.specials:
        case Specials.IEEE:
            numbers[top] = np.where(mantissa[top] == 0, np.inf, np.nan)
        case Specials.FN | Specials.NAN_ONLY:
            numbers[-1] = np.nan
    if signed:
        numbers = np.concatenate([numbers, -numbers])
    if form.specials is Specials.FNUZ:
        numbers[2**bits] = np.nan
    singles = numbers.astype(np.float32)
    # The bits of NaNs: moved to the top and made quiet, or those of the headers c10/util/Float8_*.h.
    nans = np.flatnonzero(np.isnan(singles))
    kept = (nans >> bits << 31) | 0x7FC00000 | (mantissa[nans % 2**bits] << 23 - form.mantissa_bits)
    moved = form.specials in (Specials.IEEE, Specials.FN)
    singles.view(np.uint32)[nans] = kept if moved else 0x7F800001
    return singles


@cache
def _between(form: FloatFormat) -> Any:
    """Return the points half way from each finite code without a sign to the next one."""
    numbers = table(form)[: 2 ** (form.exponent_bits + form.mantissa_bits)].astype(np.float64)
    finite = numbers[np.isfinite(numbers)]
    # Beyond the largest comes the number that the format would go on with.
    beyond = finite[-1] + (finite[-1] - finite[-2])
    return (finite + np.append(finite[1:], beyond)) / 2


def decode(raw: Any, dtype: dtype) -> Any:
    """Return the numbers that codes of a real format stand for, as float32."""
    return table(_format(dtype))[raw]


def encode(numbers: Any, dtype: dtype) -> Any:
    """Return the codes of a real format that are nearest to float32 numbers, as unsigned integers."""
    if numbers.size <= FEW:
        found = encoder_of_few(dtype)(numbers)
        return found.view(np.uint16) if dtype is FLOAT16 else found
    raw = np.empty(numbers.shape, f"uint{8 * dtype.itemsize}")
    parallel_blocks(encoder(dtype), raw, numbers)
    return raw


FEW = 256
"""Up to how many numbers are encoded by a search: it costs less than arithmetic then."""


@cache
def encoder_of_few(value: dtype, *, doubles: bool = False) -> Any:
    """Return a function that gives the codes of an array of up to `FEW` numbers, as they are carried.

    They are float32, or float64 if they are doubles, which become float32 first.
    """
    starts, raw = intervals(value)
    if doubles:
        starts = _of_doubles(starts)
    search, take, dtype = (
        starts.searchsorted,
        raw.view(numpy_storage_dtype(value)).take,
        starts.dtype,
    )
    return lambda numbers: take(search(numbers.view(dtype), "right"))


def _of_doubles(starts: Any) -> Any:
    """Return the bits of the float64 numbers from which on float32 has those of ``starts``."""
    sizes = starts.astype(np.int64) & 0x7FFFFFFF
    infinity = 0x7F800000
    pairs = np.minimum(np.stack([np.maximum(sizes - 1, 0), sizes]), infinity).astype(np.int32)
    numbers = pairs.view(np.float32).astype(np.float64)
    numbers[np.isinf(numbers)] = 2.0**128  # where float32 would go on
    # Half way to the one before it; a tie goes to the even one.
    halves = numbers.sum(0) / 2
    bits = halves.view(np.int64) + (sizes & 1)
    # What is lost of a NaN's bits is no matter: it is one, and quiet.
    lower = np.where(sizes == infinity + 1, 1, (sizes - infinity) << 29)
    nan = np.float64(np.inf).view(np.int64) + lower
    bits = np.where(sizes > infinity, nan, np.where(sizes == 0, 0, bits))
    return np.where(starts < 0, bits + np.int64(-(2**63)), bits)


def encoder(dtype: dtype) -> Any:
    """Return a function that writes the codes of float32 numbers of a part: ``(codes, numbers)``."""
    if dtype is BFLOAT16:
        return _encode_brain
    if dtype is FLOAT16:
        return _encode_half
    return _encode_byte(dtype)


def _encode_brain(raw: Any, numbers: Any) -> None:
    """Encode as bfloat16: the upper half of float32, to the nearest even (c10/util/BFloat16.h)."""
    bits = numbers.view(np.uint32)
    (words,) = scratch(numbers.shape, 0)
    np.right_shift(bits, 16, out=words)
    np.bitwise_and(words, 1, out=words)
    np.add(words, 0x7FFF, out=words)
    np.add(words, bits, out=words)
    np.right_shift(words, 16, out=words)
    np.copyto(raw, words, casting="unsafe")
    if _has_nan(numbers):
        raw[np.isnan(numbers)] = 0x7FC0


def _encode_half(raw: Any, numbers: Any) -> None:
    """Encode as float16.

    Adding and taking away a number some powers of two larger rounds at the
    last bit of a float16; scaled, the exponent counts as that of a float16
    does, and numbers below its normal ones become such of float32.  NaNs come
    through as they do in processors: quiet, with their upper bits.
    """
    words, large = scratch(numbers.shape, 0, 1)
    singles, large_singles = words.view(np.float32), large.view(np.float32)
    np.clip(numbers, -65536, 65536, out=singles)  # what is beyond becomes infinity
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


def _has_nan(numbers: Any) -> bool:
    largest = np.maximum.reduce(numbers, axis=None, initial=0)
    return bool(largest != largest)


@cache
def _encode_byte(dtype: dtype) -> Any:
    """Return what encodes as an 8-bit format, by a table of the upper halves of float32.

    The last bit of a half is set if the lower half is not zero.  So it lies on
    the same side of every point half way between two codes (rounding to odd:
    Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
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


_KEYS = 2**15
"""How many keys are looked up at once: NumPy makes 64-bit integers of them before."""


def look_up(out: Any, table: Any, keys: Any) -> None:
    """Write ``table[keys]`` into an array; the keys are unsigned integers within the table."""
    if keys.size <= _KEYS or keys.ndim != 1:
        np.take(table, keys, out=out, mode="clip")
        return
    for start in range(0, keys.size, _KEYS):
        part = slice(start, start + _KEYS)
        np.take(table, keys[part], out=out[part], mode="clip")


def scratch(shape: tuple[int, ...], *places: int) -> list[Any]:
    """Return arrays of 32-bit words for what is in between; a thread finds the same in each place.

    The encoders use places 0 and 1, conversions place 2, and operators places 3 and 4.
    """
    if len(shape) != 1 or not 1024 <= shape[0] <= PART:
        return [np.empty(shape, np.uint32) for _ in places]
    words: dict[Any, Any] = vars(_OF_THREAD)
    for place in places:
        if place not in words:
            words[place] = np.empty(PART, np.uint32)
    return [words[place][: shape[0]] for place in places]


_OF_THREAD = local()


class Intervals(NamedTuple):
    """Where codes begin: ``codes[i]`` is for the float32 bits, as int32, from ``starts[i - 1]`` on."""

    starts: Any
    codes: Any


@cache
def intervals(dtype: dtype) -> Intervals:
    """Return the intervals of float32 numbers that have one code.

    A code begins half way between two neighbours, so with a number that has
    one more bit than the format has, or right after it.
    """
    spacing = 2 ** (22 - _format(dtype).mantissa_bits)
    starts: list[Any] = []
    found: list[Any] = []
    last = None
    for first in range(-(2**31), 2**31, _AT_ONCE * spacing):
        candidates = np.arange(first, min(first + _AT_ONCE * spacing, 2**31), spacing, np.int64)
        candidates = np.stack([candidates, candidates + 1], 1).astype(np.int32).reshape(-1)
        raw = np.empty(candidates.shape, f"uint{8 * dtype.itemsize}")
        quietly(encoder(dtype), raw, candidates.view(np.float32))
        is_new = np.append(raw[0] != last, raw[1:] != raw[:-1])
        starts.append(candidates[is_new])
        found.append(raw[is_new])
        last = raw[-1]
    return Intervals(np.concatenate(starts)[1:], np.concatenate(found))


_AT_ONCE = 2**14
"""How many numbers are looked at together: few, as this is memory that nobody asked for."""


def nearest(numbers: Any, dtype: dtype) -> Any:
    """Return the codes of a real format that are nearest to float32 numbers, by a search.

    What is too large becomes infinity, or NaN in formats without one, but for
    float8_e4m3fn, which keeps its largest number (#178817).
    """
    if not numbers.ndim:
        return nearest(numbers.reshape(1), dtype).reshape(())
    form = _format(dtype)
    if form.specials is Specials.NAN_ONLY:
        return _encode_exponents(numbers)
    bits = form.exponent_bits + form.mantissa_bits
    with np.errstate(invalid="ignore"):  # widening a signalling NaN
        wide = np.abs(numbers).astype(np.float64)
    between = _between(form)
    low = np.searchsorted(between, wide, "left")
    high = np.searchsorted(between, wide, "right")
    raw = np.where(low % 2 == 0, low, high)
    sign = np.signbit(numbers)
    largest = len(between) - 1
    is_nan = np.isnan(numbers)
    match form.specials:
        case Specials.IEEE:
            raw = np.minimum(raw, largest + 1)
            raw[is_nan] = 2**bits - 1  # c10/util/Float8_e5m2.h
        case Specials.FN:
            raw = np.minimum(raw, largest)
            raw[is_nan] = 2**bits - 1
        case Specials.FNUZ:
            wrong = is_nan | (raw > largest)
            # There is no negative zero; its code is NaN.
            sign = (sign & (raw > 0)) | wrong
            raw = np.where(wrong, 0, raw)
    return (raw | (sign.astype(np.int64) << bits)).astype(f"uint{8 * dtype.itemsize}")


def _encode_exponents(numbers: Any) -> Any:
    """Encode as float8_e8m0fnu: the nearest power of two, a tie upwards, without the sign."""
    bits = np.asarray(numbers, np.float32).view(np.uint32) & 0x7FFFFFFF
    exponent, fraction = bits >> 23, bits & 0x7FFFFF
    # From c10/util/Float8_e8m0fnu.h: at the lowest exponent a tie goes down.
    up = (fraction > 0x400000) | ((fraction == 0x400000) & (exponent > 0))
    return np.minimum(np.where(exponent == 255, 255, exponent + up), 255).astype(np.uint8)


def _format(dtype: dtype) -> FloatFormat:
    form = spec_of(dtype).float_format
    assert form is not None
    return form
