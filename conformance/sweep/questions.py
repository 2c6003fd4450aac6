"""The questions of a sweep: a program, and the numbered elements that it is asked of.

A dtype of at most 32 bits is swept whole, a pair of operands of at most 16 bits too. The elements
of wider dtypes are drawn: a stated number, of random bits and around all boundaries, in blocks that
the number of the element decides (`conformance.generators.bit_patterns`).
"""

from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from ..comparison.element_cases import ElementCase
from ..core.errors import CouldNotRun
from ..core.float_formats import FORMATS, Format
from ..generators.bit_patterns import BLOCKS, patterns
from ..properties.test_unary import CALLS, DENSE, STRIDED

CHUNK = 2**24
"""The elements of a chunk, which is what an engine runs and what is kept."""

BLOCK = 2**18
"""The most elements of a program, so that operands and results are in the processor's caches."""

SAMPLE = 2**26
"""The elements that are drawn of a dtype with more than 32 bits."""

SOURCES = ("float32", "int32", "float64", "int64", "complex64")
"""The dtypes of more than 16 bits whose conversions are swept."""

BINARY = {
    "add": "x + y", "sub": "x - y", "mul": "x * y", "div": "x / y", "pow": "x ** y",
    "fmod": "torch.fmod(x, y)", "remainder": "x % y", "floor_divide": "x // y",
    "copysign": "torch.copysign(x, y)", "nextafter": "torch.nextafter(x, y)",
    "maximum": "torch.maximum(x, y)", "fmin": "torch.fmin(x, y)", "hypot": "torch.hypot(x, y)",
    "atan2": "torch.atan2(x, y)", "lt": "x < y", "eq": "x == y",
}  # fmt: skip
"""The operators of two operands, which are swept over all pairs of 16 bits."""

_BOTH = "x, y = torch.frombuffer(c, dtype=torch.{source}).chunk(2)"
_BOTH_STRIDED = "x, y = torch.frombuffer(c.repeat(2), dtype=torch.{source})[::2].chunk(2)"


class Question(NamedTuple):
    """A conversion or an operator, and the elements that it is asked of.

    name: the name, such as ``float32.to(float16)``, ``sin(float32)`` or ``add(bfloat16)``
    source: the dtype of the operands
    target: the dtype to which they are converted; empty for an operator
    operator: the name of the operator; empty for a conversion
    call: the last step of the program
    size: the number of elements
    per_chunk: the number of elements of each chunk but the last
    """

    name: str
    source: str
    target: str
    operator: str
    call: str
    size: int
    per_chunk: int = CHUNK

    @property
    def is_binary(self) -> bool:
        """Whether the operator has two operands."""
        return self.operator in BINARY

    @property
    def is_whole(self) -> bool:
        """Whether the elements are all that there are."""
        return _space(FORMATS[self.source], self.is_binary) == self.size

    @property
    def chunks(self) -> int:
        """The number of chunks."""
        return -(-self.size // self.per_chunk)

    def length(self, chunk: int) -> int:
        """Return the number of elements of a chunk."""
        return min(self.per_chunk, self.size - chunk * self.per_chunk)

    def blocks(self, chunk: int) -> Iterator[range]:
        """Yield the elements of a chunk, in blocks."""
        first = chunk * self.per_chunk
        stop = first + self.length(chunk)
        for start in range(first, stop, BLOCK):
            yield range(start, min(start + BLOCK, stop))

    def case(self, block: range) -> ElementCase:
        """Return the program on the elements of a block."""
        fmt, start, stop = FORMATS[self.source], block.start, block.stop
        if self.is_binary:
            pairs = f"c = numpy.arange({start}, {stop})"
            split = f"c = numpy.concatenate([c >> {fmt.bits}, c & {2**fmt.bits - 1}])"
            raw: tuple[str, ...] = (pairs, f"{split}.astype('{fmt.raw_dtype}')")
            operands: tuple[str, ...] = ("x", "y")
            dense, strided = _BOTH, _BOTH_STRIDED
        else:
            raw = (f"c = numpy.arange({start}, {stop}).astype('{fmt.raw_dtype}')",)
            if not self.is_whole:
                kind = BLOCKS[start // BLOCK % len(BLOCKS)]
                raw = patterns(fmt, kind, stop - start, seed=start)
            dense, strided, operands = DENSE, STRIDED, ("x",)
        steps, others = (
            (step.format(source=self.source, parts=fmt.parts), self.call)
            for step in (dense, strided)
        )
        otherwise = others if self.operator else ()
        return ElementCase(self.source, self.target, raw, steps, self.operator, operands, otherwise)


def _space(fmt: Format, is_binary: bool) -> int:
    bits = fmt.bits * fmt.parts * (2 if is_binary else 1)
    return int(2**bits)


def all_questions(dtypes: Sequence[str]) -> Iterator[Question]:
    """Yield the questions for the dtypes of the oracle, of which it refuses some."""
    for source in SOURCES:
        for target in dtypes:
            if target != source:
                name, call = f"{source}.to({target})", f"x.to(torch.{target})"
                yield Question(name, source, target, "", call, _size(source))
    for source in ("bfloat16", "float16", *SOURCES):
        for operator, call in CALLS.items():
            yield Question(f"{operator}({source})", source, "", operator, call, _size(source))
    for source in ("bfloat16", "float16", "float8_e5m2", "float8_e4m3fn"):
        for operator, call in BINARY.items():
            size = _space(FORMATS[source], is_binary=True)
            yield Question(f"{operator}({source})", source, "", operator, call, size)


def _size(source: str) -> int:
    size = _space(FORMATS[source], is_binary=False)
    return size if size <= 2**32 else SAMPLE


def chosen(questions: Iterable[Question], patterns: str | None) -> list[Question]:
    """Return the questions that patterns name, separated by commas.

    A pattern is that of a name, of an operator or of a dtype, as in a shell. Raise `CouldNotRun`
    if it names no question.
    """
    questions = [*questions]
    if patterns is None:
        return questions
    names: dict[str, None] = {}
    for pattern in filter(None, map(str.strip, patterns.split(","))):
        found = [
            each.name
            for each in questions
            if any(fnmatchcase(name, pattern) for name in (each.name, each.operator, each.source))
        ]
        if not found:
            known = ", ".join(each.name for each in questions[:3])
            raise CouldNotRun(f"no question is called {pattern!r}; there are {known}, ...")
        names.update(dict.fromkeys(found))
    return [each for each in questions if each.name in names]
