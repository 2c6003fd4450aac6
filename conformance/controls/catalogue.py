"""All controls: the planted faults, and torch as its own subject without a fault."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from ..engine.aggregate import merge
from ..engine.execution import run_property
from ..engine.expectations import judge
from ..engine.registry import Property
from ..engine.session import Session
from ..observation.cross_device import observer_for, on_meta, without_device
from ..observation.facets import observe
from ..properties import all_properties
from . import faults
from .control import CONTROLS as CONTROLS
from .fault_injection import Fault, FaultyLibrary

for _module in iter_modules(faults.__path__, f"{faults.__name__}."):
    import_module(_module.name)


def torch_against_itself(session: Session, name: str) -> dict[str, Any]:
    """Run one property with torch as its own subject, and return the result as data.

    No problem may be found.  The cells are those that the run asks; of many, scattered ones are
    enough, as torch's results that vary between runs do so in many cells.  The subject has the
    hooks of the planted faults without a fault, so what catches a fault is the fault.
    """
    torch = without_device(session.oracle)
    profile = session.profile.against_itself
    through_hooks = FaultyLibrary(torch.root, Fault())
    quick = replace(session, oracle=torch, subject=through_hooks, profile=profile, observer=observe)
    prop = all_properties()[name]
    if (domain := prop.domain) is not None:
        sample = partial(prop.sample, one_in=prop.one_in_of(session.profile), seed=session.seed)
        prop = replace(
            prop, domain=lambda torch: sample(domain(torch)).thinned(profile.scattered_cells)
        )
    problems = judge([merge(prop, run_property(quick, prop)).for_judging()]).problems
    return {
        "id": f"{ITSELF}:{name}",
        "kind": "itself",
        "fault": "none: torch is its own subject",
        "property": name,
        "caught_as": "nothing",
        "caught": not problems,
        "found": sorted({problem.kind for problem in problems}),
        "problems": len(problems),
        "example": problems[0].text if problems else None,
        **(
            {"on_meta": _torch_on_meta(replace(quick, oracle=session.oracle), prop)}
            if session.subject.device_type == "meta"
            else {}
        ),
    }


def _torch_on_meta(session: Session, prop: Property) -> dict[str, Any]:
    """Return the differences of torch on meta from torch on the CPU, in the same cells."""
    subject = on_meta(session.oracle)
    record = merge(
        prop, run_property(replace(session, subject=subject, observer=observer_for(subject)), prop)
    )
    facets = Counter(divergence.facet for divergence in record.divergences)
    first = record.divergences[0] if record.divergences else None
    return {
        "differences": dict(sorted(facets.items())),
        "example": first
        and {
            "case": first.case,
            "facet": first.facet,
            "expected": first.expected,
            "observed": first.observed,
        },
    }


ITSELF = "torch-against-itself"


def runs(properties: Iterable[str]) -> dict[str, Callable[[Session], dict[str, Any]]]:
    """Return every control by its id, torch against itself first."""
    return {
        **{f"{ITSELF}:{name}": partial(torch_against_itself, name=name) for name in properties},
        **{control.id: control.run for control in CONTROLS},
    }
