"""Factories: every function that creates a tensor, its keywords, results and errors."""

from re import sub

from hypothesis import strategies as st

from ...core.domain import Domain
from ...engine.decorators import exhaustive, sampled
from ...engine.probe import Probe
from ...generators import scalars, settings, tensors
from ...generators.oracle_namespace import QUANTIZED, without_quantized
from .test_empty_permuted import KEYWORDS, SIZES

FILLED = (
    "torch.zeros((2, 3), dtype=d)", "torch.ones((2, 3), dtype=d)", "torch.full((2, 3), 1, dtype=d)",
    "torch.full((), True, dtype=d)", "torch.zeros((), dtype=d)", "torch.ones((0, 2), dtype=d)",
    "torch.zeros_like(torch.ones(2, 3).t(), dtype=d)", "torch.ones_like(torch.ones(2), dtype=d)",
    "torch.full_like(torch.ones(2), 2, dtype=d)", "torch.ones(3).new_zeros((2,), dtype=d)",
    "torch.ones(3).new_ones((2,), dtype=d)", "torch.ones(3).new_full((2,), 3, dtype=d)",
    "torch.tensor([1, 0], dtype=d)", "torch.tensor(1.5, dtype=d)", "torch.tensor([], dtype=d)",
    "torch.tensor(True, dtype=d)", "torch.scalar_tensor(1, dtype=d)",
    "torch.as_tensor([1, 2], dtype=d)", "torch.asarray([1, 2], dtype=d)",
    "torch.arange(5, dtype=d)", "torch.arange(0, 2, 0.5, dtype=d)",
    "torch.linspace(0, 3, 4, dtype=d)", "torch.eye(2, 3, dtype=d)", "torch.full((2,), 1j, dtype=d)",
    "torch.tensor([1j], dtype=d)", "torch.ones(2, dtype=d, requires_grad=True)",
    "torch.frombuffer(bytearray(16), dtype=d)",
)  # fmt: skip

ZEROS = (
    "torch.zeros({n}, dtype=d)", "torch.zeros_like(torch.empty({n}, dtype=d))",
    "torch.empty(1, dtype=d).new_zeros({n})", "torch.empty({n}, dtype=d).zero_()",
    "torch.empty({n}, 2, dtype=d)[:, 0].zero_()",
    "torch.zeros({n}, out=torch.empty(0, dtype=d))",
    "torch.zeros({n}, out=torch.empty({n}, 2, dtype=d)[:, 0])",
    "torch.sum(torch.zeros(0, {n}), 0, out=torch.empty({n}, dtype=d))",
    "torch.sum(torch.zeros(0, {n}), 0, out=torch.empty({n}, 2, dtype=d)[:, 0])",
    "torch.sum(torch.zeros(0, {n}), 0, dtype=d)", "torch.cumsum(torch.zeros({n}, 0), 0, dtype=d)",
    "torch.empty({n}, 0, dtype=d).cumprod_(1)", "torch.eye({n}, 1, dtype=d)",
)  # fmt: skip
"""Calls that write zeros, which torch does by a kernel or byte by byte."""

USES = (
    "x", "x.clone()", "x.reshape(-1)", "x.t()", "torch.cat([x.reshape(-1), x.reshape(-1)])",
    "torch.stack([x, x])", "x.contiguous()", "x.view(x.shape)", "x.tolist()", "x.fill_(1)",
    "x.zero_()", "x[...]", "x.expand(2, *x.shape)", "x.to(torch.float32)", "x.copy_(x.clone())",
    "x.reshape(-1)[0].item()", "x.is_floating_point()", "x.is_complex()", "x.is_signed()",
    "x.element_size()", "x.nbytes", "x.numpy()", "x.untyped_storage()", "x.view(torch.uint8)",
    "bool(x.reshape(-1)[0])", "int(x.reshape(-1)[0])", "float(x.reshape(-1)[0])",
    "complex(x.reshape(-1)[0])", "x.new_zeros(2)", "x.requires_grad_()", "x.real", "x.imag",
    "torch.view_as_real(x)", "torch.result_type(x, 1)", "torch.result_type(x, 1.5)",
)  # fmt: skip


