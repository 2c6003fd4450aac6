"""Dtypes: their inventory, names, attributes and comparisons."""

from typing import Any

from ..core.domain import Domain
from ..engine.decorators import exhaustive
from ..engine.probe import Probe
from ..generators import settings
from ..generators.oracle_namespace import (
    all_dtype_names,
    dtype_names,
    number_names,
    public_attributes,
)

DTYPES_IN_VARS = "[name for name in vars(torch) if isinstance(vars(torch)[name], torch.dtype)]"


@exhaustive(
    lambda torch: Domain(question=[f"sorted({DTYPES_IN_VARS})", DTYPES_IN_VARS, "torch.dtype"])
)
def test_inventory(ask: Probe, question: str) -> None:
    """The library has every dtype of torch, under each of its names, and no other."""
    ask(question)


@exhaustive(lambda torch: Domain(name=all_dtype_names(torch)))
def test_names(ask: Probe, name: str) -> None:
    """Each public name is torch's dtype; aliases are the same object."""
    ask(f"torch.{name}")


def _attributes(torch: Any) -> list[str]:
    """Return expressions on a dtype, with a placeholder for it."""
    dtype = torch.dtype
    return [
        *(
            f"{{}}.{name}()" if callable(getattr(dtype, name)) else f"{{}}.{name}"
            for name in public_attributes(dtype)
        ),
        "str({})",
        "format({})",
        "'{{:>20}}'.format({})",
        "bool({})",
        "callable({})",
        "{}.__reduce__()",
        "isinstance({}, torch.dtype)",
        "type({}) is torch.dtype",
        "[name for name in dir({}) if not name.startswith('_')]",
    ]


@exhaustive(lambda torch: Domain(look=_attributes(torch), name=dtype_names(torch)))
def test_attributes(ask: Probe, look: str, name: str) -> None:
    """Every public attribute of every dtype has torch's value, or raises its error."""
    ask(look.format(f"torch.{name}"))


IDENTITY = (
    "copy.copy({0}) is {0}",
    "copy.deepcopy({0}) is {0}",
    "copy.deepcopy([{0}, {0}])[1] is {0}",
    *(f"pickle.loads(pickle.dumps({{0}}, {protocol})) is {{0}}" for protocol in range(6)),
    "{0} is {0}",
    "{0} == {0}",
    "hash({0}) == hash({0})",
    "{{{0}: 1}}[{0}]",
)


@exhaustive(lambda torch: Domain(claim=IDENTITY, name=all_dtype_names(torch)))
def test_identity(ask: Probe, claim: str, name: str) -> None:
    """A dtype stays the same object when it is copied, pickled or used as a key."""
    ask(claim.format(f"torch.{name}"))


FOREIGN = (
    "None", "1", "'float32'", "'torch.float32'", "float", "int", "torch.dtype", "torch.finfo",
    "numpy.float32", "numpy.dtype('float32')", "...",
)  # fmt: skip
COMPARISONS = ("==", "!=", "is", "<", "<=", ">", ">=")


@exhaustive(
    lambda torch: Domain(
        operator=COMPARISONS,
        left=[f"torch.{name}" for name in dtype_names(torch)],
        right=[*(f"torch.{name}" for name in dtype_names(torch)), *FOREIGN],
    ),
    parts=4,
)
def test_comparisons(ask: Probe, operator: str, left: str, right: str) -> None:
    """Dtypes are equal only to themselves and have no order."""
    ask(f"{left} {operator} {right}")
    if right in FOREIGN:
        ask(f"{right} {operator} {left}")


MISUSES = (
    "{}()",
    "{}(1)",
    "{}.nonsense",
    "{}.itemsize()",
    "setattr({}, 'itemsize', 3)",
    "setattr({}, 'is_signed', True)",
    "setattr({}, 'abbr', 'x')",
    "setattr({}, 'nonsense', 3)",
    "setattr({}, 'to_real', 3)",
    "delattr({}, 'itemsize')",
    "delattr({}, 'is_signed')",
    "delattr({}, 'nonsense')",
    "delattr({}, 'to_complex')",
    "{}.to_real(1)",
    "{}.to_real(x=1)",
    "{}.to_complex(1, 2)",
    "{}.to_complex(1, x=2)",
    "{}.__reduce__(1)",
    "{}.__dict__",
    "len({})",
    "iter({})",
    "next({})",
    "{}[0]",
    "int({})",
    "float({})",
    "operator.index({})",
    "{} + {}",
    "-{}",
    "{} | None",
    "1 in {}",
    "with {}: pass",
    "del {}.itemsize",
    "{} == 'torch.float32'",
    "{} == 1",
)


