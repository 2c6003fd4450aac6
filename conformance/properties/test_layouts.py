"""Layouts: `torch.layout` objects and sparse COO tensors."""

from itertools import combinations_with_replacement, permutations, product
from typing import Any

from hypothesis import strategies as st

from ..core.domain import Domain
from ..engine.decorators import exhaustive, sampled
from ..engine.probe import Probe
from ..generators import sparse_tensors
from ..generators.sparse_calls import (
    BOTH_WAYS,
    CALLS,
    CLASS,
    DENSE,
    FORMS,
    IN_PLACE,
    LAYOUTS,
    LOOKS,
    NUMBERS,
    OBJECTS,
    TOGETHER,
    VALUES,
    WITH_ITSELF,
    WITH_NUMBERS,
    WITH_PARAMETERS,
)  # fmt: skip
from ..generators.sparse_tensors import SOURCES, USUAL
from .test_unary import ALIASES, FUNCTIONS, QUESTIONS


@exhaustive(lambda torch: Domain(name=LAYOUTS, use=OBJECTS), parts=2)
def test_objects(ask: Probe, name: str, use: str) -> None:
    """Each layout is a singleton of torch.layout with torch's repr and comparisons."""
    step = use.replace("{}", "d").replace("{{", "{").replace("}}", "}")
    ask(f"d = torch.{name}", step, "d", question=1)


@exhaustive(lambda torch: Domain(text=CLASS))
def test_class(ask: Probe, text: str) -> None:
    """torch.layout creates no objects, and each tensor has one of the existing layouts."""
    ask(text)


@exhaustive(lambda torch: Domain(dtype=VALUES, call=CALLS), parts=4, one_in=2)
def test_making(ask: Probe, dtype: str, call: str) -> None:
    """sparse_coo_tensor accepts and rejects indices and values of each dtype as torch does."""
    setup = (
        "i = torch.tensor([[2, 0, 2, 1], [1, 3, 1, 0]])",
        f"v = torch.tensor([1, 0, 3, 4]).to(torch.{dtype})",
    )
    ask(*setup, f"torch.sparse_coo_tensor({call})")
    if dtype == "float32":
        for target in (*USUAL, "complex32", "uint16", "float8_e5m2") if _takes_dtype(call) else ():
            ask(*setup, f"torch.sparse_coo_tensor({call}, dtype=torch.{target})")


def _takes_dtype(call: str) -> bool:
    return call in (
        "i, v", "i, v, (3, 4)", "(3, 4)", "i.tolist(), v.tolist(), (3, 4)",
        "i, v, (3, 4), requires_grad=True",
    )  # fmt: skip


@exhaustive(lambda torch: Domain(source=SOURCES, look=LOOKS), parts=4, one_in=2)
def test_parts(ask: Probe, source: str, look: str) -> None:
    """The attributes and methods of a sparse tensor, and their errors, equal torch's."""
    ask(f"x = {SOURCES[source]}", look)


@exhaustive(lambda torch: Domain(source=SOURCES, form=FORMS), parts=3, one_in=2)
def test_forms(ask: Probe, source: str, form: str) -> None:
    """to() and the other conversions of a sparse tensor convert only the values, as in torch."""
    ask(f"x = {SOURCES[source]}", "y = torch.ones(3, 4, dtype=torch.float64)", form)


@exhaustive(lambda torch: Domain(own=VALUES, wanted=VALUES, kind=("twice", "coalesced")), parts=2)
def test_conversions(ask: Probe, own: str, wanted: str, kind: str) -> None:
    """Sparse tensors convert between all dtypes, and to dense tensors."""
    x = f"x = {sparse_tensors.tensor_of_dtype(own, 'sorted')}"
    if kind == "coalesced":
        x += "._coalesced_(True)"
    ask(x, f"x.to(torch.{wanted})", f"x.to(torch.{wanted}).to_dense()", question=1)