@exhaustive(lambda torch: Domain(maker=FILLED, dtype=without_quantized(torch)), parts=2)
def test_dtypes(ask: Probe, maker: str, dtype: str) -> None:
    """Every factory creates tensors of every dtype as torch does, or raises its error."""
    ask(f"d = torch.{dtype}", maker)


@exhaustive(
    lambda torch: Domain(
        dtype=without_quantized(torch), call=ZEROS, n=("0", "1", "3", "32767", "32768")
    ),
    parts=2, one_in=4,
)  # fmt: skip
def test_zeros(ask: Probe, dtype: str, call: str, n: str) -> None:
    """Zeros are written to tensors of every dtype, or refused, as torch does by their size."""
    ask(f"d = torch.{dtype}", call.format(n=n))


@exhaustive(lambda torch: Domain(dtype=without_quantized(torch), use=USES), parts=2)
def test_uses(ask: Probe, dtype: str, use: str) -> None:
    """Operations on tensors of each dtype, also shell dtypes, equal torch's, errors included."""
    ask(f"x = torch.zeros(2, 16, dtype=torch.uint8).view(torch.{dtype})", use)


def _beyond_any_memory(number: float) -> float:
    """Return a number, smaller if a range with such a step fits into the memory of some machines.

    On those it would take minutes, on others it raises.
    """
    return number * 1e-12 if 1e-16 < abs(number) < 1e-4 else number


BOUNDS = st.one_of(
    st.integers(-50, 50).map(str),
    st.floats(-50, 50).map(_beyond_any_memory).map(repr),
    st.sampled_from(("True", "1j", "2**63", "2**64", "-2**63 - 1", "float('inf')", "float('nan')",
                     "numpy.int8(3)", "numpy.float32(2.5)", "torch.ones(())", "'1'", "None",
                     "[1]")),
)  # fmt: skip
"""Bounds of ranges. Larger ones need too much memory."""

NUMBERS = st.one_of(scalars.numbers, st.sampled_from(("None", "'1'", "[1]", "torch.ones(())")))
MAKERS = (
    "torch.empty({size}{keywords})", "torch.zeros({size}{keywords})",
    "torch.ones({size}{keywords})", "torch.full({size}, {number}{keywords})",
    "torch.empty_strided({size}, {size}{keywords})", "x.new_empty({size}{keywords})",
    "x.new_zeros({size}{keywords})", "x.new_ones({size}{keywords})",
    "x.new_full({size}, {number}{keywords})", "torch.empty_like(x{keywords})",
    "torch.zeros_like(x{keywords})", "torch.ones_like(x{keywords})",
    "torch.full_like(x, {number}{keywords})", "torch.tensor({number}{keywords})",
    "torch.scalar_tensor({number}{keywords})", "torch.arange({bounds[0]}{keywords})",
    "torch.arange({bounds[0]}, {bounds[1]}{keywords})",
    "torch.arange({bounds[0]}, {bounds[1]}, {bounds[2]}{keywords})",
    "torch.linspace({number}, {number}, 5{keywords})",
    "torch.linspace({bounds[0]}, {bounds[1]}, 4{keywords})", "torch.eye(3{keywords})",
    "torch.as_tensor({number}{keywords})", "torch.asarray({number}{keywords})",
)  # fmt: skip


@sampled(
    calls=16,
    size=SIZES,
    number=NUMBERS,
    bounds=st.lists(BOUNDS, min_size=3, max_size=3),
    keywords=st.lists(st.sampled_from(sorted(KEYWORDS)), unique=True, max_size=2).flatmap(
        lambda names: st.fixed_dictionaries({name: KEYWORDS[name] for name in names})
    ),
    tensor=tensors.tensors(max_rank=3),
    default=st.sampled_from(("float32", "float64", "float16", "bfloat16")),
)
def test_calls(
    ask: Probe,
    size: str,
    number: str,
    bounds: list[str],
    keywords: dict[str, str],
    tensor: tensors.DrawnTensor,
    default: str,
) -> None:
    """Every factory accepts and rejects every size, number and keyword as torch does."""
    named = "".join(f", {name}={value}" for name, value in keywords.items())
    if any(name in named for name in QUANTIZED):
        named = ""
    for maker in MAKERS:
        call = maker.format(size=size, number=number, bounds=bounds, keywords=named)
        ask(*settings.default_dtype(default), f"x = {tensor.text}", call)


