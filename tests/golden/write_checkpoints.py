"""Write the files that torch saved: ``python tests/golden/write_checkpoints.py``, with torch."""

from pathlib import Path

import torch

HERE = Path(__file__).parent


def main() -> None:
    """Write the same object in both formats."""
    x = torch.arange(6.0).view(2, 3)
    half = torch.tensor([1.5, -0.0], dtype=torch.bfloat16)
    checkpoint = {"x": x, "views": [x[1], x.t()], "half": half, "step": 3}
    with (HERE / "checkpoint.pt").open("wb") as file:
        torch.save(checkpoint, file)  # not by its name, which would be in the archive
    torch.save(checkpoint, HERE / "legacy.pt", _use_new_zipfile_serialization=False)


if __name__ == "__main__":
    main()
