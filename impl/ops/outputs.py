"""What functions do to a tensor that is given as ``out``."""

from typing import Any

from ..autograd import MODE
from ..devices import as_device
from ..elements import codes
from ..errors import check
from ..factories import check_out, require_grad_if
from ..signatures import Args, Kwargs, Parser, Signature
from ..tensor import Tensor, require_grad
from .copies import check_no_overlap, written


def choose(parse: Parser, args: Args, keywords: Kwargs) -> tuple[int, Args]:
    """Bind arguments as `Parser.choose` does; ``out`` is looked at before others are converted."""
    if "out" not in keywords:
        return parse.choose(args, keywords)
    signature, values = parse.match(args, keywords)
    check_given_out(signature, values)
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


def check_no_leaf(name: str, out: Tensor) -> None:
    """Refuse a leaf that requires a gradient, or a view of one, for a function that autograd knows not.

    From torch/csrc/autograd/autograd_not_implemented_fallback.cpp.
    """
    _check(name, not any(each is not None and _is_leaf(each) for each in (out, out._base)))


def check_no_gradients(name: str, *tensors: Tensor) -> None:
    """Refuse all tensors that require a gradient, for a function that autograd knows."""
    _check(name, all(each._history is None for each in tensors))


def _is_leaf(tensor: Tensor) -> bool:
    return tensor._history is not None and tensor._history.grad_fn is None


def _check(name: str, condition: bool) -> None:
    check(
        condition or not MODE.enabled,
        lambda: (
            f"{name}(): functions with out=... arguments don't support automatic differentiation,"
            " but one of the arguments requires grad."
        ),
    )


def write_out(out: Tensor, elements: Any) -> None:
    """Write the elements of a result."""
    if not out._geometry.is_contiguous:
        check_no_overlap(out)
    codes(out)[...] = elements


def returned(out: Tensor, requires_grad: Any, sources: tuple[Tensor, ...] = ()) -> Tensor:
    """Note what a written tensor came from, and whether it is to require a gradient."""
    written(out, sources, "NotImplemented")
    if requires_grad or out._history is None or out._history.grad_fn is not None:
        return require_grad_if(out, requires_grad)
    return require_grad(out, False)