nested = st.recursive(
    st.one_of(scalars.python_numbers, scalars.numpy_numbers, st.just("torch.ones(())")),
    lambda inner: st.lists(inner, max_size=3).map(
        lambda items: f"[{', '.join(items)}]"
    ) | st.lists(inner, min_size=1, max_size=2).map(lambda items: f"({', '.join(items)},)"),
    max_leaves=6,
)  # fmt: skip


@sampled(calls=2, data=nested, dtype=st.one_of(st.just("None"), scalars.dtypes))
def test_data(ask: Probe, data: str, dtype: str) -> None:
    """Nested Python data becomes the same tensor as in torch, or raises its error."""
    ask(f"torch.tensor({data})")
    if dtype.removeprefix("torch.") not in QUANTIZED:
        ask(f"torch.tensor({data}, dtype={dtype})")
        ask(f"torch.as_tensor({data}, dtype={dtype})")


CLASSES = (
    "Tensor", *(f"{name}Tensor" for name in (
        "Float", "Double", "Half", "BFloat16", "Byte", "Char", "Short", "Int", "Long", "Bool")),
)  # fmt: skip
LEGACY = (
    "k()", "k(2, 3)", "k(0)", "k([1, 0])", "k([[1], [0]])", "k((1,))", "k([])",
    "k(torch.Size([2]))", "k(torch.ones(2).type(k))", "k(torch.ones(2, dtype=torch.int8))",
    "k(1.5)", "k(-1)", "k('a')", "k(None)", "k([1, 'a'])", "k(2, device='cpu')",
    "k(2, dtype=torch.int8)", "k([300])", "k([1.5])", "k([1j])", "isinstance(torch.ones(2), k)",
    "isinstance(torch.ones(2).type(k), k)", "k.dtype == torch.int8",
    "hasattr(torch, 'ComplexFloatTensor')", "k.layout is torch.strided", "torch.ones(2).type(k)",
    "torch.ones(2).type(f'torch.{k.__name__}')", "torch.set_default_tensor_type(k)",
    "torch.set_default_tensor_type(f'torch.{k.__name__}')", "issubclass(k, torch.Tensor)",
    "k(2**31, 0)", "k(2**62, 4)", "k(2**63)", "k(0, 2**63)", "k(2, -1)", "torch.ones(2).new(3)",
    "torch.ones(2).type() == f'torch.{k.__name__}'", "k",
    "k.is_cuda is False", "k.__name__",
)  # fmt: skip


@exhaustive(lambda torch: Domain(kind=CLASSES, call=LEGACY))
def test_legacy(ask: Probe, kind: str, call: str) -> None:
    """The legacy constructors, their classes and set_default_tensor_type equal torch's."""
    ask(sub(r"\bk\b", f"torch.{kind}", call), "torch.get_default_dtype()", question=0)


RANDOM = (
    "torch.rand({n}, dtype={dtype})",
    "torch.randn({n}, dtype={dtype})",
    "torch.randint(-3, 7, ({n},), dtype={dtype})",
    "torch.randint(2**40, ({n},), dtype={dtype})",
    "torch.randperm({n}, dtype={dtype})",
    "torch.normal(1.0, 2.0, ({n},), dtype={dtype})",
    "torch.zeros({n}, dtype={dtype}).normal_(2, 3)",
    "torch.zeros({n}, 2, dtype={dtype})[:, 1].normal_()",
    "torch.zeros({n}, dtype={dtype}).uniform_(-1, 2)",
    "torch.zeros({n}, dtype={dtype}).uniform_(1, 1 + 2**-52)",
    "torch.rand({n}, dtype={dtype})[::9]",
    "torch.zeros({n}, 2, dtype={dtype})[:, 1].uniform_()",
    "torch.zeros({n}, dtype={dtype}).random_()",
    "torch.zeros({n}, dtype={dtype}).random_(2, 9)",
    "torch.zeros({n}, dtype={dtype}).bernoulli_(0.3)",
    "torch.randn_like(torch.zeros(2, {n}, dtype={dtype}).t())",
    "torch.bernoulli(torch.full(({n},), 0.3, dtype={dtype}))",
    "torch.randn({n}, 2, dtype={dtype})",
)
"""Calls that draw numbers, for each dtype and number of elements."""

