"""Write cuda_devices.json: what torch on a GPU answers to operands on the CPU and on CUDA.

python tests/golden/write_cuda.py [path]
"""

import json
import re
import sys
import warnings
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))  # the script runs in any folder

from conformance.generators import mixed_devices
from conformance.libraries.oracle import load_oracle

PATH = Path(__file__).with_name("cuda_devices.json")
DEVICE = "cuda:0"

ABOUT_DEVICES = re.compile(
    "same device|same_device|CUDAGuard|CPU scalar|device\\(\\)|to have device|expected device"
    "|CPU Scalar|and on CPU|inputs to be on",
)
"""What the messages of errors about devices have in common."""


_OTHERS = re.compile("sparse|align|refine_names|rename")
"""Tensors that are not asked: sparse ones, and named ones, which torch 2.13 has no more."""


def answer(torch: Any, program: tuple[str, ...]) -> str | None:
    """Return the message of the error that a program raises, or None."""
    try:
        exec("\n".join(program), {"torch": torch})
    except Exception as error:  # noqa: BLE001  # torch may raise anything
        return str(error)
    return None


def is_mixed(program: tuple[str, ...]) -> bool:
    """Return whether a program has tensors on the CPU and on CUDA."""
    made = [line for line in program[:-1] if re.search(r"torch\.(tensor|ones|zeros)\(", line)]
    on_cuda = [DEVICE in line for line in made]
    return any(on_cuda) != all(on_cuda) or (
        program[-1].count("[") > 0 and DEVICE in program[-1] and not all(on_cuda)
    )


def main() -> None:
    torch = load_oracle().root
    answers: dict[str | None, list[tuple[str, ...]]] = {}
    for overload in mixed_devices.overload_ids(torch):
        for program in mixed_devices.programs(torch, overload, DEVICE):
            if not is_mixed(program) or _OTHERS.search("; ".join(program)):
                continue
            with warnings.catch_warnings(action="ignore"):
                message = answer(torch, program)
            # Torch fails assertions of its own for some calls.
            if message is None or (
                ABOUT_DEVICES.search(message) and "INTERNAL ASSERT" not in message
            ):
                answers.setdefault(message, []).append(program)
    lines = sorted({line for programs in answers.values() for each in programs for line in each})
    index = {line: number for number, line in enumerate(lines)}
    data = {
        "torch": torch.__version__,
        "device": torch.cuda.get_device_name(0),
        "lines": lines,
        "answers": [
            [message, [[index[line] for line in program] for program in answers[message]]]
            for message in sorted(answers, key=str)
        ],
    }
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else PATH
    path.write_text(json.dumps(data, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
