"""Compiled linspace and logspace, against those of NumPy and Python."""

import math

import numpy as np
import pytest

from impl._codegen import llvm, sequences
from impl._dtypes.table import DTYPES
from impl._kernels.sequences import linspace_elements, logspace_elements

ENDS = [(0, 1), (-3.5, 64), (1e30, -1e30), (0, math.inf), (math.nan, 2), (-0.0, 0.1), (7, 7)]


@pytest.mark.skipif(not llvm.is_available(), reason="needs llvmlite")
@pytest.mark.parametrize("name", ["float32", "float64", "float16", "int64", "complex64"])
def test_compiled_sequences(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    dtype = DTYPES[name]
    routines = sequences._SPACES, sequences._POWERS
    compiled = [routine._calls or routine._compiled() for routine in routines]
    for start, end in ENDS:
        if name == "int64" and not (math.isfinite(start + end) and abs(start) < 1e9):
            continue
        first, last = (int(start), int(end)) if name == "int64" else (start, end)
        results = []
        for calls in ([{}, {}], compiled):
            for routine, each in zip(routines, calls, strict=True):
                monkeypatch.setattr(routine, "_calls", each)
            for steps in (2, 3, 7, 64, 101):
                results.append(linspace_elements(first, last, steps, dtype))
                for base in (10.0, -2.0, 0.0):
                    results.append(logspace_elements(first, last, steps, dtype, base))
        half = len(results) // 2
        for plain, fast in zip(results[:half], results[half:], strict=True):
            np.testing.assert_array_equal(plain, fast)
