"""Promotion: promote_types, result_type, can_cast and the default dtype."""

from itertools import product

from hypothesis import strategies as st

from ..core.domain import Domain
from ..engine.decorators import exhaustive, sampled
from ..engine.probe import Probe
from ..generators import scalars, settings
from ..generators.oracle_namespace import dtype_names

DEFAULTS = ("float16", "bfloat16", "float32", "float64")
PYTHON_TYPES = ("float", "int", "bool", "complex")


def _operands(torch: object) -> list[str]:
    return [*(f"torch.{name}" for name in dtype_names(torch)), *PYTHON_TYPES]


@exhaustive(
    lambda torch: Domain(default=DEFAULTS, left=_operands(torch), right=_operands(torch)),
    parts=4,
    grid_step=-2,
)
def test_promote_types(ask: Probe, default: str, left: str, right: str) -> None:
    """Every ordered pair of dtypes promotes as in torch, under every default dtype."""
    call = f"torch.promote_types({left}, {right})"
    ask(*settings.default_dtype(default), call, call, question=-2)


@exhaustive(
    lambda torch: Domain(default=DEFAULTS, source=_operands(torch), target=_operands(torch)),
    parts=4,
)
def test_can_cast(ask: Probe, default: str, source: str, target: str) -> None:
    """can_cast of every ordered pair of dtypes equals torch's, under every default dtype."""
    call = f"torch.can_cast({source}, {target})"
    ask(*settings.default_dtype(default), call, call, question=-2)


KINDS = (
    "True", "1", "-1", "2**63 - 1", "2**63", "2**64 - 1", "2**64", "-2**63", "-2**63 - 1", "1.5",
    "float('nan')", "float('inf')", "1j", "complex(float('nan'), 0)",
    *(f"numpy.{name}(1)" for name in scalars.NUMPY_SCALARS), "numpy.uint64(2**63)",
    "type('Integer', (int,), {})(1)", "type('Float', (float,), {})(1)",
    "type('Complex', (complex,), {})(1)", "enum.IntEnum('E', 'A').A", "'1'", "None", "[1]",
    "torch.int8",
)  # fmt: skip


@exhaustive(lambda torch: Domain(default=DEFAULTS, left=KINDS, right=KINDS), parts=4)
def test_scalar_kinds(ask: Probe, default: str, left: str, right: str) -> None:
    """result_type of two scalars of any type equals torch's, under every default dtype."""
    ask(*settings.default_dtype(default), f"torch.result_type({left}, {right})")


@sampled(
    default=st.sampled_from(DEFAULTS),
    numbers=st.lists(scalars.numbers, min_size=2, max_size=5),
)
def test_scalar_values(ask: Probe, default: str, numbers: list[str]) -> None:
    """result_type depends on the types of scalars; a value matters only if out of range."""
    for left, right in product(numbers, repeat=2):
        ask(*settings.default_dtype(default), f"torch.result_type({left}, {right})")


@exhaustive(lambda torch: Domain(first=_operands(torch), then=[*DEFAULTS, "int8", "float8_e5m2"]))
def test_default_dtype(ask: Probe, first: str, then: str) -> None:
    """The default dtype is the last one set; a rejected one changes nothing."""
    ask(
        "torch.get_default_dtype()",
        *settings.default_dtype(then),
        "torch.get_default_dtype()",
        f"torch.set_default_dtype({first})",
        "torch.get_default_dtype()",
        "torch.result_type(1.5, 1j)",
        # The default dtype belongs to the process, not to the thread (#115917).
        "concurrent.futures.ThreadPoolExecutor(1).submit(torch.get_default_dtype).result()",
        question=-4,
    )


@sampled(names=st.lists(scalars.dtypes, min_size=2, max_size=6))
def test_chains(ask: Probe, names: list[str]) -> None:
    """Promoting dtypes one after the other equals torch's at each step, in any order."""
    for start in range(len(names)):
        first, *others = names[start:] + names[:start]
        steps = [f"x = {first}"]
        for name in others:
            steps += [f"x = torch.promote_types(x, {name})", "x"]
        ask(*steps, question=1)


FUNCTIONS = {
    "promote_types": ("type1", "type2"),
    "can_cast": ("from_", "to"),
    "result_type": ("scalar", "scalar1", "scalar2", "tensor", "other"),
    "finfo": ("type",),
    "iinfo": ("type",),
    "get_default_dtype": (),
    "set_default_dtype": ("d",),
}


@sampled(
    by_place=st.lists(scalars.arguments, max_size=3),
    by_name=st.dictionaries(st.integers(0, 6), scalars.arguments, max_size=3),
)
def test_call_forms(ask: Probe, by_place: list[str], by_name: dict[int, str]) -> None:
    """Functions accept positional and keyword arguments as torch's do, or raise its error."""
    for function, parameters in FUNCTIONS.items():
        names = (*parameters, "x", "y")
        named = {names[index]: value for index, value in by_name.items() if index < len(names)}
        arguments = [*by_place, *(f"{name}={value}" for name, value in named.items())]
        call = f"torch.{function}({', '.join(arguments)})"
        ask(call, "torch.get_default_dtype()", question=0)


OPERAND_DTYPES = (
    "torch.bool", "torch.uint8", "torch.int32", "torch.int64", "torch.float16", "torch.bfloat16",
    "torch.float32", "torch.float64", "torch.complex32", "torch.complex64", "torch.uint16",
    "torch.float8_e5m2", "torch.int4", "torch.bits8",
)  # fmt: skip
OPERANDS = (
    *(f"torch.empty(2, dtype={name})" for name in OPERAND_DTYPES),
    *(f"torch.empty((), dtype={name})" for name in OPERAND_DTYPES),
    "True", "1", "1.5", "1j", "2**63", "numpy.float32(1)", "numpy.int8(1)", "None", "'1'", "[1]",
)  # fmt: skip


@exhaustive(
    lambda torch: Domain(default=("float32", "float64", "float16"), left=OPERANDS, right=OPERANDS),
    parts=4,
)
def test_operands(ask: Probe, default: str, left: str, right: str) -> None:
    """result_type of any two tensors, 0-dim tensors and scalars equals torch's."""
    ask(*settings.default_dtype(default), f"torch.result_type({left}, {right})")


NUMBERS = ("5", "-1", "True", "2.5", "1j", "2**63", "numpy.float32(2)", "'5'")
NUMERIC = (
    "add", "sub", "mul", "div", "pow", "true_divide", "floor_divide", "remainder", "maximum", "eq",
)  # fmt: skip


@exhaustive(lambda torch: Domain(function=NUMERIC, left=NUMBERS, right=NUMBERS))
def test_numbers(ask: Probe, function: str, left: str, right: str) -> None:
    """Functions of two Python numbers give a tensor of torch's dtype, or raise its error."""
    ask(f"torch.{function}({left}, {right})")
