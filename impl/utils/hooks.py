"""torch.utils.hooks: handles that remove a hook."""

from collections import OrderedDict
from typing import Any
from weakref import ReferenceType as _ReferenceType, ref as _ref

__all__ = ["RemovableHandle"]


class RemovableHandle:
    """A handle that removes a hook, by `remove` or at the end of a ``with`` block.

    hooks_dict: the hooks by the ids of their handles
    extra_dict: a dict, or a list of dicts, in which the hook may have an entry, too
    """

    id: int
    next_id: int = 0

    def __init__(self, hooks_dict: Any, *, extra_dict: Any = None) -> None:
        self.hooks_dict_ref = _ref(hooks_dict)
        self.id = RemovableHandle.next_id
        RemovableHandle.next_id += 1
        extra = [extra_dict] if isinstance(extra_dict, dict) else extra_dict
        self.extra_dict_ref: tuple[_ReferenceType[Any], ...] = ()
        if isinstance(extra, list):
            self.extra_dict_ref = tuple(map(_ref, extra))

    def remove(self) -> None:
        """Remove the hook; further calls have no effect."""
        for reference in (self.hooks_dict_ref, *self.extra_dict_ref):
            hooks = reference()
            if hooks is not None and self.id in hooks:
                del hooks[self.id]

    def __getstate__(self) -> Any:
        return self.hooks_dict_ref(), self.id, tuple(extra() for extra in self.extra_dict_ref)

    def __setstate__(self, state: Any) -> None:
        hooks, self.id, *extra = state
        self.hooks_dict_ref = _reference(hooks)
        RemovableHandle.next_id = max(RemovableHandle.next_id, self.id + 1)
        self.extra_dict_ref = tuple(map(_reference, (extra[0] or ()) if extra else ()))

    def __enter__(self) -> "RemovableHandle":
        return self

    def __exit__(self, type: Any, value: Any, tb: Any) -> None:
        self.remove()


def _reference(hooks: Any) -> "_ReferenceType[Any]":
    """Return a weak reference, which is dead without hooks."""
    return _ref(OrderedDict() if hooks is None else hooks)
