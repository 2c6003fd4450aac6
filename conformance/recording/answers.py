"""The answers of one part of a property, as plain data, and the arrays beside them.

A recording and its reader share these classes. `Answers` becomes JSON and a NumPy archive.
"""

import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..comparison.element_cases import ElementCase

Key = str
"""The steps of a program, and before them the mode of the library that ran it."""

SIMULATED = "simulated devices\n"
"""The mode of programs that ran with simulated CUDA devices."""


SUFFIXES = DATA, ARRAYS = ".json", ".npz"
"""The suffixes of the files of a part."""


def key_of(steps: Iterable[str], mode: str = "") -> Key:
    """Return the key of a program."""
    return mode + "\0".join(steps)


@dataclass
class Request:
    """What a property asked in a cell or a drawn case: a program, or a bulk case.

    question, name: as `Probe.__call__` takes them
    """

    steps: Sequence[str] = ()
    question: int | Sequence[int] = -1
    name: str = ""
    bulk: ElementCase | None = None

    def as_data(self) -> list[Any]:
        """Return the request as plain data."""
        if self.bulk is not None:
            return [self.bulk]
        return [self.steps, self.question, *([self.name] if self.name else [])]

    @classmethod
    def from_data(cls, data: Sequence[Any]) -> "Request":
        """Return the request of the data of `as_data`."""
        if len(data) > 1:
            return cls(tuple(data[0]), *data[1:])
        fields: list[Any] = [tuple(item) if type(item) is list else item for item in data[0]]
        return cls(bulk=ElementCase(*fields))


Item = tuple[Sequence[str], list[Request]]
"""A cell or a drawn case, and what a property asks in it."""


@dataclass
class Answers:
    """What the oracle answered in one part of a property.

    verbatim: the record of a part that is not about the subject, as text; it has no requests
    facts: the size, digest and axes of the domain, and the number of rejected draws
    items: the cells or drawn cases in order, each with its requests
    others: the cells that may be asked instead of some of them, each with its requests
    steps: for each program the observation of its last step, its error and where it was raised
    full: the observation with all elements, if the first has digests of them
    fills: the observations of that step over memory with other contents, if they differ
    bulk: for each bulk case its observation, error, failing step, and the names of its arrays
    kernels: for each program the names of arrays with results of other kernels, and of those under
        other vector widths
    elements: the names of arrays that steps of a bulk case give
    """

    verbatim: str | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    items: list[Item] = field(default_factory=list)
    others: list[Item] = field(default_factory=list)
    steps: dict[Key, list[Any]] = field(default_factory=dict)
    full: dict[Key, Any] = field(default_factory=dict)
    fills: dict[Key, list[Any]] = field(default_factory=dict)
    bulk: dict[Key, dict[str, Any]] = field(default_factory=dict)
    kernels: dict[Key, list[list[str]]] = field(default_factory=dict)
    elements: dict[Key, str] = field(default_factory=dict)
    arrays: dict[str, np.ndarray] = field(default_factory=dict)

    def add_array(self, array: np.ndarray) -> str:
        """Keep an array and return its name."""
        name = str(len(self.arrays))
        self.arrays[name] = array
        return name

    def as_files(self) -> Mapping[str, bytes]:
        """Return the contents of the files of a part, by their suffixes."""
        data = {
            **{name: value for name, value in vars(self).items() if name != "arrays"},
            **{
                name: [[cell, [each.as_data() for each in asked]] for cell, asked in items]
                for name, items in (("items", self.items), ("others", self.others))
            },
        }
        text = json.dumps(data, separators=(",", ":"), ensure_ascii=True).encode()
        if not self.arrays:
            return {DATA: text}
        buffer = io.BytesIO()
        np.savez(buffer, allow_pickle=False, **self.arrays)
        return {DATA: text, ARRAYS: buffer.getvalue()}

    @classmethod
    def from_files(cls, files: Mapping[str, bytes]) -> "Answers":
        """Return the answers of the files of a part."""
        data = json.loads(files[DATA])
        for name in ("items", "others"):
            data[name] = [
                (tuple(cell), [*map(Request.from_data, asked)]) for cell, asked in data[name]
            ]
        answers = cls(**data)
        if ARRAYS in files:
            with np.load(io.BytesIO(files[ARRAYS])) as arrays:
                answers.arrays = dict(arrays.items())
        return answers
