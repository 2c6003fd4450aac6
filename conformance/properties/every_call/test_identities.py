"""Identities: the names, modules, parameters, copies and pickles of public objects."""

import inspect
import pickle
import warnings
from functools import cache
from types import ModuleType
from typing import Any

from ...core.domain import Domain
from ...engine.decorators import exhaustive
from ...engine.probe import Probe
from ...spec.public_surface import in_scope, resolve_name

USES = (
    "callable(v)", "isinstance(v, type)", "v.__name__.removeprefix(torch.__name__)",
    "copy.copy(v) is v", "copy.deepcopy(v) is v", "hash(v) == hash(v)", "v == v", "v != None",
    "bool(v)", "str(v) == repr(v)",
)  # fmt: skip
_ROUND_TRIPS = (
    "pickle.loads(pickle.dumps(v)) is v", "pickle.loads(pickle.dumps(v, 2)) is v"
)  # fmt: skip
_MODULE = "v.__module__.removeprefix(torch.__name__)"
_PICKLE = "pickle.dumps(v, 2).replace(torch.__name__.encode(), b'torch')"
_PICKLE_4 = (
    "[(op.name, str(arg).replace(torch.__name__, 'torch'))"
    " for op, arg, _ in __import__('pickletools').genops(pickle.dumps(v, 4)) if op.name != 'FRAME']"
)
_PARAMETERS = (
    "[(p.name, p.kind.name, p.default is p.empty, type(p.default).__name__,"
    " isinstance(p.default, (bool, int, float, str)) and p.default)"
    " for p in inspect.signature(v).parameters.values()]"
)
_CONSTANTS = "dtype", "layout", "memory_format"


@cache
def _names(torch: Any) -> tuple[str, ...]:
    """Return the names of the public objects that are no descriptors, whose classes are private."""
    with warnings.catch_warnings(action="ignore"):
        values = {name: resolve_name(torch, name) for name in in_scope(torch)}
    return tuple(
        name
        for name, value in values.items()
        if callable(value) or isinstance(value, ModuleType) or _is_constant(torch, value)
    )


def _is_constant(torch: Any, value: Any) -> bool:
    return isinstance(value, tuple(getattr(torch, name) for name in _CONSTANTS))


def _public_uses(torch: Any, name: str) -> list[str]:
    """Return the uses of an object in which torch shows no private module or class."""
    value, owner = resolve_name(torch, name), name.rpartition(".")[0]
    is_constant = _is_constant(torch, value)
    is_defined_here = getattr(value, "__module__", None) == owner
    uses = [_MODULE] if is_defined_here else []
    try:
        form = pickle.dumps(value, 4)
    except Exception:  # noqa: BLE001  # modules, and functions that something replaced
        pass
    else:
        uses += _ROUND_TRIPS
        is_public = (is_constant or is_defined_here) and b"torch._" not in form
        uses += [_PICKLE, _PICKLE_4] if is_public else []
    return [*uses, _PARAMETERS] if inspect.isfunction(value) else uses


@exhaustive(lambda torch: Domain(name=_names(torch)), parts=2)
def test_objects(ask: Probe, name: str) -> None:
    """A public object has torch's name, module and parameters, and is copied and pickled alike."""
    uses = (*USES, *_public_uses(ask.session.oracle.root, name))
    ask(f"v = {name}", *uses, question=1)
