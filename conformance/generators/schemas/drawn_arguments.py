"""Arguments drawn at random, as source text: tensors of any shape, strides, dtype and elements."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from . import values

_NUMBERS = ("1.0", "-2.0", "0.5", "3.0", "0.0", "2.5", "-1.5", "4.0", "2.0", "-0.5", "0.25", "6.0")
_SPECIAL_NUMBERS = ("math.nan", "-math.nan", "math.inf", "-math.inf", "-0.0", "65504.0", "1e-40",
                    "3e38", "1.0", "0.3333")  # fmt: skip
_INTEGERS = ("0", "1", "2", "3", "-1", "0", "1", "2", "5", "4")
_SPECIAL_INTEGERS = ("-128", "127", "255", "-32768", "32767", "1 - 2**63", "2**63 - 1", "-7")
"""Without the least integer, by whose quotient with -1 torch ends the process."""

_COMPLEX = ("1 + 2j", "-2", "0.5j", "3", "0", "2.5 - 1j", "-1.5j", "4", "1 - 1j", "6j")
_SPECIAL_COMPLEX = ("complex(math.nan, 1)", "complex(1, math.inf)", "-0.0j", "complex(-0.0, 0.0)")

_FLOATS = ("torch.float32", "torch.float64", "torch.float16", "torch.bfloat16")
_SIGNED = ("torch.int64", "torch.int32", "torch.int16", "torch.int8", "torch.uint8")
_COMPLEX_DTYPES = ("torch.complex64", "torch.complex128", "torch.complex32")
_FEW = ("torch.uint16", "torch.uint32", "torch.uint64", "torch.float8_e5m2", "torch.float8_e4m3fn")
_RAW = {
    "torch.float32": "torch.int32", "torch.float64": "torch.int64", "torch.int64": "torch.int64",
    "torch.float16": "torch.int16", "torch.bfloat16": "torch.int16",
}  # fmt: skip
"""Dtypes whose elements may be those of another dtype of the same size, bit by bit."""

DTYPES = (*_FLOATS * 2, *_SIGNED * 2, "torch.bool", "torch.bool", *_COMPLEX_DTYPES, *_FEW)

_SIZES = (0, 1, 1, 2, 2, 3, 3, 4, 5)

_CHOICES: Mapping[str, tuple[str, ...]] = {
    "number": (
        "0", "1", "2", "3", "-1", "-2", "5", "2.5", "-0.5", "0.0", "-0.0", "True", "1j", "300",
        "math.nan", "-math.inf", "1 - 2j",
    ),
    "int": ("0", "1", "2", "3", "-1", "-2", "-3", "4", "0", "1", "-1"),
    "float": ("0", "0.5", "1.0", "2.0", "-1.0", "0.25", "1e-5", "3", "True", "math.inf"),
    "bool": ("True", "False"),
    "complex": ("1j", "2", "0.5"),
    "ScalarType": DTYPES,
    "Layout": ("torch.strided", "torch.strided", "torch.sparse_coo"),
    "Device": ("'cpu'", "'meta'", "torch.device('cpu')"),
    "MemoryFormat": (
        "torch.contiguous_format", "torch.preserve_format", "torch.channels_last",
    ),
}  # fmt: skip
"""The arguments by type, most of which some call takes."""


class DefaultTensor:
    """What the tensor of a default call is: its source text, dtype, shape and layout."""

    def __init__(self, text: str, tensor: Any) -> None:
        self.text = text
        self.dtype = str(tensor.dtype)
        self.shape: tuple[int, ...] = (*tensor.shape,)
        self.is_strided = str(tensor.layout) == "torch.strided"


class Drawer:
    """What draws the arguments of one call. The shapes of its tensors have sizes in common.

    steps: those that make the tensors in lists
    """

    def __init__(self, random: Random) -> None:
        self.random = random
        self.steps: list[str] = []
        self.sizes = [random.choice(_SIZES) for _ in range(2)]
        self.shape = tuple(self._size() for _ in range(random.choice((0, 1, 1, 2, 2, 2, 3, 3, 4))))
        self.changes_shapes = random.random() < 0.7
        self.changes_dtypes = random.random() < 0.5
        self.is_special = random.random() < 0.2
        self.is_on_meta = random.random() < 0.08
        self.is_sparse = random.random() < 0.04
        self.shares_memory = random.random() < 0.2

    def _size(self) -> int:
        return self.random.choice((*self.sizes, *self.sizes, self.random.choice(_SIZES)))

    def happens(self, probability: float) -> bool:
        """Return whether an event of this probability happens."""
        return self.random.random() < probability

    def value(self, element_type: str, default: str) -> str:
        """Return an argument that is no tensor."""
        if element_type == "List[int]":
            return self._ints(default)
        choices = _CHOICES.get(element_type)
        if choices is None:
            return default if self.happens(0.6) else self.random.choice(values.others(element_type))
        return default if self.happens(0.15) else self.random.choice(choices)

    def _ints(self, default: str) -> str:
        random, rank = self.random, len(self.shape)
        lists: Sequence[Callable[[], list[int]]] = (
            lambda: random.sample(range(rank), rank),
            lambda: random.sample(range(-rank, 0), random.randint(0, rank)),
            lambda: random.sample(range(rank), random.randint(0, rank)),
            lambda: [self._size() for _ in range(random.randint(0, 4))],
            lambda: [*self.shape],
            lambda: [random.randint(-2, 3) for _ in range(random.randint(0, 4))],
        )
        return default if self.happens(0.2) else str(random.choice(lists)())

    def tensor(self, default: DefaultTensor) -> str:
        """Return a tensor of a dtype and shape that may be those of the default call."""
        if not default.is_strided:
            return default.text
        dtype = default.dtype
        if self.changes_dtypes and self.happens(0.5):
            dtype = self.random.choice(DTYPES)
        shape = self._shape(default.shape)
        stride, offset = self._stride(shape), self.random.choice((0, 0, 0, 1, 3))
        needed = (
            1 + offset + sum((n - 1) * step for n, step in zip(shape, stride, strict=True) if n)
        )
        text = f"torch.tensor([{self._elements(dtype)}])"
        if needed > 12:
            text += f".repeat({-(-needed // 12)})"
        text += self._conversion(dtype)
        text += f".as_strided({shape}, {stride}, {offset}){self._bits(dtype)}"
        if self.is_sparse and "'meta'" not in text and self.happens(0.7):
            return f"{text}.to_sparse()"
        return text

    def _conversion(self, dtype: str) -> str:
        text = f".to({dtype})"
        if self.happens(0.03) and dtype in _RAW:
            text = f".to({_RAW[dtype]}).view({dtype})"
        if self.is_on_meta or self.happens(0.01):
            text += ".to('meta')"
        if self.happens(0.06) and dtype in (*_FLOATS, *_COMPLEX_DTYPES):
            text += ".requires_grad_()"
        return text

    def _bits(self, dtype: str) -> str:
        if dtype in _COMPLEX_DTYPES and self.happens(0.2):
            return self.random.choice((".conj()", "._neg_view()"))
        return "._neg_view()" if dtype in _FLOATS and self.happens(0.03) else ""

    def of_memory(self, name: str, default: DefaultTensor) -> str:
        """Return another tensor of the memory of a tensor."""
        sizes = f"{name}.shape, {name}.stride()"
        if not self.happens(0.5):
            shape = self._shape(default.shape)
            sizes = f"{shape}, {self._stride(shape)}"
        return f"{name}.as_strided({sizes}, {self.random.choice((0, 1, 2, 3))})"

    def _elements(self, dtype: str) -> str:
        plain: tuple[str, ...] = _NUMBERS
        special: tuple[str, ...] = _SPECIAL_NUMBERS
        if dtype in _COMPLEX_DTYPES:
            plain, special = _COMPLEX, _SPECIAL_COMPLEX
        elif dtype not in _FLOATS:
            plain, special = _INTEGERS, _SPECIAL_INTEGERS
        choices = (*plain, *special) if self.is_special else plain
        return ", ".join(self.random.choices(choices, k=12))

    def _shape(self, default: tuple[int, ...]) -> tuple[int, ...]:
        """Return the common shape, one that broadcasts with it or is a part of it, or another."""
        if not self.changes_shapes:
            return default
        random, shape = self.random, self.shape
        which = random.random()
        if which < 0.5:
            return shape
        if which < 0.65:
            return tuple(n if random.random() < 0.6 else 1 for n in shape)
        if which < 0.8:
            return shape[random.randint(0, len(shape)) :]
        if which < 0.9:
            return tuple(random.sample(shape, len(shape)))
        return tuple(self._size() for _ in range(random.randint(0, 3)))

    def _stride(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        random, rank = self.random, len(shape)
        order = random.sample(range(rank), rank) if self.happens(0.4) else [*range(rank)]
        steps, step = [0] * rank, random.choice((1, 1, 1, 1, 2))
        for dim in reversed(order):
            steps[dim] = step
            step *= max(1, shape[dim]) + (random.choice((0, 0, 1)) if step > 1 else 0)
        if self.happens(0.15):
            steps = [each if self.happens(0.6) else random.choice((0, 0, 1, 2)) for each in steps]
        return tuple(steps)
