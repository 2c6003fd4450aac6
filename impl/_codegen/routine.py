"""Compiled functions for algorithms that are no elementwise loops, compiled once it pays."""

import os
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Any

from . import llvm

COMPILE_AFTER_NS = 4e6
"""The time that NumPy or Python computes before a routine is compiled, which takes some more."""


class Routine:
    """The functions of one LLVM module, and the time that other code has spent in their place.

    text: returns the LLVM IR
    signatures: those of `llvm.compile_functions`
    c_functions: the functions of the C library that the module calls
    """

    def __init__(
        self,
        text: Callable[[], str],
        signatures: Mapping[str, str],
        c_functions: Sequence[str] = (),
    ) -> None:
        self._text = text
        self._signatures = signatures
        self._c_functions = c_functions
        self._spent = 0.0
        self._lock = Lock()
        self._calls: dict[str, Callable[..., Any]] | None = None

    def wanted(self, nanoseconds: float) -> Mapping[str, Callable[..., Any]]:
        """Return the functions by name; none if other code computes, in about so much time."""
        if self._calls is not None:
            return self._calls
        if llvm.MODE == "never":
            return {}
        if llvm.MODE == "auto" and self._spent < COMPILE_AFTER_NS:
            self._spent += nanoseconds
            return {}
        with self._lock:
            if self._calls is None:
                self._calls = self._compiled()
        return self._calls

    def _compiled(self) -> dict[str, Callable[..., Any]]:
        if self._c_functions and os.name != "posix":
            return {}
        if not llvm.is_available() or not all(map(llvm.has_symbol, self._c_functions)):
            return {}
        functions = llvm.compile_functions(self._text(), self._signatures)
        return {
            name: function.call for name, function in zip(self._signatures, functions, strict=True)
        }
