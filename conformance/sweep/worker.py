"""What a local worker of a sweep does when it begins: Dask imports this module."""

import signal


def dask_setup(worker: object) -> None:
    """Leave Ctrl-C, which reaches all processes of a terminal, to the process of the sweep."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