SHAPES = (
    "arange(12.0).reshape(3, 4)", "arange(12.0).reshape(4, 3).t()", "arange(6.0)[::2]",
    "tensor(3.0)", "tensor(0.0)", "zeros(2, 3)", "zeros(0)", "zeros(0, 3)", "zeros(3, 0)",
    "tensor([1.0, 0.0, -0.0, float('nan')])", "ones(3).expand(2, 3)",
    "arange(24).reshape(2, 3, 4) % 3", "arange(24).reshape(2, 3, 4).permute(2, 0, 1) % 5",
    "tensor([[0.0, 1.0], [2.0, 0.0]], requires_grad=True)", "ones(2, 1, 2, 1)",
    "tensor([[0, 1j]]).conj()",
)  # fmt: skip
DIMS = (
    "", *map(str, range(-2, 6)), "sparse_dim=1", "None", "1.5", "'a'", "layout=torch.sparse_coo",
    "layout=torch.strided", "layout=None", "dense_dim=0", "dense_dim=1",
    "layout=torch.sparse_coo, dense_dim=1", "1, 2", "True",
)  # fmt: skip


@exhaustive(lambda torch: Domain(source=SHAPES, argument=DIMS))
def test_from_dense(ask: Probe, source: str, argument: str) -> None:
    """to_sparse() keeps the nonzero elements, with the given number of sparse dimensions."""
    ask(f"x = torch.{source}", f"x.to_sparse({argument})")


@exhaustive(lambda torch: Domain(dtype=VALUES, argument=("", "1")))
def test_from_dtypes(ask: Probe, dtype: str, argument: str) -> None:
    """Dense tensors of each dtype convert to sparse and back, or raise torch's error."""
    ask(f"x = torch.tensor([[1, 0, 3], [0, 0, 2]]).to(torch.{dtype})", f"x.to_sparse({argument})",
        f"x.to_sparse({argument}).to_dense()", question=1)  # fmt: skip


OPERANDS = tuple(name for name in SOURCES if name != "0-dim empty")
"""Operands of binary operators. For "0-dim empty", mul reads an element that does not exist."""


@exhaustive(lambda torch: Domain(left=OPERANDS, right=OPERANDS, call=TOGETHER), parts=4, one_in=6)
def test_arithmetic(ask: Probe, left: str, right: str, call: str) -> None:
    """Addition, subtraction and multiplication of two sparse tensors equal torch's."""
    ask(f"x = {SOURCES[left]}", f"y = {SOURCES[right]}", call)


@exhaustive(lambda torch: Domain(source=SOURCES, call=WITH_ITSELF))
def test_itself(ask: Probe, source: str, call: str) -> None:
    """Binary operators on a sparse tensor and itself equal torch's, also with out=."""
    ask(f"x = {SOURCES[source]}", call)


@exhaustive(lambda torch: Domain(source=SOURCES, dense=DENSE, call=BOTH_WAYS), parts=4, one_in=3)
def test_with_dense(ask: Probe, source: str, dense: str, call: str) -> None:
    """Binary operators on a sparse and a dense tensor equal torch's, in either order."""
    ask(f"x = {SOURCES[source]}", f"y = {DENSE[dense]}", call)


MULTIPLIED = (
    "twice", "coalesced", "hybrid", "empty", "0-dim", "complex", "int64", "bool", "bfloat16",
    "grad",
)  # fmt: skip


@exhaustive(
    lambda torch: Domain(source=MULTIPLIED, number=NUMBERS, call=WITH_NUMBERS), parts=2, one_in=2
)
def test_with_numbers(ask: Probe, source: str, number: str, call: str) -> None:
    """Numbers of every type multiply sparse tensors, and cannot be added to them."""
    ask(f"x = {SOURCES[source]}", call.format(number))


PROMOTING = (
    "torch.add(x, y)", "x + y", "x - y", "x * y", "x.add_(y)", "x.mul_(y)", "x * z", "x + z",
    "z + x", "z.add_(x)", "torch.cat([x, y])",
)  # fmt: skip


@exhaustive(lambda torch: Domain(left=USUAL, right=USUAL, call=PROMOTING), parts=2, one_in=2)
def test_promotion(ask: Probe, left: str, right: str, call: str) -> None:
    """Values of two dtypes promote like those of dense tensors, or raise torch's error."""
    x = f"x = {sparse_tensors.tensor_of_dtype(left)}"
    y = f"y = {sparse_tensors.tensor_of_dtype(right, 'coalesced')}"
    ask(x, y, f"z = torch.ones(3, 4, dtype=torch.{right})", call)


