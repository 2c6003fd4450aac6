"""A stand-in for a tensor, with the attributes that printing reads."""

from collections.abc import Iterator
from math import prod
from types import SimpleNamespace
from typing import Any

import pytest

import impl as torch
from impl._tensor.printing import set_printoptions, tensor_text


class Device(SimpleNamespace):
    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"


class Tensor:
    """Nested lists with the attributes of a tensor; counts the elements that are read."""

    __module__ = "impl"
    read = 0

    def __init__(self, values: Any, dtype: Any = torch.float32, **attributes: Any) -> None:
        self.values = values
        self.dtype = dtype
        self.shape: tuple[int, ...] = ()
        while isinstance(values, list):
            self.shape += (len(values),)
            values = values[0] if values else None
        self.layout = "torch.strided"
        self.device = Device(type="cpu", index=None)
        self.grad_fn: Any = None
        self.requires_grad = False
        vars(self).update(attributes)

    def __repr__(self) -> str:
        return tensor_text(self)

    def numel(self) -> int:
        return prod(self.shape)

    def dim(self) -> int:
        return len(self.shape)

    def __getitem__(self, index: Any) -> "Tensor":
        return Tensor(self.values[index], self.dtype)

    def tolist(self) -> Any:
        Tensor.read += self.numel()
        return self.values

    def detach(self) -> "Tensor":
        return self

    def item(self) -> Any:
        return self.tolist()

    def view(self, dtype: Any) -> "Tensor":
        return Tensor(self.values, dtype)

    def resolve_neg(self) -> "Tensor":
        return self

    def resolve_conj(self) -> "Tensor":
        return self


class Parameter(Tensor):
    __module__ = "impl.nn.parameter"


class Derived(Tensor):
    __module__ = "elsewhere"


class DerivedParameter(Parameter):
    __module__ = "elsewhere"


SameName = type("Tensor", (Tensor,), {"__module__": "elsewhere"})


def counting(*shape: int, dtype: Any = torch.int64) -> Tensor:
    """Return a tensor of 0, 1, 2 ..."""
    values: list[Any] = [*range(prod(shape))]
    for size in shape[:0:-1]:
        values = [values[i : i + size] for i in range(0, len(values), size)]
    return Tensor(values, dtype)


def on(device_type: str, index: int | None = None) -> Device:
    return Device(type=device_type, index=index)


@pytest.fixture(autouse=True)
def options_are_restored() -> Iterator[None]:
    """Restore the options of printing after every test."""
    yield
    set_printoptions(profile="default")
