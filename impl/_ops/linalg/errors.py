"""The error of a matrix that has no result."""

from typing import Any

from ..._runtime.c_types import PACKAGE


class _LinAlgError(RuntimeError):
    """The error of a function of torch.linalg that has no result for the elements it got."""


_LinAlgError.__module__ = f"{PACKAGE}._C"
LinAlgError = _LinAlgError
"""The public name of the class, whose own name is that of torch's."""


def check_each(codes: Any, message: str) -> None:
    """Raise for the first matrix whose code is not 0, in a batch or alone (_linalg_check_errors).

    The text of a message has a place for that of the matrix, and one for the code.
    """
    if codes is None or not codes.any():
        return
    first = int((codes.reshape(-1) != 0).argmax())
    place = f"(Batch element {first}): " if codes.ndim else ""
    raise LinAlgError(message.format(place, int(codes.reshape(-1)[first])))
