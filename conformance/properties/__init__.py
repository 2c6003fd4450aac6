"""The properties: one module per area, one test function per claim."""

import sys
from importlib import import_module
from pathlib import Path

from ..engine.registry import REGISTERED, Property


def all_properties() -> dict[str, Property]:
    """Return every property of the suite by its id, in the order of the files."""
    properties: dict[str, Property] = {}
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        name = f"{__name__}.{path.stem}"
        # A property module that calls this is partly loaded.
        if name not in sys.modules:
            import_module(name)
        area = path.stem.removeprefix("test_")
        properties |= {key: prop for key, prop in REGISTERED.items() if prop.area == area}
    return properties
