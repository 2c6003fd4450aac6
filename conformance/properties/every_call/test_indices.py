"""Indices: every short index expression, to read from tensors and to write into them."""

from itertools import product

from ...core.domain import Domain
from ...engine.decorators import exhaustive
from ...engine.probe import Probe
from ...generators.oracle_namespace import number_names

BASIC = ("0", "-1", "3", ":", "1:", "0:3", "::2", "2:1", "None", "...", "True", "False")
ADVANCED = (
    "torch.tensor([True, False, True])", "torch.tensor(True)", "torch.tensor(1)",
    "torch.tensor([0, 2])", "torch.tensor([[0], [2]])", "[0, 2]", "[True, False, True]",
    "numpy.array([2, 0])", "numpy.array([False, True, True])", "numpy.int64(1)",
)  # fmt: skip
RARE = (
    "-4", "torch.tensor([[True, False, True]] * 3)", "torch.tensor([True, False])",
    "torch.tensor([0, 3])", "torch.tensor([-3])", "torch.tensor([], dtype=torch.int64)",
    "torch.tensor([1, 0, 1], dtype=torch.uint8)", "torch.tensor([2, 0], dtype=torch.int32)",
    "torch.tensor([0.0])", "[]", "[[0], [2]]", "[1.5]", "(0, 2)", "range(2)", "numpy.bool_(True)",
    "numpy.array(1)", "numpy.array([], dtype=bool)", "numpy.array([0.5])", "1.5", "'a'", "1j",
    "::-1", "torch.tensor(0):", "numpy.int8(1):numpy.uint8(2)", "'a':", "torch.Size([1])",
    "torch.tensor([0, 1], requires_grad=False).expand(2, 2)", "torch.tensor(1, device='meta')",
)  # fmt: skip
"""Entries by how often expressions have them."""

_BESIDE_RARE = ("1", ":", "None", ADVANCED[0])
_OFTEN = ("1", ":", "::2", "None", "...", "True", ADVANCED[0], ADVANCED[3])
_MOST_OFTEN = ("1", ":", ADVANCED[0], ADVANCED[3])


def index_expressions() -> list[str]:
    """Return the expressions: all of up to 2 entries, those of 3 and 4 with frequent entries."""
    entries = (*BASIC, *ADVANCED)
    single = (*entries, *RARE)
    alone = (*single, *(f"({entry},)" for entry in single if ":" not in entry), "()", "((0, 1),)")
    rows = (
        *product(entries, repeat=2),
        *product(RARE, _BESIDE_RARE),
        *product(_BESIDE_RARE, RARE),
        *product(_OFTEN, repeat=3),
        *product(_MOST_OFTEN, repeat=4),
    )
    return [*dict.fromkeys((*alone, *map(", ".join, rows)))]


_DENSE = "x = torch.arange(27.0).view(3, 3, 3).permute(1, 0, 2)"
_SPARSE = (
    "x = (torch.arange(27.0) % 5).view(3, 3, 3).to_sparse(2)",
    "x = torch.sparse_coo_tensor([[2, 0, 2], [1, 1, 1]], [1.0, 2.0, 3.0], (3, 3))",
)

_SPARSE_VALUES = (
    "torch.ones(3, 3, 3).to_sparse()", "torch.ones(3).to_sparse()", "torch.tensor(1).to_sparse()",
)  # fmt: skip


@exhaustive(lambda torch: Domain(index=index_expressions()), parts=2)
def test_dense(ask: Probe, index: str) -> None:
    """An index expression reads the elements that torch reads, and writes to the same ones."""
    ask(
        _DENSE,
        f"x[{index}]",
        f"x[{index}] += 1",
        f"operator.setitem(x, numpy.s_[{index}], 5.0)",
        f"x[{index}] = torch.tensor([7, 8, 9])",
        question=1,
    )


