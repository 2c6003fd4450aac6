"""The compiler of LLVM IR to functions that ctypes calls; llvmlite is imported lazily.

Without llvmlite, or without the required CPU features, there is no compiler.  NumPy then computes
everything.
"""

import os
from collections.abc import Callable, Mapping
from functools import cache
from threading import Lock
from typing import Any, NamedTuple

from .._runtime.lazy_import import LazyModule

_llvm: Any = LazyModule("llvmlite.binding")
_ctypes: Any = LazyModule("ctypes")

MODE = os.environ.get("IMPL_COMPILED", "auto")
"""When loops are compiled: once it pays (auto), for arrays of every size (always), or never."""

if MODE not in ("auto", "always", "never"):
    raise RuntimeError(f"IMPL_COMPILED is {MODE!r}, and can be one of auto, always, never")


class Function(NamedTuple):
    """A compiled function: a ctypes function that releases the GIL, and its machine address."""

    call: Callable[..., Any]
    address: int


def _create_compiler() -> tuple[Any, Any]:
    """Return a target machine for the host CPU, and the engine that keeps all functions."""
    _llvm.initialize_native_target()
    _llvm.initialize_native_asmparser()
    _llvm.initialize_native_asmprinter()
    triple = _llvm.get_process_triple()
    features = _llvm.get_host_cpu_features()
    # On other CPUs the conversion of float16 calls library functions that are not linked.
    if not (triple.startswith("aarch64") or (triple.startswith("x86_64") and features["f16c"])):
        raise NotImplementedError(triple)
    machine = _llvm.Target.from_triple(triple).create_target_machine(
        cpu=_llvm.get_host_cpu_name(), features=features.flatten(), opt=3
    )
    return machine, _llvm.create_mcjit_compiler(_llvm.parse_assembly(""), machine)


def optimized_module(text: str, machine: Any) -> Any:
    """Return the module of LLVM IR, optimized for a target machine."""
    module = _llvm.parse_assembly(text)
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    module.verify()
    options = _llvm.create_pipeline_tuning_options(3)
    options.loop_vectorization = True
    builder = _llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return module


_LOCK = Lock()


def is_available() -> bool:
    """Return whether functions can be compiled; the first call imports llvmlite."""
    with _LOCK:
        return _compiler() is not None


def is_x86() -> bool:
    """Return whether the CPU is an x86; requires llvmlite."""
    return bool(_llvm.get_process_triple().startswith("x86"))


def has_symbol(name: str) -> bool:
    """Return whether compiled code can call a function of the process; requires llvmlite."""
    return bool(_llvm.address_of_symbol(name))


def compile_functions(text: str, signatures: Mapping[str, str]) -> list[Function]:
    """Compile LLVM IR and return the functions whose names ``signatures`` maps to signatures.

    A signature has one letter for the result and one for each parameter (`_TYPES`).  Names must not
    repeat those of earlier functions.  A compiler is required (`is_available`).
    """
    with _LOCK:
        compiler = _compiler()
        assert compiler is not None
        machine, engine = compiler
        engine.add_module(optimized_module(text, machine))
        engine.finalize_object()
        addresses = list(map(engine.get_function_address, signatures))
    types = {letter: getattr(_ctypes, name) for letter, name in _TYPES.items()}
    return [
        Function(_ctypes.CFUNCTYPE(*map(types.get, letters))(address), address)
        for letters, address in zip(signatures.values(), addresses, strict=True)
    ]


_TYPES = {"i": "c_int64", "p": "c_void_p", "b": "c_char_p", "f": "c_float", "d": "c_double"}
"""The ctypes types of signature letters; any other letter stands for void."""


@cache
def _compiler() -> tuple[Any, Any] | None:
    try:
        return _create_compiler()
    except Exception as error:
        if MODE == "always":
            raise RuntimeError("IMPL_COMPILED=always, but nothing can be compiled") from error
        return None
