"""Draws of Hypothesis that depend on the seed, its version and the suite alone.

Hypothesis collects the constants of the modules that it takes for local ones, and draws some of
them. Which modules these are depends on the working folder and on what was imported before.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from hypothesis.internal.conjecture import providers


@contextmanager
def without_local_constants() -> Iterator[None]:
    """Let Hypothesis draw no constants of modules. Its cache has them, so it is emptied."""
    if not hasattr(providers, "_get_local_constants"):  # a version that collects none
        yield
        return
    collect = providers._get_local_constants
    providers._get_local_constants = type(providers.GLOBAL_CONSTANTS)
    providers.CONSTANTS_CACHE.cache.clear()
    try:
        yield
    finally:
        providers._get_local_constants = collect
        providers.CONSTANTS_CACHE.cache.clear()
