"""LLVM's text of functions, made into functions that ctypes calls; llvmlite is loaded late.

Without llvmlite, or on a processor that lacks what the text needs, there is no
compiler, and everything is computed by NumPy.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from threading import Lock
from typing import Any, NamedTuple

from .._runtime.lazy_import import LazyModule

_llvm: Any = LazyModule("llvmlite.binding")
_ctypes: Any = LazyModule("ctypes")

_MODES = ("auto", "always", "never")


def _mode() -> str:
    chosen = os.environ.get("IMPL_COMPILED", "auto")
    if chosen not in _MODES:
        raise RuntimeError(f"IMPL_COMPILED is {chosen!r}, and can be one of {', '.join(_MODES)}")
    return chosen


MODE = _mode()
"""When loops are compiled: once it pays (auto), for arrays of every size (always), or never."""


class Function(NamedTuple):
    """A compiled function: what calls it, without the GIL, and where it is."""

    call: Callable[..., Any]
    address: int


class _Compiler:
    """LLVM for the processor at hand, in one engine that keeps all functions."""

    def __init__(self) -> None:
        _llvm.initialize_native_target()
        _llvm.initialize_native_asmparser()
        _llvm.initialize_native_asmprinter()
        triple = _llvm.get_process_triple()
        features = _llvm.get_host_cpu_features()
        # Elsewhere float16 is converted by functions of a library that is not there.
        if not (triple.startswith("aarch64") or (triple.startswith("x86_64") and features["f16c"])):
            raise NotImplementedError(triple)
        self.triple = triple
        self.machine = _llvm.Target.from_triple(triple).create_target_machine(
            cpu=_llvm.get_host_cpu_name(), features=features.flatten(), opt=3
        )
        self.engine = _llvm.create_mcjit_compiler(_llvm.parse_assembly(""), self.machine)

    def compile(self, text: str, names: Iterable[str]) -> list[int]:
        """Return the addresses of functions."""
        module = _llvm.parse_assembly(text)
        module.triple = self.triple
        module.data_layout = str(self.machine.target_data)
        module.verify()
        options = _llvm.create_pipeline_tuning_options(3)
        options.loop_vectorization = True
        builder = _llvm.create_pass_builder(self.machine, options)
        builder.getModulePassManager().run(module, builder)
        self.engine.add_module(module)
        self.engine.finalize_object()
        return list(map(self.engine.get_function_address, names))


_LOCK = Lock()
_found: list[_Compiler | None] = []


def is_there() -> bool:
    """Tell whether functions can be compiled; the first to ask loads llvmlite."""
    with _LOCK:
        return _compiler() is not None


def is_x86() -> bool:
    """Tell whether the processor is an x86; there has to be a compiler (`is_there`)."""
    with _LOCK:
        compiler = _compiler()
        assert compiler is not None
        return bool(compiler.triple.startswith("x86"))


def compiled(text: str, signatures: Mapping[str, str]) -> list[Function]:
    """Compile LLVM's text, and return functions in it, given their signatures by their names.

    A signature has a letter for the result and one for each parameter (`_TYPES`).  No name may be
    that of a function compiled before, and there has to be a compiler (`is_there`).
    """
    with _LOCK:
        compiler = _compiler()
        assert compiler is not None
        addresses = compiler.compile(text, signatures)
    types = {letter: getattr(_ctypes, name) for letter, name in _TYPES.items()}
    return [
        Function(_ctypes.CFUNCTYPE(*map(types.get, letters))(address), address)
        for letters, address in zip(signatures.values(), addresses, strict=True)
    ]


_TYPES = {"i": "c_int64", "p": "c_void_p", "b": "c_char_p"}
"""What letters mean: a 64-bit integer, an address, and one that is given as bytes; any other is nothing."""


def _compiler() -> _Compiler | None:
    if not _found:
        try:
            _found.append(_Compiler())
        except Exception as error:
            if MODE == "always":
                raise RuntimeError("IMPL_COMPILED=always, but nothing can be compiled") from error
            _found.append(None)
    return _found[0]
