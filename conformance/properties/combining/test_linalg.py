"""Norms, the products of torch.linalg, and the order of frequencies in torch.fft."""

from math import prod

from hypothesis import strategies as st

from ...comparison.element_cases import ElementCase
from ...core.domain import Domain
from ...core.float_formats import FORMATS
from ...engine.decorators import exhaustive, sampled
from ...engine.probe import Probe
from ...generators import linalg_calls
from ...generators.arithmetic import CORE, SHELLS
from ...generators.linalg_calls import MATRIX_ORDERS, ORDERS, POWERS, SINGULAR_ORDERS
from ...generators.sum_patterns import DTYPES, KINDS, terms

_MATRIX = "torch.tensor([[1, 0, 3], [4, 2, 1], [2, 2, 0]])"
CALLS = {
    "vector_norm": "torch.linalg.vector_norm(x)",
    "vector_norm 0": "torch.linalg.vector_norm(x, 0, 1)",
    "vector_norm inf": "torch.linalg.vector_norm(x, math.inf, 1)",
    "vector_norm of one": "torch.linalg.vector_norm(x[:1], 1, 0)",
    "vector_norm of none": "torch.linalg.vector_norm(x[:0], 1, 0)",
    "matrix_norm": "torch.linalg.matrix_norm(x, 1)",
    "matrix_norm 2": "torch.linalg.matrix_norm(x, 2)",
    "matrix_norm nuc": "torch.linalg.matrix_norm(x, 'nuc', keepdim=True)",
    "norm": "torch.linalg.norm(x, 'fro')",
    "torch.norm": "torch.norm(x, 1, 0)",
    "vecdot": "torch.linalg.vecdot(x, x)",
    "vecdot of two": "torch.linalg.vecdot(x[0], x[1])",
    "cross": "torch.linalg.cross(x, x.flip(0))",
    "diagonal": "torch.linalg.diagonal(x, offset=1)",
    "multi_dot": "torch.linalg.multi_dot([x, x, x[0]])",
    "matrix_power": "torch.linalg.matrix_power(x, 3)",
    "matrix_power 0": "torch.linalg.matrix_power(x, 0)",
    "matrix_power 1": "torch.linalg.matrix_power(x, 1)",
    "matmul": "torch.linalg.matmul(x, x)",
    "vander": "torch.linalg.vander(x, N=3)",
    "cdist": "torch.cdist(x, x[:2])",
    "cdist by product": "torch.cdist(x, x[:2], compute_mode='use_mm_for_euclid_dist')",
    "fftshift": "torch.fft.fftshift(x)",
}
_PLACES = {"new": "x", "meta": "x.to('meta')"}


@exhaustive(lambda torch: Domain(dtype=[*CORE, *SHELLS], call=[*CALLS], place=[*_PLACES]))
def test_dtypes(ask: Probe, dtype: str, call: str, place: str) -> None:
    """Each function has a result of torch's dtype for each dtype, or raises its error."""
    x = f"x = {_MATRIX}.to(torch.{dtype})"
    ask(x, f"x = {_PLACES[place]}", CALLS[call])


@exhaustive(
    lambda torch: Domain(
        own=[*CORE, *SHELLS], wanted=[*CORE, *SHELLS],
        norm=("vector_norm(x, 2", "matrix_norm(x, 1", "norm(x"), device=("cpu", "meta"),
    ),
    parts=2, one_in=3,
)  # fmt: skip
def test_wider(ask: Probe, own: str, wanted: str, norm: str, device: str) -> None:
    """dtype= widens the elements before a norm, and torch refuses what would narrow them."""
    x = f"x = {_MATRIX}.to(torch.{own}).to('{device}')"
    ask(x, f"torch.linalg.{norm}, dtype=torch.{wanted})")


_SHAPES = ("2, 3", "3", "()", "0, 3", "2, 0", "1, 3", "2, 1, 3", "3, 0, 2", "1")
_DIMS = (
    "",
    ", 0",
    ", -1",
    ", (0, 1)",
    ", (1, 0)",
    ", (-2, -1)",
    ", ()",
    ", (0, 0)",
    ", 5",
    ", None",
)


@exhaustive(
    lambda torch: Domain(
        order=(*ORDERS, *POWERS), dim=_DIMS, keepdim=("", ", keepdim=True"), shape=_SHAPES,
        device=("cpu", "meta"), call=("torch.linalg.vector_norm", "torch.norm"),
    ),
    parts=2, one_in=3,
)  # fmt: skip
def test_vector_norms(
    ask: Probe, order: str, dim: str, keepdim: str, shape: str, device: str, call: str
) -> None:  # fmt: skip
    """Norms of vectors of any order reduce the dimensions that torch reduces, or are refused."""
    x = f"x = torch.ones({shape}, device='{device}')"
    ask(x, f"{call}(x, {order}{dim if dim or not keepdim else ', None'}{keepdim})")


@exhaustive(
    lambda torch: Domain(
        order=(*MATRIX_ORDERS, *SINGULAR_ORDERS, "None"), dim=_DIMS,
        keepdim=("", ", keepdim=True"), shape=_SHAPES,
        device=("cpu", "meta"), call=("matrix_norm", "norm"),
    ),
    one_in=3,
)  # fmt: skip
def test_matrix_norms(
    ask: Probe, order: str, dim: str, keepdim: str, shape: str, device: str, call: str
) -> None:  # fmt: skip
    """Norms of matrices compare sums or singular values, or are refused, as in torch."""
    x = f"x = torch.ones({shape}, device='{device}')"
    if call == "matrix_norm" or order in SINGULAR_ORDERS:
        call = "matrix_norm"
        dim = dim.replace("None", "(0, 1)")
    ask(x, f"torch.linalg.{call}(x, {order}{dim}{keepdim})")


