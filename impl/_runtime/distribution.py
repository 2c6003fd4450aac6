"""The metadata of the distribution ``torch``, for which this package stands in."""

from collections.abc import Iterable
from importlib.metadata import Distribution, DistributionFinder
from os import PathLike
from typing import NoReturn

from .version_numbers import VERSION


class _Torch(Distribution):
    """A distribution that has a name and a version, and no files."""

    def read_text(self, filename: str) -> str | None:
        if filename != "METADATA":
            return None
        return f"Metadata-Version: 2.1\nName: torch\nVersion: {VERSION}\n"

    def locate_file(self, path: str | PathLike[str]) -> NoReturn:
        raise NotImplementedError("the distribution torch, which impl stands in for, has no files")


def find(context: DistributionFinder.Context | None) -> Iterable[Distribution]:
    """Return the distribution, if ``context`` has its name or none."""
    name = None if context is None else context.name
    return [_Torch()] if name is None or name.lower() == "torch" else []
