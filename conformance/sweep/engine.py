"""What runs the chunks of a sweep: this process, or the workers of a Dask scheduler.

A chunk that takes too long ends its worker, which Dask starts again.
"""

import signal
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ..engine.aggregate import known_facts
from ..scheduling.client import (
    Done,
    Order,
    Run,
    answers_of,
    check_alike,
    connected,
    reason_of,
    run_on,
)
from ..spec.code_digest import library_digest, package_digest
from .chunks import run_chunk, session_for

LONGEST_S = 300
"""The seconds after which a chunk ends its worker."""

_WAITING = 4
"""The chunks that each worker has at once, so that none waits for the next one."""

WORKER_ENVIRONMENT = {
    **dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"),
    "MALLOC_MMAP_THRESHOLD_": str(2**28),
    "MALLOC_TRIM_THRESHOLD_": str(2**30),
}
"""The environment of local workers: one thread each, and memory that is kept for the next block.

By default Dask lets the C library return freed memory at once, which doubles the time of a block.
"""

_LOCAL = ("cores", "cuda", "hypothesis", "pytest")
"""What may differ between the machines of a sweep."""


def identity(oracle: str, subject: str) -> dict[str, str]:
    """Return what the results of a process depend on."""
    facts = known_facts(session_for(oracle, subject))["environment"]
    return {
        **{name: value for name, value in facts.items() if name not in _LOCAL},
        "subject's code": library_digest(subject) or "",
        "suite's code": package_digest(),
    }


def run_here(orders: Iterable[Order]) -> Iterator[Done]:
    """Run the chunks in this process."""
    for order in orders:
        try:
            result = run_chunk(order)
        except Exception as error:  # noqa: BLE001  # a subject may raise anything
            yield Done(order, {}, reason_of(error))
        else:
            yield Done(order, result)


@contextmanager
def dask_cluster(
    address: str | None, workers: int, key: Mapping[str, str], oracle: str, subject: str
) -> Iterator[Run]:
    """Provide what runs chunks on a scheduler, or on a local cluster.

    key: the identity of this process

    Raise `CouldNotRun` if there is no Dask, no scheduler, or a worker that is unlike this process.
    """
    with connected(address, workers, WORKER_ENVIRONMENT) as client:
        check_alike(key, answers_of(client, identity, oracle, subject))
        yield lambda orders: run_on(client, run_in_time, orders, _WAITING)


def run_in_time(order: Order) -> dict[str, Any]:
    """Return the result of a chunk; a worker that takes too long is ended by a signal."""
    has_timer = hasattr(signal, "setitimer")
    if has_timer:
        signal.setitimer(signal.ITIMER_REAL, LONGEST_S)
    try:
        return run_chunk(order)
    finally:
        if has_timer:
            signal.setitimer(signal.ITIMER_REAL, 0)