RANDOM_DTYPES = (
    "float64", "float32", "float16", "bfloat16", "complex64", "complex128", "complex32", "int64",
    "int32", "int8", "uint8", "bool", "uint16",
)  # fmt: skip
RANDOM_SIZES = (0, 1, 2, 5, 8, 15, 16, 17, 20, 31, 32, 33, 47, 100, 20_011)


@exhaustive(
    lambda torch: Domain(
        call=RANDOM, dtype=RANDOM_DTYPES, size=[f"{size}" for size in RANDOM_SIZES]
    ),
    parts=2,
    one_in=9,
)
def test_random_numbers(ask: Probe, call: str, dtype: str, size: str) -> None:
    """Each call draws torch's numbers for each dtype and size, and leaves torch's stream."""
    call = call.format(n=size, dtype=f"torch.{dtype}")
    ask("s = torch.manual_seed(11)", call, call, "torch.rand(2)", question=1)


STREAM = (
    "torch.rand(5)", "torch.rand(2, 3, dtype=torch.float64)", "torch.rand(3, dtype=torch.float16)",
    "torch.rand(3, dtype=torch.bfloat16)", "torch.randint(10, (7,))",
    "torch.randint(-5, 2**40, (3,))", "torch.randint(0, 2, (4,), dtype=torch.bool)",
    "torch.randperm(9)", "torch.rand_like(torch.ones(2, 3).t())",
    "torch.randint_like(torch.ones(2, 2), 5)", "torch.ones(3).uniform_(-1, 1)",
    "torch.ones(3).random_()", "torch.ones(4).bernoulli_(0.3)",
    "torch.randn(3, dtype=torch.float64)", "torch.randn(20)", "torch.randn(3)",
    "torch.randn(2, 9).t()", "torch.randn_like(torch.ones(17))", "torch.normal(0.0, 2.0, (4,))",
    "torch.rand(3, generator=g)", "torch.randn(2, generator=g)", "torch.get_rng_state()",
    "g.get_state()", "torch.initial_seed()", "torch.rand(2, dtype=torch.int32)",
    "torch.randint(5, 5, (2,))", "torch.rand(2, dtype=torch.complex64)", "torch.rand(0)",
    "torch.rand(())",
)  # fmt: skip


@sampled(
    calls=4,
    seed=st.one_of(
        st.integers(0, 2**64 - 1), st.integers(-(2**63), 2**70), st.sampled_from((0, 1, -1))
    ).map(str),
    draws=st.lists(st.sampled_from(STREAM), min_size=2, max_size=8),
)
def test_streams(ask: Probe, seed: str, draws: list[str]) -> None:
    """A seed gives torch's random stream: uniform, integers, permutations and normal."""
    ask(f"g = torch.Generator().manual_seed({seed})")
    seeds = f"s = g.manual_seed({seed}), torch.manual_seed({seed})"
    ask("g = torch.Generator()", seeds, *draws, question=2)


BEFORE = (
    "[]", "[torch.randn(1, generator=g)]", "[torch.randn(1, generator=g) for _ in range(4)]",
    "[torch.randn(3, dtype=torch.float64, generator=g), torch.rand(618, generator=g)]",
    "[torch.randn(1, generator=g), torch.rand(622, generator=g)]",
    "[torch.rand(623, generator=g)]", "[torch.rand(700, generator=g), torch.randn(5, generator=g)]",
)  # fmt: skip
"""Draws after which a normal number is kept or not, inside and at the end of a block of words."""

CHANGES = {
    "none": "None",
    "state": "g.set_state(g.get_state())",
    "state of another": "g.set_state(torch.Generator().manual_seed(3).get_state())",
    "state restored": "(s := g.get_state(), torch.rand(700, generator=g), g.set_state(s))",
    "clone": "(h := g, g := g.clone_state(), torch.randn(1, generator=h))",
    "copies": "(h := g.clone_state(), torch.randn(3, generator=h))",
    "pickle": "(g := pickle.loads(pickle.dumps(g)),)",
    "seed": "g.manual_seed(5)",
    "large seed": "g.manual_seed(2**40 + 5)",
    "refused": "[g.set_state(torch.zeros(0, dtype=torch.uint8)) for _ in [0]]",
    "refused strides": "g.set_state(torch.zeros(10_112, dtype=torch.uint8)[::2])",
    "default": "(torch.set_rng_state(g.get_state()), torch.randn(1), "
    "g.set_state(torch.get_rng_state()))",
}
"""Changes of the state of a generator."""


