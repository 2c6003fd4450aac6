"""The shards of a run on several machines: their tests, their files, and their merging.

Tests are assigned to shards in turn, so that each shard has parts of every property.  A shard
writes the results of its tests without judging them.  All shards are judged together as one run.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from ..controls.catalogue import runs
from ..core.errors import CouldNotRun
from ..core.profiles import PROFILES
from ..core.selection import includes
from ..properties import all_properties
from ..report.files import replace_file
from ..spec import code_digest
from .settings import ASKED, Share

SCHEMA = "torch-attributes-conformance-shard/1"
CONTROLS_ONLY = "controls"
"""The value of ``--only`` for a run of the controls alone."""

MAX_DURATION_S = 10**9
"""The longest accepted duration of a shard, in seconds."""


def read_share(text: str) -> Share:
    """Return the share for a text such as ``2/3``; raise `CouldNotRun` for any other text.

    >>> read_share("2/3")
    (2, 3)
    """
    match = re.fullmatch(r"(\d{1,4})/(\d{1,4})", text)
    share = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 1 <= share[0] <= share[1]:
        raise CouldNotRun(f"{text!r} is no shard; write 1/3, 2/3 and 3/3 for the three of three")
    return share


def all_ids(only: str | None) -> list[str]:
    """Return the ids of all tests of a run or an area: parts of properties, then controls."""
    properties = all_properties()
    parts = [
        part_id(prop.id, part)
        for prop in properties.values()
        if includes(only, prop.id)
        for part in range(prop.parts)
    ]
    return [*parts, *map(control_id, runs(properties) if only in (None, CONTROLS_ONLY) else ())]


def shard_ids(share: Share | None, only: str | None) -> list[str]:
    """Return the ids of the tests of one shard, or of all."""
    ids = all_ids(only)
    return ids if share is None else ids[share[0] - 1 :: share[1]]


def part_id(name: str, part: int) -> str:
    """Return the id of one part of a property."""
    return f"{name}[{part}]"


def control_id(name: str) -> str:
    """Return the id of a control."""
    return f"{_CONTROL}{name}"


def without_controls(ids: Iterable[str]) -> list[str]:
    """Return the ids of parts of properties."""
    return [name for name in ids if not name.startswith(_CONTROL)]


_CONTROL = "control "


@dataclass(frozen=True)
class Shard:
    """The settings of a shard and the results of its tests.

    asked, code: the settings that `ASKED` names, and the digests of the suite and the subject.
    facts: the environment of the tests; empty in a shard without tests.
    parts, controls: the records of properties, and the results of controls.
    """

    share: Share
    asked: Mapping[str, Any]
    code: Mapping[str, Any]
    facts: Mapping[str, Mapping[str, str]]
    started: str
    duration_s: float
    parts: Sequence[str]
    controls: Sequence[Mapping[str, Any]]


def file_name(share: Share) -> str:
    """Return the file name of a shard."""
    return f"shard-{share[0]}-of-{share[1]}.json"


def write(folder: Path, shard: Shard) -> Path:
    """Write a shard into a folder in one step; raise `CouldNotRun` if that fails."""
    path = folder / file_name(shard.share)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        replace_file(path, json.dumps({"schema": SCHEMA, **asdict(shard)}) + "\n")
    except OSError as error:
        raise CouldNotRun(f"cannot write {path}: {error.strerror}") from error
    return path


def in_folder(folder: Path) -> list[Path]:
    """Return the shard files in a folder."""
    return sorted(folder.glob("shard-*-of-*.json"))


def remove_from(folder: Path) -> None:
    """Delete the shard files in a folder."""
    for path in in_folder(folder):
        path.unlink(missing_ok=True)


def is_shard(data: Any) -> bool:
    """Return whether data from JSON has the schema of a shard."""
    return isinstance(data, dict) and data.get("schema") == SCHEMA


def shard_from_data(data: Mapping[str, Any], path: Path) -> Shard:
    """Return the shard for the data of a shard file; raise `CouldNotRun` if it is not valid."""
    try:
        return _from_fields({name: data[name] for name in Shard.__annotations__})
    except (AttributeError, KeyError, TypeError, ValueError, CouldNotRun) as error:
        raise CouldNotRun(f"{path} is no whole shard: {type(error).__name__}: {error}") from None


def _from_fields(fields: dict[str, Any]) -> Shard:
    first, of = fields["share"]
    fields["share"] = read_share(f"{first}/{of}")
    fields |= {name: dict(fields[name]) for name in ("asked", "code", "facts")}
    shard = Shard(**fields)
    _check_asked(shard.asked)
    if shard.facts or shard.parts or shard.controls:
        shard.facts["environment"]["cores"], shard.facts["facts"]["cores"]
    datetime.fromisoformat(shard.started)
    if not 0 <= float(shard.duration_s) <= MAX_DURATION_S:
        raise ValueError(f"it ran for {shard.duration_s} seconds")
    if repeated := [name for name, times in Counter(completed_ids(shard)).items() if times > 1]:
        raise ValueError(f"{repeated[0]} is there twice")
    return shard


def completed_ids(shard: Shard) -> list[str]:
    """Return the ids of the tests whose results are in a shard."""
    parts = map(json.loads, shard.parts)
    return [
        *(part_id(part["property_id"], part["part"]) for part in parts),
        *(control_id(control["id"]) for control in shard.controls),
    ]


def _check_asked(asked: Mapping[str, Any]) -> None:
    """Raise ValueError if the settings are not valid for a run."""
    if asked.keys() != set(ASKED):
        raise ValueError(f"asked for is {', '.join(asked)}")
    only, profile, seed = (asked[name] for name in ("only", "profile", "seed"))
    if only is not None and not any(includes(only, name) for name in all_properties()):
        raise ValueError(f"no area is called {only!r}")
    if profile not in PROFILES or type(seed) is not int:
        raise ValueError(f"there is no profile {profile!r} with the seed {seed!r}")
    for name in ("subject", "oracle"):
        if not isinstance(asked[name], str) or not asked[name].strip():
            raise ValueError(f"the {name} is {asked[name]!r}")


def merge_shards(shards: Sequence[Shard]) -> Shard:
    """Return all shards of a run, in any order, merged into one.

    Raises `CouldNotRun` if a shard is missing or belongs to another run.  It also raises if the
    shards are from another version of the suite.  The times and numbers of cores may differ.
    """
    in_order = sorted(shards, key=lambda shard: shard.share)
    first = in_order[0]
    ran = [shard for shard in in_order if shard.facts]
    for shard in in_order[1:]:
        _check_alike(first, shard, "asked", "code")
    for shard in ran[1:]:
        _check_alike(ran[0], shard, "facts")
    _check_complete(in_order)
    _check_tests(in_order)
    cores = {str(shard.facts["environment"]["cores"]) for shard in ran}
    listed = " and ".join(sorted(cores, key=lambda number: (len(number), number)))
    return Shard(
        (1, 1),
        first.asked,
        first.code,
        {
            name: {**values, "cores": listed} if "cores" in values else values
            for name, values in ran[0].facts.items()
        },
        min(shard.started for shard in in_order),
        sum(shard.duration_s for shard in in_order),
        [part for shard in in_order for part in shard.parts],
        [control for shard in in_order for control in shard.controls],
    )


def _check_alike(first: Shard, second: Shard, *fields: str) -> None:
    for field in fields:
        ours, theirs = (_comparable(field, getattr(shard, field)) for shard in (first, second))
        for name in {**ours, **theirs}:
            if ours.get(name) != theirs.get(name):
                raise CouldNotRun(
                    f"shards {_label(first)} and {_label(second)} conflict: {name}"
                    f" is {ours.get(name)!r} in one and {theirs.get(name)!r} in the other"
                )


def _comparable(field: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that must be equal, by the names that messages use for them."""
    if field == "code":
        return {f"the code of the {name}": digest for name, digest in values.items()}
    if field == "asked":
        return dict(values)
    return {
        name: value for facts in values.values() for name, value in facts.items() if name != "cores"
    }


