"""Conversions: to(), type() and the named conversions in every form, and writes by index."""

from hypothesis import strategies as st

from ..core.domain import Domain
from ..engine.decorators import exhaustive, sampled
from ..engine.probe import Probe
from ..generators import scalars, tensors
from ..generators.oracle_namespace import QUANTIZED, dtype_names

TENSORS = (
    "torch.ones(2, 3)", "torch.ones(2, 3).t()", "torch.ones(3, 1, 1).expand(3, 2, 2)",
    "torch.ones(2, 3, 4, 5)[:, :, ::2]", "torch.ones(2, 3, 1, 1)", "torch.ones(0, 3, 2, 2)",
    "torch.ones((2, 3, 4, 5)).to(memory_format=torch.channels_last)",
    "torch.ones(2, dtype=torch.complex64)", "torch.ones(2, 3, requires_grad=True)",
)  # fmt: skip

_FORMATS = ("channels_last", "channels_last_3d", "contiguous_format", "preserve_format")
KEYWORDS = (
    "", *(f"memory_format=torch.{name}" for name in _FORMATS), "memory_format=None",
    "memory_format=1", "copy=True", "non_blocking=True", "foo=1",
)  # fmt: skip
CALLS = tuple(
    dict.fromkeys(
        (
            *(
                f"x.{call.format(keyword)}"
                for keyword in KEYWORDS
                for call in ("to({})", "float({})", "chalf({})", "cpu({})", "cuda({})", "type({})",
                             "contiguous({})", "clone({})", "to(**dict({}), dtype=torch.float64)",
                             "to(**dict({}), device='cpu:0')")
            ),
            *(
                f"x.to({arguments})"
                for arguments in (
                    "torch.float64", "torch.int8, True, True", "'cpu'", "'cpu:0'", "'cuda'",
                    "'mps'", "'nope'", "0", "-1", "1.5", "2.5, True", "1j", "True", "None",
                    "None, None", "'cpu', torch.float64, True, True", "'cpu', None",
                    "None, torch.int8", "x", "other=x", "torch.ones(1, dtype=torch.int16)",
                    "tensor=torch.ones(1, dtype=torch.int16), copy=True", "tensor=2**63", "2**64",
                    "torch.float32, torch.float64", "torch.float32, 'cpu'", "float",
                    "numpy.float32(1)", "numpy.int8(0)", "'float32'", "b'cpu'", "torch.strided",
                    "torch.channels_last", "copy=None", "copy=1", "torch.qint8", "torch.int4",
                    "torch.float32, None", "torch.complex32", "torch.bool", "[1]",
                    "dtype=None, device=None",
                )
            ),
            *(
                f"x.type({arguments})"
                for arguments in (
                    "None", "torch.float64, True", "torch.float64, 1", "'torch.DoubleTensor'",
                    "'torch.cuda.FloatTensor'", "'torch.sparse.IntTensor'", "'torch.xpu.IntTensor'",
                    "'FloatTensor'", "'torch.NopeTensor'", "'torch.float32'", "torch.IntTensor",
                    "torch.Tensor", "int", "1", "[]", "x", "torch.float64, **{'async': True}",
                )
            ),
            *(
                f"x.{name}({arguments})"
                for name in ("cuda", "ipu", "mtia", "xpu")
                for arguments in (
                    "", "'cpu'", "0", "-1", "None, True", "None, **{'async': True}", "1.5",
                )
            ),
            *(f"x.type_as({other})" for other in ("x", "torch.ones(1, dtype=torch.int8)", "1", "")),
        )
    )
)  # fmt: skip


@exhaustive(lambda torch: Domain(tensor=TENSORS, call=CALLS), parts=2)
def test_calls(ask: Probe, tensor: str, call: str) -> None:
    """to(), type(), the named conversions and moves equal torch's, in every form."""
    ask(f"x = {tensor}", call)


TARGETS = (
    "x.to(torch.{})", "x.to(torch.{}, copy=True)",
    "x.to(torch.{}, memory_format=torch.contiguous_format)", "x.type(torch.{})",
    "x.type_as(torch.zeros(16, dtype=torch.uint8).view(torch.{}))",
    "torch.zeros(2, 16, dtype=torch.uint8).view(torch.{}).type()",
    "torch.zeros(2, 16, dtype=torch.uint8).view(torch.{}).to(x)",
    "torch.zeros(2, 16, dtype=torch.uint8).view(torch.{}).copy_(x[0, 0])",
    "torch.zeros(2, 16, dtype=torch.uint8).view(torch.{})[0, 0].item()",
)  # fmt: skip


