"""The error of a matrix that has no result."""

from typing import Any

from ..._runtime.c_types import PACKAGE


class _LinAlgError(RuntimeError):
    """The error of a function of torch.linalg that has no result for the elements it got."""


_LinAlgError.__module__ = f"{PACKAGE}._C"
LinAlgError = _LinAlgError
"""The public name of the class, whose own name is that of torch's."""


def check_each(codes: list[Any], message: str) -> None:
    """Raise for the first matrix whose code is not 0, in a batch or alone (_linalg_check_errors).

    ``codes`` is empty, or has an array, or None for no error.  A message has a place for the text
    of the matrix, and one for the code.  Torch writes to ``out=`` before.
    """
    for code in codes:
        if code is not None and code.any():
            first = int((code.reshape(-1) != 0).argmax())
            place = f"(Batch element {first}): " if code.ndim else ""
            raise LinAlgError(message.format(place, int(code.reshape(-1)[first])))
