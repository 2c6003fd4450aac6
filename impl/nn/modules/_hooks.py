"""Hooks of modules, and the call of ``forward`` between them."""

import warnings
from collections import OrderedDict
from collections.abc import Callable
from functools import update_wrapper
from typing import Any, NoReturn
from weakref import ReferenceType, ref

from ...utils.hooks import RemovableHandle

Hooks = OrderedDict[int, Any]

BUFFER_REGISTRATION: Hooks = OrderedDict()
MODULE_REGISTRATION: Hooks = OrderedDict()
PARAMETER_REGISTRATION: Hooks = OrderedDict()
"""The hooks of all modules that run before a buffer, module or parameter is registered."""

FORWARD_PRE: Hooks = OrderedDict()
FORWARD: Hooks = OrderedDict()
FORWARD_ALWAYS_CALLED: Hooks = OrderedDict()
FORWARD_WITH_KWARGS: Hooks = OrderedDict()
"""The hooks of all modules that run before and after ``forward``, and the ids with an option."""


class WrappedHook:
    """A hook that gets its module as the first argument, if it was registered with one."""

    def __init__(self, hook: Callable[..., Any], module: Any = None) -> None:
        self.hook = hook
        update_wrapper(self, hook)
        self.with_module = module is not None
        if self.with_module:
            self.module: ReferenceType[Any] = ref(module)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not self.with_module:
            return self.hook(*args, **kwargs)
        module = self.module()
        if module is None:
            raise RuntimeError("You are trying to call the hook of a dead Module!")
        return self.hook(module, *args, **kwargs)

    def __getstate__(self) -> dict[str, Any]:
        state = {"hook": self.hook, "with_module": self.with_module}
        return {**state, "module": self.module()} if self.with_module else state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.hook, self.with_module = state["hook"], state["with_module"]
        if self.with_module:
            if state["module"] is None:
                raise RuntimeError("You are trying to revive the hook of a dead Module!")
            self.module = ref(state["module"])


WrappedHook.__name__ = WrappedHook.__qualname__ = "_WrappedHook"


def add(hooks: Hooks, hook: Any, prepend: bool = False, **options: Any) -> RemovableHandle:
    """Add a hook after the others, or before them, and return its handle."""
    handle = RemovableHandle(hooks, **options)
    hooks[handle.id] = hook
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def registered(hooks: Hooks, module: Any, name: str, value: Any) -> Any:
    """Return the value that registration hooks make of one that gets a name in a module."""
    for hook in hooks.values():
        output = hook(module, name, value)
        if output is not None:
            value = output
    return value


def register_module_buffer_registration_hook(hook: Callable[..., None]) -> RemovableHandle:
    """Register ``hook(module, name, buffer)``, called before any module registers a buffer."""
    return add(BUFFER_REGISTRATION, hook)


def register_module_module_registration_hook(hook: Callable[..., None]) -> RemovableHandle:
    """Register ``hook(module, name, submodule)``, called before any module gets a submodule."""
    return add(MODULE_REGISTRATION, hook)


def register_module_parameter_registration_hook(hook: Callable[..., None]) -> RemovableHandle:
    """Register ``hook(module, name, param)``, called before any module registers a parameter."""
    return add(PARAMETER_REGISTRATION, hook)


def register_module_forward_pre_hook(hook: Callable[..., None]) -> RemovableHandle:
    """Register ``hook(module, args)``, called before ``forward`` of any module."""
    return add(FORWARD_PRE, hook)


