"""A run split over several machines: what belongs to which shard, and how shards become one run again.

The tests of a run are dealt out in turn, so that each shard has some of every property.  A shard
writes what its tests brought, unjudged; all of them together are judged as one run.
"""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from ..controls.catalogue import runs
from ..core.errors import CouldNotRun
from ..core.profiles import PROFILES
from ..properties import all_properties
from ..report.files import replace_file
from ..spec import code_digest

SCHEMA = "torch-attributes-conformance-shard/1"
CONTROLS_ONLY = "controls"
"""What ``--only`` is when planted faults are all that is run."""

ASKED = ("subject", "oracle", "profile", "seed", "only")
"""What is asked for, and must be alike in all shards of a run."""

LONGEST_S = 10**9
"""How long the run of a shard may have taken."""

Share = tuple[int, int]
"""Which shard, from 1, of how many."""


def read_share(text: str) -> Share:
    """Read ``2/3``, or raise `CouldNotRun`.

    >>> read_share("2/3")
    (2, 3)
    """
    found = re.fullmatch(r"(\d{1,4})/(\d{1,4})", text)
    share = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= share[0] <= share[1]:
        raise CouldNotRun(f"{text!r} is no shard; write 1/3, 2/3 and 3/3 for the three of three")
    return share


def units(only: str | None) -> list[str]:
    """Return the ids of all tests of a run, or of one area: the parts of properties, and the controls."""
    known = all_properties()
    parts = [
        part_id(prop.id, part)
        for prop in known.values()
        if only is None or prop.area == only
        for part in range(prop.parts)
    ]
    return [*parts, *map(control_id, runs(known) if only in (None, CONTROLS_ONLY) else ())]


def units_of(share: Share | None, only: str | None) -> list[str]:
    """Return the tests of one shard, or all."""
    every = units(only)
    return every if share is None else every[share[0] - 1 :: share[1]]


def part_id(name: str, part: int) -> str:
    """Return the id of one part of a property."""
    return f"{name}[{part}]"


def control_id(name: str) -> str:
    """Return the id of a control."""
    return f"control {name}"


