"""Geometry: the shape, strides, storage offset and aliasing of every view."""

from itertools import product
from re import search, sub

from hypothesis import strategies as st

from ..core.domain import Domain
from ..engine.decorators import exhaustive, sampled
from ..engine.probe import Probe
from ..generators import arithmetic, settings, tensors
from ..generators.calls.oracle_calls import accepted_calls
from ..generators.conj_neg_calls import BITS, CALLS as LAZY_CALLS
from ..generators.invalid_calls import CALLS
from ..generators.small_geometries import (
    JOINS,
    MAKERS,
    RESULTS,
    SHAPES,
    VIEWS,
    Strided,
    broadcasts,
    joins,
    program,
    program_of_call,
    program_of_operands,
    strided_operands,
)

_PHASES = 16
"""Into how many parts the calls are divided, of which one draw makes one."""

ASKED = (
    "x.shape", "x.stride()", "x.storage_offset()", "x.is_contiguous()",
    "x.is_contiguous(memory_format=torch.channels_last)",
    "x.is_contiguous(memory_format=torch.channels_last_3d)", "x.dim_order()",
    "x.dim_order(ambiguity_check=True)",
    "x.dim_order(ambiguity_check=[torch.contiguous_format])",
    "x.dim_order(ambiguity_check=[torch.contiguous_format, torch.channels_last])",
    "torch.empty_like(x).stride()", "torch.zeros_like(x)", "x.clone().stride()",
    "x.contiguous().stride()", "x.to(torch.int16).stride()", "x.numel()", "x.nbytes", "x.ndim",
    "x.untyped_storage().nbytes()", "x.tolist()", "x.is_set_to(x)", "x.is_same_size(x)",
    "x.size(-1)", "x.stride(0)",
)  # fmt: skip


@st.composite
def _programs(draw: st.DrawFn) -> tuple[str, list[str]]:
    tensor = draw(tensors.tensors(grad=True))
    calls = st.lists(tensors.view_calls(tensor.shape), min_size=4, max_size=8)
    return tensor.text, draw(calls)


@sampled(calls=4, program=_programs())
def test_views(ask: Probe, program: tuple[str, list[str]]) -> None:
    """Every view of a tensor of any geometry has torch's shape, strides, offset and elements."""
    text, calls = program
    for call in calls:
        ask(f"x = {text}", call)


@sampled(calls=10, tensor=tensors.tensors())
def test_attributes(ask: Probe, tensor: tensors.DrawnTensor) -> None:
    """The geometry attributes of a tensor of any geometry equal torch's."""
    for asked in ASKED:
        ask(f"x = {tensor.text}", asked)


@st.composite
def _stories(draw: st.DrawFn) -> list[str]:
    """Draw a program of views, copies and writes on earlier tensors."""
    tensor = draw(tensors.tensors(dtypes=("int16", "float32", "complex64", "bfloat16"), max_rank=4))
    steps = [f"a = {tensor.text}"]
    names = ["a"]
    for _ in range(draw(st.integers(2, 6))):
        name = draw(st.sampled_from(names))
        if draw(st.booleans()):
            new = chr(ord("a") + len(names))
            call = draw(tensors.view_calls(tensor.shape))
            call = sub(r"\bx\b", name, call)
            steps.append(f"{new} = {call}")
            names.append(new)
        else:
            other = draw(st.sampled_from(names))
            index = draw(tensors.indices(tensor.rank))
            steps.append(
                draw(
                    st.sampled_from(
                        (
                            f"{name}.fill_(7)",
                            f"{name}.zero_()",
                            f"{name}.copy_({other})",
                            f"{name}[{index}] = 9",
                            f"{name}[{index}] = {other}",
                            f"{name}.t_()",
                            f"{name}.unsqueeze_(0)",
                            f"{name}.squeeze_()",
                            f"{name}.set_({other})",
                            f"{name}.copy_(torch.ones(()))",
                        )
                    )
                )
            )
    return steps


@sampled(calls=2, story=_stories())
def test_stories(ask: Probe, story: list[str]) -> None:
    """Programs of views, copies and writes leave torch's state after every step."""
    ask(*story, question=1)


@exhaustive(lambda torch: Domain(call=CALLS), parts=2)
def test_refusals(ask: Probe, call: str) -> None:
    """Invalid arguments of every kind raise torch's error and change nothing."""
    ask("x = torch.arange(6.0).reshape(2, 3)", "y = x.t()", call)


