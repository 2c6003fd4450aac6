"""The properties: one module per area, one test function per claim."""

import sys
from importlib import import_module
from pathlib import Path

from ..engine.registry import REGISTERED, Property


def all_properties() -> dict[str, Property]:
    """Return every property of the suite by its id, in the order of the files."""
    properties: dict[str, Property] = {}
    folder = Path(__file__).parent
    for path in sorted(folder.rglob("test_*.py"), key=lambda path: path.name):
        module = path.relative_to(folder).with_suffix("")
        name = ".".join((__name__, *module.parts))
        # A property module that calls this is partly loaded.
        if name not in sys.modules:
            import_module(name)
        area = path.stem.removeprefix("test_")
        properties |= {key: prop for key, prop in REGISTERED.items() if prop.area == area}
    return properties
