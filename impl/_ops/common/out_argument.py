"""What functions do to a tensor that is given as ``out``, or that they change."""

from typing import Any

from ..._argparser.parser import Parser
from ..._argparser.schema import Args, Kwargs, Signature
from ..._autograd.autograd_meta import requires_grad
from ..._devices.device import as_device
from ..._dtypes.constants import COMPLEX32
from ..._dtypes.table import dtype, spec_of
from ..._numerics.promotion import can_cast
from ..._runtime.device_modes import DEVICE_MODE_THREADS, use_default_device
from ..._runtime.errors import check
from ..._runtime.grad_modes import grad_enabled
from ..._storage.untyped_storage import check_named_device
from ..._tensor.data_access import write_raw
from ..._tensor.factories import warn_of_complex32
from ..._tensor.out_autograd import check_out
from ..._tensor.tensor import Tensor
from .memory_overlap import check_no_overlap


def bind(parse: Parser, args: Args, keywords: Kwargs) -> tuple[int, Args]:
    """Bind arguments as `Parser.bind` does; ``out`` is looked at before others are converted."""
    if "out" not in keywords:
        return parse.bind(args, keywords)
    signature, values = parse.match(args, keywords)
    check_given_out(signature, values)
    return signature.index, signature.convert(values)


def bind_factory(
    parse: Parser, args: Args, keywords: dict[str, Any], *, like: bool = False
) -> tuple[int, Args]:
    """Bind the arguments of a factory, which heeds the default device but for those ``like`` a tensor.

    Torch looks at ``out``, or else at the device, before it converts the others.
    """
    signature, values = parse.match(args, keywords)
    if DEVICE_MODE_THREADS and not like:
        use_default_device(signature, values)
    if keywords.get("out") is not None:
        check_given_out(signature, values)
    else:
        check_named_device(signature, values)
    return signature.index, signature.convert(values)


def check_given_out(signature: Signature, values: list[Any]) -> None:
    """Refuse a tensor given as ``out`` that is not what the other keywords ask for."""
    given = dict(zip([each.name for each in signature.parameters], values, strict=True))
    if given["out"] is not None and "device" in given:
        device = given["device"]
        check_out(
            given["out"],
            given["dtype"],
            given["layout"],
            device if device is None else as_device(device),
        )


def check_shape(target: Tensor, shape: tuple[int, ...]) -> None:
    """Refuse to write a result over an operand that would have to grow."""
    own = target._geometry.shape
    check(
        shape == own,
        lambda: f"output with shape {[*own]} doesn't match the broadcast shape {[*shape]}",
    )


def check_cast(common: dtype, out: Tensor) -> None:
    """Refuse to write a result into a tensor of a lower kind."""
    check(
        can_cast(common, out._dtype),
        lambda: (
            f"result type {spec_of(common).cpp_name} can't be cast to the desired output type"
            f" {spec_of(out._dtype).cpp_name}"
        ),
    )


def check_same_dtype(common: dtype, out: Tensor) -> None:
    """Refuse an ``out`` of another dtype, for operators that convert nothing."""
    check(
        common is out._dtype,
        lambda: (
            f"Found dtype {spec_of(out._dtype).cpp_name} but expected {spec_of(common).cpp_name}"
        ),
    )


def write_out(out: Tensor, elements: Any) -> None:
    """Write the elements of a result."""
    if not out._geometry.is_contiguous:
        check_no_overlap(out)
    write_raw(out, elements)


def _nodes(*names: str) -> frozenset[str]:
    """Return names of nodes; that of the first overload goes without its end."""
    return frozenset(each if "Backward" in each else f"{each}Backward0" for each in names)


_SAVED_FOR_ITSELF = _nodes(
    "Abs", "Acos", "Asin", "Atan", "Atan2", "Clamp", "ClampBackward1", "ClampMax", "ClampMaxBackward1", "ClampMin",
    "ClampMinBackward1", "Copysign", "CopysignBackward1", "Cos", "Cosh", "Cumprod", "Digamma", "Erf", "Erfc",
    "Erfinv", "Hypot", "I0", "Lgamma", "Log", "Log10", "Log1P", "Log2", "Logit", "NanToNum", "Nextafter", "Pow",
    "PowBackward1", "Sgn", "Sin", "Sinc", "Sinh", "Xlogy", "XlogyBackward2",
)  # fmt: skip
"""The nodes that need what is changed as it was, for its own gradient (tools/autograd/derivatives.yaml)."""

_SAVED_FOR_OTHERS = _nodes(
    "Atan2", "Clamp", "ClampMaxBackward1", "ClampMinBackward1", "Div", "DivBackward2",
    "FmodBackward1", "LerpBackward1", "Mul", "PowBackward1", "RemainderBackward1", "Xlogy",
)  # fmt: skip
"""Those that need it for the gradient of another operand, the last one."""


def warn_of_saved(target: Tensor, node: str, *others: Tensor | None) -> None:
    """Warn of the copy of a complex32 operand that autograd saves before it is changed."""
    if target._dtype is not COMPLEX32 or not grad_enabled():
        return
    if (node in _SAVED_FOR_ITSELF and requires_grad(target)) or (
        node in _SAVED_FOR_OTHERS and any(x is not None and requires_grad(x) for x in others)
    ):
        warn_of_complex32()