_SUMS = ("torch.add(y, x, out=o)", "torch.sub(y, x, alpha=2, out=o)", "torch.add(y, x, out=y)")


@exhaustive(
    lambda torch: Domain(
        dense=("torch.ones(3, 4)", "torch.ones(4, 3).t()", "torch.ones(4).expand(3, 4)"),
        own=("int64", "float32", "float64", "complex64"), dtype=USUAL, out=USUAL, call=_SUMS,
    ),
    parts=2, one_in=4,
)  # fmt: skip
def test_sums_into(ask: Probe, dense: str, own: str, dtype: str, out: str, call: str) -> None:
    """A sum of a dense and a sparse tensor in out= is torch's, and changes the same tensors."""
    steps = f"y = {dense}.to(torch.{own})", f"o = torch.zeros(3, 4, dtype=torch.{out})", call
    ask(f"x = {sparse_tensors.tensor_of_dtype(dtype)}", *steps, "y", question=(3, 4))


def _shape_calls() -> list[str]:
    dims = range(-4, 4)
    orders = [order for rank in range(4) for order in permutations(range(rank))]
    return [
        "x.t()", "x.T", "torch.t(x)", "x.transpose(0)", "x.transpose()", "x.transpose_(0, 1)",
        "x.t_()", "torch.transpose(x, 0, 1)", "x.swapaxes(0, 1)", "x.mT",
        *(f"x.transpose({first}, {second})" for first, second in product(dims, dims)),
        *(f"x.unsqueeze({dim})" for dim in range(-5, 6)),
        *(f"x.select({dim}, {index})" for dim, index in product(dims, range(-5, 5))),
        *(f"x[{index}]" for index in range(-4, 5)), "x[0, 1]", "x[:, 1]", "x[..., 0]", "x[None]",
        "x[0][1]", *(f"x.permute({order})" for order in orders), "x.permute(0, 0)",
        "x.permute(-1, 0)", "x.permute(0, 7)", "torch.permute(x, (1, 0))",
        "x.permute(1, 0).permute(1, 0)", "x.transpose(0, 1).coalesce()",
        "x.transpose(0, 1).transpose(0, 1)", "x.unsqueeze(0).select(0, 0)", "x.t().to_dense()",
    ]  # fmt: skip


@exhaustive(lambda torch: Domain(source=SOURCES, call=_shape_calls()), parts=4, one_in=3)
def test_shapes(ask: Probe, source: str, call: str) -> None:
    """transpose, permute, unsqueeze and select of sparse tensors equal torch's."""
    ask(f"x = {SOURCES[source]}", call)


JOINS = (
    *(f"torch.cat([x, y], {dim})" for dim in range(-3, 3)), "torch.cat([x, y])",
    "torch.cat((x, y, x))", "torch.stack([x, y])", "torch.stack([x, y], -1)",
)  # fmt: skip
JOINS_OF_ONE = (
    *(f"torch.stack([x, x], {dim})" for dim in range(-5, 5)), "torch.cat([x])", "torch.stack([x])",
    "torch.cat([x, x], -4)", "torch.cat([x, x], 3)", "torch.cat([x, x.to_dense()])",
    "torch.cat([x, x, x.to_dense()], 0)", "torch.cat([x, x.coalesce()], -1)",
    "torch.cat([x, x.double()])", "torch.cat([x.int(), x])", "torch.cat([x, x.bool()])",
    "torch.cat([x, x], 1.5)", "torch.concat([x, x])", "torch.cat([x, 1])", "torch.cat(x)",
    "torch.cat([x, x]).coalesce()", "torch.cat([x.half(), x.bfloat16()])",
    "torch.stack([x, x.double()])",
)  # fmt: skip


@exhaustive(lambda torch: Domain(left=SOURCES, right=SOURCES, call=JOINS), parts=4, one_in=12)
def test_joins(ask: Probe, left: str, right: str, call: str) -> None:
    """torch.cat and torch.stack of sparse tensors equal torch's along each dimension."""
    ask(f"x = {SOURCES[left]}", f"y = {SOURCES[right]}", call)


