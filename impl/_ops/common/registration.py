"""Rows of operators, and what makes functions and methods of them."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from ..._argparser.parser import Parser
from ..._autograd.tracking import check_usable
from ..._geometry.geometry import strided
from ..._runtime.errors import NotDense, takes_no_arguments
from ..._runtime.lazy_exports import PUBLIC
from ..._runtime.warnings import warn_caller
from ..._storage.untyped_storage import check_named_device
from ..._tensor.sparse_dispatch import of_sparse, sparse_first
from ..._tensor.tensor import METHODS, Tensor, view_of

Run = Callable[..., Any]

_INTS = frozenset({int})


class Op(NamedTuple):
    """An operator: its name, and for each way to call it the parameters and what to run.

    The parameters are those of the method, in torch's notation; the function
    has the tensor before them, as ``input``.  ``bare`` says that the one way
    may be run with the tensor alone, and ``cached`` that the result is a view
    which geometry and arguments decide: these are short ways for usual calls.
    ``makes`` says that a device is looked at before anything else.
    """

    name: str
    overloads: dict[str, Run]
    function: bool = True
    method: bool = True
    input: str = "Tensor input"
    bare: bool = False
    makes: bool = False
    cached: bool = False


def install(op: Op) -> Run:
    """Make the method and the function of a row; return the method."""
    method = _method(op)
    if op.cached:
        method = _named(_cached(op.name, method), op, f"Tensor.{op.name}")
    if op.method:
        METHODS[op.name] = method
    if op.function:
        PUBLIC[op.name] = _function(op)
    return method


def _function(op: Op) -> Callable[..., Any]:
    parse = Parser(*(_declared(op.name, _joined(op.input, ways)) for ways in op.overloads))
    runs = tuple([sparse_first(op.name, run) for run in op.overloads.values()])

    choose = parse.bind if not op.makes else partial(_choose_for_device, parse)

    def function(*args: Any, **keywords: Any) -> Any:
        which, bound = choose(args, keywords)
        try:
            return runs[which](*bound)
        except NotDense:
            pass
        return of_sparse(op.name, *bound)

    return _named(function, op, op.name)


def _method(op: Op) -> Run:
    if [*op.overloads] == [""]:
        return _method_without_parameters(op)
    parse = Parser(*(_declared(op.name, parameters) for parameters in op.overloads))
    runs = tuple([sparse_first(op.name, run) for run in op.overloads.values()])

    choose = parse.bind if not op.makes else partial(_choose_for_device, parse)

    def method(self: Tensor, /, *args: Any, **keywords: Any) -> Any:
        which, bound = choose(args, keywords)
        try:
            return runs[which](self, *bound)
        except NotDense:
            pass
        return of_sparse(op.name, self, *bound)

    def bare_method(self: Tensor, /, *args: Any, **keywords: Any) -> Any:
        bound: Any = ()
        which = 0
        if args or keywords:
            which, bound = parse.bind(args, keywords)
        try:
            return runs[which](self, *bound)
        except NotDense:
            pass
        return of_sparse(op.name, self, *bound)

    def method_of_old(self: Tensor, /, *args: Any, **keywords: Any) -> Any:
        at_the_end: list[str] = []
        try:
            which, bound = parse.bind(args, keywords, at_the_end)
            return runs[which](self, *bound)
        finally:
            for message in at_the_end:
                warn_caller(message)

    if any(parameters.endswith("|deprecated") for parameters in op.overloads):
        method = method_of_old
    return _named(bare_method if op.bare else method, op, f"Tensor.{op.name}")


def _method_without_parameters(op: Op) -> Run:
    """Make a method that CPython itself, and not torch's parser, hands arguments to."""
    run = sparse_first(op.name, op.overloads[""])

    def method(self: Tensor, /, *args: Any, **keywords: Any) -> Any:
        if args or keywords:
            takes_no_arguments(f"TensorBase.{op.name}", args, keywords)
        try:
            return run(self)
        except NotDense:
            pass
        return of_sparse(op.name, self)

    return _named(method, op, f"Tensor.{op.name}")


def _choose_for_device(parse: Parser, args: Any, keywords: Any) -> tuple[int, Any]:
    """Choose a way to call; torch looks at the device before it converts the other arguments."""
    signature, values = parse.match(args, keywords)
    check_named_device(signature, values)
    return signature.index, signature.convert(values)


def _declared(name: str, parameters: str) -> str:
    """Write a declaration; parameters may have torch's mark for deprecated ones after them."""
    inside, mark, suffix = parameters.partition("|")
    return f"{name}({inside}){mark}{suffix}"


def _joined(first: str, rest: str) -> str:
    return f"{first}, {rest}" if rest else first


def _named(function: Run, op: Op, qualname: str) -> Run:
    function.__name__, function.__qualname__ = op.name, qualname
    # The examples are for the geometry alone.
    function.__doc__ = (next(iter(op.overloads.values())).__doc__ or "").partition("\n\n")[0]
    return function


def install_view(name: str, ways: dict[str, tuple[Run, str]], function: bool = True) -> None:
    """Install a view that plain geometry decides.

    For each way to call it: a function of shape, strides and the arguments,
    which returns a new shape, strides and what is added to the offset; and
    what autograd calls it.  What usual arguments give is kept with the
    geometry.
    """
    ways_to_run = {way: _run_view(*each) for way, each in ways.items()}
    install(Op(name, ways_to_run, function, cached=True))


def _cached(name: str, slow: Run) -> Run:
    """Make a method of one that returns views: what plain integers give is kept with the geometry."""

    def method(self: Tensor, /, *args: Any, **keywords: Any) -> Tensor:
        base = self._base
        if (
            keywords
            or self._autograd_meta is not None
            or (base is not None and base._autograd_meta is not None)
        ):
            return slow(self, *args, **keywords)  # type: ignore[no-any-return]
        ints = args[0] if len(args) == 1 and type(args[0]) is tuple else args
        if not _INTS.issuperset(map(type, ints)):
            return slow(self, *args)  # type: ignore[no-any-return]
        key = name, ints is args, ints
        plan = self._geometry.cache.get(key)
        if plan is not None:
            return view_of(self, plan[0], self._offset + plan[1], "")
        view: Tensor = slow(self, *args)
        if view is not self and view._storage is self._storage and view._base is not None:
            self._geometry.remember(key, (view._geometry, view._offset - self._offset))
        return view

    return method


def _run_view(change: Run, node: str) -> Run:
    def run(tensor: Tensor, *bound: Any) -> Tensor:
        check_usable(tensor)
        geometry = tensor._geometry
        shape, stride, offset = change(geometry.shape, geometry.stride, *bound)
        return view_of(tensor, strided(shape, stride), tensor._offset + offset, node)

    run.__doc__ = change.__doc__
    return run
