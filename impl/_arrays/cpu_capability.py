"""The vector instructions of the processor, by torch's names (aten/src/ATen/Version.cpp)."""

import os
from collections.abc import Iterable
from functools import cache
from importlib import import_module

from .._runtime.lazy_exports import public_in

_LEVELS = {
    "AVX512": ("AVX512VL", "AVX512BW", "AVX512DQ", "FMA3"),
    "AVX2": ("AVX2", "FMA3"),
}
"""The name of a level, and the features that it needs, by NumPy's names."""

_ONE_DNN = {"bfloat16": ("AVX512VL", "AVX512BW", "AVX512DQ"), "float16": ("AVX512_SPR",)}
"""The small dtypes that oneDNN computes with, and the features that it needs."""


@public_in("backends.cpu")
def get_cpu_capability() -> str:
    """Return the level of vector instructions for which torch would select its kernels.

    The environment variable ATEN_CPU_CAPABILITY selects another one. The kernels of impl are
    NumPy's and LLVM's, which select for themselves. The order of softmax's sums follows the level.
    """
    asked = os.environ.get("ATEN_CPU_CAPABILITY", "")
    if asked in ("default", "avx2", "avx512"):
        return asked.upper()
    return next((level for level, needed in _LEVELS.items() if _has(needed)), "DEFAULT")


def _has(needed: Iterable[str]) -> bool:
    features = import_module("numpy._core._multiarray_umath").__cpu_features__
    return all(map(features.get, needed))


@cache
def one_dnn_takes(dtype: str) -> bool:
    """Return whether torch lets oneDNN compute with a dtype on this processor (mkldnn/Utils.h)."""
    return dtype == "float32" or (dtype in _ONE_DNN and _has(_ONE_DNN[dtype]))


@cache
def vector_bytes() -> int:
    """Return the size of a vector in torch's kernels; those without instructions have 32 bytes."""
    return 64 if get_cpu_capability() == "AVX512" else 32


@cache
def has_vector_instructions() -> bool:
    """Return whether torch's kernels use vector instructions.

    They add the lanes of a vector of float32 by halves, not in order.
    """
    return get_cpu_capability() != "DEFAULT"