@exhaustive(lambda torch: Domain(source=SOURCES, call=JOINS_OF_ONE))
def test_joined_alone(ask: Probe, source: str, call: str) -> None:
    """All joined tensors must be sparse, and their dtypes are promoted."""
    ask(f"x = {SOURCES[source]}", call)


def _sum_calls() -> list[str]:
    dims = [
        *map(str, range(-4, 4)), "()", "[]", "None",
        *(f"({i}, {j})" for i, j in combinations_with_replacement(range(-3, 3), 2)),
        "(0, 1, 2)", "(2, 0)",
    ]  # fmt: skip
    dtypes = ("float64", "float16", "int64", "int32", "bool", "complex64")
    return [
        "x.sum()", "torch.sum(x)", *(f"x.sum({dim})" for dim in dims), "torch.sum(x, 0)",
        "x.sum(dim=0)", "x.sum(axis=0)", *(f"x.sum({dim}, keepdim=True)" for dim in dims),
        "x.sum(keepdim=True)", "x.sum(0, True)",
        *(f"x.sum(dtype=torch.{dtype})" for dtype in dtypes),
        *(f"x.sum({dim}, dtype=torch.{dtype})" for dtype in dtypes for dim in ("0", "(0, 1)")),
        "x.sum('a')", "x.sum(1.5)", "x.sum(0, dtype='float32')", "x.sum(0).to_dense()",
        "x.sum(0).is_coalesced()",
    ]  # fmt: skip


@exhaustive(lambda torch: Domain(source=SOURCES, call=_sum_calls()), parts=3)
def test_sums(ask: Probe, source: str, call: str) -> None:
    """Sums of all elements, and over each dimension and pair of dimensions, equal torch's."""
    ask(f"x = {SOURCES[source]}", call)


FACTORIES = (
    *(
        f"torch.{name}({size}, layout=torch.{{layout}}{{keywords}})"
        for name in ("zeros", "empty")
        for size in ("2, 3", "(2, 3)", "()", "0", "(0, 3)", "-1", "(2, -3)", "2.5")
    ),
    "torch.ones(2, layout=torch.{layout}{keywords})",
    "torch.full((2,), 3, layout=torch.{layout}{keywords})",
    "torch.rand(0, 3, layout=torch.{layout}{keywords})",
    *(
        f"torch.{call}, layout=torch.{{layout}}{{keywords}})"
        for call in ("zeros_like(x", "zeros_like(y", "zeros_like(c", "empty_like(x", "empty_like(c")
    ),
    *(
        f"{source}.{name}((2, 3), layout=torch.{{layout}}{{keywords}})"
        for name in ("new_zeros", "new_empty")
        for source in ("x", "y")
    ),
)  # fmt: skip
KEYWORDS = (
    "", *(f", dtype=torch.{dtype}" for dtype in (*USUAL, "complex32", "uint16", "float8_e5m2")),
    ", requires_grad=True", ", dtype=torch.int64, requires_grad=True", ", device='cpu'",
    ", dtype=None", ", pin_memory=False", ", nonsense=1", ", memory_format=torch.contiguous_format",
    ", memory_format=torch.preserve_format",
)  # fmt: skip


@exhaustive(
    lambda torch: Domain(call=FACTORIES, layout=("sparse_coo", "strided"), keywords=KEYWORDS),
    parts=2,
)
def test_factories(ask: Probe, call: str, layout: str, keywords: str) -> None:
    """The same factories as in torch create empty sparse tensors; the others raise its error."""
    ask(f"x = {SOURCES['twice']}", "y = torch.ones(2, 3)", f"c = {SOURCES['hybrid coalesced']}",
        call.format(layout=layout, keywords=keywords))  # fmt: skip


LIKES = (
    "torch.zeros_like(x)", "torch.empty_like(x)", "torch.zeros_like(x, dtype=torch.float64)",
    "torch.zeros_like(x, layout=torch.strided)", "torch.zeros_like(x, layout=torch.sparse_coo)",
    "torch.zeros_like(x, requires_grad=True)", "x.new_zeros(2, 3)", "x.new_empty((0,))",
    "x.new_ones(2)", "x.new_zeros(2, layout=torch.strided)", "x.new_zeros(2, 3, dtype=torch.int8)",
)  # fmt: skip


