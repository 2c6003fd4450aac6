"""The parameters, buffers and submodules of modules, with their names."""

from collections.abc import Callable, Iterator
from typing import Any


def _named_members(
    self: Any,
    get_members_fn: Callable[[Any], Any],
    prefix: str = "",
    recurse: bool = True,
    remove_duplicate: bool = True,
) -> Iterator[tuple[str, Any]]:
    """Yield the members of this module, and of its submodules, with their full names."""
    seen: set[Any] = set()
    modules: Any = [(prefix, self)]
    if recurse:
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
    for path, module in modules:
        for name, value in get_members_fn(module):
            if value is None or value in seen:
                continue
            if remove_duplicate:
                seen.add(value)
            yield path + ("." if path else "") + name, value


def parameters(self: Any, recurse: bool = True) -> Iterator[Any]:
    """Yield the parameters of this module, and of its submodules unless ``recurse`` is false."""
    for _, param in self.named_parameters(recurse=recurse):
        yield param


def named_parameters(
    self: Any, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
) -> Iterator[tuple[str, Any]]:
    """Yield the names and values of the parameters."""
    yield from self._named_members(
        lambda module: module._parameters.items(),
        prefix=prefix,
        recurse=recurse,
        remove_duplicate=remove_duplicate,
    )


def buffers(self: Any, recurse: bool = True) -> Iterator[Any]:
    """Yield the buffers of this module, and of its submodules unless ``recurse`` is false."""
    for _, buffer in self.named_buffers(recurse=recurse):
        yield buffer


def named_buffers(
    self: Any, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
) -> Iterator[tuple[str, Any]]:
    """Yield the names and values of the buffers."""
    yield from self._named_members(
        lambda module: module._buffers.items(),
        prefix=prefix,
        recurse=recurse,
        remove_duplicate=remove_duplicate,
    )


def children(self: Any) -> Iterator[Any]:
    """Yield the direct submodules, each once."""
    for _, module in self.named_children():
        yield module


def named_children(self: Any) -> Iterator[tuple[str, Any]]:
    """Yield the names and values of the direct submodules, each module once."""
    seen: set[Any] = set()
    for name, module in self._modules.items():
        if module is not None and module not in seen:
            seen.add(module)
            yield name, module


def modules(self: Any, remove_duplicate: bool = True) -> Iterator[Any]:
    """Yield this module and all its submodules."""
    for _, module in self.named_modules(remove_duplicate=remove_duplicate):
        yield module


def named_modules(
    self: Any, memo: Any = None, prefix: str = "", remove_duplicate: bool = True
) -> Iterator[tuple[str, Any]]:
    """Yield the full names and values of this module and all its submodules."""
    memo = set() if memo is None else memo
    if self in memo:
        return
    if remove_duplicate:
        memo.add(self)
    yield prefix, self
    for name, module in self._modules.items():
        if module is not None:
            path = prefix + ("." if prefix else "") + name
            yield from module.named_modules(memo, path, remove_duplicate)
