"""torch.__version__, and the order of version numbers (torch/torch_version.py, PEP 440)."""

import re
from collections.abc import Iterable
from typing import Any

from .lazy_exports import set_module

VERSION = "2.13.0+impl"
"""The version of torch that this package follows."""

GIT_VERSION = "cf30153c4c131c8164ee7798e5022d810682e2cb"
"""The commit of that version."""

_PATTERN = re.compile(
    r"""\s*v?
    (?:(?P<epoch>[0-9]+)!)?
    (?P<release>[0-9]+(?:\.[0-9]+)*)
    (?P<pre>[-_.]?(?P<phase>alpha|a|beta|b|preview|pre|c|rc)[-_.]?(?P<pre_number>[0-9]+)?)?
    (?P<post>-(?P<post_number>[0-9]+)|[-_.]?(?:post|rev|r)[-_.]?(?P<post_number_2>[0-9]+)?)?
    (?P<dev>[-_.]?dev[-_.]?(?P<dev_number>[0-9]+)?)?
    (?:\+(?P<local>[a-z0-9]+(?:[-_.][a-z0-9]+)*))?
    \s*""",
    re.VERBOSE | re.IGNORECASE,
)
_PHASES = {"alpha": "a", "beta": "b", "c": "rc", "pre": "rc", "preview": "rc"}


class InvalidVersion(ValueError):
    """Raised for a value that is no version number."""


def version_key(text: str) -> tuple[Any, ...]:
    """Return a key by which version numbers are ordered; raise `InvalidVersion`.

    >>> version_key("1.0.dev3") < version_key("1.0rc1") < version_key("v1") == version_key("1.0.0")
    True
    """
    match = _PATTERN.fullmatch(text)
    if match is None:
        raise InvalidVersion(f"Invalid version: {text!r}")
    release = [int(number) for number in match["release"].split(".")]
    while release and release[-1] == 0:
        release.pop()
    pre: tuple[Any, ...] = (1,)  # of a release; after those of its candidates
    if match["pre"]:
        phase = match["phase"].lower()
        pre = (0, _PHASES.get(phase, phase), int(match["pre_number"] or 0))
    elif match["dev"] and not match["post"]:
        pre = (-1,)
    post = int(match["post_number"] or match["post_number_2"] or 0) if match["post"] else -1
    dev = (0, int(match["dev_number"] or 0)) if match["dev"] else (1,)
    local = [
        (1, int(part)) if part.isdigit() else (0, part)
        for part in re.split(r"[-_.]", (match["local"] or "").lower())
        if part
    ]
    return int(match["epoch"] or 0), release, pre, post, dev, local


def _key_of(value: Any) -> tuple[Any, ...]:
    """Return the key of a string, or of the items of an iterable."""
    if isinstance(value, str):
        return version_key(value)
    if isinstance(value, Iterable):
        return version_key(".".join(str(item) for item in value))
    raise InvalidVersion(value)


def _comparison(name: str) -> Any:
    """Return the special method that compares version numbers, or else strings."""
    of_keys, of_strings = getattr(tuple, name), getattr(str, name)

    def compare(self: "TorchVersion", other: Any) -> Any:
        try:
            return of_keys(version_key(self), _key_of(other))
        except InvalidVersion:
            return of_strings(self, other)

    compare.__name__ = name
    return compare


class TorchVersion(str):
    """A version number: a string that is compared with strings and tuples as versions are.

    >>> TorchVersion("1.10.0a") > "1.2", TorchVersion("1.10.0a") > (1, 10), str(TorchVersion("2.0"))
    (True, False, '2.0')
    """

    __slots__ = ()

    __hash__ = str.__hash__
    # As in torch, != compares strings.
    __eq__, __lt__, __le__, __gt__, __ge__ = map(
        _comparison, ("__eq__", "__lt__", "__le__", "__gt__", "__ge__")
    )


__version__ = TorchVersion(VERSION)

set_module("torch_version", globals(), ["TorchVersion"])
