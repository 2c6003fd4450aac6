"""The progress line."""

import io

import pytest

from conformance.report.progress import Progress


@pytest.mark.parametrize("phase", ["", "the suite checks itself"])
def test_a_line_says_what_is_done_and_what_is_left(phase):
    stream = io.StringIO()
    progress = Progress(stream, every=0.0)
    progress.total, progress.phase = 4, phase
    progress.step(10, 2.0)
    start = f"{phase}, 1/4" if phase else "1/4"
    assert stream.getvalue() == f"{start} parts, 10 comparisons, 5 a second, about 6 s left\n"


def test_no_time_is_estimated_of_less_than_a_tenth():
    progress = Progress(io.StringIO())
    progress.total = 100
    assert progress.line(0, 0.0) == "0/100 parts, 0 comparisons, 0 a second"
