"""The properties, one module for each area."""

import sys
from importlib import import_module
from pathlib import Path

from ..engine.registry import REGISTERED, Property


def all_properties() -> dict[str, Property]:
    """Return every property of the suite by its id, in the order of the files."""
    properties: dict[str, Property] = {}
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        name = f"{__name__}.{path.stem}"
        # The module that asks may be one of them, and half loaded.
        if name not in sys.modules:
            import_module(name)
        area = path.stem.removeprefix("test_")
        properties |= {key: each for key, each in REGISTERED.items() if each.area == area}
    return properties
