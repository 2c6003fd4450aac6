"""The registration of operators as functions and methods."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from ..._argparser.parser import Parser, repeat_deprecation
from ..._argparser.schema import MISSING
from ..._autograd.tracking import check_no_stale_views
from ..._devices.device import META
from ..._geometry.geometry import strided
from ..._geometry.view_checks import DeviceError
from ..._runtime.errors import NotDense, takes_no_arguments
from ..._runtime.lazy_exports import PUBLIC
from ..._runtime.torch_function import UnrelatedOverride, redispatch
from ..._tensor.sparse_dispatch import dispatch_sparse, lacks_sparse_kernel, sparse_first
from ..._tensor.tensor import METHODS, Tensor, check_receiver
from ..._tensor.views import view_of
from .cuda_kernels import one_device_first
from .grad_nodes import PLANNED_CLASSES
from .out_argument import bind_factory

Run = Callable[..., Any]
Bind = Callable[..., tuple[int, Any]]


class Op(NamedTuple):
    """An operator.

    name: the name in torch.
    overloads: the callables by parameters of the method, in torch's signature notation.
    function, method: whether the operator is a public function and a method.
    input: the declaration of the function's first parameter.
    has_no_args_path: whether calls without arguments skip the parser.
    checks_device_first: whether the device is checked before the other arguments are converted.
    cached: whether geometry and arguments alone decide the view, so it is cached.
    wrap: what returns the installed function and method of those that parse their arguments.
    """

    name: str
    overloads: dict[str, Run]
    function: bool = True
    method: bool = True
    input: str = "Tensor input"
    has_no_args_path: bool = False
    checks_device_first: bool = False
    cached: bool = False
    wrap: Callable[[Run], Run] | None = None


def register_operator(op: Op) -> Run:
    """Register the method and the function of an operator; return the method."""
    runs = [sparse_first(op.name, one_device_first(op.name, run)) for run in op.overloads.values()]
    method = _method(op, runs)
    if op.cached:
        method = _set_names(_with_view_cache(op.name, method), op, f"Tensor.{op.name}")
    if op.wrap is not None:
        method = _set_names(op.wrap(method), op, f"Tensor.{op.name}")
    if op.method:
        METHODS[op.name] = method
    if op.function:
        signatures = [signature(op.name, op.input, params) for params in op.overloads]
        bind = _binder(op, signatures, "torch")
        function = _function(op.name, bind, runs)
        if op.has_no_args_path or [*op.overloads] == [""]:
            function = with_tensor_only(runs[0], function)
        if op.cached:
            function = _with_view_cache(f"torch.{op.name}", function)
        if op.wrap is not None:
            function = op.wrap(function)
        PUBLIC[op.name] = _set_names(function, op, op.name)
    return method


def _binder(op: Op, signatures: list[str], owner: str) -> Bind:
    parse = Parser(*signatures, repeats_at_end=True, owner=owner)
    return partial(bind_factory, parse, like=True) if op.checks_device_first else parse.bind


def _function(name: str, bind: Bind, runs: list[Run]) -> Run:
    def function(*args: Any, **keywords: Any) -> Any:
        try:
            overload, bound = bind(args, keywords)
        except UnrelatedOverride:
            return redispatch("torch", name, args, keywords)
        try:
            return runs[overload](*bound)
        except NotDense:
            pass
        except Exception:  # whichever check raised, torch looks for the sparse kernel before it
            if not lacks_sparse_kernel(name, bound):
                raise
        return dispatch_sparse(name, *bound)

    return function


def method_of(name: str, bind: Bind, runs: list[Run], *, is_deprecated: bool = False) -> Run:
    """Return a method which binds its arguments; NotDense leads to the sparse kernel.

    ``is_deprecated`` is whether a signature is deprecated, so that ``bind`` takes the tensor, too.
    """

    def method(self: Any = MISSING, /, *args: Any, **keywords: Any) -> Any:
        if not isinstance(self, Tensor):
            check_receiver(name, self)
        try:
            overload, bound = bind(args, keywords, self) if is_deprecated else bind(args, keywords)
        except UnrelatedOverride:
            return redispatch("torch.Tensor", name, (self, *args), keywords)
        try:
            return runs[overload](self, *bound)
        except NotDense:
            pass
        except Exception:  # whichever check raised, torch looks for the sparse kernel before it
            if not lacks_sparse_kernel(name, (self, *bound)):
                raise
        return dispatch_sparse(name, self, *bound)

    return method


def with_no_args_path(run: Run, slow: Run) -> Run:
    """Return a method which calls ``run`` for calls without arguments, else ``slow``."""

    def method(self: Any = MISSING, /, *args: Any, **keywords: Any) -> Any:
        if not args and not keywords and isinstance(self, Tensor):
            try:
                return run(self)
            except NotDense:
                pass
        return slow(self, *args, **keywords)

    return method


def with_tensor_only(run: Run, slow: Run) -> Run:
    """Return a function which calls ``run`` for a tensor alone, else ``slow``."""

    def function(*args: Any, **keywords: Any) -> Any:
        if len(args) == 1 and not keywords and type(args[0]) is Tensor:
            try:
                return run(args[0])
            except NotDense:
                pass
        return slow(*args, **keywords)

    return function


def _method(op: Op, runs: list[Run]) -> Run:
    if [*op.overloads] == [""]:
        # CPython checks the arguments, not torch's parser.
        bind: Bind = partial(_bind_nothing, f"TensorBase.{op.name}")
    else:
        signatures = [signature(op.name, params) for params in op.overloads]
        bind = _binder(op, signatures, "torch.Tensor")
    is_deprecated = any(params.endswith("|deprecated") for params in op.overloads)
    method = method_of(op.name, bind, runs, is_deprecated=is_deprecated)
    if is_deprecated:
        method = repeat_deprecation(method)
    elif op.has_no_args_path or "" in op.overloads:
        method = with_no_args_path(runs[0], method)
    return _set_names(method, op, f"Tensor.{op.name}")


def _bind_nothing(name: str, args: Any, keywords: Any) -> tuple[int, tuple[()]]:
    if args or keywords:
        takes_no_arguments(name, args, keywords)
    return 0, ()


def signature(name: str, *parts: str) -> str:
    """Return a signature of parameters; the last ones may end with torch's ``|deprecated``."""
    inside, mark, suffix = ", ".join(filter(None, parts)).partition("|")
    return f"{name}({inside}){mark}{suffix}"


