"""How what was expected and observed is written for people."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

WIDTH = 100


def format_facet(facet: str, value: Any, message: str | None = None) -> str:
    """Write what a facet shows.

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
    """Write a canonical value as it stands in Python, with the bits of floats.

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
            return f"{{{', '.join(f'{format_value(key)}: {format_value(each)}' for key, each in items)}}}"
        case {"instance of": name}:
            return f"<{name} object>"
        case _:
            return str(value)


def _float(bits: str) -> str:
    code, _, value = bits.partition(" ")
    return f"{value.strip('()')} [{code}]"


def format_sides(each: Mapping[str, Any], width: int | None = WIDTH) -> tuple[str, str]:
    r"""Write both sides of a divergence, cut so that the first difference can be seen.

    What would look alike is written with quotes and escapes.

    >>> format_sides({"facet": "message", "expected": "bad", "observed": "bad \n"})
    ("'bad'", "'bad \\n'")
    """
    messages = each.get("messages") or [None, None]
    sides = [
        format_facet(each["facet"], each[side], message)
        for side, message in zip(("expected", "observed"), messages, strict=True)
    ]
    if only := _only_in(each["expected"], each["observed"]):
        sides = list(only)
    one, other = _cut(sides[0], sides[1], width)
    if _look(one) != _look(other):
        return one, other
    if sides[0] == sides[1]:
        sides = [each["expected"], each["observed"]]
    return _cut(repr(sides[0]), repr(sides[1]), width)


def _cut(one: str, other: str, width: int | None) -> tuple[str, str]:
    if width is None:
        return one, other
    start = max(0, _first_difference(one, other) - width // 2)
    return truncate(one, start, width), truncate(other, start, width)


def _look(text: str) -> list[str]:
    """Return what can be seen of a text: neither spaces at the end of a line, nor control characters."""
    return ["".join(filter(str.isprintable, line)).rstrip() for line in text.splitlines()]


def _only_in(left: Any, right: Any) -> tuple[str, str] | None:
    """Of two long lists, write only what one has and the other has not."""
    match left, right:
        case {"list": first}, {"list": second} if len(first) + len(second) > 12:
            here = [format_value(item) for item in first if item not in second]
            there = [format_value(item) for item in second if item not in first]
            if here or there:
                return (
                    f"also {', '.join(here) or 'nothing'}",
                    f"also {', '.join(there) or 'nothing'}",
                )
    return None


def _first_difference(left: str, right: str) -> int:
    pairs = enumerate(zip(left, right, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(left), len(right)))


def truncate(text: str, start: int = 0, width: int = WIDTH) -> str:
    """Put a text on one line of limited width.

    >>> truncate("abcdefghij", 0, 6), truncate("abcdefghij", 5, 6)
    ('abcde…', '…fghij')
    """
    line = " \N{DOWNWARDS ARROW WITH TIP LEFTWARDS} ".join(text.splitlines())
    if start:
        line = "\N{HORIZONTAL ELLIPSIS}" + line[min(start, max(0, len(line) - width)) + 1 :]
    return line if len(line) <= width else line[: width - 1] + "\N{HORIZONTAL ELLIPSIS}"


def short_hash(text: str) -> str:
    """Return the beginning of a digest, by which something is known."""
    return sha256(text.encode()).hexdigest()[:12]
