"""Two operands that broadcast, of any dtypes and strides."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

from hypothesis import strategies as st

_SIZES = st.sampled_from((0, 1, 1, 1, 2, 3))
_STRIDES = st.integers(0, 7)


@dataclass(frozen=True)
class Strided:
    """A tensor with few distinct elements."""

    dtype: str
    size: tuple[int, ...]
    stride: tuple[int, ...]

    def text(self, device: str) -> str:
        """Return the expression that makes it."""
        steps = zip(self.size, self.stride, strict=True)
        length = 1 + sum(step * max(0, size - 1) for size, step in steps)
        base = f"(torch.arange({length}) % 3).to(torch.{self.dtype}).to({device!r})"
        return f"{base}.as_strided({self.size}, {self.stride})"


@st.composite
def _strides(draw: st.DrawFn, size: tuple[int, ...]) -> tuple[int, ...]:
    """Draw strides, of which half are those of a permuted tensor but for sizes of 1."""
    if not draw(st.booleans()):
        return tuple(draw(_STRIDES) for _ in size)
    order = draw(st.permutations(range(len(size))))
    inner = {dim: order[place + 1 :] for place, dim in enumerate(order)}
    dense = [prod(max(1, size[other]) for other in inner[dim]) for dim in range(len(size))]
    return tuple(
        draw(_STRIDES) if step == 1 and draw(st.booleans()) else stride
        for step, stride in zip(size, dense, strict=True)
    )


@st.composite
def strided_operands(draw: st.DrawFn, dtypes: tuple[str, ...]) -> tuple[Strided, Strided]:
    """Draw two tensors; sizes of the second are those of the first, or 1."""
    size = tuple(draw(st.lists(_SIZES, max_size=4)))
    dtype = draw(st.sampled_from(dtypes))
    other = tuple(length if draw(st.booleans()) else 1 for length in size)
    other = other[draw(st.sampled_from((0, 0, 0, 1))) :]
    others = draw(st.sampled_from(dtypes)) if draw(st.booleans()) else dtype
    first = Strided(dtype, size, draw(_strides(size)))
    # Strides are often those of the other operand, for which torch has rules of its own.
    shares = draw(st.integers(0, 3)) == 0
    stride = first.stride[len(size) - len(other) :] if shares else draw(_strides(other))
    return first, Strided(others, other, stride)


_LOOK = """\
def look(call):
    x, y = {x}, {y}
    with warnings.catch_warnings(record=True, action='always') as caught:
        try:
            results = call(x, y)
        except Exception as error:
            results = error
    tensors = results if isinstance(results, (list, tuple)) else [results]
    told = [str(warning.message).partition(' (Triggered')[0] for warning in caught]
    return told, [(tuple(r.shape), r.stride(), r.storage_offset(), r.dtype)
                  if isinstance(r, torch.Tensor) and r.layout == torch.strided else type(r).__name__
                  for r in tensors]"""


def program(operands: Iterable[Strided], calls: Iterable[str], device: str) -> tuple[str, ...]:
    """Return a program with the geometry of the result of each call of ``x`` and ``y``.

    An error is told by its class, a warning by its text.
    """
    x, y = [operand.text(device) for operand in operands]
    answers = ", ".join(f"{call!r}: look(lambda x, y: {call})" for call in calls)
    # Torch warns once of typed storages, which the calls of an earlier program may have had.
    told = "torch.ones(1).storage().dtype"
    return "import warnings", told, _LOOK.format(x=x, y=y), f"{{{answers}}}"