EXAMPLES = (
    "torch.empty((2, 3, 5, 7)).stride()",
    "torch.empty_permuted((2, 3, 5, 7), (0, 1, 2, 3)).stride()",
    "torch.empty((2, 3, 5, 7), memory_format=torch.channels_last).stride()",
    "torch.empty_permuted((2, 3, 5, 7), (0, 2, 3, 1)).stride()",
    "torch.empty_permuted((2, 3, 5, 7), (0, 2, 3, 1)).dim_order()",
    "torch.tensor([[1, 2, 3, 4, 5], [6, 7, 8, 9, 10]]).stride()",
    "torch.tensor([[1, 2, 3, 4, 5], [6, 7, 8, 9, 10]]).t().stride()",
    "torch.Tensor([[1, 2, 3, 4, 5], [6, 7, 8, 9, 10]]).stride()",
    "torch.Tensor([[1, 2, 3, 4, 5], [6, 7, 8, 9, 10]]).t().stride()",
    *(f"torch.ones(1, dtype=torch.{name})" for name in
      ("float", "double", "complex64", "complex128", "int", "long", "uint8", "bool")),
    "torch.tensor(1, dtype=torch.long)", "torch.tensor(1, dtype=torch.int)",
)  # fmt: skip


@exhaustive(lambda torch: Domain(example=EXAMPLES))
def test_examples(ask: Probe, example: str) -> None:
    """The examples of the documents give torch's results."""
    ask(f"x = {example}", "x", question=0)


@exhaustive(lambda torch: Domain(kind=BITS, call=LAZY_CALLS), parts=4)
def test_lazy_bits(ask: Probe, kind: str, call: str) -> None:
    """Every call resolves or keeps the conj and neg bits of its tensors as torch does."""
    ask(f"x = {BITS[kind]}", "y = x.detach()[(0,) * x.dim()] if x.numel() else x", call, "x",
        question=-2)  # fmt: skip


@exhaustive(lambda torch: Domain(shape=SHAPES, call=[*VIEWS, *RESULTS]), parts=4, one_in=36)
def test_small_shapes(ask: Probe, shape: str, call: str) -> None:
    """Every view and result has torch's geometry, for all small shapes and strides."""
    ask(*program(shape, call))


@exhaustive(lambda torch: Domain(shape=SHAPES, maker=[*MAKERS]), one_in=9)
def test_small_strides(ask: Probe, shape: str, maker: str) -> None:
    """Strides and offsets give torch's tensor or error, within the storage and beyond."""
    ask(*program(shape, "x", maker, (-1, 0, 1, 3), (-1, 0, 5, 13, 15, 16, 40)))


@exhaustive(
    lambda torch: Domain(call=accepted_calls(torch), device=("cpu", "meta")), parts=4, one_in=48
)
def test_result_strides(ask: Probe, call: str, device: str) -> None:
    """Every call gives torch's strides for operands of any strides, also where no data is."""
    dtype, _, call = call.partition(": ")
    ask(*settings.seed(call), *program_of_call(dtype, call, device), question=-1)


@exhaustive(
    lambda torch: Domain(
        call=[call for call in accepted_calls(torch) if search(r"\by\b", call)],
        device=("cpu", "meta"),
    ),
    parts=2, one_in=12,
)  # fmt: skip
def test_broadcast_strides(ask: Probe, call: str, device: str) -> None:
    """Every call of two tensors gives torch's strides for shapes of several ranks."""
    dtype, _, call = call.partition(": ")
    ask(*settings.seed(call), *broadcasts(dtype, call, device), question=-1)


@sampled(
    calls=3,
    operands=strided_operands((*arithmetic.CORE, "uint16", "float8_e5m2")),
    device=st.sampled_from(("cpu", "meta")),
    phase=st.integers(0, _PHASES - 1),
)
def test_drawn_strides(
    ask: Probe, operands: tuple[Strided, Strided], device: str, phase: int
) -> None:
    """Every call gives torch's strides for tensors of any dtypes and strides.

    The strides of dimensions of size 1 count where operands are broadcast or converted.
    """
    calls = [text.partition(": ")[2] for text in accepted_calls(ask.session.oracle.root)]
    part = calls[phase::_PHASES]
    ask(*settings.seed(*part), *program_of_operands(operands, part, device), question=-1)


