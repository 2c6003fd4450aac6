"""Flags of torch.backends that are attributes of a module (torch/backends/__init__.py)."""

from types import ModuleType
from typing import Any

from .._runtime.errors import check, type_name


class _Flag:
    """A flag of a library: a bool, which impl keeps and has no use for.

    setter: the name of torch's C function in errors
    """

    def __init__(self, value: bool, setter: str) -> None:
        self._value, self._setter = value, setter

    def __get__(self, instance: object, owner: type | None = None) -> bool:
        return self._value

    def __set__(self, instance: object, value: Any) -> None:
        check(
            type(value) is bool,
            lambda: f"{self._setter} expects a bool, but got {type_name(value)}",
        )
        self._value = value


class CudnnModule(ModuleType):
    """The module torch.backends.cudnn, with its flags."""

    enabled = _Flag(True, "set_enabled_cudnn")
    benchmark = _Flag(False, "set_benchmark_cudnn")
    deterministic = _Flag(False, "set_deterministic_cudnn")
    allow_tf32 = _Flag(True, "set_allow_tf32_cublas")


class MkldnnModule(ModuleType):
    """The module torch.backends.mkldnn, with its flags."""

    enabled = _Flag(True, "set_enabled_mkldnn")
    deterministic = _Flag(False, "set_deterministic_mkldnn")
