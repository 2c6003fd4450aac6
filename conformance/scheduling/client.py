"""The client of a Dask scheduler, or of a local cluster.

An order whose worker ends, or whose function raises, is tried once more, elsewhere if there is
another worker, and else counts as lost.
"""

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NamedTuple

from ..core.errors import CouldNotRun

_ATTEMPTS = 4
"""How often the workers are asked what they are."""

Order = Mapping[str, Any]
"""What a worker is to do, as data."""


class Done(NamedTuple):
    """An order that was run: its result as data, and why it is lost, or an empty text."""

    order: Order
    result: dict[str, Any]
    lost: str = ""


Run = Callable[[Iterable[Order]], Iterator[Done]]


@contextmanager
def connected(
    address: str | None, workers: int = 0, environment: Mapping[str, str] | None = None
) -> Iterator[Any]:
    """Provide the client of a scheduler, or of a local cluster if there is no address.

    workers, environment: the number of local workers, and the environment that they begin with

    Raise `CouldNotRun` if there is no Dask or no scheduler.
    """
    try:
        dask, distributed = import_module("dask"), import_module("distributed")
    except ImportError as error:
        install = 'python -m pip install -e ".[sweep]"'
        raise CouldNotRun(f"{error.name!r} is not installed; run {install}") from None
    settings = {
        "distributed.nanny.pre-spawn-environ": environment or {},
        "distributed.scheduler.allowed-failures": 1,
        "distributed.worker.daemon": True,
        "distributed.worker.preload": [f"{__package__}.preload"],
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
            yield client
        finally:
            client.close()
            if address is None:
                cluster.close()


def answers_of(client: Any, function: Callable[..., Any], *arguments: Any) -> dict[str, Any]:
    """Return the answer of each worker, by its address.

    Raise `CouldNotRun` if there are no workers, or one of them does not answer.
    """
    for attempt in range(_ATTEMPTS):
        answers: dict[str, Any] = client.run(function, *arguments, on_error="return")
        errors = [each for each in answers.values() if isinstance(each, BaseException)]
        if answers and not errors:
            return dict(sorted(answers.items()))
        if attempt < _ATTEMPTS - 1:
            time.sleep(1 + attempt)  # Dask starts a worker again that has ended.
    reason = f": {errors[0]}" if errors else ""
    raise CouldNotRun(f"the scheduler has no workers that answer{reason}")


def check_alike(here: Mapping[str, str], there: Mapping[str, Mapping[str, str]]) -> None:
    """Raise `CouldNotRun` if a worker has other versions, code or processor."""
    for worker, found in there.items():
        for name in here:
            if found.get(name) != here[name]:
                raise CouldNotRun(
                    f"{name} is {found.get(name)!r} in the worker {worker}, and {here[name]!r} here"
                )


def run_on(
    client: Any, function: Callable[[Order], dict[str, Any]], orders: Iterable[Order], each: int
) -> Iterator[Done]:
    """Run the orders on the workers and yield them as they end.

    each: how many a thread of a worker has at once
    """
    waiting: dict[str, Order] = {}
    ended = import_module("distributed").as_completed(raise_errors=False)
    remaining, at_once = iter(orders), each * sum(client.nthreads().values())

    def submit() -> bool:
        order = next(remaining, None)
        if order is None:
            return False
        future = client.submit(function, dict(order), pure=False, retries=1)
        waiting[future.key] = order
        ended.add(future)
        return True

    while len(waiting) < at_once and submit():
        pass
    for future in ended:
        order = waiting.pop(future.key)
        if future.status == "finished":
            yield Done(order, future.result())
        elif future.status == "cancelled":
            raise CouldNotRun("the scheduler has ended")
        else:
            yield Done(order, {}, reason_of(future.exception()))
        submit()


def reason_of(error: BaseException) -> str:
    """Return why an order is lost."""
    return f"{type(error).__name__}: {error}"[:300]
