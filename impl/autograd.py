"""What tensors carry of torch's autograd: whether a gradient is required, and what they came from.

There is no backward pass.  ``requires_grad``, ``is_leaf`` and ``grad_fn`` are
attributes that are set, passed on to results and printed as torch does.
"""

import threading
from functools import cache
from typing import Any


class _Mode(threading.local):
    enabled = True


MODE = _Mode()
"""Whether this thread records where results came from."""


class Node:
    """What a tensor came from: the function whose backward pass torch would run."""

    __slots__ = ("next_functions",)

    next_functions: tuple[Any, ...]

    def name(self) -> str:
        """Return the name of the function; those that torch wrote by hand have their namespace."""
        name = type(self).__name__
        return f"torch::autograd::{name}" if name in ("CopyBackwards", "CopySlices") else name

    @property
    def metadata(self) -> dict[Any, Any]:
        """What users keep with the function: nothing here."""
        return {}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {hex(id(self))}>"


@cache
def _node_class(name: str) -> type[Node]:
    return type(name, (Node,), {"__slots__": ()})


def node(name: str) -> Node:
    """Make the node of a function, such as ViewBackward0."""
    new = _node_class(name)()
    new.next_functions = ()
    return new


class History:
    """What a tensor that requires a gradient carries; others carry None.

    A leaf has no ``grad_fn``.
    """

    __slots__ = ("grad_fn", "retains_grad")

    def __init__(self, grad_fn: Node | None) -> None:
        self.grad_fn = grad_fn
        self.retains_grad = False
