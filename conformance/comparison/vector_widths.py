"""Torch under the other vector widths of the processor, each in a process of its own.

One process imports torch for all of them, see `vector_width_server`.

Torch reads the environment variable ATEN_CPU_CAPABILITY once (compute_cpu_capability in
aten/src/ATen/native/DispatchStub.cpp). Widths above that of the processor would crash, so only
lower ones are set.
"""

import atexit
import base64
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..core.case import Case
from ..libraries.build import capability_of
from ..libraries.library import Library

VARIABLE = "ATEN_CPU_CAPABILITY"
_LOWER = {"AVX512": ("avx2", "default"), "AVX2": ("default",)}
"""The settings below each vector width."""


class _Server:
    """A process that runs programs with torch under some settings of the vector width.

    widths: the vector width of each setting
    """

    def __init__(self, settings: Sequence[str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", f"{__package__}.vector_width_server", *settings],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={name: value for name, value in os.environ.items() if name != VARIABLE},
        )
        atexit.register(self.close)
        self.widths: list[str] = self._read()

    def answer(self, *request: Any) -> Any:
        """Return the answer to a request, or None."""
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        except OSError:
            return None
        return self._read()

    def close(self) -> None:
        """End the process."""
        self._process.terminate()
        self._process.communicate()

    def _read(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        return json.loads(line) if line else None


class TorchProcess(NamedTuple):
    """Torch under one setting of the vector width, by its number in a server."""

    server: _Server
    number: int
    capability: str

    def raw_result(self, case: Case, raw_dtype: str, parts: int) -> Any:
        """Return the raw parts of the result of a case, or None."""
        answer = self.server.answer(self.number, case.steps, raw_dtype, parts)
        if answer is None:
            return None
        content, shape = answer
        return np.frombuffer(base64.b64decode(content), raw_dtype).reshape(shape)


def processes_of(library: Library) -> tuple[TorchProcess, ...]:
    """Return the processes for all vector widths except that of the library."""
    capability = capability_of(library.root)
    return () if capability is None else _processes(capability)


@cache
def _processes(capability: str) -> tuple[TorchProcess, ...]:
    """Return the processes for the vector widths of the processor except one."""
    native, processes = capability, []
    if os.environ.get(VARIABLE):
        processes += _started([""])
        native = processes[0].capability
    processes += _started(_LOWER.get(native, ()))
    return tuple(process for process in processes if process.capability != capability)


def _started(settings: Sequence[str]) -> list[TorchProcess]:
    groups = [settings] if hasattr(os, "fork") else [[setting] for setting in settings]
    servers = [_Server(group) for group in groups if group]
    return [
        TorchProcess(server, number, width)
        for server in servers
        for number, width in enumerate(server.widths)
    ]
