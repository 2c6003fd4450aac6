"""The packages whose tests run."""

from collections.abc import Mapping
from typing import NamedTuple


class Package(NamedTuple):
    """A package with tests that use torch.

    name: its name in the registry
    tests: the folder of the tests in its source distribution
    folder: the folder of the source distribution in which pytest runs
    environment: variables that its tests read
    """

    name: str
    tests: str
    folder: str = "."
    environment: Mapping[str, str] = {}


PACKAGES = (
    Package("safetensors", "tests", "bindings/python"),
    Package("einops", "einops/tests", environment={"EINOPS_TEST_BACKENDS": "numpy,torch"}),
    Package("array-api-compat", "tests"),
)
