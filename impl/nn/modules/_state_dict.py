"""State dicts of modules: their hooks, saving and loading."""

import warnings
from collections import OrderedDict, namedtuple
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from ... import Tensor, no_grad
from ..._dtypes.cpp_names import class_text
from ..._runtime.warnings import is_python_frame
from ...utils.hooks import RemovableHandle
from ..parameter import Parameter
from ._hooks import WrappedHook, add

EXTRA_STATE = "_extra_state"
"""The last part of the key of extra state."""


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """The result of load_state_dict: keys without a value, and keys that no module has."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


def _never_called(name: str) -> NoReturn:
    raise RuntimeError(
        f"Reached a code path in Module.{name}() that should never be called. Please file an issue"
        " at https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this"
        " bug."
    )


def get_extra_state(self: Any) -> Any:
    """Return extra state for the state dict; a class that has some overrides this."""
    _never_called("get_extra_state")


def set_extra_state(self: Any, state: Any) -> None:
    """Set extra state from a state dict; a class that has some overrides this."""
    _never_called("set_extra_state")


def register_state_dict_hook(self: Any, hook: Callable[..., Any]) -> RemovableHandle:
    """Register ``hook(module, state_dict, prefix, local_metadata)``; it may return another dict."""
    if getattr(hook, "_from_public_api", False):
        raise RuntimeError(
            "Cannot register the same function as the state dict post hook that was previously"
            " registered via register_state_dict_post_hook"
        )
    return add(self._state_dict_hooks, hook)


def register_state_dict_post_hook(self: Any, hook: Any) -> RemovableHandle:
    """Register ``hook(module, state_dict, prefix, local_metadata)``, called after `state_dict`."""
    hook._from_public_api = True
    return add(self._state_dict_hooks, hook)


def register_state_dict_pre_hook(self: Any, hook: Callable[..., Any]) -> RemovableHandle:
    """Register ``hook(module, prefix, keep_vars)``, called before `state_dict`."""
    return add(self._state_dict_pre_hooks, hook)


def _register_load_state_dict_pre_hook(
    self: Any, hook: Callable[..., Any], with_module: bool = False
) -> RemovableHandle:
    wrapped = WrappedHook(hook, self if with_module else None)
    return add(self._load_state_dict_pre_hooks, wrapped)


def register_load_state_dict_pre_hook(self: Any, hook: Callable[..., Any]) -> RemovableHandle:
    """Register a hook, called before this module loads its part of a state dict.

    Its arguments are the module and those of ``_load_from_state_dict``.
    """
    return self._register_load_state_dict_pre_hook(hook, with_module=True)  # type: ignore[no-any-return]


def register_load_state_dict_post_hook(self: Any, hook: Callable[..., Any]) -> RemovableHandle:
    """Register ``hook(module, incompatible_keys)``, called after the module has loaded."""
    return add(self._load_state_dict_post_hooks, hook)


def _save_to_state_dict(self: Any, destination: Any, prefix: str, keep_vars: bool) -> None:
    persistent = (
        (name, buffer)
        for name, buffer in self._buffers.items()
        if name not in self._non_persistent_buffers_set
    )
    for name, value in (*self._parameters.items(), *persistent):
        if value is not None:
            destination[prefix + name] = value if keep_vars else value.detach()
    if getattr(type(self), "get_extra_state", get_extra_state) is not get_extra_state:
        destination[prefix + EXTRA_STATE] = self.get_extra_state()


def state_dict(
    self: Any, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False
) -> Any:
    """Return the parameters and persistent buffers of this module and its submodules.

    The values are detached tensors that share the memory, or the tensors themselves with
    ``keep_vars``.
    """
    if args:
        warnings.warn(
            "Positional args are being deprecated, use kwargs instead. Refer to"
            " https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict"
            " for details.",
            FutureWarning,
            stacklevel=2,
        )
        if destination is None:
            destination = args[0]
        if len(args) > 1 and prefix == "":
            prefix = args[1]
        if len(args) > 2 and keep_vars is False:
            keep_vars = args[2]
    if destination is None:
        destination = OrderedDict()
        destination._metadata = OrderedDict()
    local_metadata = {"version": self._version}
    if hasattr(destination, "_metadata"):
        destination._metadata[prefix[:-1]] = local_metadata
    for hook in self._state_dict_pre_hooks.values():
        hook(self, prefix, keep_vars)
    self._save_to_state_dict(destination, prefix, keep_vars)
    for name, module in self._modules.items():
        if module is not None:
            module.state_dict(
                destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars
            )
    for hook in self._state_dict_hooks.values():
        result = hook(self, destination, prefix, local_metadata)
        if result is not None:
            if getattr(hook, "_from_public_api", False):
                raise RuntimeError("state_dict post-hook must return None")
            destination = result
    return destination


def _load_from_state_dict(
    self: Any,
    state_dict: Any,
    prefix: str,
    local_metadata: Any,
    strict: bool,
    missing_keys: list[str],
    unexpected_keys: list[str],
    error_msgs: list[str],
) -> None:
    """Load the parameters and buffers of this module alone, without its submodules."""
    for hook in self._load_state_dict_pre_hooks.values():
        hook(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )  # fmt: skip
    transient = self._non_persistent_buffers_set
    persistent = {name: value for name, value in self._buffers.items() if name not in transient}
    local = {
        name: value
        for name, value in (*self._parameters.items(), *persistent.items())
        if value is not None
    }
    assign = local_metadata.get("assign_to_params_buffers", False)
    for name, param in local.items():
        key = prefix + name
        if key in state_dict:
            _load_one(self, name, key, param, state_dict[key], assign, error_msgs)
        elif strict:
            missing_keys.append(key)
    extra_key = prefix + EXTRA_STATE
    if getattr(type(self), "set_extra_state", set_extra_state) is not set_extra_state:
        if extra_key in state_dict:
            self.set_extra_state(state_dict[extra_key])
        elif strict:
            missing_keys.append(extra_key)
    elif strict and extra_key in state_dict:
        unexpected_keys.append(extra_key)
    if not strict:
        return
    for key in state_dict:
        if not key.startswith(prefix) or key == extra_key:
            continue
        first, *rest = key[len(prefix) :].split(".", 1)
        if first not in (self._modules if rest else local):
            unexpected_keys.append(key)


@is_python_frame
def _load_one(
    self: Any, name: str, key: str, param: Any, new: Any, assign: bool, error_msgs: list[str]
) -> None:
    """Copy or assign one value of a state dict; append the message of an error."""
    if not (isinstance(new, Tensor) or hasattr(new, "__torch_function__")):
        error_msgs.append(
            f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like'
            f" object from checkpoint but received {class_text(type(new))}"
        )
        return
    if len(param.shape) == 0 and len(new.shape) == 1 and new.shape[0] == 1:
        new = new[0]  # files of versions before 0.4 have no 0-dim tensors
    if new.shape != param.shape:
        error_msgs.append(
            f"size mismatch for {key}: copying a param with shape {new.shape} from checkpoint, the"
            f" shape in current model is {param.shape}."
        )
        return
    if param.is_meta and not new.is_meta and not assign:
        warnings.warn(
            f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter in"
            " the current model, which is a no-op. (Did you mean to pass `assign=True` to assign"
            " items in the state dictionary to their corresponding key in the module instead of"
            " copying them in place?)",
            stacklevel=3,
        )
    try:
        with no_grad():
            if not assign:
                param.copy_(new)
                return
            if isinstance(param, Parameter):
                if isinstance(new, Parameter):
                    new.requires_grad_(param.requires_grad)  # type: ignore[attr-defined]
                else:
                    new = Parameter(new, requires_grad=param.requires_grad)
            setattr(self, name, new)
    except Exception as error:  # noqa: BLE001  # reported with the others
        error_msgs.append(
            f'While copying the parameter named "{key}", whose dimensions in the model are'
            f" {param.size()} and whose dimensions in the checkpoint are {new.size()}, an exception"
            f" occurred : {error.args}."
        )


def load_state_dict(
    self: Any, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
) -> Any:
    """Copy a state dict into the parameters and persistent buffers of all submodules.

    Returns the missing and the unexpected keys; with ``strict`` there must be none.  With
    ``assign`` the tensors of the dict themselves become parameters and buffers.  Raises
    RuntimeError with all errors; what could be loaded is loaded then.
    """
    if not isinstance(state_dict, Mapping):
        raise TypeError(f"Expected state_dict to be dict-like, got {class_text(type(state_dict))}.")
    missing_keys: list[str] = []
    unexpected_keys: list[str] = []
    error_msgs: list[str] = []
    metadata = getattr(state_dict, "_metadata", None)
    whole: Any = OrderedDict(state_dict)
    if metadata is not None:
        whole._metadata = metadata

    def load(module: Any, part: Any, prefix: str = "") -> None:
        local_metadata = {} if metadata is None else metadata.get(prefix[:-1], {})
        if assign:
            local_metadata["assign_to_params_buffers"] = assign
        module._load_from_state_dict(
            part, prefix, local_metadata, True, missing_keys, unexpected_keys, error_msgs
        )
        for name, child in module._modules.items():
            if child is not None:
                inner = f"{prefix}{name}."
                load(child, {k: v for k, v in part.items() if k.startswith(inner)}, inner)
        incompatible = _IncompatibleKeys(missing_keys, unexpected_keys)
        for hook in module._load_state_dict_post_hooks.values():
            if hook(module, incompatible) is not None:
                raise AssertionError(
                    "Hooks registered with ``register_load_state_dict_post_hook`` are not expected"
                    " to return new values, if incompatible_keys need to be modified, it should be"
                    " done inplace."
                )

    load(self, whole)
    if strict:
        for kind, keys in (("Unexpected", unexpected_keys), ("Missing", missing_keys)):
            if keys:
                listed = ", ".join(f'"{key}"' for key in keys)
                error_msgs.insert(0, f"{kind} key(s) in state_dict: {listed}. ")
    if error_msgs:
        listed = "\n\t".join(error_msgs)
        raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{listed}")
    return _IncompatibleKeys(missing_keys, unexpected_keys)
