"""The containers of parameters, and the parts that those of modules share."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, KeysView, Mapping
from operator import index as as_index
from typing import Any

from ... import typename
from ..._tensor.tensor import Tensor
from ..parameter import Parameter
from ._module import Module


def without_numbers(names: list[str]) -> list[str]:
    """Return the names that are no numbers."""
    return [name for name in names if not name.isdigit()]


def string_index(size: int, idx: Any) -> str:
    """Return the name of the element at an index of a list."""
    idx = as_index(idx)
    if not -size <= idx < size:
        raise IndexError(f"index {idx} is out of range")
    return str(idx + size if idx < 0 else idx)


def update(container: Any, new: Any, names: tuple[str, str], has_items: bool) -> None:
    """Set the items of a container from a mapping or pairs.

    names: what messages call the container: as a whole, and before an element
    """
    if not isinstance(new, Iterable):
        raise TypeError(
            f"{names[0]}.update should be called with an iterable of key/value pairs, but got "
            + type(new).__name__
        )
    if has_items or isinstance(new, Mapping):
        for key, value in new.items():  # type: ignore[attr-defined]
            container[key] = value
        return
    for position, pair in enumerate(new):
        element = f"{names[1]} update sequence element #{position}"
        if not isinstance(pair, Iterable):
            raise TypeError(f"{element} should be Iterable; is{type(pair).__name__}")
        if not len(pair) == 2:  # type: ignore[arg-type]
            raise ValueError(f"{element} has length {len(pair)}; 2 is required")  # type: ignore[arg-type]
        container[pair[0]] = pair[1]  # type: ignore[index]


def _as_parameter(value: Any) -> Any:
    if isinstance(value, Parameter) or not isinstance(value, Tensor):
        return value
    return Parameter(value)


def _line(key: Any, value: Any, type_text: Any) -> str:
    """Return the line of an element in the repr of a container."""
    if not isinstance(value, Tensor):
        return f"  ({key}): Object of type: {type(value).__name__}"
    size = "x".join(map(str, value.shape))
    device = f" ({value.device})" if value.device.type == "cuda" else ""
    kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
    return f"  ({key}): {kind} containing: [{type_text(value)} of size {size}{device}]"


class ParameterList(Module):
    """A list of parameters; tensors in it become parameters, other values stay as they are."""

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self += values

    def _get_abs_string_index(self, idx: Any) -> str:
        return string_index(len(self), idx)

    def __getitem__(self, idx: Any) -> Any:
        if not isinstance(idx, slice):
            return getattr(self, self._get_abs_string_index(idx))
        selected = type(self)()
        for index in range(*idx.indices(len(self))):
            selected.append(self[index])
        return selected

    def __setitem__(self, idx: int, param: Any) -> None:
        setattr(self, self._get_abs_string_index(idx), _as_parameter(param))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter(self[index] for index in range(len(self)))

    def __iadd__(self, parameters: Iterable[Any]) -> "ParameterList":
        return self.extend(parameters)  # type: ignore[no-any-return]

    def __dir__(self) -> list[str]:
        return without_numbers(super().__dir__())

    def append(self, value: Any) -> Any:
        """Add a value at the end."""
        index = len(self)
        self._size += 1
        self[index] = value
        return self

    def extend(self, values: Iterable[Any]) -> Any:
        """Add values at the end."""
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(
                "ParameterList.extend should be called with an iterable, but got "
                + type(values).__name__
            )
        for value in values:
            self.append(value)
        return self

    def extra_repr(self) -> str:
        """Return a line for each value."""
        return "\n".join(_line(index, value, lambda p: p.dtype) for index, value in enumerate(self))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """Parameters by their names; tensors become parameters, other values stay as they are."""

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def _key_to_attr(self, key: Any) -> str:
        if not isinstance(key, str):
            raise TypeError(
                "Index given to ParameterDict cannot be used as a key as it is not a string (type"
                f" is '{type(key).__name__}'). Open an issue on github if you need non-string keys."
            )
        return key

    def __getitem__(self, key: str) -> Any:
        return getattr(self, self._key_to_attr(key))

    def __setitem__(self, key: str, value: Any) -> None:
        # The key is kept even if the value is refused, as in torch.
        self._keys[key] = None
        setattr(self, self._key_to_attr(key), _as_parameter(value))

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, self._key_to_attr(key))

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._keys)

    def copy(self) -> "ParameterDict":
        """Return a container with the same parameters."""
        return ParameterDict(OrderedDict((key, self[key]) for key in self._keys))

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def setdefault(self, key: str, default: Any = None) -> Any:
        """Return the value of a key, which is set to ``default`` if there is none."""
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self) -> None:
        """Remove all values."""
        for key in self._keys.copy():
            del self[key]

    def pop(self, key: str) -> Any:
        """Remove a value and return it."""
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple[str, Any]:
        """Remove the last key and value, and return both."""
        key, _ = self._keys.popitem()
        self._keys[key] = None
        return key, self.pop(key)

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value of a key, or ``default`` if there is none."""
        return self[key] if key in self else default  # noqa: SIM401  # it is the method get

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> "ParameterDict":
        """Return a container with one value for all keys."""
        return ParameterDict((key, default) for key in keys)

    def keys(self) -> KeysView[str]:
        """Return the keys."""
        return self._keys.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Return an iterator of the keys and values."""
        return ((key, self[key]) for key in self._keys)

    def values(self) -> Iterable[Any]:
        """Return an iterator of the values."""
        return (self[key] for key in self._keys)

    def update(self, parameters: Any) -> None:
        """Set values by their keys, from a mapping or pairs; those of a plain dict are sorted."""
        has_order = isinstance(parameters, OrderedDict | ParameterDict)
        if isinstance(parameters, Mapping) and not has_order:
            parameters = OrderedDict(sorted(parameters.items()))
        update(self, parameters, ("ParametersDict", "ParameterDict"), has_order)

    def extra_repr(self) -> str:
        """Return a line for each value."""
        return "\n".join(_line(key, value, typename) for key, value in self.items())

    def __call__(self, input: Any) -> Any:
        raise RuntimeError("ParameterDict should not be called.")

    def __or__(self, other: "ParameterDict") -> "ParameterDict":
        result = self.copy()
        result.update(other)
        return result

    def __ror__(self, other: "ParameterDict") -> "ParameterDict":
        result = other.copy()
        result.update(self)
        return result

    def __ior__(self, other: "ParameterDict") -> "ParameterDict":
        self.update(other)
        return self
