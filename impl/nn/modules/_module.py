"""Module, the base class of neural network modules (torch/nn/modules/module.py).

The methods for hooks, state dicts and conversions are in private modules.
"""

import inspect
import warnings
from collections import OrderedDict
from collections.abc import Callable
from types import FunctionType
from typing import Any

from ... import Tensor, typename
from ..._dtypes.cpp_names import class_text
from ..parameter import Buffer, Parameter
from . import _conversion, _hooks, _members, _state_dict
from ._state_dict import _IncompatibleKeys

_HOOKS = (
    "_backward_pre_hooks", "_backward_hooks", "_is_full_backward_hook", "_forward_hooks",
    "_forward_hooks_with_kwargs", "_forward_hooks_always_called", "_forward_pre_hooks",
    "_forward_pre_hooks_with_kwargs", "_state_dict_hooks", "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks",
)  # fmt: skip
"""The attributes of a new module for hooks, in torch's order."""


def _check_name(kind: str, name: Any) -> None:
    """Raise if a parameter or buffer cannot have a name."""
    if not isinstance(name, str):
        raise TypeError(f"{kind} name should be a string. Got {typename(name)}")
    if "." in name:
        raise KeyError(f'{kind} name can\'t contain "."')
    if name == "":
        raise KeyError(f'{kind} name can\'t be empty string ""')


def indent(text: str, *, keep_blank: bool = False) -> str:
    """Return a text whose lines after the first are indented by two spaces.

    Blank lines become empty unless ``keep_blank``.
    """
    first, *rest = text.split("\n")
    return "\n".join([first, *(f"  {line}" if keep_blank or line.strip() else "" for line in rest)])


def _forward_unimplemented(self: Any, *input: Any) -> None:
    """Raise NotImplementedError: a subclass defines the computation."""
    raise NotImplementedError(
        f'Module [{type(self).__name__}] is missing the required "forward" function'
    )


