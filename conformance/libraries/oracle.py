"""Real torch, which is right.  The only file of the project that imports it."""

from importlib import import_module

from ..core.errors import CouldNotRun
from .library import Library
from .loading import load

TESTED_WITH = "2.13.0"


def load_oracle(spec: str = "torch") -> Library:
    """Load the library that says what is right, or raise `CouldNotRun`."""
    if spec.partition(":")[0].partition("@")[0] == "torch":
        try:
            import torch  # here, not above: the suite's own tests need no torch
        except ImportError as error:
            raise CouldNotRun(
                f"torch is not installed; try: python -m pip install torch=={TESTED_WITH}"
            ) from error
        # The workers of a run share the cores among them.
        torch.set_num_threads(1)
        # This loads more of torch, which then wraps some of its functions: now, and not in a case.
        torch.use_deterministic_algorithms(False)
        # What stands for CUDA devices where there are none.
        import_module("torch._subclasses.fake_tensor")
    return load(spec)
