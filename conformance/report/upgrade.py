"""Reports of an earlier version of the schema, as the present one has them."""

import json
from typing import Any

from ..core.formatting import short_hash

BEFORE = "torch-attributes-conformance/2"

_FACETS = {"left": "rollback", "lazy": "conj_neg", "memory": "storage", "chain": "cause"}
_KEYS = {"votes": "third_party_results", "alone": "outlier"}


def upgraded(report: dict[str, Any], version: str) -> dict[str, Any]:
    """Return a report of schema 2 as one of the present schema; any other as it is.

    Facets and two fields have other names since, and what follows from names is computed again.
    """
    if report["schema"] != BEFORE:
        return report
    try:
        renamed: dict[str, Any] = _renamed(report)
        return renamed | {
            "schema": version,
            "divergences": [_divergence(each) for each in report["divergences"]],
            "controls": [_control(each) for each in renamed["controls"]],
        }
    except (AttributeError, KeyError, TypeError):  # what it lacks, the schema says
        return report | {"schema": version}


def _renamed(value: Any, key: str = "") -> Any:
    """Rename facets where they are keys of counts, and where they are named."""
    if isinstance(value, dict):
        names = _FACETS if key == "facets" else {}
        return {names.get(name, name): _renamed(each, name) for name, each in value.items()}
    if isinstance(value, list):
        return [_renamed(each, key) for each in value]
    return _FACETS.get(value, value) if key in ("facet", "facets", "caught_as", "found") else value


def _divergence(row: dict[str, Any]) -> dict[str, Any]:
    new = {_KEYS.get(name, name): value for name, value in row.items()}
    new["facet"] = _FACETS.get(row["facet"], row["facet"])
    new["expected"], new["observed"] = _tensors(row["expected"]), _tensors(row["observed"])
    what = row["missing"] or f"{new['facet']}\n{row['case']}"
    new["id"] = short_hash(f"{row['property']}\n{what}")
    new["fingerprint"] = short_hash(json.dumps([new["expected"], new["observed"]]))
    return new


def _control(row: dict[str, Any]) -> dict[str, Any]:
    """Rename the facet that a comparator is blind to."""
    before = row["id"].removeprefix("blind-to-")
    name = _FACETS.get(before, "")
    if before == row["id"] or not name:
        return row
    fault = f"{row['fault'].removesuffix(before)}{name}"
    return row | {"id": f"blind-to-{name.replace('_', '-')}", "fault": fault}


def _tensors(value: Any) -> Any:
    """Rename facets in what is said of tensors."""
    if isinstance(value, list):
        return [_tensors(each) for each in value]
    if not isinstance(value, dict):
        return value
    names = _FACETS if "tensor" in value else {}
    return {names.get(name, name): _tensors(each) for name, each in value.items()}
