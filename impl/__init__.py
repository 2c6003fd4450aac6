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
        "set_default_dtype",
    ]
)


def __dir__() -> list[str]:
    return __all__
