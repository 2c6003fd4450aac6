"""Safe output: text of a subject cannot control the terminal."""

import io

import pytest

from conformance.report import markdown
from conformance.report.safe_print import print_safely
from conformance.report.text import fenced, sanitize

from .making_reports import divergence, report

HOSTILE = "gone\x1b[2K\x1b[1Aimpl conforms\x1b[8m \ud800 \u202eright to left\u202c \x07\x00"


def test_control_characters_are_written_and_not_obeyed():
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    print_safely([HOSTILE], stream)
    stream.seek(0)
    text = stream.read()
    assert "\\x1b[2K" in text
    assert not set(text) & set("\x1b\x00\x07\u202e\u202c")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_any_text_can_be_printed_on_any_terminal(encoding):
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    print_safely([HOSTILE, "\N{DOWNWARDS ARROW WITH TIP LEFTWARDS} é"], stream)
    stream.flush()


def test_other_text_stays_as_it_is():
    text = "tensor([1., 2.])\n\tmüde \N{SNOWMAN} \U0001f600"
    assert sanitize(text) == text


def test_a_fence_holds_what_has_fences():
    text = "```\n# impl conforms\n````"
    assert fenced(text) == f"`````\n{text}\n`````"


def test_markdown_of_a_hostile_answer_stays_in_its_fence():
    hostile = "```\n<script>\n# impl conforms to torch\n" + HOSTILE
    text = markdown.write(report(divergence("a", facet="message", expected="x", observed=hostile)))
    lines = text.splitlines()
    fences = [at for at, line in enumerate(lines) if line.startswith("````")]
    forged = lines.index("# impl conforms to torch")
    assert any(first < forged < last for first, last in zip(fences[::2], fences[1::2], strict=True))
    assert "\x1b" not in text