class Module:
    """The base class of modules: parameters, buffers and submodules by the names of attributes.

    >>> import impl as torch
    >>> class Scale(torch.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = torch.nn.Parameter(torch.ones(2))
    ...     def forward(self, x):
    ...         return x * self.factor
    >>> Scale().to(torch.float64).state_dict()
    OrderedDict([('factor', tensor([1., 1.], dtype=torch.float64))])
    """

    dump_patches: bool = False
    _version: int = 1
    training: bool
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _non_persistent_buffers_set: set[str]
    _modules: dict[str, Any]
    call_super_init: bool = False
    _compiled_call_impl: Callable[..., Any] | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if self.call_super_init is False and kwargs:
            raise TypeError(
                f"{type(self).__name__}.__init__() got an unexpected keyword argument"
                f" '{next(iter(kwargs))}'"
            )
        if self.call_super_init is False and args:
            raise TypeError(
                f"{type(self).__name__}.__init__() takes 1 positional argument but"
                f" {len(args) + 1} were given"
            )
        attributes: dict[str, Any] = {
            "training": True,
            "_parameters": {},
            "_buffers": {},
            "_non_persistent_buffers_set": set(),
            **{name: OrderedDict() for name in _HOOKS},
            "_is_full_backward_hook": None,
            "_modules": {},
        }
        for name, value in attributes.items():
            object.__setattr__(self, name, value)
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    forward: Callable[..., Any] = _forward_unimplemented

    def register_buffer(self, name: str, tensor: Any, persistent: bool = True) -> None:
        """Add a buffer; only a persistent one is in state dicts."""
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        _check_name("buffer", name)
        if hasattr(self, name) and name not in self._buffers:
            raise KeyError(f"attribute '{name}' already exists")
        if tensor is not None and not _is_tensor_like(tensor):
            raise TypeError(
                f"cannot assign '{typename(tensor)}' object to buffer '{name}' (torch Tensor or"
                " None required)"
            )
        tensor = _hooks.registered(_hooks.BUFFER_REGISTRATION, self, name, tensor)
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def register_parameter(self, name: str, param: Any) -> None:
        """Add a parameter, or None for a name without one."""
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        _check_name("parameter", name)
        if hasattr(self, name) and name not in self._parameters:
            raise KeyError(f"attribute '{name}' already exists")
        if param is None:
            self._parameters[name] = None
            return
        if not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{typename(param)}' object to parameter '{name}'"
                " (torch.nn.Parameter or None required)"
            )
        if param.grad_fn:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be"
                f" created explicitly. To express '{name}' as a function of another Tensor, compute"
                " the value in the forward() method."
            )
        param = _hooks.registered(_hooks.PARAMETER_REGISTRATION, self, name, param)
        self._parameters[name] = param

    def add_module(self, name: str, module: Any) -> None:
        """Add a submodule, or None for a name without one."""
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{typename(module)} is not a Module subclass")
        if not isinstance(name, str):
            raise TypeError(f"module name should be a string. Got {typename(name)}")
        if hasattr(self, name) and name not in self._modules:
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            raise KeyError(f'module name can\'t contain ".", got: {name}')
        if name == "":
            raise KeyError('module name can\'t be empty string ""')
        module = _hooks.registered(_hooks.MODULE_REGISTRATION, self, name, module)
        self._modules[name] = module

    def register_module(self, name: str, module: Any) -> None:
        """Add a submodule: another name of `add_module`."""
        self.add_module(name, module)

    def get_submodule(self, target: str) -> "Module":
        """Return the submodule at a dotted path."""
        module: Any = self
        for name in target.split(".") if target else ():
            module = _member(module, name)
            if not isinstance(module, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module  # type: ignore[no-any-return]

    def set_submodule(self, target: str, module: "Module", strict: bool = False) -> None:
        """Set the submodule at a dotted path; with ``strict`` there has to be one."""
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Module):
            raise ValueError(f"`module` is not an nn.Module, found {class_text(type(module))}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path) if "." in target else self
        if strict or hasattr(parent, name):
            former = _member(parent, name)
            if not isinstance(former, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """Return the parameter at a dotted path."""
        path, _, name = target.rpartition(".")
        param = _member(self.get_submodule(path), name)
        if not isinstance(param, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return param

    def get_buffer(self, target: str) -> Any:
        """Return the buffer at a dotted path."""
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        buffer = _member(module, name)
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return buffer

    def __getattr__(self, name: str) -> Any:
        for members in ("_parameters", "_buffers", "_modules"):
            if members in self.__dict__ and name in self.__dict__[members]:
                return self.__dict__[members][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        params, modules, buffers = map(self.__dict__.get, ("_parameters", "_modules", "_buffers"))
        if isinstance(value, Parameter):
            if params is None:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            _forget(self, name, self.__dict__, self._buffers, self._modules)
            self.register_parameter(name, value)
        elif params is not None and name in params:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{typename(value)}' as parameter '{name}' (torch.nn.Parameter"
                    " or None expected)"
                )
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            if modules is None:
                raise AttributeError("cannot assign module before Module.__init__() call")
            _forget(self, name, self.__dict__, self._parameters, self._buffers)
            modules[name] = _hooks.registered(_hooks.MODULE_REGISTRATION, self, name, value)
        elif modules is not None and name in modules:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{typename(value)}' as child module '{name}' (torch.nn.Module"
                    " or None expected)"
                )
            modules[name] = _hooks.registered(_hooks.MODULE_REGISTRATION, self, name, value)
        elif isinstance(value, Buffer) or (buffers is not None and name in buffers):
            _set_buffer(self, name, value)
        else:
            super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        if name in self._parameters:
            del self._parameters[name]
        elif name in self._buffers:
            del self._buffers[name]
            self._non_persistent_buffers_set.discard(name)
        elif name in self._modules:
            del self._modules[name]
        else:
            super().__delattr__(name)

    def apply(self, fn: Callable[["Module"], None]) -> Any:
        """Call ``fn`` with each submodule, then with this module, and return this module."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self, mode: bool = True) -> Any:
        """Set training mode of this module and its submodules."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Any:
        """Set evaluation mode of this module and its submodules."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        """Set requires_grad of all parameters."""
        for param in self.parameters():
            param.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Do nothing: without a backward pass no parameter has a gradient."""
        if getattr(self, "_is_replica", False):
            warnings.warn(
                "Calling .zero_grad() from a module created with nn.DataParallel() has no effect."
                " The parameters are copied (in a differentiable manner) from the original module."
                " This means they are not leaf nodes in autograd and so don't accumulate gradients."
                " If you need gradients in your forward method, consider using autograd.grad"
                " instead.",
                stacklevel=2,
            )

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """Return the text of the module's own arguments in its repr."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        extra_lines = extra.split("\n") if extra else []
        children = [f"({name}): {indent(repr(module))}" for name, module in self._modules.items()]
        lines = extra_lines + children
        body = "\n  " + "\n  ".join(lines) + "\n" if lines else ""
        if len(extra_lines) == 1 and not children:
            body = extra
        return f"{self._get_name()}({body})"

    def __dir__(self) -> list[str]:
        members = (self.__dict__, self._parameters, self._modules, self._buffers)
        keys = [*dir(type(self)), *(key for values in members for key in values.keys())]  # noqa: SIM118
        return sorted(key for key in keys if not key[0].isdigit())

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        state.pop("_compiled_call_impl", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for name in _HOOKS:  # modules that were pickled by earlier versions lack some
            if name not in ("_backward_hooks", "_forward_hooks") and name not in self.__dict__:
                setattr(self, name, None if name == "_is_full_backward_hook" else OrderedDict())
        if "_non_persistent_buffers_set" not in self.__dict__:
            self._non_persistent_buffers_set = set()

    def _wrapped_call_impl(self, *args: Any, **kwargs: Any) -> Any:
        return self._call_impl(*args, **kwargs)

    __call__: Callable[..., Any] = _wrapped_call_impl
    _call_impl = _hooks._call_impl
    register_forward_pre_hook = _hooks.register_forward_pre_hook
    register_forward_hook = _hooks.register_forward_hook
    register_full_backward_pre_hook = _hooks.register_full_backward_pre_hook
    register_backward_hook = _hooks.register_backward_hook
    register_full_backward_hook = _hooks.register_full_backward_hook

    _named_members = _members._named_members
    parameters = _members.parameters
    named_parameters = _members.named_parameters
    buffers = _members.buffers
    named_buffers = _members.named_buffers
    children = _members.children
    named_children = _members.named_children
    modules = _members.modules
    named_modules = _members.named_modules

    get_extra_state = _state_dict.get_extra_state
    set_extra_state = _state_dict.set_extra_state
    _register_state_dict_hook = _state_dict.register_state_dict_hook
    register_state_dict_post_hook = _state_dict.register_state_dict_post_hook
    register_state_dict_pre_hook = _state_dict.register_state_dict_pre_hook
    _save_to_state_dict = _state_dict._save_to_state_dict
    state_dict = _state_dict.state_dict
    _register_load_state_dict_pre_hook = _state_dict._register_load_state_dict_pre_hook
    register_load_state_dict_pre_hook = _state_dict.register_load_state_dict_pre_hook
    register_load_state_dict_post_hook = _state_dict.register_load_state_dict_post_hook
    _load_from_state_dict = _state_dict._load_from_state_dict
    load_state_dict = _state_dict.load_state_dict

    _apply = _conversion._apply
    cuda = _conversion.cuda
    ipu = _conversion.ipu
    xpu = _conversion.xpu
    mtia = _conversion.mtia
    cpu = _conversion.cpu
    type = _conversion.type
    float = _conversion.float
    double = _conversion.double
    half = _conversion.half
    bfloat16 = _conversion.bfloat16
    to_empty = _conversion.to_empty
    to = _conversion.to
    share_memory = _conversion.share_memory


def _forget(module: Module, name: str, *members: Any) -> None:
    """Remove a name that gets another kind of value; a program may have replaced the members."""
    for values in (*members, module._non_persistent_buffers_set):
        if name in values:
            if isinstance(values, dict):
                del values[name]
            else:
                values.discard(name)


def _set_buffer(module: Module, name: str, value: Any) -> None:
    if value is not None and not _is_tensor_like(value):
        raise TypeError(
            f"cannot assign '{typename(value)}' as buffer '{name}' (torch.nn.Buffer,"
            " torch.Tensor or None expected)"
        )
    if isinstance(value, Buffer):
        persistent = value.persistent
    else:
        persistent = name not in module._non_persistent_buffers_set
    register = module.register_buffer
    if (
        getattr(register, "__func__", None) is Module.register_buffer
        or "persistent" in inspect.signature(register).parameters
    ):
        register(name, value, persistent)
    elif not persistent:
        raise RuntimeError(
            "Registering a non-persistent buffer on a Module subclass that implements"
            " register_buffer() without the persistent argument is not allowed."
        )
    else:
        register(name, value)


def _is_tensor_like(value: Any) -> bool:
    return isinstance(value, Tensor) or hasattr(value, "__torch_function__")


def _member(module: Module, name: str) -> Any:
    """Return an attribute of a module on the path of a name."""
    if not hasattr(module, name):
        raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
    return getattr(module, name)


_MODULE = f"{__package__}.module"
Module.__module__ = _IncompatibleKeys.__module__ = _MODULE
for _name, _value in vars(Module).items():
    if isinstance(_value, FunctionType):
        _value.__module__ = _MODULE
        if _value.__globals__ is not globals():
            _value.__name__, _value.__qualname__ = _name, f"Module.{_name}"
