"""Containers of modules (torch/nn/modules/container.py)."""

from collections import OrderedDict
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from itertools import chain, islice, repeat
from operator import index as as_index
from typing import Any

from ..._dtypes.cpp_names import class_text
from ._module import Module, indent
from ._parameters import string_index, update, without_numbers


def _renumber(container: Any) -> None:
    """Name the modules of a container by their index."""
    modules = container._modules.values()
    container._modules = OrderedDict((str(index), module) for index, module in enumerate(modules))


class Sequential(Module):
    """Modules in a row: each gets the output of the one before.

    The arguments are the modules, or one OrderedDict with their names.

    >>> import impl as torch
    >>> torch.nn.Sequential(torch.nn.ModuleList())
    Sequential(
      (0): ModuleList()
    )
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        named: Any = ((str(index), module) for index, module in enumerate(args))
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            named = args[0].items()
        for name, module in named:
            self.add_module(name, module)

    def _get_item_by_idx(self, iterator: Iterable[Any], idx: Any) -> Any:
        size = len(self)
        idx = as_index(idx)
        if not -size <= idx < size:
            raise IndexError(f"index {idx} is out of range")
        return next(islice(iterator, idx % size, None))

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            return type(self)(OrderedDict([*self._modules.items()][idx]))
        return self._get_item_by_idx(self._modules.values(), idx)

    def __setitem__(self, idx: int, module: Module) -> None:
        setattr(self, self._get_item_by_idx(self._modules.keys(), idx), module)

    def __delitem__(self, idx: Any) -> None:
        if isinstance(idx, slice):
            for name in [*self._modules][idx]:
                delattr(self, name)
        else:
            delattr(self, self._get_item_by_idx(self._modules.keys(), idx))
        _renumber(self)

    def __len__(self) -> int:
        return len(self._modules)

    def __add__(self, other: Any) -> "Sequential":
        _check_sequential(other)
        return Sequential().extend(self).extend(other)  # type: ignore[no-any-return]

    def pop(self, key: Any) -> Any:
        """Remove the module at an index, or the modules of a slice, and return it."""
        module = self[key]
        del self[key]
        return module

    def __iadd__(self, other: Any) -> "Sequential":
        _check_sequential(other)
        offset = len(self)
        for index, module in enumerate(other, offset):
            self.add_module(str(index), module)
        return self

    def __mul__(self, other: int) -> "Sequential":
        _check_factor(self, other)
        return Sequential(*chain.from_iterable(repeat([*self], other)))

    def __rmul__(self, other: int) -> "Sequential":
        return self.__mul__(other)

    def __imul__(self, other: int) -> "Sequential":
        _check_factor(self, other)
        size = len(self)
        for index in range(size, size * other):
            self.add_module(str(index), self._modules[str(index % size)])
        return self

    def __dir__(self) -> list[str]:
        return without_numbers(super().__dir__())

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def forward(self, input: Any) -> Any:
        """Return the output of the last module."""
        for module in self:
            input = module(input)
        return input

    def append(self, module: Module) -> Any:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def insert(self, index: int, module: Module) -> Any:
        """Add a module at an index."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {class_text(Module)}")
        size = len(self._modules)
        if not -size <= index <= size:
            raise IndexError(f"Index out of range: {index}")
        if index < 0:
            index += size
        for position in range(size, index, -1):
            self._modules[str(position)] = self._modules[str(position - 1)]
        self._modules[str(index)] = module
        return self

    def extend(self, sequential: Iterable[Module]) -> Any:
        """Add modules at the end."""
        for module in sequential:
            self.append(module)
        return self


def _check_sequential(other: Any) -> None:
    if not isinstance(other, Sequential):
        raise ValueError(
            "add operator supports only objects of Sequential class, but"
            f" {class_text(type(other))} is given."
        )


def _check_factor(container: Any, other: Any) -> None:
    cls = class_text(type(container))
    if not isinstance(other, int):
        raise TypeError(f"unsupported operand type(s) for *: {cls} and {class_text(type(other))}")
    if other <= 0:
        raise ValueError(f"Non-positive multiplication factor {other} for {cls}")


class ModuleList(Module):
    """A list of modules, which are submodules under their index."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self += modules

    def _get_abs_string_index(self, idx: Any) -> str:
        return string_index(len(self), idx)

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            return type(self)([*self._modules.values()][idx])
        return self._modules[self._get_abs_string_index(idx)]

    def __setitem__(self, idx: int, module: Module) -> None:
        setattr(self, self._get_abs_string_index(idx), module)

    def __delitem__(self, idx: Any) -> None:
        if isinstance(idx, slice):
            for index in range(len(self._modules))[idx]:
                delattr(self, str(index))
        else:
            delattr(self, self._get_abs_string_index(idx))
        _renumber(self)

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def __iadd__(self, modules: Iterable[Module]) -> "ModuleList":
        return self.extend(modules)  # type: ignore[no-any-return]

    def __add__(self, other: Iterable[Module]) -> "ModuleList":
        combined = ModuleList()
        for index, module in enumerate(chain(self, other)):
            combined.add_module(str(index), module)
        return combined

    def __repr__(self) -> str:
        if not len(self):
            return self._get_name() + "()"
        blocks: list[tuple[int, int, str]] = []
        for index, text in enumerate(map(repr, self)):
            if blocks and blocks[-1][2] == text:
                blocks[-1] = blocks[-1][0], index, text
            else:
                blocks.append((index, index, text))
        lines = (
            indent(
                f"({first}): {text}"
                if first == last
                else f"({first}-{last}): {last - first + 1} x {text}",
                keep_blank=True,
            )
            for first, last, text in blocks
        )
        return self._get_name() + "(\n  " + "\n  ".join(lines) + "\n)"

    def __dir__(self) -> list[str]:
        return without_numbers(super().__dir__())

    def insert(self, index: int, module: Module) -> None:
        """Add a module at an index."""
        for position in range(len(self._modules), index, -1):
            self._modules[str(position)] = self._modules[str(position - 1)]
        self._modules[str(index)] = module

    def append(self, module: Module) -> Any:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key: Any) -> Any:
        """Remove the module at an index, or the modules of a slice, and return it."""
        module = self[key]
        del self[key]
        return module

    def extend(self, modules: Iterable[Module]) -> Any:
        """Add modules at the end."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                "ModuleList.extend should be called with an iterable, but got "
                + type(modules).__name__
            )
        offset = len(self)
        for index, module in enumerate(modules):
            self.add_module(str(offset + index), module)
        return self


class ModuleDict(Module):
    """Modules by their names, in the order of their insertion."""

    def __init__(self, modules: Mapping[str, Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Remove all modules."""
        self._modules.clear()

    def pop(self, key: str) -> Any:
        """Remove a module and return it."""
        module = self[key]
        del self[key]
        return module

    def keys(self) -> KeysView[str]:
        """Return the names."""
        return self._modules.keys()

    def items(self) -> ItemsView[str, Any]:
        """Return the names and modules."""
        return self._modules.items()

    def values(self) -> ValuesView[Any]:
        """Return the modules."""
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """Add modules by their names, from a mapping or pairs."""
        update(self, modules, ("ModuleDict", "ModuleDict"), isinstance(modules, ModuleDict))