@exhaustive(lambda torch: Domain(source=SOURCES, call=LIKES))
def test_likes(ask: Probe, source: str, call: str) -> None:
    """Factories that take a sparse tensor keep its layout unless layout= is given."""
    ask(f"x = {SOURCES[source]}", call)


SAMPLED = (
    "x.coalesce()", "x.to_dense()", "x + y", "x * y", "x - y", "x.sum()", "x.transpose(0, 1)",
    "x.transpose(0, -1)", "x.select(0, 0)", "x.unsqueeze(1)", "x.add_(y)",
    "x.coalesce() + y.coalesce()", "x.coalesce() * y.coalesce()", "x.to_dense() + y",
    "x * y.to_dense()", "(x + y).coalesce()", "(x * y).to_dense()", "x.to(y.dtype)", "x * 3", "-x",
    "x.to_dense().to_sparse()",
)  # fmt: skip
_SAMPLED = st.one_of(
    st.sampled_from(SAMPLED),
    st.builds("torch.cat([x, y], {})".format, st.integers(-2, 2)),
    st.builds(
        "x.sum({})".format,
        st.one_of(st.integers(-3, 2), st.tuples(st.integers(0, 1), st.integers(1, 2))),
    ),
)  # fmt: skip


@sampled(calls=4, pair=sparse_tensors.pairs(), calls_=st.lists(_SAMPLED, min_size=4, max_size=8))
def test_sampled(ask: Probe, pair: tuple[Any, Any], calls_: list[str]) -> None:
    """Operators on sparse tensors of any shape, order and duplicates equal torch's."""
    x, y = pair
    for call in calls_:
        # Torch does not check the sparse_dim of coalesced factors, and crashes if they differ.
        if x.sparse_dim == y.sparse_dim or not ("*" in call and "y" in call):
            ask(f"x = {x.text}", f"y = {y.text}", call)


UNARY = (
    *FUNCTIONS, *ALIASES, *QUESTIONS, "conj_physical", "real", "imag", "any", "clone", "detach",
)  # fmt: skip
UNARY_DTYPES = (
    "float32", "float64", "float16", "bfloat16", "complex64", "complex32", "int64", "uint8", "bool",
    "float8_e5m2",
)  # fmt: skip


@exhaustive(
    lambda torch: Domain(operator=UNARY, dtype=UNARY_DTYPES, kind=sparse_tensors.KINDS),
    parts=4,
    one_in=24,
)
def test_unary(ask: Probe, operator: str, dtype: str, kind: str) -> None:
    """Each unary operator of a sparse tensor equals torch's in all forms of call."""
    x = f"x = {sparse_tensors.of_kind(kind, dtype)}"
    ask(x, f"torch.{operator}(x)")
    ask(x, f"x.{operator}()")
    ask(x, f"x.{operator}_()")
    ask(x, f"torch.{operator}(x, out=x)")
    for out in ("x.detach().clone()", "torch.sparse_coo_tensor((2, 3))"):
        ask(x, f"o = {out}", f"torch.{operator}(x, out=o)")
    ask(x, "o = torch.zeros(3)", f"torch.{operator}(x, out=o)")


_OUTS = (
    "torch.sparse_coo_tensor((3, 4))", "torch.sparse_coo_tensor([[0], [1]], [7.0], (3, 4))",
    "torch.sparse_coo_tensor((1,), dtype=torch.complex64)", "x", "torch.zeros(3, 4)",
    "x.to_dense()", "torch.sparse_coo_tensor((3, 4), dtype=torch.int64)", "x.clone()",
    "torch.sparse_coo_tensor((3, 4), requires_grad=True)",
)  # fmt: skip


@exhaustive(lambda torch: Domain(operator=UNARY, source=SOURCES, out=_OUTS), parts=4, one_in=24)
def test_outs(ask: Probe, operator: str, source: str, out: str) -> None:
    """Each unary operator writes to each out=, sparse or dense, as torch's, and to nothing else."""
    steps = f"x = {SOURCES[source]}", f"o = {out}", f"torch.{operator}(x, out=o)"
    if out == "x":
        ask(*steps, question=2)
    else:
        ask(*steps, "x", question=(2, 3))


