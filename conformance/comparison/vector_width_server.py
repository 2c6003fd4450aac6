"""The process that runs programs with torch under another vector width: JSON lines in and out."""

import base64
import json
import sys
from typing import Any

from ..core.case import Case
from ..libraries.build import capability_of
from ..libraries.oracle import load_oracle
from .other_kernels import raw_result


def serve() -> None:
    """Answer each request on standard input, until it ends."""
    oracle, answers = load_oracle(), sys.stdout
    sys.stdout = sys.stderr  # a program may print

    def answer(value: Any) -> None:
        answers.write(json.dumps(value) + "\n")
        answers.flush()

    answer(capability_of(oracle.root))
    for line in sys.stdin:
        request = json.loads(line)
        case = Case(tuple(request["steps"]))
        result = raw_result(oracle, case, request["raw_dtype"], request["parts"])
        if result is None:
            answer(None)
        else:
            content = base64.b64encode(result.tobytes()).decode()
            answer({"content": content, "shape": result.shape})


if __name__ == "__main__":
    serve()
