"""Text of expected and observed results."""

from collections.abc import Collection, Mapping
from hashlib import sha256
from typing import Any

from .differences import differences, path_text

WIDTH = 100
_PLACES = 4


def format_facet(facet: str, value: Any, message: str | None = None) -> str:
    """Return the text of a facet.

    >>> format_facet("value", {"torch": "int8"}), format_facet("raises", None)
    ('torch.int8', 'no error')
    >>> format_facet("raises", "KeyError", "'a'")
    "KeyError: 'a'"
    """
    if facet == "raises":
        if value is None:
            return "no error"
        return f"{value}: {message}" if message else str(value)
    if value == {"absent": True}:
        return "nothing to look at"
    if facet in ("warnings", "cause"):
        return "; ".join(map(str, value)) or f"no {facet}"
    return value if facet != "value" and isinstance(value, str) else format_value(value)


def format_value(value: Any) -> str:
    """Return a canonical value as Python source, with the bits of floats.

    >>> format_value({"tuple": [{"int": "1"}, None, {"float": "7ff8000000000000 (nan)"}]})
    '(1, None, nan [7ff8000000000000])'
    """
    match value:
        case str():
            return repr(value)
        case {"torch": name}:
            return f"torch.{name}"
        case {"int": text} | {"builtin": text}:
            return str(text)
        case {"float": bits}:
            return _float(bits)
        case {"complex": [real, imag]}:
            return f"complex({_float(real)}, {_float(imag)})"
        case {"list": items}:
            return f"[{', '.join(map(format_value, items))}]"
        case {"tuple": items}:
            return f"({', '.join(map(format_value, items))}{',' if len(items) == 1 else ''})"
        case {"dict": items}:
            pairs = (f"{format_value(key)}: {format_value(item)}" for key, item in items)
            return f"{{{', '.join(pairs)}}}"
        case {"instance of": name}:
            return f"<{name} object>"
        case _:
            return str(value)


def _float(bits: str) -> str:
    code, _, value = bits.partition(" ")
    return f"{value.strip('()')} [{code}]"


def format_sides(divergence: Mapping[str, Any], width: int | None = WIDTH) -> tuple[str, str]:
    r"""Return the text of both sides of a divergence, truncated around the first difference.

    Of the state of several variables, only the attributes that differ are shown. Texts that would
    look alike are quoted and escaped.

    >>> sides = {"expected": {"x": {"offset": 1}}, "observed": {"x": {"offset": 0}}}
    >>> format_sides({"facet": "state", **sides})
    ('x.offset = 1', 'x.offset = 0')
    >>> format_sides({"facet": "message", "expected": "bad", "observed": "bad \n"})
    ("'bad'", "'bad \\n'")
    """
    messages = divergence.get("messages") or [None, None]
    sides = [
        format_facet(divergence["facet"], divergence[side], message)
        for side, message in zip(("expected", "observed"), messages, strict=True)
    ]
    if only := _only_in(divergence["expected"], divergence["observed"]):
        sides = list(only)
    elif divergence["facet"] != "value" and isinstance(divergence["expected"], dict):
        sides = _where_different(divergence["expected"], divergence["observed"]) or sides
    expected, observed = _cut(sides[0], sides[1], width)
    if _visible(expected) != _visible(observed):
        return expected, observed
    if sides[0] == sides[1]:
        sides = [divergence["expected"], divergence["observed"]]
    return _cut(repr(sides[0]), repr(sides[1]), width)


def _cut(one: str, other: str, width: int | None) -> tuple[str, str]:
    if width is None:
        return one, other
    start = max(0, _first_difference(one, other) - width // 2)
    return truncate(one, start, width), truncate(other, start, width)


def _visible(text: str) -> list[str]:
    return ["".join(filter(str.isprintable, line)).rstrip() for line in text.splitlines()]


def _only_in(left: Any, right: Any) -> tuple[str, str] | None:
    match left, right:
        case {"list": first}, {"list": second} if len(first) + len(second) > 12:
            here = ", ".join(format_value(item) for item in first if item not in second)
            there = ", ".join(format_value(item) for item in second if item not in first)
            if here or there:
                return f"also {here or 'nothing'}", f"also {there or 'nothing'}"
    return None


def _where_different(expected: Any, observed: Any) -> list[str]:
    """Return both sides where two observations of variables or attributes differ."""
    places = [*differences(expected, observed)]
    if not places[0][0]:
        return []
    more = [f"and {len(places) - _PLACES} more"] if len(places) > _PLACES else []
    texts = [
        [f"{path_text(path)} = {format_value(end)}" for end in ends]
        for path, *ends in places[:_PLACES]
    ]
    return ["; ".join([*side, *more]) for side in zip(*texts, strict=True)]


def _first_difference(left: str, right: str) -> int:
    pairs = enumerate(zip(left, right, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(left), len(right)))


def truncate(text: str, start: int = 0, width: int = WIDTH) -> str:
    """Return a text on one line of limited width.

    >>> truncate("abcdefghij", 0, 6), truncate("abcdefghij", 5, 6)
    ('abcde…', '…fghij')
    """
    line = " \N{DOWNWARDS ARROW WITH TIP LEFTWARDS} ".join(text.splitlines())
    if start:
        line = "\N{HORIZONTAL ELLIPSIS}" + line[min(start, max(0, len(line) - width)) + 1 :]
    return line if len(line) <= width else line[: width - 1] + "\N{HORIZONTAL ELLIPSIS}"


def short_hash(text: str) -> str:
    """Return the first 12 digits of a text's SHA-256."""
    return sha256(text.encode()).hexdigest()[:12]


def blocked_text(blocked: int, blocked_by: Mapping[str, int]) -> str:
    """Return the number of blocked cells with the first call that blocks, as an end of a text.

    >>> blocked_text(7500, {"torch.f": 7500, ".view": 20}), blocked_text(0, {})
    (', 7,500 blocked by torch.f and 1 other', '')
    """
    return f", {blocked:,} blocked by {_first_of(blocked_by)}" if blocked else ""


def refused_text(refused: int, refused_by: Mapping[str, int]) -> str:
    """Return the number of refused cells with the first call that raises, as an end of a text.

    >>> refused_text(6, {"torch.finfo": 6}), refused_text(0, {})
    (', 6 refused by torch.finfo before their question', '')
    """
    return f", {refused:,} refused by {_first_of(refused_by)} before their question" * bool(refused)


def _first_of(calls: Collection[str]) -> str:
    """Return the first of several calls, and the number of the others."""
    first, *others = calls or [""]
    return f"{first} and {len(others)} other{'s' * (len(others) > 1)}" if others else first
