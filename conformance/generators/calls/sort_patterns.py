"""Lines of numbers that algorithms of sorting take each in another way, as source text."""

SIZES = tuple(
    map(str, (1, 2, 15, 16, 17, 18, 33, 100, 257, 1023, 1024, 1025, 2047, 2048, 2049, 5000))
)
"""Lengths around those from which sorting goes another way."""

PATTERNS = {
    "equal": "[1] * n",
    "of two": "[i * 7 % 3 % 2 for i in range(n)]",
    "of few": "[i * 7919 % 5 for i in range(n)]",
    "saw": "[i % 13 for i in range(n)]",
    "up and down": "[min(i, n - i) for i in range(n)]",
    "falling": "[(n - i) // 2 for i in range(n)]",
    "nearly sorted": "[i + (i % 50 == 3) * (i % 7 - 3) for i in range(n)]",
    "mixed": "[(i * 2654435761 >> 7) % 100003 - 50000 for i in range(n)]",
    "wide": "[(i * 0x9E3779B97F4A7C15 % 2**64) - 2**63 for i in range(n)]",
    "slow": (
        "[(i + 1 if i % 2 == 0 else n // 2 + i) // 2 for i in range(n // 2)]"
        " + [i + 1 for i in range(n - n // 2)]"
    ),
    "special": (
        "[(0.0, math.nan, -0.0, math.inf, -math.nan, 1.0, -math.inf, -1.0, 0.0)[i * 5 % 9]"
        " for i in range(n)]"
    ),
}
"""The elements of a line of ``n`` numbers.

The medians of three elements part a slow line badly, so that a heap sorts the rest of it (D. R.
Musser, Introspective Sorting and Selection Algorithms).
"""

LAYOUTS = {
    "vector": ("v", -1),
    "rows": ("torch.stack([v, v.flip(0), v.roll(1)])", 1),
    "columns": ("torch.stack([v, v.flip(0), v.roll(1)], -1)", 0),
}
"""Tensors of lines, and the dimension of a line."""
