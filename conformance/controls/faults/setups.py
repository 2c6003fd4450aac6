"""Subjects that cannot be set up: each lacks a part of set_default_dtype and promotes wrongly.

Their wrong answers must be found in the default state, and their blocked cells be reported.
"""

from collections.abc import Callable
from typing import Any

from ..control import fault
from ..fault_injection import Fault

_WRONG = ("promote_types", "result_type", "can_cast")


def _wrong_everywhere(setter: Callable[[Any, Any], Any] | None) -> Fault:
    """Return a fault in every promotion, and in set_default_dtype; None removes the setter."""

    def attribute(owner: Any, name: str, torch: Any) -> Any:
        if setter is None and owner is torch and name == "set_default_dtype":
            raise AttributeError("module 'torch' has no attribute 'set_default_dtype'")
        return getattr(owner, name)

    def call(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
        if setter is not None and function is torch.set_default_dtype:
            return setter(torch, *args)
        result = function(*args, **kwargs)
        if function not in [getattr(torch, name) for name in _WRONG]:
            return result
        if isinstance(result, bool):
            return not result
        return torch.uint8 if result is torch.bool else torch.bool

    return Fault(attribute=attribute, call=call)


def _refuse(torch: Any, dtype: Any) -> None:
    raise RuntimeError("the default dtype cannot be changed")


def _take_float32(torch: Any, dtype: Any) -> None:
    if dtype is not torch.float32:
        _refuse(torch, dtype)
    torch.set_default_dtype(dtype)


_SUBJECTS = {
    "without_setter": ("promote_types", "There is no set_default_dtype()", None),
    "refusing_setter": ("can_cast", "set_default_dtype() always raises", _refuse),
    "setter_of_float32": (
        "scalar_kinds",
        "set_default_dtype() takes only float32",
        _take_float32,
    ),
}

for _name, (_property, _text, _setter) in _SUBJECTS.items():
    for _kind in ("value", "blocked"):

        def _subject(setter: Callable[[Any, Any], Any] | None = _setter) -> Fault:
            return _wrong_everywhere(setter)

        _subject.__name__ = f"{_name}_{_kind}"
        _subject.__doc__ = f"{_text}, and every promotion is wrong."
        fault(f"promotion.{_property}", _kind)(_subject)
