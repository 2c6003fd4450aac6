"""The errors that no property raises."""

from mutation.reach import Reach, ReachMap
from mutation.sources import Source
from mutation.unraised import Unraised, unraised

TEXT = b"""\
def half(x):
    if x < 0:
        raise ValueError("negative")
    check(
        x % 2 == 0,
        lambda: (
            f"odd: {x}"
        ),
    )
    check(x < 100, lambda: "large")
    raise TypeError
"""


def found(*lines: int) -> list[Unraised]:
    reach = ReachMap({}, {"p": Reach(1.0, {"a.py": frozenset(lines)}, frozenset())})
    rows, total = unraised(reach, {"a.py": Source("a.py", TEXT)})
    assert total == 3
    return rows


def test_errors_on_lines_that_no_property_executes_are_listed():
    assert [row.line for row in found(1, 2, 4, 10)] == [11, 3, 7]
    assert found(3, 7) == [Unraised("a.py", 11, "raise TypeError")]
    assert found(3, 7, 11) == []