_PAIRS = {
    "few": ("3, 4", "5, 4"), "several": ("4, 7", "6, 7"), "many": ("27, 3", "2, 3"),
    "of one number": ("3, 1", "2, 1"), "batches": ("2, 1, 3, 4", "3, 5, 4"),
    "batches of many": ("2, 27, 3", "2, 3"), "no columns": ("3, 0", "2, 0"),
    "many without columns": ("2, 27, 0", "2, 0"), "no rows": ("0, 4", "5, 4"),
    "no batch": ("0, 27, 4", "5, 4"), "other columns": ("3, 4", "5, 3"), "a vector": ("4", "5, 4"),
    "other batches": ("2, 3, 4", "3, 5, 4"), "other batches of many": ("2, 27, 4", "3, 5, 4"),
}  # fmt: skip
_ELEMENTS = {
    "whole": (
        "(torch.arange({n}) % 7 - 3.).reshape({s})", "(torch.arange({n}) % 5 - 2.).reshape({s})"
    ),
    "inexact": (
        "(-1 / (1. + torch.arange({n}))).reshape({s})",
        "(1 + 1 / (3. + torch.arange({n}))).reshape({s})",
    ),
    "special": (
        "torch.tensor([1, math.inf, 2, -math.inf, 0, math.nan, 3]).repeat(99)[:{n}].reshape({s})",
        "torch.tensor([1, 2, math.inf, -0.0, 1]).repeat(99)[:{n}].reshape({s})",
    ),
}  # fmt: skip
_DEVICES = {"cpu": ("cpu", "cpu"), "meta": ("meta", "meta"), "both": ("cpu", "meta"),
            "the other": ("meta", "cpu")}  # fmt: skip
_MODES = ("", *(f", compute_mode='{mode}'" for mode in (
    "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist", "use_mm")))  # fmt: skip


@exhaustive(
    lambda torch: Domain(
        order=("2", "1", "0", "3", "0.5", "math.inf", "-1", "math.nan"), rows=_PAIRS,
        mode=_MODES, elements=_ELEMENTS, device=_DEVICES,
    ),
    parts=2, one_in=2,
)  # fmt: skip
def test_distances(
    ask: Probe, order: str, rows: str, mode: str, elements: str, device: str
) -> None:  # fmt: skip
    """Distances of rows are sums in order or a matrix product, by the order, mode and sizes."""
    texts = [
        text.format(s=f"({shape},)", n=prod(map(int, shape.split(","))))
        for text, shape in zip(_ELEMENTS[elements], _PAIRS[rows], strict=True)
    ]
    x, y = [f"{t}.to('{at}')" for t, at in zip(texts, _DEVICES[device], strict=True)]
    ask(f"x = {x}", f"y = {y}", f"torch.cdist(x, y, {order}{mode})")


_FREQUENCIES = (
    "5", "4", "0", "1", "-1", "5, 0", "5, 0.5", "4, d=2", "5, dtype=torch.float16",
    "5, dtype=torch.float64", "5, dtype=torch.int64", "5, dtype=torch.complex64",
    "5, device='meta'", "5, requires_grad=True", "5, out=torch.zeros(3)",
    "5, out=torch.zeros(5, dtype=torch.float64)", "5, out=torch.zeros(5, dtype=torch.int64)",
    "5, out=torch.zeros(5, requires_grad=True)", "5, out=torch.zeros(5, device='meta')", "2.0",
    "'a'", "", "5, 1, 2", "5, None", "True", "n=7", "5, math.nan", "5, layout=torch.sparse_coo",
    "5, dtype=torch.bfloat16", "5, 1j", "1000, 0.1", "3, out=torch.zeros(10)[::2]",
)  # fmt: skip


@exhaustive(lambda torch: Domain(name=("fftfreq", "rfftfreq"), arguments=_FREQUENCIES))
def test_frequencies(ask: Probe, name: str, arguments: str) -> None:
    """Sample frequencies have torch's numbers, dtypes and refusals."""
    ask(f"torch.fft.{name}({arguments})")


_PROGRAMS = 8
"""How many calls are made for each drawn seed."""


@sampled(seed=st.integers(0, 2**48))
def test_calls(ask: Probe, seed: int) -> None:
    """Norms and products take or refuse operands of any geometry, dtype, device and state."""
    for index in range(_PROGRAMS):
        ask(*linalg_calls.program(_PROGRAMS * seed + index))


_LAID = {
    "3": (3, ""), "17": (17, ""), "1000": (1000, ""), "rows": (12_000, ".reshape(40, 300), {}, 1"),
    "columns": (12_000, ".reshape(40, 300), {}, 0"), "strided": (3000, "[::3]"),
}  # fmt: skip


@exhaustive(
    lambda torch: Domain(
        source=DTYPES, laid=_LAID, kind=KINDS, order=("2", "1", "3", "0.5", "-1", "math.inf")
    ),
    parts=2,
)
def test_inexact(ask: Probe, source: str, laid: str, kind: str, order: str) -> None:
    """Inexact norms of few and of many elements stay within the tolerances."""
    count, view = _LAID[laid]
    raw = terms(FORMATS[source], kind, count, ask.session.seed)
    view = view.format(order) if "{}" in view else f"{view}, {order}"
    steps = (f"x = torch.frombuffer(c, dtype=torch.{source})", f"torch.linalg.vector_norm(x{view})")
    name = "vector_norm of many" if count > 100 else "vector_norm"
    sizes = ("torch.zeros((), dtype=torch.float64)",)
    ask.bulk(ElementCase(source, "", raw, steps, name, sizes=sizes))