@exhaustive(lambda torch: Domain(before=BEFORE, change=CHANGES))
def test_states(ask: Probe, before: str, change: str) -> None:
    """A generator continues as torch's does after each change of its state."""
    after = (
        "g.initial_seed()", "torch.randn(1, generator=g)", "torch.randn(1, generator=g)",
        "torch.rand(3, generator=g)", "torch.randn(1, dtype=torch.float64, generator=g)",
        "torch.randint(2**40, (2,), generator=g)", "torch.randn(17, generator=g)",
        "torch.rand(700, generator=g)", "torch.randn(3, generator=g)", "g.get_state()[-64:]",
    )  # fmt: skip
    ask("g = torch.Generator().manual_seed(2)", before, CHANGES[change], *after, question=1)


CHANCES = {
    "vector": "torch.zeros(6, dtype=torch.{dtype})",
    "transposed": "torch.zeros(3, 2, dtype=torch.{dtype}).t()",
    "strided": "torch.zeros(12, dtype=torch.{dtype})[::2]",
}


@exhaustive(
    lambda torch: Domain(
        laid=CHANCES, dtype=("float32", "float64", "bfloat16", "int64", "bool"),
        own=("float32", "float64", "float16", "bfloat16"), value=("2", "-1", "math.nan"),
        position=("0", "1", "3", "5"),
    ),
    one_in=6,
)  # fmt: skip
def test_invalid_chances(
    ask: Probe, laid: str, dtype: str, own: str, value: str, position: str
) -> None:
    """A probability that is none raises torch's error after the elements that torch writes."""
    x = f"x = {CHANCES[laid].format(dtype=dtype)}"
    p = f"p = torch.full((6,), 0.5); p[{position}] = {value}; p = p.to(torch.{own}).view(x.shape)"
    for call in ("x.bernoulli_(p)", "torch.bernoulli(p, out=x)", "torch.bernoulli(p)"):
        ask("torch.manual_seed(1).device", x, p, call, "torch.rand(2)", question=(3, 4))


_OUT_SIZES = ("2**62, 4", "-1,", "0, 2**63 - 1", "2**31, 2**33", "2**62, 4, 0", "2, -3", "3, 2", "",
              "2**63,", "-2, -2", "2**32, 2**32, 2**32", "True, 2", "2.5,")  # fmt: skip
_OUTS = (
    "torch.zeros(0)", "torch.ones(2, 3)", "torch.ones(3, 2).t()", "torch.ones(12)[::2]",
    "torch.ones(20)[3:9]", "torch.zeros(6, dtype=torch.int8)", "torch.ones(3).expand(2, 3)",
    "torch.ones(2, 3).requires_grad_()", "torch.zeros(0, device='meta')",
)  # fmt: skip


@exhaustive(
    lambda torch: Domain(
        maker=("zeros({})", "ones({})", "empty({})", "full({}, 3)", "rand({})", "randn({})",
               "randint(5, {})"),
        size=_OUT_SIZES, out=_OUTS,
    )
)  # fmt: skip
def test_outs(ask: Probe, maker: str, size: str, out: str) -> None:
    """Every factory resizes each out= to every size, or refuses it, as torch does."""
    call = f"torch.{maker.format(f'({size})')[:-1]}, out=x)"
    ask("torch.manual_seed(1).device", f"x = {out}", call, question=2)