@exhaustive(lambda torch: Domain(misuse=MISUSES, name=dtype_names(torch)), parts=2)
def test_misuse(ask: Probe, misuse: str, name: str) -> None:
    """Invalid operations on a dtype raise torch's error and leave the dtype unchanged."""
    ask(misuse.replace("{}", f"torch.{name}"), f"torch.{name}.itemsize", question=0)


CLASS_MISUSES = (
    "torch.dtype()",
    "torch.dtype(1)",
    "torch.dtype('float32')",
    "torch.dtype(x=1)",
    "torch.dtype.nonsense",
    "setattr(torch.dtype, 'nonsense', 1)",
    "setattr(torch.dtype, 'itemsize', 1)",
    "delattr(torch.dtype, 'nonsense')",
    "type('Derived', (torch.dtype,), {})",
    "torch.dtype[int]",
    "torch.dtype < torch.dtype",
    "torch.dtype.__name__",
    "torch.dtype.__qualname__",
    "isinstance(torch.dtype, type)",
    "isinstance(1, torch.dtype)",
    "pickle.loads(pickle.dumps(torch.dtype)) is torch.dtype",
    "copy.deepcopy(torch.dtype) is torch.dtype",
)


@exhaustive(lambda torch: Domain(text=CLASS_MISUSES))
def test_class_misuse(ask: Probe, text: str) -> None:
    """The class dtype cannot be called, changed or subclassed; torch's errors are raised."""
    ask(text, "torch.float32", question=0)


KERNELS = (
    "x + x", "x - x", "x * x", "x / x", "x == x", "x < x", "-x", "abs(x)", "~x", "x & x",
    "x.sum()", "x.amax()", "x.cumsum(0)", "torch.isnan(x)", "torch.isinf(x)", "torch.isfinite(x)",
    "torch.sqrt(x)", "torch.maximum(x, x)", "torch.where(x == x, x, x)", "x.clone()", "x.zero_()",
    "x[[1, 0]]", "x.t()", "torch.cat([x, x])", "x.to(torch.float32)", "x.tolist()", "x.nonzero()",
)  # fmt: skip


@exhaustive(lambda torch: Domain(kernel=KERNELS, name=[*number_names(torch), "float4_e2m1fn_x2"]))
def test_shells(ask: Probe, kernel: str, name: str) -> None:
    """Each documented dtype has torch's operators: a shell dtype few, the others most."""
    ask(f"x = torch.zeros(64, dtype=torch.uint8).view(torch.{name})[:2]", kernel)


LIKE = (
    "empty_like(x{})", "zeros_like(x{})", "ones_like(x{})", "full_like(x, 2{})", "rand_like(x{})",
    "randint_like(x, 9{})", "randn_like(x{})",
)  # fmt: skip
TARGETS = "", ", device='cpu'", ", device='meta'", ", memory_format=torch.contiguous_format"


def _unquantized(torch: Any) -> list[str]:
    """Return the dtypes that need no quantizer, which torch has for tensors outside the scope."""
    return [name for name in all_dtype_names(torch) if not name.startswith(("q", "quint"))]


@exhaustive(
    lambda torch: Domain(
        maker=LIKE, name=_unquantized(torch), target=TARGETS,
        source=("(2, 3)", "(2, 3), device='meta'", "(2, 3, 1, 2), device='meta'"),
    ), one_in=2,
)  # fmt: skip
def test_likes(ask: Probe, maker: str, name: str, target: str, source: str) -> None:
    """A tensor like another one is made with every dtype on each device, or refused as in torch."""
    call = maker.format(f", dtype=torch.{name}{target}")
    ask(
        f"x = torch.ones({source}).transpose(0, 1)",
        *settings.seed(call),
        *settings.filled_memory(call),
        f"torch.{call}",
    )
