"""Tells whether data is a report: by the published schema, and by what a schema cannot say.

``schema.json`` describes every field.  What it cannot say, `consistency` looks at: that counts add
up, that what is named is there, and that verdicts follow from what was found.
"""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import fastjsonschema

from . import consistency

PATH = Path(__file__).with_name("schema.json")


@cache
def schema() -> dict[str, Any]:
    """Return the published schema."""
    found: dict[str, Any] = json.loads(PATH.read_text(encoding="utf-8"))
    return found


def version() -> str:
    """Return the version of reports that the schema is for."""
    found: str = schema()["properties"]["schema"]["const"]
    return found


@cache
def _validator() -> Callable[[Any], Any]:
    """Return the schema as a function, which is compiled once in a process."""
    made: Callable[[Any], Any] = fastjsonschema.compile(schema())
    return made


def problems(report: Any) -> list[str]:
    """Return what is wrong with a report, each in a line that begins with the place.

    Of what the schema says, the first is returned alone.  The rest is looked at only in a report
    that follows the schema.

    >>> problems([])
    ['report: must be object']
    """
    try:
        _validator()(report)
    except fastjsonschema.JsonSchemaValueException as error:
        name = error.name or ""
        place = name.removeprefix("data").removeprefix(".")
        what = error.message.removeprefix(name).strip()
        return [" ".join(f"{place or 'report'}: {what}".split())]
    return list(consistency.problems(report))


def check(report: Any) -> None:
    """Raise ValueError, with the first problem, unless data is a whole and consistent report."""
    if found := problems(report):
        raise ValueError(found[0])
