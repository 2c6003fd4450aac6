"""Limits: torch.finfo and torch.iinfo."""

from typing import Any

from ..core.domain import Domain
from ..engine.decorators import exhaustive
from ..engine.probe import Probe
from ..generators import settings
from ..generators.oracle_namespace import dtype_names, public_attributes

CLASSES = ("finfo", "iinfo")
LOOKS = ("repr({})", "str({})", "format({})", "bool({})", "[n for n in dir({}) if n[0] != '_']")


def _limits_of(function: str) -> Any:
    def domain(torch: Any) -> Domain:
        fields = [f"{{}}.{name}" for name in public_attributes(getattr(torch, function))]
        whole = ["{}", f"isinstance({{}}, torch.{function})", f"type({{}}) is torch.{function}"]
        python_types = ["float", "int", "bool", "complex"]
        return Domain(
            look=[*whole, *fields, *LOOKS],
            argument=[*(f"torch.{name}" for name in dtype_names(torch)), *python_types],
        )

    return domain


@exhaustive(_limits_of("finfo"), parts=2)
def test_finfo(ask: Probe, look: str, argument: str) -> None:
    """torch.finfo of every dtype has torch's limits to the last bit, or raises its error."""
    ask(f"x = torch.finfo({argument})", look.format("x"), look.format("x"), question=1)


@exhaustive(_limits_of("iinfo"), parts=2)
def test_iinfo(ask: Probe, look: str, argument: str) -> None:
    """torch.iinfo of every dtype has torch's limits, or raises its error."""
    ask(f"x = torch.iinfo({argument})", look.format("x"), look.format("x"), question=1)


SOME_LIMITS = (
    "torch.finfo()",
    "torch.finfo(torch.float32)",
    "torch.finfo(torch.complex64)",
    "torch.finfo(torch.float64)",
    "torch.finfo(torch.bfloat16)",
    "torch.finfo(torch.float4_e2m1fn_x2)",
    "torch.iinfo(torch.int8)",
    "torch.iinfo(torch.qint8)",
    "torch.iinfo(torch.uint8)",
    "torch.iinfo(torch.int64)",
    "1",
    "None",
    "torch.float32",
)
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


@exhaustive(lambda torch: Domain(left=SOME_LIMITS, operator=COMPARISONS, right=SOME_LIMITS))
def test_comparisons(ask: Probe, left: str, operator: str, right: str) -> None:
    """Limits are equal if their dtypes are, and have no order."""
    ask(f"{left} {operator} {right}")


@exhaustive(
    lambda torch: Domain(
        default=["float16", "bfloat16", "float32", "float64"],
        call=[
            "finfo()",
            *(f"{cls}(torch.{name})" for cls in CLASSES for name in dtype_names(torch)),
        ],
        look=["repr({})", "{}.max"],
    )
)
def test_default(ask: Probe, default: str, call: str, look: str) -> None:
    """torch.finfo() is that of the default dtype; nothing else depends on that dtype."""
    ask(*settings.default_dtype(default), look.format(f"torch.{call}"))


OBJECTS = ("torch.finfo()", "torch.iinfo(torch.int8)", "torch.iinfo(torch.quint8)")
MISUSES_OF_CLASSES = (
    "torch.{}()",
    "torch.{}(1)",
    "torch.{}('float32')",
    "torch.{}(None)",
    "torch.{}(type=None)",
    "torch.{}(torch.float32, torch.float32)",
    "torch.{}(type=torch.float32)",
    "torch.{}(type=torch.int8)",
    "torch.{}(type=1)",
    "torch.{}(dtype=torch.int8)",
    "torch.{}(torch.int8, type=torch.int8)",
    "torch.{}(torch.int8, x=1)",
    "torch.{}(type=torch.int8, x=1)",
    "torch.{}(x=1)",
    "torch.{}(object)",
    "torch.{}(str)",
    "torch.{}(torch.{})",
    "torch.{}(torch.dtype)",
    "torch.{}([torch.int8])",
    "torch.{}(...)",
    "torch.{}.nonsense",
    "setattr(torch.{}, 'nonsense', 1)",
    "type('Derived', (torch.{},), dict())",
    "torch.{}.__name__",
    "torch.{}[int]",
)
MISUSES_OF_OBJECTS = (
    "{}.nonsense",
    "{}()",
    "{}[0]",
    "len({})",
    "iter({})",
    "hash({})",
    "setattr({}, 'max', 1)",
    "setattr({}, 'dtype', 1)",
    "setattr({}, 'nonsense', 1)",
    "delattr({}, 'bits')",
    "delattr({}, 'nonsense')",
    "copy.copy({})",
    "copy.deepcopy({})",
    "{}.__reduce__()",
    *(f"pickle.dumps({{}}, {protocol})" for protocol in range(6)),
    "{} + 1",
    "-{}",
    "float({})",
    "'{{:>20}}'.format({})",
)


@exhaustive(
    lambda torch: Domain(
        text=[
            *(misuse.replace("{}", cls) for misuse in MISUSES_OF_CLASSES for cls in CLASSES),
            *(misuse.format(limits) for misuse in MISUSES_OF_OBJECTS for limits in OBJECTS),
        ]
    )
)
def test_misuse(ask: Probe, text: str) -> None:
    """Invalid operations on finfo and iinfo raise torch's error and change nothing."""
    ask(text, "torch.finfo()", "torch.iinfo(torch.int8)", question=0)
