"""What functions do to a tensor that is given as ``out``."""

from typing import Any

from ..devices import as_device
from ..elements import codes
from ..results import check_no_gradients as check_no_gradients
from ..results import check_no_leaf as check_no_leaf
from ..results import check_out
from ..results import returned as returned
from ..signatures import Args, Kwargs, Parser, Signature
from ..tensor import Tensor
from .copies import check_no_overlap


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
    if given["out"] is not None and "dtype" in given:
        device = given["device"]
        check_out(
            given["out"],
            given["dtype"],
            given["layout"],
            device if device is None else as_device(device),
        )


def write_out(out: Tensor, elements: Any) -> None:
    """Write the elements of a result."""
    if not out._geometry.is_contiguous:
        check_no_overlap(out)
    codes(out)[...] = elements
