"""The methods of Python's operators that a TypeError says a class lacks."""

import re
from collections.abc import Iterator

_BINARY = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "@": "matmul",
    "** or pow()": "pow", "<<": "lshift", ">>": "rshift", "&": "and", "|": "or", "^": "xor",
    "divmod()": "divmod", "**": "pow",
}  # fmt: skip
_COMPARISONS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_UNARY = {"unary -": "neg", "unary +": "pos", "unary ~": "invert", "abs()": "abs"}

_OF_TWO = re.compile(r"unsupported operand type\(s\) for (.+?): '(\w+)' and '(\w+)'")
_COMPARED = re.compile(r"'(.+)' not supported between instances of '(\w+)' and '(\w+)'")
_OF_ONE = re.compile(r"bad operand type for (.+): '(\w+)'")
_OTHERS = (
    (re.compile(r"'(\w+)' object is not subscriptable"), "__getitem__"),
    (re.compile(r"'(\w+)' object does not support item assignment"), "__setitem__"),
    (re.compile(r"'(\w+)' object is not iterable"), "__iter__"),
    (re.compile(r"Value after \* must be an iterable, not (\w+)"), "__iter__"),
    (re.compile(r"object of type '(\w+)' has no len\(\)"), "__len__"),
)


def methods_in(message: str) -> Iterator[tuple[str, str]]:
    """Yield pairs of a class's name and a method that CPython's message says it lacks.

    >>> [*methods_in("unsupported operand type(s) for +=: 'A' and 'int'")]
    [('A', '__add__'), ('int', '__radd__')]
    >>> [*methods_in("'<' not supported between instances of 'A' and 'B'")]
    [('A', '__lt__'), ('B', '__gt__')]
    """
    if match := _OF_TWO.fullmatch(message):
        name = _BINARY.get(match[1]) or _BINARY.get(match[1].removesuffix("="))
        if name:
            yield match[2], f"__{name}__"
            yield match[3], f"__r{name}__"
    elif (match := _COMPARED.fullmatch(message)) and match[1] in _COMPARISONS:
        name = _COMPARISONS[match[1]]
        yield match[2], f"__{name}__"
        yield match[3], f"__{name.translate(_MIRRORED)}__"
    elif (match := _OF_ONE.fullmatch(message)) and match[1] in _UNARY:
        yield match[2], f"__{_UNARY[match[1]]}__"
    else:
        for pattern, method in _OTHERS:
            if match := pattern.fullmatch(message):
                yield match[1], method


_MIRRORED = str.maketrans("lg", "gl")
