"""The binding and the checks of out= arguments and in-place targets."""

from collections.abc import Callable
from typing import Any

from ..._argparser.parser import Parser
from ..._argparser.schema import Args, Kwargs, Signature
from ..._autograd.saved_targets import is_saved
from ..._autograd.tracking import check_inplace
from ..._devices.device import META, as_device
from ..._dtypes.constants import COMPLEX32
from ..._dtypes.table import dtype, spec_of
from ..._geometry import strides
from ..._geometry.geometry import strided
from ..._numerics.promotion import can_cast
from ..._runtime.device_modes import DEVICE_MODE_THREADS, use_default_device
from ..._runtime.errors import check
from ..._storage.untyped_storage import check_named_device
from ..._tensor.allocation import resize_output
from ..._tensor.data_access import write_raw
from ..._tensor.out_autograd import check_out
from ..._tensor.tensor import Tensor, set_geometry
from .clone import clone
from .memory_overlap import check_no_overlap


def bind(parse: Parser, args: Args, keywords: Kwargs) -> tuple[int, Args]:
    """Return `Parser.bind`; ``out`` is checked before the other arguments are converted."""
    if "out" not in keywords:
        return parse.bind(args, keywords)
    signature, values = parse.match(args, keywords)
    check_out_options(signature, values)
    return signature.index, signature.convert(values)


def bind_factory(
    parse: Parser, args: Args, keywords: dict[str, Any], *, like: bool = False
) -> tuple[int, Args]:
    """Bind the arguments of a factory; the default device applies unless ``like`` is true.

    Torch checks ``out``, or else the device, before it converts the other arguments.
    """
    signature, values = parse.match(args, keywords)
    if DEVICE_MODE_THREADS and not like:
        use_default_device(signature, values)
    if keywords.get("out") is not None:
        check_out_options(signature, values)
    else:
        check_named_device(signature, values)
    return signature.index, signature.convert(values)


def check_out_options(signature: Signature, values: list[Any]) -> None:
    """Raise if an out= tensor does not match the dtype, layout or device keyword."""
    arguments = dict(zip([p.name for p in signature.parameters], values, strict=True))
    if arguments["out"] is not None and "device" in arguments:
        device = arguments["device"]
        check_out(
            arguments["out"],
            arguments["dtype"],
            arguments["layout"],
            device if device is None else as_device(device),
        )


def check_shape(target: Tensor, shape: tuple[int, ...]) -> None:
    """Raise if the broadcast shape is not the shape of an in-place target."""
    target_shape = target._geometry.shape
    check(
        shape == target_shape,
        lambda: f"output with shape {[*target_shape]} doesn't match the broadcast shape {[*shape]}",
    )


def check_cast(common: dtype, out: Tensor) -> None:
    """Raise if the common dtype cannot be cast to the dtype of ``out``."""
    check(
        can_cast(common, out._dtype),
        lambda: (
            f"result type {spec_of(common).cpp_name} can't be cast to the desired output type"
            f" {spec_of(out._dtype).cpp_name}"
        ),
    )


def check_same_dtype(common: dtype, out: Tensor) -> None:
    """Raise if ``out`` has another dtype, for operators without casts."""
    check(
        common is out._dtype,
        lambda: (
            f"Found dtype {spec_of(out._dtype).cpp_name} but expected {spec_of(common).cpp_name}"
        ),
    )


def resize_elementwise(out: Tensor, shape: tuple[int, ...], *operands: Tensor) -> None:
    """Resize ``out`` for an elementwise result; if its shape changes, so do its strides."""
    if out._geometry.shape != shape:
        resize_output(out, shape)
        inputs = tuple((x._geometry.shape, x._geometry.stride) for x in operands)
        is_meta = out._geometry.device is META
        stride = (strides.by_reference if is_meta else strides.elementwise)(shape, inputs)
        set_geometry(out, strided(shape, stride))


def write_out(out: Tensor, elements: Any) -> None:
    """Write raw elements of a result; raise if elements of ``out`` overlap."""
    if not out._geometry.is_contiguous:
        check_no_overlap(out)
    write_raw(out, elements)


def save_and_run(
    target: Tensor, node: str, others: tuple[Tensor, ...], run: Callable[[], Tensor]
) -> Tensor:
    """Run an in-place operation after what autograd does before it, and before the fallback.

    Raise if autograd forbids the write.  If it saves the target for the grad_fn ``node``, make the
    copy of a complex32 target, as torch warns about it, and has no kernel if it has both bits.
    """
    check_inplace(target, *others)
    if target._dtype is not COMPLEX32 or not is_saved(target, node, others):
        return run()
    if target._geometry.device is not META:
        clone(target)
        return run()
    try:
        return run()
    finally:
        clone(target)  # torch shows warnings of C++ when the call ends, after those of references
