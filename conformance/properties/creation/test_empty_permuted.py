"""torch.empty_permuted: orders of dimensions, keywords, errors, and the deterministic fill."""

from itertools import permutations

from hypothesis import strategies as st

from ...core.domain import Domain
from ...engine.decorators import exhaustive, sampled
from ...engine.probe import Probe
from ...generators import scalars, tensors
from ...generators.oracle_namespace import QUANTIZED, dtype_names

SHAPES = {
    0: ((),),
    1: ((0,), (1,), (5,)),
    2: ((2, 3), (1, 3), (3, 0), (1, 1)),
    3: ((2, 3, 4), (1, 3, 1), (2, 0, 3), (1, 1, 2)),
    4: ((2, 3, 5, 7), (1, 3, 1, 2), (2, 1, 1, 1), (2, 3, 0, 1), (1, 1, 1, 1)),
    5: ((2, 3, 2, 3, 2), (1, 2, 1, 3, 1), (2, 1, 3, 0, 1), (1, 1, 1, 1, 1)),
}
"""The shapes for every order of dimensions, by rank."""


def _layouts() -> list[str]:
    return [
        f"{shape}, {order}"
        for rank, shapes in SHAPES.items()
        for shape in shapes
        for order in permutations(range(rank))
    ]


@exhaustive(lambda torch: Domain(layout=_layouts()), parts=2)
def test_layouts(ask: Probe, layout: str) -> None:
    """Every physical_layout of each rank up to 5 gives torch's strides and a usable tensor."""
    ask(
        f"x = torch.empty_permuted({layout}, dtype=torch.uint8)",
        "x.fill_(3)",
        "(x.stride(), x.dim_order(), x.is_contiguous(), x.untyped_storage().nbytes())",
        "x.is_contiguous(memory_format=torch.channels_last)",
        "x.is_contiguous(memory_format=torch.channels_last_3d)",
        "(x.clone().stride(), x.contiguous().stride(), torch.empty_like(x).stride())",
        "x.dim_order(ambiguity_check=True)",
        question=0,
    )


FILLS = (
    "torch.use_deterministic_algorithms(False)",
    "torch.use_deterministic_algorithms(True)",
    "torch.utils.deterministic.fill_uninitialized_memory = False",
)
MAKERS = (
    "torch.empty_permuted((2, 3), (1, 0), dtype=d)", "torch.empty((3,), dtype=d)",
    "torch.empty((), dtype=d)", "torch.empty_strided((2,), (2,), dtype=d)",
    "torch.empty_like(torch.zeros(2, 3).t(), dtype=d)", "torch.zeros(2).new_empty((2,), dtype=d)",
    "torch.zeros(2).new_empty_strided((2, 2), (1, 2), dtype=d)",
    "torch.empty((0, 2), dtype=d)", "torch.zeros((2,), dtype=d).resize_(5)",
    "torch.zeros((2,), dtype=d).resize_(1)",
    "torch.zeros((3,), dtype=d).as_strided_((2, 2), (0, 1), 1).resize_(4, 1)",
    "torch.empty(3, dtype=d, out=torch.zeros(1, dtype=d))",
)  # fmt: skip


@exhaustive(lambda torch: Domain(fill=FILLS, maker=MAKERS, dtype=dtype_names(torch)), parts=2)
def test_deterministic_fill(ask: Probe, fill: str, maker: str, dtype: str) -> None:
    """Deterministic algorithms fill uninitialized memory with NaN or the largest value."""
    is_enabled = "torch.are_deterministic_algorithms_enabled()"
    if fill == FILLS[0]:
        ask(fill, is_enabled, question=0)
    setup = () if fill == FILLS[0] else (fill,)  # it is the default
    if dtype in QUANTIZED:
        ask(f"d = torch.{dtype}", *setup, "d")
        return
    ask(f"d = torch.{dtype}", *setup, maker, is_enabled, question=-2)


SIZES = st.one_of(
    tensors.shapes().map(repr),
    st.sampled_from(
        ("2", "-1", "(2, -3)", "(2**40, 2**40)", "(2**63,)", "(2.5, 1)", "'ab'", "None", "[2, 3]",
         "torch.Size([2, 3])", "(True, 2)", "torch.ones(2, 3)", "(None, 2)", "(numpy.int64(2), 3)",
         "()", "[]", "range(2)", "{2, 3}", "torch.float32", "(2**62, 4, 0)", "(0, 2**63 - 1, 5)")
    ),
)  # fmt: skip
ORDERS = st.one_of(
    st.permutations(range(5)).flatmap(
        lambda order: st.integers(0, 5).map(
            lambda rank: repr(tuple(dim for dim in order if dim < rank))
        )
    ),
    st.lists(st.integers(-3, 4), max_size=5).map(repr),
    st.sampled_from(
        ("0", "None", "(0.0, 1)", "(1, '0')", "torch.Size([1, 0])", "(True, 0)", "((0, 1),)")
    ),
)  # fmt: skip
KEYWORDS = {
    "dtype": st.one_of(scalars.dtypes, st.sampled_from(("None", "float", "'float32'", "1"))),
    "layout": st.sampled_from(("torch.strided", "None", "'strided'", "torch.float32")),
    "device": st.sampled_from(
        ("'cpu'", "None", "torch.device('cpu')", "'cuda'", "'cpu:0'", "'nope'", "0", "-1", "1.5",
         "'cpu:x'")
    ),
    "requires_grad": st.sampled_from(("True", "False", "None", "1")),
    "pin_memory": st.sampled_from(("False", "None", "True", "0")),
    "memory_format": st.sampled_from(("torch.channels_last", "None")),
    "out": st.just("torch.ones(2)"),
    "names": st.just("None"),
}  # fmt: skip


@sampled(
    size=SIZES,
    order=ORDERS,
    keywords=st.lists(st.sampled_from(sorted(KEYWORDS)), unique=True, max_size=3).flatmap(
        lambda names: st.fixed_dictionaries({name: KEYWORDS[name] for name in names})
    ),
)
def test_calls(ask: Probe, size: str, order: str, keywords: dict[str, str]) -> None:
    """Every size, order and keyword is accepted or rejected as in torch."""
    named = "".join(f", {name}={value}" for name, value in keywords.items())
    if any(name in named for name in QUANTIZED):
        named = ""
    ask(f"torch.empty_permuted({size}, {order}{named})")
    ask(f"torch.empty_permuted(physical_layout={order}, size={size}{named})")
    ask(f"torch.empty_permuted({size}{named})")
