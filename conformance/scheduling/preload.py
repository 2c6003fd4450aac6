"""What a local worker does when it begins: Dask imports this module."""

import signal


def dask_setup(worker: object) -> None:
    """Leave Ctrl-C, which reaches all processes of a terminal, to the process of the command."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
