"""The serialization id of a checkpoint: a hash of its names and a hash of its contents.

Torch combines the hashes of the names in the order of a ``std::unordered_set`` of libstdc++
(PyTorchStreamWriter::writeSerializationId in caffe2/serialize/inline_container.cc).  That order
depends only on the names and on the order in which they were inserted.
"""

from bisect import bisect_left
from collections.abc import Iterable

_MASK = 2**64 - 1
_MULTIPLIER = 0xC6A4A7935BD1E995
_SEED = 0xC70F6907

_BUCKET_COUNTS = (
    13, 29, 59, 127, 257, 541, 1109, 2357, 5087, 10273, 20753, 42043, 85229, 172933, 351061,
    712697, 1447153, 2938679,
)  # fmt: skip
"""The numbers of buckets as a set grows: primes from libstdc++'s table, each at least doubled."""


def serialization_id(names: Iterable[str], crc32s: Iterable[int]) -> str:
    """Return the id: two numbers of 20 digits, for the names and the checksums of the records."""
    combined_names = combined_crc32s = 0
    for hash_of_name in _in_order_of_set([_hash_string(name.encode()) for name in names]):
        combined_names = _hash_combine(combined_names, hash_of_name)
    for crc32 in crc32s:
        combined_crc32s = _hash_combine(combined_crc32s, crc32)
    return f"{combined_names:020}{combined_crc32s:020}"


def _hash_combine(seed: int, value: int) -> int:
    """Return ``c10::hash_combine`` (c10/util/hash.h)."""
    return seed ^ ((value + 0x9E3779B9 + (seed << 6) + (seed >> 2)) & _MASK)


def _hash_string(text: bytes) -> int:
    """Return ``std::hash<std::string>`` of libstdc++, a 64-bit Murmur hash."""
    result = _SEED ^ (len(text) * _MULTIPLIER & _MASK)
    whole = len(text) & ~7
    for start in range(0, whole, 8):
        word = int.from_bytes(text[start : start + 8], "little")
        word = _shift_mix(word * _MULTIPLIER & _MASK) * _MULTIPLIER & _MASK
        result = (result ^ word) * _MULTIPLIER & _MASK
    if whole != len(text):
        rest = int.from_bytes(text[whole:], "little")
        result = (result ^ rest) * _MULTIPLIER & _MASK
    return _shift_mix(_shift_mix(result) * _MULTIPLIER & _MASK)


def _shift_mix(value: int) -> int:
    return value ^ (value >> 47)


def _in_order_of_set(hashes: list[int]) -> list[int]:
    """Return the hashes in the order in which a set of libstdc++ iterates.

    A new element is put before the others of its bucket, or before all if its bucket is empty.
    When the set grows, its elements are inserted anew in the order of that moment.
    """
    order: list[int] = []
    inserted = 0
    for count in _BUCKET_COUNTS[: bisect_left(_BUCKET_COUNTS, len(hashes)) + 1]:
        new = hashes[inserted:count]
        order = _inserted([*order, *new], count)
        inserted += len(new)
    return order


def _inserted(hashes: Iterable[int], buckets: int) -> list[int]:
    """Return the order of hashes inserted one by one into a number of buckets."""
    by_bucket: dict[int, list[int]] = {}
    for value in hashes:
        by_bucket.setdefault(value % buckets, []).append(value)
    # Buckets are in the reverse order of their first elements; so are the elements of a bucket.
    return [value for bucket in reversed(by_bucket.values()) for value in reversed(bucket)]
