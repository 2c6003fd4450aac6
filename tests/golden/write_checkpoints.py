"""Write checkpoint.pt and legacy.pt, the same object saved by torch in both formats.

python tests/golden/write_checkpoints.py
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # the script runs in any folder

from conformance.libraries.oracle import load_oracle

HERE = Path(__file__).parent


def main() -> None:
    """Write the files."""
    torch = load_oracle("torch").root
    x = torch.arange(6.0).view(2, 3)
    half = torch.tensor([1.5, -0.0], dtype=torch.bfloat16)
    checkpoint = {"x": x, "views": [x[1], x.t()], "half": half, "step": 3}
    with (HERE / "checkpoint.pt").open("wb") as file:
        torch.save(checkpoint, file)  # not by its name, which would be in the archive
    torch.save(checkpoint, HERE / "legacy.pt", _use_new_zipfile_serialization=False)


if __name__ == "__main__":
    main()