_MAKERS = (
    "torch.zeros(3, out=x{})", "torch.ones((2, 3), out=x{})", "torch.full((3,), 2, out=x{})",
    "torch.empty(0, out=x{})", "torch.arange(3, out=x{})", "torch.range(0, 2, out=x{})",
    "torch.linspace(0, 2, 3, out=x{})", "torch.logspace(0, 2, 3, out=x{})",
    "torch.eye(2, out=x{})", "torch.eye(3, 1, out=x{})", "torch.rand(3, out=x{})",
    "torch.randn(3, out=x{})", "torch.randint(5, (3,), out=x{})", "torch.randperm(3, out=x{})",
    "torch.normal(0.0, 1.0, (3,), out=x{})",
)  # fmt: skip
_LAZY_OUTS = (
    "torch.zeros(3)", "torch.zeros(3, dtype=torch.complex64).conj()",
    "torch.zeros(3, dtype=torch.complex64).conj().imag", "torch.zeros(3)._neg_view()",
    "torch.zeros(2, dtype=torch.complex64).conj()",
    "torch.zeros(6, dtype=torch.complex128).conj()[::2]", "torch.zeros(3).to_sparse()",
    "torch.zeros(3, dtype=torch.int64)",
)  # fmt: skip
_OUT_OPTIONS = (
    "", ", layout=torch.strided", ", layout=torch.sparse_coo", ", layout=torch.sparse_csr",
    ", layout=torch.sparse_bsc", ", dtype=torch.float32", ", dtype=torch.complex64",
    ", device='cpu'", ", device='meta'", ", requires_grad=True", ", pin_memory=True",
)  # fmt: skip


@exhaustive(lambda torch: Domain(maker=_MAKERS, out=_LAZY_OUTS, options=_OUT_OPTIONS), parts=2)
def test_lazy_outs(ask: Probe, maker: str, out: str, options: str) -> None:
    """Every factory fills out= with conj and neg bits, and checks its options against it."""
    call = maker.format(options)
    ask("torch.manual_seed(1).device", f"x = {out}", call, "x.tolist()", question=(2, 3))


_LENGTHS = (
    "0", "1", "2", "127", "128", "129", "130", "255", "256", "257", "258", "2048", "2049", "2050",
    "32767", "32768", "32769", "-1", "2.0", "True", "2**63",
)  # fmt: skip
_PERMUTED = [
    f"{n}, dtype=torch.{dtype}"
    for dtype in ("uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32",
                  "float64", "bool", "complex64", "uint16")
    for n in _LENGTHS
] + ["2**24 + 2, dtype=torch.float32", "2**53 + 2, dtype=torch.float64"]  # fmt: skip


@exhaustive(
    lambda torch: Domain(
        arguments=_PERMUTED,
        form=("torch.randperm({})", "torch.randperm({}, out=torch.zeros(0, {})"),
    ),
)
def test_permutations(ask: Probe, arguments: str, form: str) -> None:
    """Random permutations of as many numbers as a dtype has are torch's, and no longer ones."""
    n, _, dtype = arguments.partition(", ")
    call = form.format(arguments) if form.endswith("({})") else form.format(n, dtype) + ")"
    ask("torch.manual_seed(1).device", call, question=1)


_SIZES = (
    "2", "2, 3", "2**62", "2**49, 2**50", "2**62, 0", "0, 2**62", "2**62, 2**62",
    "0, 2**62, 2**62", "-1", "2, -1", "-1, 2**62", "2**63", "2**61, 1", "2**63 - 1", "2**61 - 1, 0",
)  # fmt: skip
_OF_SIZES = (
    "torch.empty(({},), {})", "torch.zeros(({},), {})", "torch.ones(({},), {})",
    "torch.full(({},), 1, {})", "torch.rand(({},), {})", "torch.randn(({},), {})",
    "torch.randint(3, ({},), {})", "torch.empty_strided(({},), (1,) * len(({},)), {})",
    "torch.empty_permuted(({},), range(len(({},)))[::-1], {})", "x.new_empty(({},), {})",
    "x.new_zeros(({},), {})", "x.new_full(({},), 1, {})",
    "torch.empty_like(x.expand({}, 2), {})", "torch.zeros_like(x.expand({}, 2), {})",
    "torch.eye(*({},)[:2], {})",
)  # fmt: skip


@exhaustive(
    lambda torch: Domain(
        maker=_OF_SIZES, size=_SIZES, device=("cpu", "meta"),
        dtype=("float64", "complex32", "complex64", "bool"),
    ),
)  # fmt: skip
def test_too_large(ask: Probe, maker: str, size: str, device: str, dtype: str) -> None:
    """Every factory refuses sizes beyond int64 as torch does, after the same warnings."""
    sizes = [size] * (maker.count("{}") - 1)
    call = maker.format(*sizes, f"dtype=torch.{dtype}, device='{device}'")
    ask(*settings.seed(call), "x = torch.ones(2)", call)
