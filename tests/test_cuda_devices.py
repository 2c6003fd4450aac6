"""Operands on the CPU and on CUDA, held against the answers of torch on a GPU.

``golden/cuda_devices.json`` has the answers; `write_cuda.py` beside it writes them.
"""

import json
import warnings
from pathlib import Path

import pytest

import impl as torch
from impl.testing import simulated_cuda

GOLDEN = json.loads((Path(__file__).parent / "golden" / "cuda_devices.json").read_text())


def wrong(message, programs):
    """Return the programs that give another answer than torch, with impl's."""
    found = []
    for numbers in programs:
        program = [GOLDEN["lines"][number] for number in numbers]
        try:
            exec("\n".join(program), {"torch": torch})
            observed = None
        except Exception as error:  # noqa: BLE001  # its message is compared
            observed = str(error)
        if observed != message:
            found.append(("; ".join(program), observed))
    return found


@pytest.mark.parametrize(
    ("message", "programs"), GOLDEN["answers"], ids=range(len(GOLDEN["answers"]))
)
def test_devices_of_operands(message, programs):
    with simulated_cuda(1), warnings.catch_warnings(action="ignore"):
        assert wrong(message, programs) == []


def test_the_golden_file_has_refusals_and_results():
    counts = {message: len(programs) for message, programs in GOLDEN["answers"]}
    assert counts[None] > 300
    assert sum("method wrapper_CUDA_" in str(message) for message in counts) > 100
