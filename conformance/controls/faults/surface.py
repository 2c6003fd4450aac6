"""Faults of the public surface, the environment and torch.testing: a wrong name or answer."""

import inspect
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ...core.domain import Domain
from ...engine.registry import Property
from ..control import change_property, fault
from ..fault_injection import (
    Fault,
    attribute_hook,
    call_hook,
    comparison_hook,
    function_hook,
    plain_comparison,
)


def _without(name: str) -> Fault:
    def attribute(owner: Any, asked: str, torch: Any) -> Any:
        if owner is torch and asked == name:
            raise AttributeError(f"module 'torch' has no attribute '{name}'")
        return getattr(owner, asked)

    return Fault(attribute=attribute)


def _without_in(module: str, name: str) -> Fault:
    """Return a fault that omits a function from the dir() of a submodule."""

    def call(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
        names = function(*args, **kwargs)
        if function is dir and args == (getattr(torch, module),):
            return [other for other in names if other != name]
        return names

    return Fault(call=call)


def _with(owner: str, name: str) -> Fault:
    def call(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
        holder = getattr(torch, owner)
        if function is dir and args == (holder,):
            return [*dir(holder), name]
        if function is getattr and args == (holder, name):
            return torch.Tensor.add
        return function(*args, **kwargs)

    return Fault(call=call)


@fault("surface.listed", "verdict", change_property)
def lists_nothing(prop: Property) -> Property:
    """A name that torch lacks is listed as out of scope."""
    domain = prop.domain
    assert domain is not None
    return replace(
        prop, domain=lambda torch: Domain(name=(*domain(torch).axes["name"], "torch.nothing"))
    )


@fault("surface.names", "raises")
def function_missing() -> Fault:
    """torch.lerp does not exist."""
    return _without("lerp")


@fault("surface.names", "value")
def module_function_missing() -> Fault:
    """torch.random does not list seed."""
    return _without_in("random", "seed")


@fault("surface.names", "raises")
def module_missing() -> Fault:
    """torch.storage does not exist."""
    return _without("storage")


@fault("surface.exports", "value", attribute_hook)
def exports_layouts(owner: Any, name: str, torch: Any) -> Any:
    """An asterisk imports torch.strided."""
    value = getattr(owner, name)
    return [*value, "strided"] if owner is torch and name == "__all__" else value


@fault("surface.beyond", "value")
def module_name_too_many() -> Fault:
    """torch.storage has an additional name."""
    return _with("storage", "allocate")


@fault("surface.beyond", "value")
def name_too_many() -> Fault:
    """Tensors have a method add_twice()."""
    return _with("Tensor", "add_twice")


@fault("surface.listings", "value", call_hook)
def lists_no_modules(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """dir() does not list the module serialization."""
    result = function(*args, **kwargs)
    is_listing = function is dir and args and args[0] is torch
    return [name for name in result if name != "serialization"] if is_listing else result


@fault("surface.first_listing", "value", attribute_hook)
def lists_late(owner: Any, name: str, torch: Any) -> Any:
    """dir() lists the module serialization after it is used only."""
    return "['serialization']\n" if name == "stdout" else getattr(owner, name)


@fault("storage.first_uses", "value", attribute_hook)
def warns_elsewhere(owner: Any, name: str, torch: Any) -> Any:
    """The first warning about typed storages shows a line of the library."""
    value = getattr(owner, name)
    return value.replace("UserWarning 3 ", "UserWarning elsewhere ") if name == "stdout" else value


@fault("surface.signatures", "value", call_hook)
def keeps_the_graph(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """The default of create_graph is True."""
    result = function(*args, **kwargs)
    if function is not inspect.signature or "create_graph" not in result.parameters:
        return result
    return result.replace(
        parameters=[
            parameter.replace(default=True) if parameter.name == "create_graph" else parameter
            for parameter in result.parameters.values()
        ]
    )


@fault("environment.versions", "value", comparison_hook)
def ignores_candidates(name: str, left: Any, right: Any, torch: Any) -> Any:
    """A release candidate equals its release."""
    if name == "Eq" and isinstance(left, torch.torch_version.TorchVersion):
        left = torch.torch_version.TorchVersion(left.partition("rc")[0])
        return left == (right.partition("rc")[0] if isinstance(right, str) else right)
    return plain_comparison(name, left, right, torch)


@fault("environment.answers", "value", attribute_hook)
def is_deterministic(owner: Any, name: str, torch: Any) -> Any:
    """The flag says that cuDNN is deterministic."""
    if owner is torch.backends.cudnn and name == "deterministic":
        return True
    return getattr(owner, name)


@fault("environment.answers", "raises", call_hook)
def macos_without_metal(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """Whether macOS is new enough is False, without an error."""
    if function is torch.backends.mps.is_macos_or_newer:
        return False
    return function(*args, **kwargs)


@fault("environment.wrong_settings", "raises", function_hook, "set_num_threads")
def takes_no_threads(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """No threads are taken for one."""
    return function(*(arg or 1 for arg in args if arg is not True), **kwargs)


@fault("environment.wrong_settings", "warnings", function_hook, "set_float32_matmul_precision")
def ignores_precisions(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """An unknown precision is ignored without a warning."""
    with warnings.catch_warnings(action="ignore"):
        return function(*args, **kwargs)


@fault("environment.precision", "value", function_hook, "get_float32_matmul_precision")
def forgets_medium(function: Any, torch: Any) -> Any:
    """The precision medium is read as high."""
    return function().replace("medium", "high")


@fault("environment.new_processes", "value", attribute_hook)
def keeps_threads(owner: Any, name: str, torch: Any) -> Any:
    """200 threads are read as 2."""
    value = getattr(owner, name)
    return value.replace("200", "2") if name == "stdout" else value


@fault("environment.warnings_once", "value", attribute_hook)
def forgets_warnings(owner: Any, name: str, torch: Any) -> Any:
    """A warning is not given after it was always given."""
    value = getattr(owner, name)
    return value.replace("[1, 1, 0]", "[1, 0, 0]") if name == "stdout" else value


def _of_testing(name: str, answer: Callable[..., Any]) -> Fault:
    """Return a fault in a function of torch.testing; ``answer`` replaces its calls."""

    def call(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
        if function is getattr(torch.testing, name):
            return answer(function, torch, *args, **kwargs)
        return function(*args, **kwargs)

    return Fault(call=call)


@fault("testing.closeness", "raises", _of_testing, "assert_close")
def takes_nan_for_equal(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """NaN is close to NaN by default."""
    return function(*args, **{"equal_nan": True, **kwargs})


@fault("testing.closeness", "message", _of_testing, "assert_close")
def hides_the_item(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """The message does not name the item of a sequence."""
    try:
        return function(*args, **kwargs)
    except AssertionError as error:
        raise AssertionError(str(error).partition("\n\nThe failure")[0]) from None


@fault("testing.former", "warnings", _of_testing, "assert_allclose")
def does_not_deprecate(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """The former function gives no FutureWarning."""
    with warnings.catch_warnings(action="ignore", category=FutureWarning):
        return function(*args, **kwargs)


@fault("testing.make_tensor", "stride", _of_testing, "make_tensor")
def is_contiguous_always(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """A tensor that should not be contiguous is."""
    return function(*args, **kwargs).contiguous()


@fault("testing.make_tensor", "elements", _of_testing, "make_tensor")
def takes_zeros(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """Zeros are not excluded."""
    return function(*args, **{**kwargs, "exclude_zero": False})


@fault("callables.refusals", "message", function_hook, "tensordot")
def other_words(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """A refusal has other words than torch's."""
    try:
        return function(*args, **kwargs)
    except RuntimeError as error:
        raise RuntimeError(str(error).replace("expects dims", "expects the dims")) from None
