"""What runs the chunks of a sweep: this process, or the workers of a Dask scheduler.

A chunk that takes too long ends its worker, which Dask starts again. A chunk whose worker ends is
tried once more, and else counts as lost.
"""

import logging
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NamedTuple

from ..core.errors import CouldNotRun
from ..engine.aggregate import known_facts
from ..spec.code_digest import library_digest, package_digest
from .chunks import run_chunk, session_for

LONGEST_S = 300
"""The seconds after which a chunk ends its worker."""

_ATTEMPTS = 4
"""How often the workers are asked what they are."""

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

Order = Mapping[str, Any]


class Done(NamedTuple):
    """A chunk that was run: its order, its result as data, and why it is lost, or an empty text."""

    order: Order
    result: dict[str, Any]
    lost: str = ""


Run = Callable[[Iterable[Order]], Iterator[Done]]


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
            yield Done(order, {}, _reason(error))
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
    try:
        dask, distributed = import_module("dask"), import_module("distributed")
    except ImportError as error:
        install = 'python -m pip install -e ".[sweep]"'
        raise CouldNotRun(f"{error.name!r} is not installed; run {install}") from None
    settings = {
        "distributed.nanny.pre-spawn-environ": WORKER_ENVIRONMENT,
        "distributed.scheduler.allowed-failures": 1,
        "distributed.worker.daemon": True,
        "distributed.worker.preload": [f"{__package__}.worker"],
        "distributed.comm.timeouts.connect": "10s",
        "logging.distributed": "critical",
    }
    with dask.config.set(settings):
        try:
            if address is None:
                cluster = distributed.LocalCluster(
                    n_workers=workers, threads_per_worker=1, dashboard_address=None,
                    silence_logs=logging.CRITICAL,
                )  # fmt: skip
                client = distributed.Client(cluster)
            else:
                client = distributed.Client(address, timeout=10)
        except (OSError, TimeoutError, ValueError) as error:
            raise CouldNotRun(f"no scheduler at {address}: {error}") from None
        try:
            count = _check_workers(client, key, oracle, subject)
            yield lambda orders: _run_on(client, orders, _WAITING * count)
        finally:
            client.close()
            if address is None:
                cluster.close()


def _check_workers(client: Any, here: Mapping[str, str], oracle: str, subject: str) -> int:
    """Return the number of workers; raise `CouldNotRun` if one has other versions or code."""
    for attempt in range(_ATTEMPTS):
        there = client.run(identity, oracle, subject, on_error="return")
        errors = [each for each in there.values() if isinstance(each, BaseException)]
        if there and not errors:
            break
        if attempt == _ATTEMPTS - 1:
            reason = f": {errors[0]}" if errors else ""
            raise CouldNotRun(f"the scheduler has no workers that answer{reason}")
        time.sleep(1 + attempt)  # Dask starts a worker again that has ended.
    for worker, found in sorted(there.items()):
        for name in here:
            if found.get(name) != here[name]:
                raise CouldNotRun(
                    f"{name} is {found.get(name)!r} in the worker {worker}, and {here[name]!r} here"
                )
    return sum(client.nthreads().values())


def _run_on(client: Any, orders: Iterable[Order], at_once: int) -> Iterator[Done]:
    """Run the chunks on a scheduler, some at once, and yield them as they end."""
    waiting: dict[str, Order] = {}
    ended = import_module("distributed").as_completed(raise_errors=False)
    remaining = iter(orders)

    def submit() -> bool:
        order = next(remaining, None)
        if order is None:
            return False
        future = client.submit(run_in_time, dict(order), pure=False, retries=1)
        waiting[future.key] = order
        ended.add(future)
        return True

    while len(waiting) < at_once and submit():
        pass
    for future in ended:
        order = waiting.pop(future.key)
        if future.status == "finished":
            yield Done(order, future.result())
        else:
            yield Done(order, {}, _reason(future.exception()))
        submit()


def _reason(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:300]


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