@exhaustive(lambda torch: Domain(index=index_expressions()), parts=2, one_in=3)
def test_sparse(ask: Probe, index: str) -> None:
    """An index expression reads from sparse tensors, or is refused, and so are sparse values."""
    for tensor in _SPARSE:
        ask(tensor, f"x[{index}]")
    for value in _SPARSE_VALUES:
        ask(_DENSE, f"y = {value}", f"operator.setitem(x, numpy.s_[{index}], y)")


_BEYOND = """\
def look(a, b):
    i, j = torch.tensor([a[:2], a[2:]]){laid}, torch.tensor(b)
    try:
        {statement}
    except IndexError as error:
        return str(error)"""
_LAID = ("", ".t()", ".expand(3, 2, 2)", "[:, :1]")
_STATEMENTS = (
    "x[i]", "x[:, i]", "x[i, j]", "x[:, i, j]", "x[j, :, i]", "x.transpose(0, 2)[i, j]",
    "x.transpose(0, 2)[:, j, i]", "x[i, j] = 1.0", "x.transpose(0, 2)[:, i, j] = 1.0",
    "x.index_put_((i, j), torch.ones(()), True)",
)  # fmt: skip


@exhaustive(lambda torch: Domain(laid=_LAID, statement=_STATEMENTS))
def test_beyond(ask: Probe, laid: str, statement: str) -> None:
    """The first index out of bounds is named; the elements before it are written, as in torch."""
    define = _BEYOND.format(laid=laid, statement=statement)
    pairs = [(a, b) for a in product((0, 7, -8), repeat=4) for b in ((0, 1), (1, 9), (-9, 1))]
    ask("x = torch.zeros(3, 4, 5)", define, f"[look(a, b) for a, b in {pairs}]")


_STORAGES = (
    "x = torch.UntypedStorage([5, 6, 7])",
    "x = torch.tensor([5.0, 6.0, 7.0]).storage()",
    "x = torch.Size([5, 6, 7])",
)
_BOUNDS = ("", "0", "1", "2", "4", "-1", "-2", "-4")


def _storage_indices() -> list[str]:
    slices = [f"{start}:{stop}" for start in _BOUNDS for stop in _BOUNDS]
    steps = ("::1", "::3", "::0")
    return [*dict.fromkeys((*BASIC, *ADVANCED, *RARE, *slices, *steps))]


@exhaustive(lambda torch: Domain(index=_storage_indices()))
def test_storages(ask: Probe, index: str) -> None:
    """Indices of storages and sizes read and write what they do in torch."""
    for storage in _STORAGES:
        ask(storage, f"x[{index}]", f"x[{index}] = 3", question=1)


_PLACES = (
    "{}", "{}, 0", "0, {}", "..., {}", "slice(None), {}", "{}, None", "None, {}", "{0}, {0}",
    "{}, j",
)  # fmt: skip
_SHAPES = "()", "(1,)", "(2,)", "(3,)", "(0,)", "(2, 3)", "(2, 1)", "(0, 3)"
_ACCESSES = "x[{}]", "operator.setitem(x, ({}), 1)", "operator.setitem(x, ({}), y)"


@exhaustive(
    lambda torch: Domain(
        access=_ACCESSES, place=_PLACES, shape=_SHAPES, dtype=number_names(torch),
        devices=("meta, meta", "meta, cpu", "cpu, meta"),
    ), one_in=24,
)  # fmt: skip
def test_on_meta(ask: Probe, access: str, place: str, shape: str, dtype: str, devices: str) -> None:
    """Index tensors and masks of every dtype and shape, on meta and of meta, as in torch."""
    device, other = devices.split(", ")
    ask(
        f"x = torch.ones((2, 3), device='{device}'); y = torch.ones((), device='{device}')",
        f"i = torch.empty({shape}, dtype=torch.{dtype}, device='{other}')",
        f"i.untyped_storage().fill_(1); j = torch.ones(1, dtype=torch.int64, device='{other}')",
        access.format(place.format("i")),
        question=-1,
    )
