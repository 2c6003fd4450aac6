"""Decorators that declare properties, one function each.

A property runs programs through ``ask`` and does not judge the results. `exhaustive` calls it with
every cell of a finite domain, `sampled` with draws of Hypothesis. Both make a pytest test of it, in
parts that workers can share.
"""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis.strategies import SearchStrategy

from ..core.domain import Domain
from .execution import run_part
from .registry import Body, Property, register
from .session import Session

Test = Callable[..., None]


def exhaustive(
    domain: Callable[[Any], Domain],
    *,
    parts: int = 1,
    about_subject: bool = True,
    cuda: bool = False,
    grid_step: int | None = None,
    lists_cells: bool = False,
    one_in: int = 1,
    asks_part: bool = False,
    starts_processes: bool = False,
) -> Callable[[Body], Test]:
    """Declare a property for every cell of a domain.

    domain: a function that creates the domain from the oracle's namespace
    parts: the number of tests that share the cells
    cuda: whether its programs name CUDA devices
    grid_step: the index of the step of each cell's first program whose answer is reported
    lists_cells: whether a report lists its cells
    one_in: one in how many cells a quick run asks; they change with the seed
    asks_part: whether a quick run asks only some programs of a cell; they change with the seed
    starts_processes: whether each program starts a process, so a smoke run asks one cell only, and
        what diverges is not repeated to be shortened
    """
    options: dict[str, Any] = {
        "domain": domain,
        "about_subject": about_subject,
        "cuda": cuda,
        "lists_cells": lists_cells,
        "one_in": one_in,
        "asks_part": asks_part,
        "starts_processes": starts_processes,
    }
    return lambda body: _as_test(register(body, parts=parts, grid_step=grid_step, **options))


def sampled(
    *, parts: int = 4, calls: int = 1, **strategies: SearchStrategy[Any]
) -> Callable[[Body], Test]:
    """Declare a property for draws of Hypothesis.

    ``calls`` divides the number of draws, for draws that run many programs.
    """
    return lambda body: _as_test(register(body, parts=parts, strategies=strategies, calls=calls))


def _as_test(prop: Property) -> Test:
    @pytest.mark.parametrize("part", range(prop.parts))
    def test(session: Session, request: pytest.FixtureRequest, part: int) -> None:
        record = run_part(session, prop, part)
        request.node.conformance_record = record
        if problems := record.problems():
            pytest.fail(problems, pytrace=False)

    test.__name__ = test.__qualname__ = prop.body.__name__
    test.__module__ = prop.body.__module__
    test.__doc__ = prop.body.__doc__
    return test