@dataclass(frozen=True)
class Shard:
    """What the tests of a shard brought, and what all shards of a run must have in common.

    ``asked`` is what was asked for, ``code`` the digests of what ran, ``facts`` where it did;
    a shard without tests knows no facts.
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
    """Return the name of the file of a shard."""
    return f"shard-{share[0]}-of-{share[1]}.json"


def write(folder: Path, shard: Shard) -> Path:
    """Write a shard into a folder, whole or not at all."""
    path = folder / file_name(shard.share)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        replace_file(path, json.dumps({"schema": SCHEMA, **asdict(shard)}) + "\n")
    except OSError as error:
        raise CouldNotRun(f"cannot write {path}: {error.strerror}") from error
    return path


def in_folder(folder: Path) -> list[Path]:
    """Return the files of shards that a folder holds."""
    return sorted(folder.glob("shard-*-of-*.json"))


def remove_from(folder: Path) -> None:
    """Take away the shards that an older run left in a folder, where a whole report is newer."""
    for path in in_folder(folder):
        path.unlink(missing_ok=True)


def is_shard(data: Any) -> bool:
    """Tell whether data that was read from JSON says that it is a shard."""
    return isinstance(data, dict) and data.get("schema") == SCHEMA


def of_data(data: Mapping[str, Any], where: Path) -> Shard:
    """Make a shard of what `write` wrote, or raise `CouldNotRun`."""
    try:
        shard = _of_fields({name: data[name] for name in Shard.__annotations__})
    except (AttributeError, KeyError, TypeError, ValueError, CouldNotRun) as error:
        raise CouldNotRun(f"{where} is no whole shard: {type(error).__name__}: {error}") from None
    return shard


def _of_fields(fields: dict[str, Any]) -> Shard:
    first, of = fields["share"]
    fields["share"] = read_share(f"{first}/{of}")
    fields |= {name: dict(fields[name]) for name in ("asked", "code", "facts")}
    shard = Shard(**fields)
    _check_asked(shard.asked)
    if shard.facts or shard.parts or shard.controls:
        shard.facts["environment"]["cores"], shard.facts["facts"]["cores"]
    datetime.fromisoformat(shard.started)
    if not 0 <= float(shard.duration_s) <= LONGEST_S:
        raise ValueError(f"it ran for {shard.duration_s} seconds")
    if repeated := [name for name, times in Counter(brought(shard)).items() if times > 1]:
        raise ValueError(f"{repeated[0]} is there twice")
    return shard


def brought(shard: Shard) -> list[str]:
    """Return the ids of the tests of which a shard holds what they brought."""
    parts = map(json.loads, shard.parts)
    return [
        *(part_id(part["property_id"], part["part"]) for part in parts),
        *(control_id(control["id"]) for control in shard.controls),
    ]


def _check_asked(asked: Mapping[str, Any]) -> None:
    """Raise ValueError if what was asked for is nothing that a run can be asked for."""
    if asked.keys() != set(ASKED):
        raise ValueError(f"asked for is {', '.join(asked)}")
    areas = {prop.area for prop in all_properties().values()}
    only, profile, seed = (asked[name] for name in ("only", "profile", "seed"))
    if only is not None and only not in areas:
        raise ValueError(f"no area is called {only!r}")
    if profile not in PROFILES or type(seed) is not int:
        raise ValueError(f"there is no profile {profile!r} with the seed {seed!r}")
    for name in ("subject", "oracle"):
        if not isinstance(asked[name], str) or not asked[name].strip():
            raise ValueError(f"the {name} is {asked[name]!r}")


def joined(shards: Sequence[Shard]) -> Shard:
    """Make one run of all its shards, in whichever order they are given.

    Raises `CouldNotRun` if they are not all, or not of one run, or if another suite made them: only
    that one can judge them.  What may differ is when each ran, how long, and on how many cores.
    """
    in_order = sorted(shards, key=lambda each: each.share)
    first = in_order[0]
    ran = [each for each in in_order if each.facts]
    for each in in_order[1:]:
        _check_alike(first, each, "asked", "code")
    for each in ran[1:]:
        _check_alike(ran[0], each, "facts")
    _check_all_there(in_order)
    _check_whole(in_order)
    cores = " and ".join(
        sorted({str(each.facts["environment"]["cores"]) for each in ran}, key=_size)
    )
    return Shard(
        (1, 1),
        first.asked,
        first.code,
        {what: {**known, "cores": cores} for what, known in ran[0].facts.items()},
        min(each.started for each in in_order),
        sum(each.duration_s for each in in_order),
        [part for each in in_order for part in each.parts],
        [control for each in in_order for control in each.controls],
    )


def _size(number: str) -> tuple[int, str]:
    return len(number), number


def _check_alike(one: Shard, other: Shard, *fields: str) -> None:
    for field in fields:
        ours, theirs = (_by_name(field, getattr(shard, field)) for shard in (one, other))
        for name in {**ours, **theirs}:
            if ours.get(name) != theirs.get(name):
                raise CouldNotRun(
                    f"shards {_named(one)} and {_named(other)} conflict: {name}"
                    f" is {ours.get(name)!r} in one and {theirs.get(name)!r} in the other"
                )


def _by_name(field: str, known: Mapping[str, Any]) -> dict[str, Any]:
    """Give what must be alike names that say what it is; leave out what need not be."""
    if field == "code":
        return {f"the code of the {name}": digest for name, digest in known.items()}
    if field == "asked":
        return dict(known)
    every = {name: value for facts in known.values() for name, value in facts.items()}
    return {name: value for name, value in every.items() if name != "cores"}


def _check_all_there(shards: Sequence[Shard]) -> None:
    counts = sorted({each.share[1] for each in shards})
    if len(counts) > 1:
        raise CouldNotRun(f"shards of {' and of '.join(map(str, counts))} are no one run")
    numbers = [each.share[0] for each in shards]
    if twice := [number for number in numbers if numbers.count(number) > 1]:
        raise CouldNotRun(f"shard {twice[0]} of {counts[0]} is given twice")
    if lacking := sorted(set(range(1, counts[0] + 1)) - set(numbers)):
        others = f", nor are {len(lacking) - 1} others" if len(lacking) > 1 else ""
        raise CouldNotRun(f"shard {lacking[0]} of {counts[0]} is not there{others}")


def _check_whole(shards: Sequence[Shard]) -> None:
    """Make sure that each shard holds its own tests, as this suite deals them out, and no others."""
    made_with, here = shards[0].code.get("suite"), code_digest.of_suite()
    if made_with != here:
        raise CouldNotRun(
            f"another suite made these shards: the digest of its code is {made_with},"
            f" that of this one {here}"
        )
    for each in shards:
        here_not_there = set(units_of(each.share, each.asked["only"])) ^ set(brought(each))
        if here_not_there:
            raise CouldNotRun(
                f"shard {_named(each)} does not hold the tests that are its own;"
                f" {min(here_not_there)} is one that it lacks or should not have"
            )
    if not any(each.facts for each in shards):
        raise CouldNotRun("nothing was run in any of these shards")


def _named(shard: Shard) -> str:
    return f"{shard.share[0]}/{shard.share[1]}"
