"""Values of schemas' parameters: stand-ins for the classes that other modules register."""

from collections.abc import Iterator
from typing import Any

import numpy
import pytest

import impl as torch
from impl._argparser import parser, types
from impl._argparser.parser import Parser
from impl._argparser.types import register, register_default


class Tensor:
    """The attributes of a tensor that parameters read."""

    def __init__(self, *items: Any, dtype: torch.dtype, requires_grad: bool = False) -> None:
        self.items, self.dtype, self.requires_grad = items, dtype, requires_grad

    def dim(self) -> int:
        return int(len(self.items) != 1)

    def numel(self) -> int:
        return len(self.items)

    def item(self) -> Any:
        return self.items[0]

    def __float__(self) -> float:
        return float(self.items[0])


class Subclass(Tensor):
    pass


class Indexed:
    def __index__(self) -> int:
        return 1


class Broken:
    def __index__(self) -> int:
        raise KeyError("no index")


class Ints(tuple[int, ...]):
    pass


def named(name: str) -> type:
    """Return a class with the name ``name`` in messages, as torch's C classes."""
    return type(name, (), {})


LAYOUT, MEMORY_FORMAT = named("torch.layout"), named("torch.memory_format")
STRIDED, CONTIGUOUS = LAYOUT(), MEMORY_FORMAT()

SCOPE = {
    "torch": torch,
    "numpy": numpy,
    "Indexed": Indexed,
    "Broken": Broken,
    "Ints": Ints,
    "x": Tensor(*range(6), dtype=torch.float32),
    "i": Tensor(1, dtype=torch.int64),
    "f": Tensor(1.5, dtype=torch.float32),
    "b": Tensor(True, dtype=torch.bool),
    "big": Tensor(2**63, dtype=torch.uint64),
    "grad": Tensor(1.0, dtype=torch.float32, requires_grad=True),
    "strided": STRIDED,
    "contiguous_format": CONTIGUOUS,
}


@pytest.fixture(autouse=True)
def stand_ins(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Register classes during a test; no stream is a terminal."""
    for name in ("_CLASSES", "_CONVERTERS", "_NAMED_DEFAULTS"):
        monkeypatch.setattr(types, name, dict(getattr(types, name)))
    monkeypatch.setattr(parser, "_warned", [])
    monkeypatch.setattr("os.isatty", lambda stream: False)
    exact = {id(type_.exact): type_.exact for type_ in types.TYPES.values()}.values()
    before = [set(classes) for classes in exact]
    register("Tensor", Tensor)
    register("Layout", LAYOUT)
    register("MemoryFormat", MEMORY_FORMAT)
    register_default("contiguous_format", CONTIGUOUS)
    yield
    for classes, registered in zip(exact, before, strict=True):
        classes.intersection_update(registered)
    types.TENSOR_OR_NUMBER.exact.discard(Tensor)


def choose(declarations: tuple[str, ...], arguments: str) -> tuple[int, Any]:
    """Parse arguments in the syntax of a call."""
    parser = Parser(*declarations)
    parse = {"parse": lambda *args, **kwargs: parser.bind(args, kwargs)}
    return eval(f"parse({arguments})", {**SCOPE, **parse})  # type: ignore[no-any-return]


def refusal(declarations: tuple[str, ...], arguments: str) -> str:
    with pytest.raises((OverflowError, RuntimeError, TypeError, ValueError)) as caught:
        choose(declarations, arguments)
    return f"{caught.type.__name__}: {caught.value}"