@exhaustive(lambda torch: Domain(source=SOURCES, call=(*WITH_PARAMETERS, *IN_PLACE)), parts=4)
def test_parameters(ask: Probe, source: str, call: str) -> None:
    """Operators of a sparse tensor and numbers equal torch's, also in place."""
    ask(f"x = {SOURCES[source]}", call)


COUNTS = (
    *(f"{count}, {groups}" for count in (2, 16, 17, 33, 129, 300)
      for groups in (1, 7)),
    "300, 1000", "32767, 1000", "32768, 1000",
)  # fmt: skip
"""Numbers of indices, and bounds of indices: torch sorts many by another algorithm than few."""

_FEW = 300
SUMMED = ("float32", "float16", "bfloat16", "complex64", "int8", "bool")
SUMS = (
    "x.coalesce()", "torch.cat([x, x]).coalesce()", "torch.cat([x, x.coalesce()], 1).coalesce()",
    "x.to_dense()", "abs(x)", "x.sum(0)", "x * x.coalesce()", "x + x", "x * x",
)  # fmt: skip
SUMS_OF_MANY = ("x.coalesce()", "x.to_dense()")


@exhaustive(lambda torch: Domain(count=COUNTS, dtype=SUMMED, dense=("", ", 3")), parts=4, one_in=12)
def test_equal_indices(ask: Probe, count: str, dtype: str, dense: str) -> None:
    """The values of equal indices are summed in torch's order."""
    count, groups = count.split(", ")
    shape = f"({count}{dense or ','})"
    ask("r = numpy.random.default_rng(5)",
        f"i = torch.from_numpy(r.integers(0, {groups}, (2, {count})) // numpy.array([[1], [9]]))",
        f"v = torch.from_numpy(r.choice([1.0, -1.0, 1e-3, -1e3, 7.3, -0.0, 0.1], {shape}))",
        f"w = torch.from_numpy(r.choice([1.0, -0.0, 0.0, 1e3, -0.3], {shape}))",
        "v = v + 1j * w" if dtype.startswith("complex") else "v",
        f"x = torch.sparse_coo_tensor(i, v.to(torch.{dtype}), ({groups}, {groups}{dense}))",
        *(SUMS if int(count) <= _FEW else SUMS_OF_MANY))  # fmt: skip


_SLOW_TO_SORT = (
    "[n if n % 2 else {half} + n - 1 for n in range(1, {half} + 1)] + [*range(2, {count} + 1, 2)]"
)
"""Indices of which the median of three is always near an end, so that introsort gives up quicksort.

Musser, "Introspective Sorting and Selection Algorithms" (1997), has them as median-of-3 killers.
"""


@exhaustive(
    lambda torch: Domain(half=("50", "200", "500", "1500"), equal=("1", "2", "3"), dtype=SUMMED)
)
def test_slow_sorts(ask: Probe, half: str, equal: str, dtype: str) -> None:
    """The values of equal indices are summed in torch's order, whatever order they come in."""
    count = 2 * int(half)
    indices = _SLOW_TO_SORT.format(half=half, count=count)
    ask(f"i = torch.tensor([{indices}]) // {equal}",
        f"v = (torch.arange({count}) % 7 * 0.3).to(torch.{dtype})",
        f"x = torch.sparse_coo_tensor(i, v, ({count + 1},))", "x.coalesce()", "x.to_dense()",
        question=3)  # fmt: skip


_RUNS = [f"[{', '.join(word)}]" for size in (2, 3, 4) for word in product("012", repeat=size)]
"""Indices of all orders, some of them equal."""


@exhaustive(lambda torch: Domain(left=_RUNS, right=_RUNS), one_in=32)
def test_merged_runs(ask: Probe, left: str, right: str) -> None:
    """Tensors with equal indices in any order are added in torch's order."""
    ask(*(f"{name} = torch.sparse_coo_tensor([{runs}], torch.arange(1.0, len({runs}) + 1), (4,))"
          for name, runs in (("x", left), ("y", right))),
        "x + y", "torch.sub(x, y, alpha=2)", "x.add_(y)", question=2)  # fmt: skip
