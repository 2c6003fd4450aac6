"""Memory formats: the strides of each format, is_contiguous and dim_order."""

from itertools import product

from hypothesis import strategies as st

from ..core.domain import Domain
from ..engine.decorators import exhaustive, sampled
from ..engine.probe import Probe
from ..generators import tensors

FORMATS = (
    "torch.contiguous_format", "torch.channels_last", "torch.channels_last_3d",
    "torch.preserve_format",
)  # fmt: skip


def _patterns() -> list[str]:
    return [repr(shape) for rank in (3, 4, 5) for shape in product((0, 1, 2, 3), repeat=rank)]


@exhaustive(lambda torch: Domain(form=FORMATS, shape=_patterns()), parts=4, grid_step=1)
def test_patterns(ask: Probe, form: str, shape: str) -> None:
    """Every function with memory_format= equals torch's, for all sizes 0 to 3, ranks 3 to 5."""
    ask(
        f"x = torch.zeros({shape}, dtype=torch.bool)",
        f"torch.empty({shape}, dtype=torch.bool, memory_format={form}).stride()",
        f"x.is_contiguous(memory_format={form})",
        f"x.clone(memory_format={form}).stride()",
        f"x.contiguous(memory_format={form}).stride()",
        f"x.contiguous(memory_format={form}) is x",
        f"x.to(memory_format={form}).stride()",
        f"x.to(memory_format={form}) is x",
        f"x.to(torch.int8, memory_format={form}).stride()",
        f"torch.empty_like(x, memory_format={form}).stride()",
        f"x.dim_order(ambiguity_check=[{form}])",
        f"y = x.to(memory_format={form})",
        "(y.is_contiguous(), y.is_contiguous(memory_format=torch.channels_last))",
        "y.is_contiguous(memory_format=torch.channels_last_3d)",
        "(y.dim_order(), y.clone().stride(), y.contiguous().stride())",
        "y.dim_order(ambiguity_check=True)",
        "y.dim_order(ambiguity_check=[torch.contiguous_format, torch.channels_last])",
        question=1,
    )


CALLS = (
    "x.contiguous(memory_format={form})", "x.clone(memory_format={form})",
    "x.to(memory_format={form})", "x.to(memory_format={form}, copy=True)",
    "x.to(torch.float64, memory_format={form})", "torch.zeros_like(x, memory_format={form})",
    "x.is_contiguous(memory_format={form})", "x.resize_(2, 3, 1, 2, memory_format={form})",
    "x.resize_as_(x, memory_format={form})", "torch.cat([x, x])", "torch.cat([x, x], 1)",
    "torch.stack([x, x], 1)", "x.to(x, memory_format={form})", "x.half(memory_format={form})",
    "torch.full_like(x, 1, memory_format={form})",
    "x.expand_as(x).contiguous(memory_format={form})",
    "torch.empty(x.shape, memory_format={form}).stride()",
)  # fmt: skip


@sampled(
    calls=8,
    tensor=tensors.tensors(),
    form=st.sampled_from((*FORMATS, "None", "1", "'channels_last'")),
)
def test_calls(ask: Probe, tensor: tensors.DrawnTensor, form: str) -> None:
    """Every call with memory_format= on tensors of any geometry equals torch's."""
    for call in CALLS:
        ask(f"x = {tensor.text}", call.format(form=form))


CHECKS = st.one_of(
    st.lists(st.sampled_from(FORMATS), max_size=3).map(lambda names: f"[{', '.join(names)}]"),
    st.sampled_from(
        ("True", "False", "None", "1", "torch.channels_last", "(torch.channels_last,)", "['a']")
    ),
)


@sampled(calls=2, tensor=tensors.tensors(), checks=st.lists(CHECKS, min_size=2, max_size=4))
def test_dim_order(ask: Probe, tensor: tensors.DrawnTensor, checks: list[str]) -> None:
    """dim_order of any geometry equals torch's, with every ambiguity_check."""
    ask(f"x = {tensor.text}", "x.dim_order()")
    for check in checks:
        ask(f"x = {tensor.text}", f"x.dim_order(ambiguity_check={check})")
