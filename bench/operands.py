"""The arguments of timed calls, by the types of the oracle's schemas, as source text.

Tensors are made of the arrays in `scope`, which both libraries read.
"""

from functools import cache
from math import isqrt
from typing import Any

import numpy as np

DTYPES = ("float32", "bfloat16", "int64")
SIZES = (64, 65_536, 1_048_576)
"""The numbers of elements: squares."""


@cache
def scope(size: int) -> dict[str, Any]:
    """Return the arrays of so many elements, and NumPy: numbers of (0, 1), indices and flags."""
    side, random = isqrt(size), np.random.default_rng(0)
    return {
        "numpy": np,
        "floats": random.uniform(0.05, 0.95, (side, side)),
        "indices": random.integers(0, side, (side, side)),
        "flags": random.integers(0, 2, (side, side), dtype=np.bool_),
    }


def tensors(size: int, dtype: str) -> tuple[str, ...]:
    """Return the choices for a tensor: a matrix of the dtype first, then what some calls need."""
    array = "indices" if dtype == "int64" else "floats"
    depth = 4 if size == SIZES[0] else 16
    side = isqrt(size // depth)

    def of(places: str) -> str:
        return f"torch.tensor({array}{places}).to(torch.{dtype})"

    return (
        of(""),
        "torch.tensor(flags)",
        "torch.tensor(indices)",
        "torch.tensor(indices[0])",
        of("[0]"),
        of(".ravel()"),
        "torch.tensor(indices.ravel())",
        of(f".reshape({depth}, {side}, {side})"),
        "torch.tensor(1)",
        "torch.tensor(0.5)",
        of("[:, :3]"),
        "torch.tensor(floats).to(torch.complex64)",
        "torch.tensor(floats).view(-1, 2)",
        "torch.tensor(floats).to_sparse()",
    )


def transposed(text: str) -> str:
    """Return the text of a matrix, in transposed memory."""
    return f"{text}.t().contiguous().t()"


def broadcast(text: str) -> str:
    """Return the text of the first row of a matrix, as a matrix."""
    return f"{text}[:1]"


def numbers(size: int, type_: str, *, has_tensor: bool) -> tuple[str, ...]:
    """Return the choices for an argument that is no tensor.

    Without a tensor among the arguments, sizes and numbers are those of the result.
    """
    side = isqrt(size)
    shapes = (f"[{side}, {side}]", "[0, 1]", "[1, 1]", "[0]", f"[{size}]", "[-1]")
    choices: dict[str, tuple[str, ...]] = {
        "number": ("2",) if has_tensor else (str(size), "1"),
        "int": ("1", "0", "2", "4", str(side)) if has_tensor else (str(size), str(side), "1"),
        "float": ("0.5",),
        "complex": ("1j",),
        "bool": ("True",),
        "str": ("'floor'", "'add'", "'prod'", "'ij,jk'"),
        "ScalarType": ("torch.float64",),
        "Layout": ("torch.strided",),
        "Device": ("'cpu'",),
        "MemoryFormat": ("torch.contiguous_format",),
        "List[int]": shapes,
        "List[Tensor]": ("[x, x]", "*[x, x]", "[i]"),
        "List[Optional[Tensor]]": ("[i]",),
        "List[float]": ("[0.5, 2.0]",),
        "List[bool]": ("[True, False]",),
        "List[complex]": ("[1j, 2.0]",),
        "List[str]": ("['a', '']",),
        "Storage": ("[s][0]",),
    }
    return choices.get(type_, ())


NAMED = {"i": "torch.tensor(indices[0])", "s": "torch.tensor(floats).untyped_storage()"}
"""The operands inside the lists of some calls."""