PARTS = (
    "b[:6]", "b[6:12]", "b[5:11]", "b[1:7]", "b[7:13]", "b[:12:2]", "b[1:12:2]", "b[2:14:2]",
    "b[:6].view(2, 3)", "b[6:12].view(2, 3)", "b[3:9].view(3, 2).t()", "b[:6].view(3, 2).t()",
    "b[:3].expand(2, 3)", "b[4]", "b[5]", "b[4:5]", "b[:0]", "b[:6].view(6, 1)", "b[:6].detach()",
    "b[:6].as_strided((6,), (2,))", "b.as_strided((0, 6), (6, 1), 1)",
    "b.as_strided((2, 0), (1, 1), 4)", "b.as_strided((2, 3), (1, 1), 2)",
    "b[:12].view(6, 2)[:, 0]", "b[:12].view(6, 2)[:, 1]", "b",
)  # fmt: skip
"""Parts of the vector ``b``, some of which share elements."""

WRITES = (
    "torch.abs(x, out=y)", "torch.clamp(x, 2, 9, out=y)", "torch.maximum(x, y, out=y)",
    "y.copy_(x)", "y.add_(x, alpha=0)", "y.clamp_(x)", "torch.where(x > 5, x, 1.0, out=y)",
    "torch.eq(x, 5, out=y)", "torch.cat((x, x), out=y)", "torch.cat((x,), out=y)",
    "y.masked_fill_(x < 0, 3)", "y[...] = x", "torch.stack((x, x), out=y)",
)  # fmt: skip
"""Writes to ``y`` whose result does not depend on their order, if all elements are equal."""


@exhaustive(lambda torch: Domain(source=PARTS, target=PARTS), one_in=8)
def test_overlaps(ask: Probe, source: str, target: str) -> None:
    """Writes to elements that an operand has are made or refused as in torch."""
    setup = f"b = torch.full((20,), -1.0); x = {source}; y = {target}"
    for write in WRITES:
        ask(setup, write, "b", question=(1, 2))


@exhaustive(lambda torch: Domain(shape=SHAPES, call=JOINS, device=("cpu", "meta")), one_in=6)
def test_joins(ask: Probe, shape: str, call: str, device: str) -> None:
    """Tensors of all pairs of small shapes are joined, or refused, as torch does."""
    ask(*joins(shape, call, device))


OVERLAPPING = [
    f"({', '.join(map(str, shape))}), {strides}"
    for shape in ((2, 3), (3, 2), (2, 2), (2, 2, 3))
    for strides in product((1, 2, 3, 4), repeat=len(shape))
]
"""Shapes and strides with which some elements share memory."""

SOURCES = {
    "dense": "torch.arange(1.0, y.numel() + 1).view(y.shape)",
    "transposed": (
        "torch.arange(1.0, y.numel() + 1).view(y.shape[::-1]).permute(*range(y.ndim)[::-1])"
    ),
    "expanded": "torch.arange(1.0, y.shape[-1] + 1).expand(y.shape)",
}
ORDERED_WRITES = (
    "y.copy_(x)", "y[...] = x", "y.copy_(x.to(torch.bfloat16))", "y._neg_view().copy_(x)",
    "y.copy_(x._neg_view())", "torch.abs(x, out=y)", "torch.add(x, x, out=y)",
    "torch.clamp(x, 2, 9, out=y)", "torch.where(x > 2, x, 1.0, out=y)", "torch.eq(x, 3, out=y)",
    "torch.pow(x, 2, out=y)", "torch.addcmul(x, x, x, out=y)", "torch.logical_not(x, out=y)",
    "torch.cat((x[:1], x[1:]), out=y)", "torch.cat((x[:, :1], x[:, 1:]), 1, out=y)",
    "torch.stack(x.unbind(), out=y)", "torch.stack(x.unbind(1), 1, out=y)", "y[0] = x[0]",
    "y[torch.tensor([1, 0])] = x[:2]", "y[x > 2] = x[x > 2]", "y.normal_()", "y.random_(9)",
    "y.bernoulli_(x / 20)", "y.masked_fill_(x > 2, 1)", "y.conj().copy_(x)", "y.copy_(y.conj())",
    "y.conj().copy_(y)", "y.copy_((x + 1j).conj())", "y.imag.neg().conj().copy_(x)",
)  # fmt: skip
"""Writes to ``y`` that do not read it: of elements that share memory the last one stays."""


@exhaustive(
    lambda torch: Domain(
        target=OVERLAPPING, source=SOURCES, write=ORDERED_WRITES, number=("0", "1j")
    ),
    one_in=36,
)
def test_write_orders(ask: Probe, target: str, source: str, write: str, number: str) -> None:
    """Elements that share memory are written in torch's order."""
    b = f"torch.full((40,), {number} + 0.0)"
    setup = f"b = {b}; y = b.as_strided({target}, 1); x = {SOURCES[source]}"
    ask("torch.manual_seed(0).device", setup, write, "b", question=(2, 3))


