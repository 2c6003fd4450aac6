"""An executable specification of PyTorch's tensor attributes: ``import impl as torch``.

The public names are torch's, and so are the answers and the errors.  Neither
torch nor NumPy is loaded by importing this.
"""

from .defaults import get_default_dtype, set_default_dtype
from .dtypes import DTYPES, dtype
from .limits import finfo, iinfo
from .promotion import can_cast, promote_types, result_type

globals().update(DTYPES)

__all__ = sorted(
    [
        *DTYPES,
        "can_cast",
        "dtype",
        "finfo",
        "get_default_dtype",
        "iinfo",
        "promote_types",
        "result_type",
    ]
)

# Torch does not export it with an asterisk.
_NOT_IN_ALL = ["set_default_dtype"]

for _function in (
    can_cast,
    get_default_dtype,
    promote_types,
    result_type,
    set_default_dtype,
):
    _function.__module__ = __name__

del DTYPES


def __dir__() -> list[str]:
    return sorted([*__all__, *_NOT_IN_ALL])