def _check_complete(shards: Sequence[Shard]) -> None:
    counts = sorted({shard.share[1] for shard in shards})
    if len(counts) > 1:
        raise CouldNotRun(f"shards of {' and of '.join(map(str, counts))} are no one run")
    numbers = [shard.share[0] for shard in shards]
    if twice := [number for number in numbers if numbers.count(number) > 1]:
        raise CouldNotRun(f"shard {twice[0]} of {counts[0]} is given twice")
    if missing := sorted(set(range(1, counts[0] + 1)) - set(numbers)):
        others = f", nor are {len(missing) - 1} others" if len(missing) > 1 else ""
        raise CouldNotRun(f"shard {missing[0]} of {counts[0]} is not there{others}")


def _check_tests(shards: Sequence[Shard]) -> None:
    """Raise `CouldNotRun` if a shard does not hold exactly its tests by this suite."""
    made_with, current = shards[0].code.get("suite"), code_digest.suite_digest()
    if made_with != current:
        raise CouldNotRun(
            f"another suite made these shards: the digest of its code is {made_with},"
            f" that of this one {current}"
        )
    for shard in shards:
        mismatched = set(shard_ids(shard.share, shard.asked["only"])) ^ set(completed_ids(shard))
        if mismatched:
            raise CouldNotRun(
                f"shard {_label(shard)} does not hold the tests that are its own;"
                f" {min(mismatched)} is one that it lacks or should not have"
            )
    if not any(shard.facts for shard in shards):
        raise CouldNotRun("nothing was run in any of these shards")


def _label(shard: Shard) -> str:
    return f"{shard.share[0]}/{shard.share[1]}"
