"""Torch under the other vector widths of the processor, each in a process of its own.

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
from functools import cache
from typing import Any

import numpy as np

from ..core.case import Case
from ..libraries.build import capability_of
from ..libraries.library import Library

_VARIABLE = "ATEN_CPU_CAPABILITY"
_LOWER = {"AVX512": ("avx2", "default"), "AVX2": ("default",)}
"""The settings below each vector width."""


class TorchProcess:
    """A process that runs programs with torch under a setting of the vector width."""

    def __init__(self, setting: str) -> None:
        environment = {name: value for name, value in os.environ.items() if name != _VARIABLE}
        if setting:
            environment[_VARIABLE] = setting
        self._process = subprocess.Popen(
            [sys.executable, "-m", f"{__package__}.vector_width_server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        )
        atexit.register(self.close)
        self.capability = str(self._read())

    def raw_result(self, case: Case, raw_dtype: str, parts: int) -> Any:
        """Return the raw parts of the result of a case, or None."""
        request = {"steps": case.steps, "raw_dtype": raw_dtype, "parts": parts}
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        except OSError:
            return None
        answer = self._read()
        if answer is None:
            return None
        content = base64.b64decode(answer["content"])
        return np.frombuffer(content, raw_dtype).reshape(answer["shape"])

    def close(self) -> None:
        """End the process."""
        self._process.terminate()
        self._process.communicate()

    def _read(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        return json.loads(line) if line else None


def processes_of(library: Library) -> tuple[TorchProcess, ...]:
    """Return the processes for all vector widths except that of the library."""
    capability = capability_of(library.root)
    return () if capability is None else _processes(capability)


@cache
def _processes(capability: str) -> tuple[TorchProcess, ...]:
    """Return the processes for the vector widths of the processor except one."""
    native, processes = capability, []
    if os.environ.get(_VARIABLE):
        processes.append(TorchProcess(""))
        native = processes[0].capability
    processes += [TorchProcess(setting) for setting in _LOWER.get(native, ())]
    return tuple(process for process in processes if process.capability != capability)