HUGE = ("(0, 2**62)", "(2**61, 0)", "(0, 2**30, 2**30)", "(2, 0, 2**61)", "(0, 2**62, 3)")
"""Shapes without elements whose other sizes have a product near the end of int64."""

CALLS_OF_HUGE = (
    "x.clone()", "x + 1", "x * x", "x.exp()", "x.neg()", "x.lt(1)", "x.sum()", "x.sum(0)",
    "x.mean(0)", "x.prod()", "x.std()", "x.all()", "x.any(0)", "x.max()", "x.amax(0)", "x.amax(1)",
    "x.argmax(1)", "x.cumsum(0)", "x.zero_()", "x.fill_(1)", "x.copy_(x.clone())", "x.add_(1)",
    "x.to(torch.int8)", "x.to(torch.complex128)", "x.contiguous()", "x.view(x.dtype)", "repr(x)",
    "torch.equal(x, x)", "torch.cat([x, x])", "torch.stack([x, x])", "torch.stack([x, x], 1)",
    "x[0:0]", "x[..., 0]", "x[:, None]", "x.transpose(0, 1)", "torch.where(x > 0, x, x)",
    "torch.zeros_like(x)", "torch.full_like(x, 2)", "torch.rand_like(x)", "x.uniform_()",
    "x.random_()", "x.nonzero()", "x.masked_fill_(x > 0, 1)", "x[x > 0]", "x.to_sparse()",
    "x + torch.ones((), dtype=torch.float64)", "torch.ones(x.shape)", "torch.randint(3, x.shape)",
    "torch.nan_to_num(x)", "x.clamp(1, 2)", "x.numpy().shape", "x.flatten()", "x.reshape(-1)",
    "x.unsqueeze(0)", "x.expand(3, *x.shape)", "x.permute(*range(x.ndim)[::-1]).contiguous()",
    "x.half().add(1)", "x.lerp_(x, 0.5)", "torch.bernoulli(x)", "x.conj_physical_()", "x.numel()",
    "torch.add(x, x, out=torch.zeros(0))", "torch.zeros(x.shape, out=torch.zeros(0))",
)  # fmt: skip


@exhaustive(
    lambda torch: Domain(
        shape=HUGE, dtype=("float32", "int8", "float16", "complex128"), call=CALLS_OF_HUGE
    ),
)
def test_huge_sizes(ask: Probe, shape: str, dtype: str, call: str) -> None:
    """Tensors without elements take every call as torch does, however large their sizes are."""
    ask(f"x = torch.empty({shape}, dtype=torch.{dtype})", call)


HUGE_STRIDES = (
    "2**62, 2**62 - 1", "2**62, 2**62", "2**62 - 1, 2**62 - 2", "2**63 - 1, 0", "2**61, 2**61",
    "1, 2**62", "2**63 - 2, 1", "2**62 + 1, 2**62 - 2", "2**63 - 2, 4", "2**60, 2**60",
    "(2**63 - 1) // 7, (2**63 - 1) // 7", "0, 2**63 - 1", "2**63 - 1, 1", "2**63 - 1, 2**63 - 1",
)  # fmt: skip

