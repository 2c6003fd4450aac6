"""Small geometries: all of rank up to 3, with strides, offsets and views; and drawn operands."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

from hypothesis import strategies as st

SHAPES = tuple(str(shape) for rank in range(4) for shape in product(range(3), repeat=rank))

MAKERS = {
    "as_strided": "b.as_strided({shape}, s, o)",
    "as_strided_": "b.clone().as_strided_({shape}, s, o)",
    "set_": "torch.empty(0).set_(b.untyped_storage(), o, {shape}, s)",
    "set_ of a tensor": "torch.empty(0).set_(b, o, {shape}, s)",
}
"""Expressions that make a tensor of a shape, strides ``s`` and an offset ``o``."""

VIEWS = (
    "x", "x.t()", "x.T", "x.mT", "x.H", "x.mH", "x.adjoint()", "x.transpose(0, 1)",
    "x.transpose(-1, 0)", "x.swapaxes(1, 2)", "x.permute(1, 0)", "x.permute(2, 0, 1)",
    "x.permute(*range(x.dim())[::-1])", "x.movedim(0, -1)", "x.unsqueeze(0)", "x.unsqueeze(-1)",
    "x.unsqueeze(1)", "x.squeeze()", "x.squeeze(0)", "x.squeeze(-1)", "x.squeeze((0, 1))",
    "x.flatten()", "x.flatten(0, 1)", "x.flatten(1)", "x.unflatten(0, (1, -1))",
    "x.unflatten(-1, (2, 1))", "x.ravel()", "x.reshape(-1)", "x.reshape(2, -1)", "x.reshape(1, 2)",
    "x.view(-1)", "x.view(2, -1)", "x.view(1, -1, 1)", "x.view(x.shape)", "x.view(0)", "x.view(4)",
    "x.view(2, 2)", "x.expand(2, *x.shape)", "x.expand(2, 2)", "x.expand(2, -1, 2)",
    "x.broadcast_to((2, 2, 2))", *(f"x.diagonal({o})" for o in (-5, -2, -1, 0, 1, 2, 5)),
    "x.diagonal(1, -1, 0)", "x.diagonal(-1, 0, 2)", "x[0]", "x[-1]", "x[1]", "x[..., None]",
    "x[..., 0]", "x[1:]", "x[::2]", "x[:0]", "x[5:]", "x[-5:1]", "x[:, 1:]", "x[None, ..., ::3]",
    "x[()]", "x[True]", "x.select(-1, 1)", "x.narrow(0, 1, 1)", "x.narrow(-1, 0, 0)",
    "x.unfold(0, 1, 1)", "x.unfold(-1, 2, 1)", "x.unfold(0, 2, 3)", "x.unfold(0, 0, 1)",
    "x.chunk(2)", "x.chunk(3, -1)", "x.split(1)", "x.split([1, 1], -1)", "x.tensor_split(3)",
    "x.tensor_split((1,), -1)", "x.unbind()", "x.unbind(-1)", "x.view(torch.int32)",
    "x.view(torch.int16)", "x.view(torch.uint8)", "x.view(torch.float64)",
    "x.view(torch.complex64)", "x.view(torch.complex128)", "torch.view_as_complex(x)",
    "torch.view_as_real(x.to(torch.complex64))", "x.to(torch.complex64).real",
    "x.to(torch.complex64).conj().imag", "x.as_strided((2,), (1,))", "x.as_strided((1,), (5,), 2)",
    "x.detach()", "x.view_as(x)", "torch.movedim(x, (0, 1), (1, 0))", "torch.squeeze(x, 1)",
)  # fmt: skip
"""Views; some are refused for some shapes."""

RESULTS = (
    "x.clone()", "x.contiguous()", "x + 1", "x.exp()", "x.to(torch.float64)", "x > 1", "-x",
    "torch.add(x, x.clone())", "torch.add(x, x.clone().t())", "torch.where(x > 1, x, 0.0)",
    "torch.empty_like(x)", "torch.zeros_like(x)", "x.new_zeros(x.shape)", "x.sum(0)", "x.sum(-1)",
    "x.sum(0, keepdim=True)", "x.sum((0, 1))", "x.amax(-1)", "x.cumsum(0)", "x.max(0)",
    "torch.cat([x, x])", "torch.cat([x, x], -1)", "torch.stack([x, x])", "x[x > 1]",
    "x[torch.tensor([0])]", "x.nonzero()", "x.bool()", "x.to_sparse().to_dense()",
    "x.clone(memory_format=torch.contiguous_format)", "torch.empty_like(x, dtype=torch.int8)",
    "torch.lerp(x, x.clone(), 0.5)", "x.masked_fill(x > 1, 0.0)",
)  # fmt: skip
"""Results with strides of their own."""

_LOOK = """\
def look(s, o):
    try:
        x = {maker}
        results = {call}
    except Exception as error:
        return type(error).__name__, str(error).partition('\\nException raised')[0]
    tensors = [results] if isinstance(results, torch.Tensor) else results
    return [(tuple(r.shape), r.stride(), r.storage_offset(), r.is_contiguous(), r._is_view())
            for r in tensors]"""


def program(
    shape: str,
    call: str,
    maker: str = "as_strided",
    strides: Iterable[int] = range(4),
    offsets: Sequence[int] = (0, 1),
) -> tuple[str, ...]:
    """Return a program with the geometry of the result of a call, for all strides and offsets."""
    own = [*product(strides, repeat=len(eval(shape)))]
    define = _LOOK.format(maker=MAKERS[maker].format(shape=shape), call=call)
    return "b = torch.arange(16.0)", define, f"[look(s, o) for s in {own} for o in {offsets}]"


_CALL = """\
def look({parameters}):
    {operands}
    try:
        results = {call}
    except Exception as error:
        return type(error).__name__, str(error).partition('\\nException raised')[0]
    tensors = [results] if isinstance(results, torch.Tensor) else results
    if not isinstance(tensors, (list, tuple)):
        return None
    return [(tuple(r.shape), r.stride(), r.storage_offset(), r.dtype)
            for r in tensors if isinstance(r, torch.Tensor) and r.layout == torch.strided]"""

_OPERANDS = [
    (shape, stride)
    for shape in ((2, 2), (2, 1), (1, 2), (0, 2), (2, 0), (1, 1))
    for stride in product((0, 1, 2, 7), repeat=2)
] + [
    ((2, 1, 2), (2, 7, 1)), ((1, 2, 2), (1, 1, 2)), ((2, 2, 1), (2, 1, 0)), ((2, 0, 2), (1, 4, 2)),
    ((2, 2, 2, 2), (8, 1, 4, 2)), ((1, 2, 1, 2), (9, 1, 9, 2)), ((2, 1, 2, 2), (4, 1, 2, 1)),
    ((2, 2, 1, 1), (2, 1, 5, 5)), ((2, 2, 2, 2, 2), (16, 1, 8, 4, 2)), ((2,), (3,)), ((), ()),
]  # fmt: skip


def program_of_call(dtype: str, call: str, device: str) -> tuple[str, ...]:
    """Return a program with the geometry of the result of a call, for operands of any strides."""
    base = f"b = torch.arange(40, device='{device}').to(torch.{dtype})"
    operands = "x = b.clone().as_strided(size, s, 1); y = x.clone()"
    define = _CALL.format(call=call, parameters="size, s", operands=operands)
    return base, define, f"[look(*operand) for operand in {_OPERANDS}]"


_BROADCAST = [
    ((), ()), ((1,), (9,)), ((2,), (3,)), ((2, 1), (1, 7)), ((1, 2), (3, 1)), ((2, 2), (1, 2)),
    ((0, 1), (1, 5)), ((1, 1, 2), (1, 1, 1)), ((1, 2, 2), (1, 1, 2)), ((2, 1, 2), (1, 4, 2)),
    ((2, 1, 1, 2), (2, 7, 5, 1)), ((1, 2, 1, 2), (0, 1, 9, 2)),
]  # fmt: skip
"""Shapes of several ranks that broadcast, with strides."""


def broadcasts(dtype: str, call: str, device: str) -> tuple[str, ...]:
    """Return a program with the geometry of the result of a call of operands of all two shapes."""
    base = f"b = torch.arange(40, device='{device}').to(torch.{dtype})"
    operands = "x, y = (b.clone().as_strided(*each, 1) for each in (left, right))"
    define = _CALL.format(call=call, parameters="left, right", operands=operands)
    return base, f"pairs = {_BROADCAST}", define, "[look(x, y) for x in pairs for y in pairs]"


_JOIN = """\
def look(size, dim):
    z, e = torch.zeros(size, device=x.device), torch.zeros(0, device=x.device)
    try:
        r = {call}
    except Exception as error:
        return type(error).__name__, str(error).partition('\\nException raised')[0]
    return tuple(r.shape), r.stride(), r.is_meta or r.tolist()"""

JOINS = (
    "torch.cat([x, z], dim)", "torch.stack([x, z], dim)", "torch.cat([e, x, z], dim)",
    "torch.cat([x], dim)", "torch.stack([z], dim)", "torch.cat([z, x.t(), z], dim)",
    "torch.cat([z, x], dim, out=x.clone())",
)  # fmt: skip


def joins(shape: str, call: str, device: str) -> tuple[str, ...]:
    """Return a program that joins a tensor of a shape with those of all small shapes."""
    sizes = f"[{', '.join(SHAPES)}]"
    define = _JOIN.format(call=call)
    return (
        f"x = torch.ones({shape}, device='{device}')",
        define,
        f"[look(s, d) for s in {sizes} for d in range(-4, 4)]",
    )


# Drawn operands

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
    strides, step = [0] * len(size), 1
    for dim in draw(st.permutations(range(len(size)))):
        is_free = size[dim] == 1 and draw(st.booleans())
        strides[dim] = draw(_STRIDES) if is_free else step
        step *= max(1, size[dim])
    return tuple(strides)


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


_TELL = """\
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


def program_of_operands(
    operands: Iterable[Strided], calls: Iterable[str], device: str
) -> tuple[str, ...]:
    """Return a program with the geometry of the result of each call of ``x`` and ``y``.

    An error is told by its class, a warning by its text.
    """
    x, y = [operand.text(device) for operand in operands]
    answers = ", ".join(f"{call!r}: look(lambda x, y: {call})" for call in calls)
    # Torch warns once of typed storages, which the calls of an earlier program may have had.
    told = "torch.ones(1).storage().dtype"
    return "import warnings", told, _TELL.format(x=x, y=y), f"{{{answers}}}"
