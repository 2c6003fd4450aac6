"""Makes properties: what the suite checks, one function each.

A property asks questions through ``ask`` and never judges the answers itself.
`exhaustive` hands it every cell of a finite domain, `sampled` what Hypothesis
draws.  Both make a pytest test of it, in parts that workers can share.
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
) -> Callable[[Body], Test]:
    """Make a property that is asked about every cell of a domain.

    ``domain`` makes the domain from the oracle's namespace.  ``cuda`` says that the
    programs name CUDA devices.  What the oracle answers in the step ``grid_step`` of each cell's
    first program is kept for the report.
    """
    how: dict[str, Any] = {"domain": domain, "about_subject": about_subject, "cuda": cuda}
    return lambda body: _as_test(register(body, parts=parts, grid_step=grid_step, **how))


def sampled(
    *, parts: int = 4, calls: int = 1, **strategies: SearchStrategy[Any]
) -> Callable[[Body], Test]:
    """Make a property that is asked about what Hypothesis draws from the strategies.

    ``calls`` is how many times more one draw asks than usual; so many times
    fewer are drawn.
    """
    return lambda body: _as_test(register(body, parts=parts, strategies=strategies, calls=calls))


def _as_test(new: Property) -> Test:
    @pytest.mark.parametrize("part", range(new.parts))
    def test(session: Session, request: pytest.FixtureRequest, part: int) -> None:
        record = run_part(session, new, part)
        request.node.conformance_record = record
        if problems := record.problems():
            pytest.fail(problems, pytrace=False)

    test.__name__ = test.__qualname__ = new.body.__name__
    test.__module__ = new.body.__module__
    test.__doc__ = new.body.__doc__
    return test