@exhaustive(
    lambda torch: Domain(
        source=(
            "float32",
            "int8",
            "complex64",
            "complex32",
            "bool",
            "float8_e5m2",
            "qint8",
            "int4",
        ),
        target=dtype_names(torch),
        call=TARGETS,
    ),
    parts=2,
)
def test_dtypes(ask: Probe, source: str, target: str, call: str) -> None:
    """All dtypes, also shell dtypes, convert to each other, warn or raise as in torch."""
    ask(
        f"x = torch.zeros(4, 16, dtype=torch.uint8).view(torch.{source}).t()",
        call.format(target),
    )


WAYS = (
    "x.fill_({})", "x[True] = {}", "x[0, 0].fill_({})", "x.new_full((1,), {})", "x[0] = {}",
    "torch.full_like(x[0, 0], {})", "x.copy_({})", "x[[True]] = {}",
    "x.masked_fill_(torch.tensor(True), {})", "torch.as_tensor({}, dtype=x.dtype)",
    "torch.full((2,), {}, dtype=x.dtype)", "torch.tensor([{}, 0], dtype=x.dtype)",
    "torch.tensor({}, dtype=x.dtype)", "torch.scalar_tensor({}, dtype=x.dtype)",
)  # fmt: skip
"""Steps that write a number into a tensor."""

NUMBERS = (
    "True", "-1", "-129", "256", "2**31", "2**53 + 1", "2**63", "2**64", "1.5", "464.0", "65520.0",
    "3.5e38", "1e300", "float('inf')", "float('nan')", "1 + 2j", "numpy.int16(300)",
    "numpy.complex64(1 + 2j)", "torch.tensor(300)",
)  # fmt: skip


def _creates(way: str) -> bool:
    return way.startswith(("torch", "x.new"))


@exhaustive(
    lambda torch: Domain(dtype=dtype_names(torch), number=NUMBERS),
    parts=4,
)
def test_numbers(ask: Probe, dtype: str, number: str) -> None:
    """Each number that is written into a tensor becomes torch's element, or raises its error."""
    for way in WAYS[::2]:
        if not (dtype in QUANTIZED and _creates(way)):
            _write(ask, dtype, way, number)


def _write(ask: Probe, dtype: str, way: str, value: str) -> None:
    ask(f"x = torch.zeros(1, 16, dtype=torch.uint8).view(torch.{dtype})", way.format(value))


@sampled(
    calls=len(WAYS),
    dtype=scalars.dtypes,
    value=st.one_of(scalars.numbers, scalars.not_numbers),
)
def test_values(ask: Probe, dtype: str, value: str) -> None:
    """Any value that is written into a tensor is accepted, rounded or rejected as in torch."""
    name = dtype.removeprefix("torch.")
    for way in WAYS:
        if not (name in QUANTIZED and _creates(way)):
            _write(ask, name, way, value)


MASKS = (
    "torch.tensor([True, False, True])", "torch.tensor([[True], [False]])", "torch.tensor(True)",
    "torch.tensor(False)", "torch.tensor([True, False])", "torch.zeros(0, 3, dtype=torch.bool)",
    "torch.ones(2, 2, 3, dtype=torch.bool)", "torch.ones(3, dtype=torch.uint8)", "torch.ones(3)",
    "torch.ones(3, dtype=torch.int64)",
    "torch.tensor([2, 0, 1], dtype=torch.uint8).view(torch.bool)", "x.bool()", "x.t().bool()", "x",
    "[True]", "None", "torch.ones(3, dtype=torch.bool).expand(2, 3)",
)  # fmt: skip
FILLERS = (
    "1", "2.5", "1j", "300", "torch.tensor(1)", "torch.tensor([1])", "torch.tensor(1j)", "'a'", "x",
    "1, 2",
)  # fmt: skip
FILLED = (
    "torch.arange(6.0).reshape(2, 3)", "torch.arange(6).reshape(3, 2).t()",
    "torch.arange(3.0).expand(2, 3)", "torch.tensor(1.0)", "torch.zeros(0, 3)",
    "torch.zeros(2, 3, dtype=torch.complex32)", "torch.ones(2, 3, dtype=torch.bool)",
    "torch.arange(6, dtype=torch.uint8).reshape(2, 3)", "torch.ones(2, 3, dtype=torch.float8_e5m2)",
)  # fmt: skip


