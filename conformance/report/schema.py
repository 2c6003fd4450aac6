"""The validation of reports, by the published schema and by `consistency`.

``schema.json`` describes every field.  `consistency` checks the rest: counts add up, references
resolve, and verdicts follow from the results.
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
    result: dict[str, Any] = json.loads(PATH.read_text(encoding="utf-8"))
    return result


def version() -> str:
    """Return the version of the schema."""
    result: str = schema()["properties"]["schema"]["const"]
    return result


@cache
def _validator() -> Callable[[Any], Any]:
    """Return the compiled schema."""
    validator: Callable[[Any], Any] = fastjsonschema.compile(schema())
    return validator


def problems(report: Any) -> list[str]:
    """Return the problems of a report, each as a line that begins with the path of the field.

    If the report violates the schema, only the first violation is returned.  Consistency is checked
    only in a report that follows the schema.

    >>> problems([])
    ['report: must be object']
    """
    try:
        _validator()(report)
    except fastjsonschema.JsonSchemaValueException as error:
        name = error.name or ""
        path = name.removeprefix("data").removeprefix(".")
        message = error.message.removeprefix(name).strip()
        return [" ".join(f"{path or 'report'}: {message}".split())]
    return list(consistency.problems(report))


def check(report: Any) -> None:
    """Raise ValueError with the first problem if data is not a valid report."""
    if messages := problems(report):
        raise ValueError(messages[0])
