"""Operands of calls, drawn as source text: tensors of any geometry, and indices."""

from collections.abc import Iterable, Sequence
from math import prod
from random import Random

from ...core.float_formats import FORMATS
from ..special_values import DTYPES, specials

_SIZES = (1, 2, 3, 4, 2, 3, 5, 2, 3, 0)
_ROWS = (1, 4, 16, 17, 20)
_ON_META = ".to('meta')"
_LEAF = ".requires_grad_().clone()"
_AS_OTHER = ".view(torch.{})"
_FEW_KERNELS = {
    8: ("bits8", "float8_e5m2", "float8_e8m0fnu"), 16: ("bits16", "uint16"),
    32: ("complex32", "uint32"), 64: ("uint64",),
}  # fmt: skip
"""Dtypes with few kernels, by the bits of their elements."""

_STATES = (
    ".conj()",
    "._neg_view()",
    ".to_sparse()",
    _AS_OTHER,
    _LEAF,
    _LEAF,
    *[_ON_META] * 3,
    *[""] * 5,
)
"""The steps that put an operand in a state; most change nothing."""


def laid_out(random: Random, text: str, shape: Sequence[int]) -> str:
    """Return the text of a tensor of a shape in some layout: dense, transposed, with gaps."""
    way = random.randrange(4)
    if way == 0 and len(shape) > 1:
        return f"{text}.transpose(0, 1).contiguous().transpose(0, 1)"
    if way == 1 and shape:
        return f"torch.stack([{text}] * 2, -1).select(-1, 0)"
    return text


def tensor_text(numbers: Iterable[str], dtype: str, shape: Sequence[int]) -> str:
    """Return the text of a contiguous tensor of numbers."""
    return f"torch.tensor([{', '.join(numbers)}], dtype=torch.{dtype}).reshape({[*shape]})"


def drawn_numbers(random: Random, dtype: str, count: int) -> list[str]:
    """Return special values of a dtype, or numbers with many digits."""
    if random.random() < 0.5:
        return [random.choice(specials(dtype)) for _ in range(count)]
    step = 0.1 if FORMATS[dtype].is_float else 1
    return [str(random.randrange(100) * step) for _ in range(count)]


class Operands:
    """Draws the operands of one call."""

    def __init__(self, random: Random) -> None:
        """Draw a dtype for the tensors of a call, and whether these share memory."""
        self.random = random
        self.dtype = random.choice(DTYPES)
        self._shares = self.rarely(4)
        self._size = 0

    def rarely(self, one_in: int = 12) -> bool:
        """Return whether something happens that does one time in so many."""
        return self.random.randrange(one_in) == 0

    def choice(self, *texts: str) -> str:
        """Return one of some texts."""
        return self.random.choice(texts)

    def shape(self, *ranks: int) -> list[int]:
        """Return sizes of a rank among these; the last dimension may be as long as a vector."""
        shape = [self.random.choice(_SIZES) for _ in range(self.random.choice(ranks))]
        if len(shape) > 1 and self.random.random() < 0.3:
            shape[-1] = self.random.choice(_ROWS)
        return shape

    def tensor(self, shape: Sequence[int], dtype: str | None = None) -> str:
        """Return a tensor of special values, or of numbers with many digits, in some layout."""
        dtype = dtype or self.dtype
        if self._shares and dtype == self.dtype:
            return self._shared(shape)
        text = tensor_text(drawn_numbers(self.random, dtype, prod(shape)), dtype, shape)
        if len(shape) > 1 and self.rarely(15):
            return f"{text}[:1].expand({[*shape]})"
        return laid_out(self.random, text, shape)

    def _shared(self, shape: Sequence[int]) -> str:
        """Return a view of ``b``, whose elements may be those of other operands, or each other."""
        order, stride, step = [*range(len(shape))], [0] * len(shape), 1
        if self.rarely(3):
            self.random.shuffle(order)
        for dim in reversed(order):
            stride[dim] = step
            step *= max(1, shape[dim])
        if shape and self.rarely(3):
            stride[self.random.randrange(len(shape))] = self.random.choice((0, 1, 2))
        offset = self.random.choice((0, 0, 1, 2, step))
        last = sum((size - 1) * step for size, step in zip(shape, stride, strict=True) if size)
        self._size = max(self._size, offset + last + 1)
        return f"b.as_strided({[*shape]}, {stride}, {offset})"

    def indices(self, shape: Sequence[int], size: int) -> str:
        """Return indices into a dimension of a size; they repeat, and a few are out of bounds."""
        low, high = (-1, size) if self.rarely(5) else (0, max(0, size - 1))
        numbers = [self.random.randint(low, high) for _ in range(prod(shape))]
        dtype = self.choice(*("int64",) * 5, *("int32",) * 3, "uint8", "bool", "float32")
        return f"torch.tensor({numbers}).to(torch.{dtype}).reshape({[*shape]})"

    def dim(self, rank: int) -> int:
        """Return a dimension, from either end."""
        first = self.random.randrange(max(1, rank))
        return first - self.random.choice((0, max(1, rank)))

    def other_shape(self, shape: Sequence[int]) -> list[int]:
        """Return the same sizes, or rarely one that differs, or one dimension more or less."""
        sizes = [*shape]
        if self.rarely(5):
            change = self.random.randrange(3)
            if change == 0:
                sizes.append(1)
            elif sizes and change == 1:
                sizes[self.random.randrange(len(sizes))] += 1
            elif sizes:
                sizes.pop()
        return sizes

    def stated(self, steps: Sequence[str]) -> list[str]:
        """Return the steps that assign operands, changed so that these are in another state.

        Most stay as they are. Else all or some are on meta, or one has the conj or neg bit or
        requires a gradient. The first step assigns ``b`` if tensors share its memory.
        """
        if self._size:
            numbers = drawn_numbers(self.random, self.dtype, self._size)
            steps = f"b = {tensor_text(numbers, self.dtype, [self._size])}", *steps
        end = self.random.choice(_STATES)
        place = self.random.randrange(len(steps))
        changed = {place}
        if end == _ON_META:
            changed = {*range(place + 1 if self.rarely(2) else len(steps))}
        elif end == _AS_OTHER:
            fmt = FORMATS[self.dtype]
            if fmt.bits * fmt.parts not in _FEW_KERNELS:
                return [*steps]
            end = end.format(self.random.choice(_FEW_KERNELS[fmt.bits * fmt.parts]))
            changed = {at for at, step in enumerate(steps) if f"torch.{self.dtype})" in step}
        elif end == _LEAF and not (FORMATS[self.dtype].is_float and self.dtype in steps[place]):
            return [*steps]
        return [step + end if at in changed else step for at, step in enumerate(steps)]
