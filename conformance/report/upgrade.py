"""The conversion of reports of schemas 2 and 3 to the present schema."""

import json
from typing import Any

from ..core.formatting import short_hash

BEFORE = "torch-attributes-conformance/3"
LONG_BEFORE = "torch-attributes-conformance/2"

_FACETS = {"left": "rollback", "lazy": "conj_neg", "memory": "storage", "chain": "cause"}
_KEYS = {"votes": "third_party_results", "alone": "outlier"}


def upgraded(report: dict[str, Any], version: str) -> dict[str, Any]:
    """Return a report of schema 2 or 3 in the present schema, or any other report.

    Of all, the levels of areas that are not about the subject are left out.
    """
    report = _with_renamed_facets(report)
    if "levels" in report:
        report = _without_levels_of_suite(report)
    if report["schema"] != BEFORE:
        return report | {name: None for name in ("schemas", "certificate") if name not in report}
    try:
        # Blocked cells were not counted.
        domains = [row["domain"] | {"blocked": 0, "blocked_by": {}} for row in report["properties"]]
        properties = [
            row | {"domain": domain}
            for row, domain in zip(report["properties"], domains, strict=True)
        ]
        new: dict[str, Any] = {"schemas": None, "certificate": None, "blocked": []}
        return report | new | {"schema": version, "properties": properties}
    except (AttributeError, KeyError, TypeError):  # validation names the missing field
        return report | {"schema": version}


def _without_levels_of_suite(report: dict[str, Any]) -> dict[str, Any]:
    """Return a report with the levels of areas that are about the subject."""
    try:
        areas = {row["area"] for row in report["properties"] if row["about_subject"]}
        return report | {"levels": [row for row in report["levels"] if row["area"] in areas]}
    except (KeyError, TypeError):  # validation names the wrong field
        return report


def _with_renamed_facets(report: dict[str, Any]) -> dict[str, Any]:
    """Return a report of schema 2 in schema 3, or any other report unchanged.

    Facets and two fields were renamed, so ids and fingerprints are computed again.
    """
    if report["schema"] != LONG_BEFORE:
        return report
    try:
        renamed: dict[str, Any] = _renamed(report)
        return renamed | {
            "schema": BEFORE,
            "divergences": [_divergence(row) for row in report["divergences"]],
            "controls": [_control(row) for row in renamed["controls"]],
            "clauses": [_clause(row) for row in renamed["clauses"]],
            "documents": _documents(report["clauses"]),
        }
    except (AttributeError, KeyError, TypeError):  # validation names the missing field
        return report | {"schema": BEFORE}


def _renamed(value: Any, key: str = "") -> Any:
    """Return a value with the facets renamed in keys of counts and in fields with facet names."""
    if isinstance(value, dict):
        names = _FACETS if key == "facets" else {}
        return {names.get(name, name): _renamed(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return [_renamed(item, key) for item in value]
    return _FACETS.get(value, value) if key in ("facet", "facets", "caught_as", "found") else value


def _divergence(row: dict[str, Any]) -> dict[str, Any]:
    new = {_KEYS.get(name, name): value for name, value in row.items()}
    new["facet"] = _FACETS.get(row["facet"], row["facet"])
    new["expected"], new["observed"] = _tensors(row["expected"]), _tensors(row["observed"])
    content = row["missing"] or f"{new['facet']}\n{row['case']}"
    new["id"] = short_hash(f"{row['property']}\n{content}")
    new["fingerprint"] = short_hash(json.dumps([new["expected"], new["observed"]]))
    return new


def _clause(row: dict[str, Any]) -> dict[str, Any]:
    """Replace the sources of a clause by its heading and the names of its documents."""
    new = {name: value for name, value in row.items() if name != "sources"}
    sources = row["sources"]
    return new | {
        "heading": sources[0]["heading"],
        "documents": [source["document"] for source in sources],
    }


def _documents(clauses: list[dict[str, Any]]) -> list[dict[str, str]]:
    """Return the documents of all clauses, of which schema 2 has the files alone."""
    files = dict.fromkeys(source["document"] for row in clauses for source in row["sources"])
    return [{"name": file, "file": file, "title": file, "address": ""} for file in files]


def _control(row: dict[str, Any]) -> dict[str, Any]:
    """Return the row of a control with the facet of a blind comparator renamed."""
    before = row["id"].removeprefix("blind-to-")
    name = _FACETS.get(before, "")
    if before == row["id"] or not name:
        return row
    fault = f"{row['fault'].removesuffix(before)}{name}"
    return row | {"id": f"blind-to-{name.replace('_', '-')}", "fault": fault}


def _tensors(value: Any) -> Any:
    """Return a value with the facets renamed in the states of tensors."""
    if isinstance(value, list):
        return [_tensors(item) for item in value]
    if not isinstance(value, dict):
        return value
    names = _FACETS if "tensor" in value else {}
    return {names.get(name, name): _tensors(item) for name, item in value.items()}
