"""Printing: repr, str and format of tensors, and the print options."""

from hypothesis import strategies as st

from ..core.domain import Domain
from ..engine.decorators import exhaustive, sampled
from ..engine.probe import Probe
from ..generators import print_limits, tensors
from ..generators.oracle_namespace import dtype_names

BITS = {
    "uint8": "uint8", "int8": "int8", "int16": "int16", "int32": "int32", "int64": "int64",
    "float16": "int16", "bfloat16": "int16", "float32": "int32", "float64": "int64",
    "complex64": "int64", "bool": "uint8", "uint16": "int16", "uint32": "int32", "uint64": "int64",
    "float8_e4m3fn": "uint8", "float8_e5m2": "uint8", "float8_e4m3fnuz": "uint8",
    "float8_e5m2fnuz": "uint8", "float8_e8m0fnu": "uint8", "complex32": "int32",
}  # fmt: skip
"""The printed dtypes, each with an integer dtype of the same size."""

TAME = st.one_of(
    st.floats(width=32), st.floats(-1000, 1000, width=16), st.integers(-5, 5).map(float),
    st.sampled_from(
        (0.0, -0.0, 1e-5, 1e8, 123456.0, 0.1, float("nan"), float("inf"), -float("inf"))
    ),
)  # fmt: skip


def _bit_text(dtype: str) -> st.SearchStrategy[str]:
    integers = BITS[dtype]
    bits = 1 if dtype == "bool" else int(integers.lstrip("uint"))
    low = 0 if integers.startswith("u") or bits == 1 else -(2 ** (bits - 1))
    return st.lists(st.integers(low, low + 2**bits - 1), min_size=1, max_size=8).map(
        lambda raw: f"torch.tensor({raw}, dtype=torch.{integers}).view(torch.{dtype})"
    )


values = st.one_of(
    st.sampled_from(sorted(BITS)).flatmap(_bit_text),
    st.lists(TAME, min_size=1, max_size=10).map(
        lambda numbers: f"torch.tensor([{', '.join(f'float({str(x)!r})' for x in numbers)}])"
    ),
    st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=10).map(
        lambda numbers: f"torch.tensor({numbers})"
    ),
)
SHAPING = (
    "", ".reshape(1, -1)", ".reshape(-1, 1)", "[0]", "[:0]", ".expand(2, 2, -1)", ".double()",
    ".half()", ".expand(40, 30, -1)", ".detach().requires_grad_()", "[None, None]",
)  # fmt: skip
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "precision": st.integers(0, 8),
        "threshold": st.sampled_from((0, 5, 1000, "float('inf')")),
        "edgeitems": st.integers(1, 4),
        "linewidth": st.sampled_from((20, 80, 200)),
        "sci_mode": st.sampled_from((True, False, None)),
        "profile": st.sampled_from(("'default'", "'short'", "'full'", "'none'")),
    },
)


@sampled(
    calls=2, value=values, shaping=st.lists(st.sampled_from(SHAPING), max_size=2), options=OPTIONS
)
def test_repr(ask: Probe, value: str, shaping: list[str], options: dict[str, object]) -> None:
    """The repr, str and format of a tensor equal torch's under all print options."""
    text = value + "".join(shaping)
    keywords = ", ".join(f"{name}={option}" for name, option in options.items())
    if not keywords:
        ask("torch.set_printoptions()")  # it changes nothing
    setup = (f"torch.set_printoptions({keywords})",) if keywords else ()
    ask(*setup, f"x = {text}", "x", "str(x)", "f'{x}'", question=-3)
    ask(f"x = {text}", "repr(x)")


@sampled(
    calls=2,
    tensor=tensors.tensors(dtypes=tensors.ALL_DTYPES, grad=True),
    spec=st.sampled_from(("", ".2f", "d", "10")),
)
def test_views(ask: Probe, tensor: tensors.DrawnTensor, spec: str) -> None:
    """Tensors of any geometry print their elements and autograd metadata as torch does."""
    ask(
        f"x = {tensor.text}",
        "repr(x)",
        "repr(x.unsqueeze(0))",
        f"format(x, {spec!r})",
        "x[..., :1]",
        question=1,
    )


_READS = (
    "repr(x)", "repr(x[1])", "repr(x[:0])", "repr(x.view(4, -1))", "repr(x[0])", "str(x)",
    "format(x)", "x.tolist()", "x[2:5].tolist()", "x[0].tolist()", "x[0].item()", "x[:1].item()",
    "x[:0].tolist()", "list(x[:2])", "x.numpy()", "bool(x[0])", "float(x[0])", "int(x[0])",
    "x.view(4, -1)[:, :2].tolist()",
)  # fmt: skip


@exhaustive(
    lambda torch: Domain(
        dtype=dtype_names(torch), read=_READS, options=("", "threshold=5, edgeitems=1")
    )
)
def test_dtypes(ask: Probe, dtype: str, read: str, options: str) -> None:
    """Tensors of every dtype print, and give their elements, as torch's; or refuse it so."""
    setup = (f"torch.set_printoptions({options})",) if options else ()
    ask(*setup, f"x = torch.arange(96, dtype=torch.uint8).view(torch.{dtype})", read)


@exhaustive(
    lambda torch: Domain(
        limit=print_limits.LIMITS, side=print_limits.SIDES, dtype=print_limits.DTYPES
    ),
    one_in=6,
)
def test_limits(ask: Probe, limit: str, side: str, dtype: str) -> None:
    """Numbers at the limits of the formats, and those next to them, print as torch's."""
    steps = [f"x = {print_limits.tensor_at(limit, side, dtype)}", "repr(x)", "repr(x[0])"]
    for options in print_limits.OPTIONS:
        steps += [print_limits.set_options(options), "repr(x)"]
    ask(*steps, question=[step for step, text in enumerate(steps) if text.startswith("repr")])


_IN_MESSAGES = ("x.reshape(1, -1)", "x.reshape(-1, 1)", "x.repeat(2, 3, 9)")


@exhaustive(
    lambda torch: Domain(
        limit=print_limits.LIMITS, side=print_limits.SIDES, dtype=print_limits.DTYPES
    ),
    one_in=6,
)
def test_messages(ask: Probe, limit: str, side: str, dtype: str) -> None:
    """Messages of C++ show numbers at the limits of the formats, and matrices, as torch's."""
    calls = (f"torch.meshgrid({matrix}, indexing='ij')" for matrix in _IN_MESSAGES)
    ask(f"x = {print_limits.tensor_at(limit, side, dtype)}", *calls, question=1)


@exhaustive(lambda torch: Domain(shape=print_limits.SHAPES, options=print_limits.COUNTS))
def test_counts(ask: Probe, shape: str, options: str) -> None:
    """Tensors are summarized from the same number of elements as torch's."""
    setup = print_limits.set_options(options)
    for count in print_limits.COUNTS[options]:
        sizes = shape.format(count)
        ask(setup, f"x = torch.arange(torch.Size(({sizes})).numel()).reshape({sizes})", "repr(x)")


@exhaustive(lambda torch: Domain(tensor=print_limits.TENSORS))
def test_lines(ask: Probe, tensor: str) -> None:
    """Lines break at the same width as torch's."""
    steps = [f"x = {tensor}"]
    for width in print_limits.WIDTHS:
        steps += [f"torch.set_printoptions(linewidth={width})", "repr(x)"]
    ask(*steps, question=range(2, len(steps), 2))