def register_module_forward_hook(
    hook: Callable[..., None], *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Register ``hook(module, args, output)``, called after ``forward`` of any module."""
    handle = add(FORWARD, hook, extra_dict=FORWARD_ALWAYS_CALLED)
    if with_kwargs:
        FORWARD_WITH_KWARGS[handle.id] = True
    if always_call:
        FORWARD_ALWAYS_CALLED[handle.id] = True
    return handle


def register_forward_pre_hook(
    self: Any, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
) -> RemovableHandle:
    """Register ``hook(module, args)``, called before ``forward``.

    It may return new arguments: one value or a tuple.  With ``with_kwargs`` it gets the keyword
    arguments, too, and may return a pair.
    """
    options = self._forward_pre_hooks_with_kwargs
    handle = add(self._forward_pre_hooks, hook, extra_dict=options)
    if with_kwargs:
        options[handle.id] = True
    if prepend:
        self._forward_pre_hooks.move_to_end(handle.id, last=False)
    return handle


def register_forward_hook(
    self: Any,
    hook: Callable[..., Any],
    *,
    prepend: bool = False,
    with_kwargs: bool = False,
    always_call: bool = False,
) -> RemovableHandle:
    """Register ``hook(module, args, output)``, called after ``forward``.

    It may return another output.  With ``with_kwargs`` it gets the keyword arguments before the
    output.  With ``always_call`` it is called even if ``forward`` or another hook raises.
    """
    options = [self._forward_hooks_with_kwargs, self._forward_hooks_always_called]
    handle = add(self._forward_hooks, hook, extra_dict=options)
    for option, is_set in zip(options, (with_kwargs, always_call), strict=True):
        if is_set:
            option[handle.id] = True
    if prepend:
        self._forward_hooks.move_to_end(handle.id, last=False)
    return handle


def _no_backward() -> NoReturn:
    raise NotImplementedError("impl has no hooks of gradients: there is no backward pass")


def register_full_backward_pre_hook(
    self: Any, hook: Callable[..., Any], prepend: bool = False
) -> RemovableHandle:
    """Raise NotImplementedError: there is no backward pass."""
    _no_backward()


def register_backward_hook(self: Any, hook: Callable[..., Any]) -> RemovableHandle:
    """Raise NotImplementedError: there is no backward pass."""
    _no_backward()


def register_full_backward_hook(
    self: Any, hook: Callable[..., Any], prepend: bool = False
) -> RemovableHandle:
    """Raise NotImplementedError: there is no backward pass."""
    _no_backward()


def _call_impl(self: Any, *args: Any, **kwargs: Any) -> Any:
    """Call ``forward`` between the forward hooks."""
    own = self._backward_hooks or self._backward_pre_hooks
    if not (own or self._forward_hooks or self._forward_pre_hooks or FORWARD or FORWARD_PRE):
        return self.forward(*args, **kwargs)
    result = None
    called: set[int] = set()

    def run() -> Any:
        nonlocal result, args, kwargs
        args, kwargs = _before_forward(self, args, kwargs)
        result = self.forward(*args, **kwargs)
        for hook_id, hook in (*FORWARD.items(), *self._forward_hooks.items()):
            if hook_id in self._forward_hooks_always_called or hook_id in FORWARD_ALWAYS_CALLED:
                called.add(hook_id)
            has_kwargs = (
                hook_id in self._forward_hooks_with_kwargs or hook_id in FORWARD_WITH_KWARGS
            )
            output = hook(self, args, kwargs, result) if has_kwargs else hook(self, args, result)
            if output is not None:
                result = output
        return result

    try:
        return run()
    except Exception:
        # Torch's hooks of all modules do not get keyword arguments here, whatever they ask for.
        for hooks, always, with_kwargs, kind in (
            (FORWARD, FORWARD_ALWAYS_CALLED, {}, "global module"),
            (
                self._forward_hooks,
                self._forward_hooks_always_called,
                self._forward_hooks_with_kwargs,
                "module",
            ),
        ):
            for hook_id, hook in hooks.items():
                if hook_id not in always or hook_id in called:
                    continue
                try:
                    has_kwargs = hook_id in with_kwargs
                    output = (
                        hook(self, args, kwargs, result) if has_kwargs else hook(self, args, result)
                    )
                    if output is not None:
                        result = output
                except Exception as error:  # noqa: BLE001  # a hook may raise anything
                    warnings.warn(
                        f"{kind} forward hook with ``always_call=True`` raised an exception that"
                        f" was silenced as another error was raised in forward: {error!s}",
                        stacklevel=2,
                    )
        raise


def _before_forward(self: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """Return the arguments that the hooks before ``forward`` make of others."""
    for hook_id, hook in (*FORWARD_PRE.items(), *self._forward_pre_hooks.items()):
        if hook_id in self._forward_pre_hooks_with_kwargs:
            new = hook(self, args, kwargs)
            if new is None:
                continue
            if not (isinstance(new, tuple) and len(new) == 2):
                raise RuntimeError(
                    "forward pre-hook must return None or a tuple of (new_args, new_kwargs), but"
                    f" got {new}."
                )
            args, kwargs = new
        else:
            new = hook(self, args)
            if new is not None:
                args = new if isinstance(new, tuple) else (new,)
    return args, kwargs
