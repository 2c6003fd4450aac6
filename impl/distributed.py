"""torch.distributed: processes that work together, which impl does not have."""

import os as _os


def is_available() -> bool:
    """Return False."""
    return False


def is_initialized() -> bool:
    """Return False: there is no group of processes."""
    return False


def is_torchelastic_launched() -> bool:
    """Return whether torchrun has started this process."""
    return _os.environ.get("TORCHELASTIC_RUN_ID") is not None


def is_nccl_available() -> bool:
    """Return False: impl does not use NVIDIA's NCCL."""
    return False


def is_mpi_available() -> bool:
    """Return False: impl does not use MPI."""
    return False


def is_gloo_available() -> bool:
    """Return False: impl does not use Gloo."""
    return False


def is_ucc_available() -> bool:
    """Return False: impl does not use UCC."""
    return False


def is_xccl_available() -> bool:
    """Return False: impl does not use Intel's XCCL."""
    return False