@exhaustive(
    lambda torch: Domain(
        tensor=FILLED, mask=MASKS, value=FILLERS,
        call=("x.masked_fill({}, {})", "x.masked_fill_({}, {})"),
    ),
    parts=2,
)  # fmt: skip
def test_masked_fill(ask: Probe, tensor: str, mask: str, value: str, call: str) -> None:
    """masked_fill broadcasts, converts, warns and raises as in torch."""
    ask(f"x = {tensor}", call.format(mask, value))


INDICES = (
    "torch.tensor([0, 1])", "torch.tensor([[1], [0]])", "torch.tensor([-1, 0, 1])",
    "torch.tensor([0])", "torch.tensor([], dtype=torch.int64)",
    "torch.tensor([1, 0], dtype=torch.int32)", "torch.tensor(1)",
    "torch.tensor([[0, 1], [1, 0], [1, 1]]).t()", "torch.tensor([5])",
    "torch.tensor([True, False])", "torch.tensor([True, False, True])", "torch.tensor(True)",
    "torch.tensor([1, 0], dtype=torch.uint8)",
    "torch.tensor([[True, False, True], [False, True, True]])", "torch.tensor([1.5])", "[0, 1]",
    "[[0], [1]]", "[True, False]", "[]", "[1.5]", "['a']", "range(2)", "numpy.array([0, 1])",
    "numpy.array(1)", "torch.tensor([0, 1]).expand(2, 2)", "(0, 1)",
)  # fmt: skip
VIEWS = ("0", "-1", ":", ":", "1:", "::2", "None", "...", "True", "False")


@st.composite
def _indices(draw: st.DrawFn) -> str:
    """Draw an index with tensors, masks or lists, and basic indices between them."""
    advanced, basic = st.sampled_from(INDICES), st.sampled_from(VIEWS)
    # With a second ellipsis, torch reads past the end of its sizes.
    parts = draw(st.lists(st.one_of(advanced, basic), min_size=1, max_size=4))
    has_ellipsis = False
    for position, part in enumerate(parts):
        if part == "...":
            parts[position], has_ellipsis = (":" if has_ellipsis else part), True
    return ", ".join(parts)


@sampled(
    calls=4,
    tensor=tensors.tensors(dtypes=tensors.ALL_DTYPES),
    indices=st.lists(_indices(), min_size=4, max_size=4),
)
def test_reads(ask: Probe, tensor: tensors.DrawnTensor, indices: list[str]) -> None:
    """Tensors, masks and lists as indices select torch's elements, in torch's order."""
    for index in indices[::2]:
        ask(f"x = {tensor.text}", f"x[{index}]")
    for index in indices[1::2]:
        ask(f"x = {tensor.text}", f"x.__getitem__(numpy.s_[{index}])")


ASSIGNED = (
    "1", "2.5", "True", "torch.tensor(7)", "torch.ones(2)", "torch.arange(3.0)", "torch.ones(1)",
    "x.clone()", "x[0].clone()", "torch.arange(4.0).reshape(4, 1)", "torch.ones(1, 1, 1, 2)",
    "torch.ones(2, dtype=torch.int64)", "[1, 2]", "'a'", "None", "numpy.float32(1)",
    "torch.zeros(0)", "x",
)  # fmt: skip


@sampled(
    calls=4,
    tensor=tensors.tensors(dtypes=("float32", "int64", "bool", "complex64", "bfloat16", "uint16")),
    indices=st.lists(_indices(), min_size=4, max_size=4),
    value=st.sampled_from(ASSIGNED),
    place=st.sampled_from(INDICES),
    accumulate=st.sampled_from(("True", "False")),
)
def test_writes(
    ask: Probe,
    tensor: tensors.DrawnTensor,
    indices: list[str],
    value: str,
    place: str,
    accumulate: str,
) -> None:
    """Writes with tensors, masks and lists as indices change the same elements as in torch."""
    for index in indices[::2]:
        ask(f"x = {tensor.text}.clone()", f"x[{index}] = {value}")
    for index in indices[1::2]:
        ask(f"x = {tensor.text}.clone()", f"x.__setitem__(numpy.s_[{index}], {value})")
    ask(f"x = {tensor.text}.clone()", f"x.index_put_(({place},), {value}, {accumulate})")
