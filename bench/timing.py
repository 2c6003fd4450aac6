"""Timing of a statement on both sides, in turn, in one process."""

import statistics
import time
from collections.abc import Mapping
from timeit import Timer
from typing import Any

SIDES = ("torch", "impl")

_WARM_UP_CALLS = 200
"""The most calls per round of a statement that is slow enough for helper threads."""

Timers = Mapping[str, Timer]
"""A timer for each side."""


def timer(statement: str, scope: dict[str, Any], setup: str = "pass") -> Timer:
    """Return the timer of a statement; names of the scope are local variables, as in fast code."""
    names = [name for name in scope if name not in ("torch", "__builtins__")]
    local = "; ".join([f"{name} = scope[{name!r}]" for name in names] or ["pass"])
    return Timer(statement, f"{local}; {setup}", globals={"scope": scope, **scope})


def medians(timers: Timers, rounds: int) -> dict[str, float]:
    """Return the median seconds of a call on each side, in rounds of about 10 ms."""
    numbers = {side: each.autorange()[0] // 20 or 1 for side, each in timers.items()}
    rounds_of = alternate(timers, numbers, rounds, warm_up=0.02)
    return {side: statistics.median(seconds) for side, seconds in rounds_of.items()}


def minima(timers: Timers, budget: float = 0.02) -> dict[str, float]:
    """Return the least seconds of a call on each side, in a few short rounds.

    budget: about how many seconds the rounds of a side take, if the statement is fast
    """
    first = {side: _first_call(each) for side, each in timers.items()}
    slowest = max(first.values())
    rounds = 5 if slowest < budget / 10 else 3 if slowest < 5 * budget else 1
    numbers = {side: int(budget / rounds / seconds) or 1 for side, seconds in first.items()}
    rounds_of = alternate(timers, numbers, rounds, warm_up=budget / 5)
    return {side: min(seconds) for side, seconds in rounds_of.items()}


def _first_call(timer: Timer) -> float:
    """Return the seconds of the third call: libraries prepare what they keep in the first two."""
    timer.timeit(2)
    return timer.timeit(1)


def alternate(
    timers: Timers, numbers: Mapping[str, int], rounds: int, warm_up: float
) -> dict[str, list[float]]:
    """Return the seconds of a call in each round, of so many calls, by the side."""
    seconds: dict[str, list[float]] = {side: [] for side in timers}
    for _ in range(rounds):
        for side, each in timers.items():
            if numbers[side] <= _WARM_UP_CALLS:
                _warm_up(each, warm_up)
            seconds[side].append(each.timeit(numbers[side]) / numbers[side])
    return seconds


def _warm_up(timer: Timer, seconds: float) -> None:
    """Run a statement for some seconds without timing it.

    The other side's helper threads use the cores for some milliseconds after its last call,
    and the caches contain its data.
    """
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        timer.timeit(1)
