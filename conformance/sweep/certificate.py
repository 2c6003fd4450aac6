"""The certificate of a sweep: what was asked, what differed, and by how much."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from tabulate import tabulate

from ..core.float_formats import FORMATS
from ..report.files import replace_file
from ..report.text import plural
from .chunks import COUNTS, Chunk
from .plot import plot
from .questions import Question

NAME = "sweep"
SCHEMA = 1


class Answer(NamedTuple):
    """A question, the sum of its chunks that are done, and why others are lost, by chunk."""

    question: Question
    total: Chunk
    lost: Mapping[int, str]

    @property
    def is_complete(self) -> bool:
        """Whether all elements were asked."""
        return self.total.size == self.question.size

    @property
    def verdict(self) -> str:
        """What the answer says, in a few words."""
        total = self.total
        if not self.is_complete:
            return f"{total.size / self.question.size:.0%} asked"
        if total.refused == total.size:
            return "refused by both"
        if total.wrong:
            return "wrong"
        if total.problem:
            return "not equal in all facets"
        if total.within:
            largest = max(map(float, total.distances))
            return f"within {largest:g} ULP" if largest < math.inf else "as another kernel"
        return "exact where it is defined" if total.undefined else "exact"


def certificate(
    answers: Sequence[Answer], subject: str, oracle: str, identity: Mapping[str, str]
) -> dict[str, Any]:
    """Return the certificate as data; only its seconds differ between two sweeps."""
    rows = [_row(answer) for answer in answers]
    digests = "".join(row["digest"] for row in rows)
    return {
        "schema": SCHEMA,
        "subject": subject,
        "oracle": oracle,
        "environment": dict(identity),
        "digest": sha256(digests.encode()).hexdigest(),
        "complete": all(answer.is_complete for answer in answers),
        "questions": rows,
    }


def _row(answer: Answer) -> dict[str, Any]:
    question, total = answer.question, answer.total
    counts = {name: getattr(total, name) for name in COUNTS if name != "size"}
    return {
        "name": question.name, "call": question.call, "elements": question.size,
        "whole": question.is_whole, "asked": total.size, **counts, "verdict": answer.verdict,
        "dtype": total.target, "distances": total.distances,
        "worst": [_example(question, *example) for example in total.worst],
        "problem": total.problem, "lost": {str(key): text for key, text in answer.lost.items()},
        "digest": total.digest, "results": total.results, "seconds": round(total.seconds, 1),
    }  # fmt: skip


def _example(
    question: Question, distance: float, is_wrong: bool, raw: Sequence[str], *texts: str
) -> dict[str, Any]:
    expected, observed = texts
    return {
        "distance": distance, "wrong": is_wrong, "inputs": list(raw), "expected": expected,
        "observed": observed, "program": _program(question, raw),
    }  # fmt: skip


def _program(question: Question, raw: Sequence[str]) -> list[str]:
    """Return a program on one element, repeated so that vectorized kernels compute it."""
    fmt = FORMATS[question.source]
    create = f"torch.frombuffer(numpy.tile([{{}}], 64).astype('{fmt.raw_dtype}')"
    create += f", dtype=torch.{question.source})"
    groups = [", ".join(raw[i : i + fmt.parts]) for i in range(0, len(raw), fmt.parts)]
    operands = zip("xy" if question.is_binary else "x", groups, strict=True)
    steps = [f"{name} = {create.format(group)}" for name, group in operands]
    return ["import numpy, torch", *steps, f"print(({question.call})[0])"]


def write(folder: Path, data: Mapping[str, Any]) -> None:
    """Write the certificate as JSON, as a page in Markdown, and as a plot."""
    text = json.dumps(data, indent=1, allow_nan=True) + "\n"
    for name, content in (("json", text), ("svg", plot(data)), ("md", markdown(data))):
        replace_file(folder / f"{NAME}.{name}", content)


def summary(data: Mapping[str, Any]) -> list[str]:
    """Return the lines that end a sweep."""
    rows = data["questions"]
    asked = sum(row["asked"] for row in rows)
    verdicts = {
        "exact": sum(row["verdict"] == "exact" for row in rows),
        "exact where defined": sum(row["verdict"] == "exact where it is defined" for row in rows),
        "accepted": sum(row["verdict"].startswith(("within", "as ")) for row in rows),
        "refused by both": sum(row["verdict"] == "refused by both" for row in rows),
        "wrong": sum(row["wrong"] > 0 for row in rows),
        "not equal in all facets": sum(row["verdict"].startswith("not equal") for row in rows),
        "not complete": sum(row["asked"] < row["elements"] for row in rows),
    }
    counts = ", ".join(f"{count} {name}" for name, count in verdicts.items() if count)
    lost = sum(len(row["lost"]) for row in rows)
    return [
        f"{data['subject']} against {data['oracle']}: {plural(len(rows), 'question')}: {counts}",
        f"{asked:,} elements, {sum(row['wrong'] for row in rows):,} of them wrong"
        + (f"; {plural(lost, 'chunk')} lost" if lost else ""),
        f"digest {data['digest'][:16]}",
    ]


def markdown(data: Mapping[str, Any]) -> str:
    """Return the page."""
    environment = data["environment"]
    facts = ", ".join(f"{name} {value}" for name, value in environment.items() if value)
    table = tabulate(
        [
            [
                row["name"], row["verdict"], row["asked"], row["undefined"] or "",
                row["within"] or "", row["wrong"] or "", _largest(row), row["seconds"],
            ]
            for row in data["questions"]
        ],
        ["question", "verdict", "elements", "undefined", "accepted", "wrong", "largest", "seconds"],
        tablefmt="pipe", intfmt=",",
    )  # fmt: skip
    lines = ["# Sweep", "", *(f"- {line}" for line in summary(data)), f"- {facts}", ""]
    lines += [f"![The share of elements that differ, by question]({NAME}.svg)", "", table, ""]
    lines += [_NOTE, ""]
    lines += [line for row in data["questions"] for line in _details(row)]
    return "\n".join(lines).rstrip() + "\n"


_NOTE = (
    "Undefined, accepted and wrong count elements that differ. Accepted ones are within the"
    " tolerance, or what another kernel of the oracle returns, for other strides or another vector"
    " width."
)


def _largest(row: Mapping[str, Any]) -> str:
    distances = [float(distance) for distance in row["distances"] if float(distance)]
    return f"{max(distances):g} ULP" if distances else ""


def _details(row: Mapping[str, Any]) -> Iterable[str]:
    """Return the distances and the worst elements of a question that is not exact."""
    if not (row["within"] or row["wrong"] or row["problem"] or row["lost"]):
        return
    yield from (f"## {row['name']}", "")
    if row["problem"]:
        yield from (f"- {row['problem']}", "")
    for chunk, text in row["lost"].items():
        yield f"- chunk {chunk} is lost: {text}"
    if row["distances"]:
        counts = [[distance, count] for distance, count in row["distances"].items()]
        header = ["ULP, up to", "elements"]
        yield from (tabulate(counts, header, tablefmt="pipe", intfmt=","), "")
    for example in row["worst"][:1]:
        yield f"- {data_line(example)}"
        yield from ("", "```python", *example["program"], "```", "")


def data_line(example: Mapping[str, Any]) -> str:
    """Return an example as one line."""
    inputs = ", ".join(example["inputs"])
    return f"{inputs} gives {example['expected']}; the subject gives {example['observed']}"