VIEWS_OF_HUGE = (
    "x", "x.t()", "x.mT", "x.transpose(0, 1)", "x.movedim(0, 1)", "x.diagonal()", "x.diagonal(1)",
    "x.diagonal(-1)", "x.diagonal(0, 1, 0)", "x[1]", "x[:, 1]", "x[..., -1]", "x[::2]",
    "x[:, ::2**62]", "x[..., ::3]", "x[..., 1:]", "x[None]", "x[:, None]", "x[None, 1]",
    "x[..., None]", "x[None, ..., None, -1]", "x[True]", "x.unfold(0, 1, 1)", "x.unfold(1, 2, 2)",
    "x.unfold(0, 2, 2**62)", "x.unfold(0, 1, 2**62)", "x.view(-1)", "x.view(4)", "x.view_as(x)",
    "x.view(x.shape)", "x.reshape(-1)", "x.reshape(x.shape)", "x.flatten()",
    "x.unflatten(0, (1, -1))", "x.unsqueeze(0)", "x.unsqueeze(1)", "x.unsqueeze(2)", "x.squeeze()",
    "x.squeeze(0)", "x.expand(3, 2, 2)", "x.expand(2, -1, -1)", "x.select(0, 1)",
    "x.select(-1, -1)", "x.narrow(0, 0, 1)", "x.narrow(1, 1, 1)", "x.split(1)", "x.split([1, 1])",
    "x.split(1, 1)", "x.chunk(2, 1)", "x.unbind()", "x.tensor_split(2)", "x.view(torch.int8)",
    "x.view(torch.float64)", "x.real", "x.imag", "torch.view_as_real(x.to(torch.complex64))",
    "x.detach()", "x.as_strided((2,), (2**62,), 5)", "x.as_strided_((2,), (2**62,), 5)", "x.t_()",
    "x.unsqueeze_(0)", "x.unsqueeze_(1)", "x.squeeze_()", "x.squeeze_(0)", "x.transpose_(0, 1)",
    "x.set_(x)", "x.set_(x.detach())", "x.resize_(2, 3)", "x.is_contiguous()", "x.contiguous()",
    "x.clone()", "x + 1", "x + x", "x.abs()", "x.sum(0)", "x.zero_()", "x.copy_(x)",
    "torch.empty_like(x)", "torch.stack([x, x])", "torch.cat([x, x])", "x.dim_order()", "x.nbytes",
)  # fmt: skip


@exhaustive(
    lambda torch: Domain(
        shape=("2, 2", "1, 1", "2, 1", "1, 2", "3, 2", "0, 2", "7, 3", "2, 0"),
        strides=HUGE_STRIDES, view=VIEWS_OF_HUGE, dtype=("float32", "uint8", "complex128"),
    ), parts=2, one_in=24,
)  # fmt: skip
def test_huge_strides(ask: Probe, shape: str, strides: str, view: str, dtype: str) -> None:
    """Views of strides near the end of int64 have torch's geometry, or are refused."""
    geometry, options = f"({shape}), ({strides})", f"dtype=torch.{dtype}"
    makers = [
        f"torch.empty(3, {options}, device='meta').as_strided({geometry})",
        f"torch.empty_strided({geometry}, {options}, device='meta')",
    ]
    if "0" in shape:
        makers.append(f"torch.empty_strided({geometry}, {options})")
    for maker in makers:
        ask(f"x = {maker}", view, "x", question=(1, 2))


_SIZES_AS_TENSORS = (
    "x.split({})", "x.tensor_split({})", "x.chunk({})", "x.narrow(0, {}, 1)", "x.narrow(0, 1, {})",
    "x.select(0, {})", "x.unsqueeze({})", "x.view({})", "x.view(2, {})", "x.reshape({})",
    "x.expand({}, 4, 6)", "x.permute({}, 0)", "x.transpose(0, {})", "x.unflatten(1, ({}, 3))",
    "x.flatten({})", "x.as_strided((2,), ({},))", "x.movedim({}, 0)", "x.unbind({})",
    "x.squeeze({})", "x.diagonal({})", "x.unfold(0, {}, 1)", "torch.split(x, {})",
    "torch.tensor_split(x, {}, 1)", "x.split([{}, 2])", "torch.zeros({})",
    "torch.zeros(2, {})", "x.sum({})", "x.sum(({},))", "x[{}]", "x[{}:]", "x.resize_({})",
    "x.new_zeros({})", "torch.broadcast_to(x, {})", "torch.arange({})", "torch.eye({})",
)  # fmt: skip
_TENSORS_FOR_SIZES = (
    "torch.tensor(1)", "torch.tensor([1])", "torch.tensor([1, 2])", "torch.tensor([[1]])",
    "torch.tensor([], dtype=torch.int64)", "torch.tensor(1, dtype=torch.uint8)",
    "torch.tensor(1.0)", "torch.tensor(True)", "torch.tensor(-1)", "torch.tensor(2**40)",
    "torch.tensor(1, device='meta')", "torch.tensor([1, 2], device='meta')", "torch.tensor(1j)",
    "torch.ones((), requires_grad=True)", "torch.tensor([1.0, 2.0])", "torch.tensor([True, False])",
)  # fmt: skip


@exhaustive(lambda torch: Domain(call=_SIZES_AS_TENSORS, size=_TENSORS_FOR_SIZES), one_in=4)
def test_sizes_as_tensors(ask: Probe, call: str, size: str) -> None:
    """Views and factories take tensors for sizes and dimensions, or refuse them, as torch does."""
    ask("x = torch.arange(24.).view(4, 6)", f"i = {size}", call.format("i"), question=-1)