def _set_names(function: Run, op: Op, qualname: str) -> Run:
    function.__name__, function.__qualname__ = op.name, qualname
    # The doctests call the function of the geometry.
    function.__doc__ = (next(iter(op.overloads.values())).__doc__ or "").partition("\n\n")[0]
    return function


def install_view(name: str, overloads: dict[str, tuple[Run, str]], function: bool = True) -> None:
    """Register a view that the geometry alone decides; its results are cached.

    ``overloads`` are pairs by parameters.  The first is a function of sizes, strides and the
    arguments that returns sizes, strides and an offset to add.  The second is the grad_fn name.
    """
    runs = {parameters: view_operator(*view) for parameters, view in overloads.items()}
    register_operator(Op(name, runs, function, cached=True))


def _with_view_cache(name: str, slow: Run) -> Run:
    """Return a view function that caches the results of integer arguments in the geometry.

    It keeps the name of the grad_fn, too, once autograd has recorded a view.  ``slow`` is the
    method or the function, and ``name`` its name.
    """

    def cached(self: Any = MISSING, /, *args: Any, **keywords: Any) -> Tensor:
        cls = type(self)
        if (cls is not Tensor and cls not in PLANNED_CLASSES) or keywords:
            return slow(*(() if self is MISSING else (self, *args)), **keywords)  # type: ignore[no-any-return]
        ints = args[0] if len(args) == 1 and type(args[0]) is tuple else args
        for argument in ints:
            if type(argument) is not int:
                return slow(self, *args)  # type: ignore[no-any-return]
        key = name, ints is args, ints
        known = self._geometry.cache.get(key)
        if known is not None:
            geometry, offset, node = known
            base = self._view_base
            if self._autograd_meta is None and (base is None or base._autograd_meta is None):
                return view_of(self, geometry, self._offset + offset, node)
            if node:
                check_no_stale_views(self)
                return view_of(self, geometry, self._offset + offset, node)
        view: Tensor = slow(self, *args)
        if view is not self and view._storage is self._storage and view._view_base is not None:
            meta = view._autograd_meta
            node = "" if meta is None or meta.grad_fn is None else type(meta.grad_fn).__name__
            self._geometry.remember(key, (view._geometry, view._offset - self._offset, node))
        return view

    return cached


def view_operator(view_geometry: Run, node: str) -> Run:
    """Return an operator for a view that the geometry alone decides, without a cache."""

    def run(tensor: Tensor, *bound: Any) -> Tensor:
        check_no_stale_views(tensor)
        geometry = tensor._geometry
        try:
            shape, stride, offset = view_geometry(geometry.shape, geometry.stride, *bound)
        except DeviceError as error:
            raise error.of(is_meta=geometry.device is META) from None
        return view_of(tensor, strided(shape, stride), tensor._offset + offset, node)

    run.__doc__ = view_geometry.__doc__
    return run
