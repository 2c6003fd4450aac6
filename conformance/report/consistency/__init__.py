"""The checks between the fields of a report: counts add up, and references resolve.

Every check yields a line for each problem, which begins with the path of the field.  All checks
need a report that follows the schema.
"""

from collections.abc import Iterator

from ..text import Report
from . import clauses, controls, counts, run, tables

CHECKS = (
    run.check_run,
    run.check_unique,
    counts.check_divergences,
    counts.check_totals,
    counts.check_areas,
    counts.check_properties,
    counts.check_blocked,
    run.check_problems,
    clauses.check_clauses,
    counts.check_levels,
    controls.check_controls,
    controls.check_certified,
    tables.check_surface,
    tables.check_schemas,
    tables.check_elements,
    tables.check_unwritten,
    tables.check_pictures,
    run.check_baseline,
)


def problems(report: Report) -> Iterator[str]:
    """Yield all contradictions in a report."""
    for check in CHECKS:
        yield from check(report)
