"""Makes functions, methods and in-place methods of pointwise operators."""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..._argparser.parser import Parser
from ..._runtime.errors import NotDense, check, takes_no_arguments, type_name
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.sparse_dispatch import of_sparse, sparse_first
from ..._tensor.tensor import METHODS, Tensor
from ..common.out_argument import bind
from .fast_path import short_change, with_fast_path
from .fast_path_unary import short_change as short_change_of_one
from .fast_path_unary import with_fast_path as short_way_of_one
from .iterator import Operator

Run = Callable[..., Any]


class Overload(NamedTuple):
    """One way to call an operator, with the parameters in torch's notation, and what runs it.

    ``run`` gets the arguments in the order of the function, and ``out`` by
    name if it is given; ``change`` gets those of the in-place method.
    ``input`` is the first parameter of the function; a way that begins with a
    number is no way to call a method.  ``out_type`` is a list where there are
    several results.
    """

    parameters: str
    run: Run
    change: Run | None = None
    input: str = "Tensor input"
    out: bool = True
    deprecated: bool = False
    out_type: str = "Tensor"


def install_operator(
    name: str,
    *ways: Overload,
    doc: str = "",
    method: bool = True,
    in_place_function: bool = False,
    short: Operator | None = None,
    bare: Run | None = None,
) -> None:
    """Make the function, the method and the in-place method of an operator.

    With ``in_place_function`` the last one is a function, too, such as
    torch.clamp_.  ``short`` is what they are on two plain operands, if there
    is a short way then; ``bare`` is what runs a call with a tensor alone,
    without parsing arguments.
    """
    bare = None if bare is None else sparse_first(name, bare)
    function = _function(name, ways)
    if short is not None:
        function = with_fast_path(short, function)
    if bare is not None:
        function = _bare_function(bare, function)
    PUBLIC[name] = _named(function, name, name, doc)
    own = [each for each in ways if each.input == "Tensor input"]
    if method:
        made = _method(name, [(each, each.run) for each in own])
        if short is not None:
            made = with_fast_path(short, made)
        if bare is not None:
            made = _bare_method(bare, made)
        METHODS[name] = _named(made, name, f"Tensor.{name}", doc)
    changing = [(each, each.change) for each in own if each.change is not None]
    if changing:
        made = _method(f"{name}_", changing)
        if short is not None:
            made = short_change(short, made)
        in_place = f"{doc.rstrip('.')}, in place."
        METHODS[f"{name}_"] = _named(made, f"{name}_", f"Tensor.{name}_", in_place)
        if in_place_function:
            PUBLIC[f"{name}_"] = _in_place_function(f"{name}_", changing, in_place)


def install_unary(
    name: str,
    run: Run,
    into: Run | None = None,
    change: Run | None = None,
    in_place_function: bool = True,
    short: Operator | None = None,
) -> None:
    """Make the function, the method and the in-place forms of an operator of one tensor.

    ``into`` gets the tensor that is given as ``out`` first; ``change`` is the
    in-place form, which most operators have as a function, too.  ``short`` is
    what all are on a plain tensor, if there is a short way then.
    """
    doc = f"Return {name} of each element."
    function, method = _unary_function(name, run, into), _unary_method(name, run)
    if short is not None:
        function, method = short_way_of_one(short, function), short_way_of_one(short, method)
    PUBLIC[name] = _named(function, name, name, doc)
    METHODS[name] = _named(method, name, f"Tensor.{name}", doc)
    if change is None:
        return
    own, doc = f"{name}_", f"Return {name} of each element, in place."
    function, method = _unary_function(own, change, None), _unary_method(own, change)
    if short is not None:
        function, method = short_change_of_one(short, function), short_change_of_one(short, method)
    METHODS[own] = _named(method, own, f"Tensor.{own}", doc)
    if in_place_function:
        PUBLIC[own] = _named(function, own, own, doc)


def _unary_function(name: str, run: Run, into: Run | None) -> Run:
    out = ", *, Tensor out=None" if into is not None else ""
    parse = Parser(f"{name}(Tensor input{out})")

    run = sparse_first(name, run)

    def function(*args: Any, **keywords: Any) -> Any:
        _, (tensor, *rest) = bind(parse, args, keywords)
        try:
            if into is None or rest[0] is None:
                return run(tensor)
            return into(rest[0], tensor)
        except NotDense:
            pass
        return of_sparse(name, tensor)

    return function


def _unary_method(name: str, run: Run) -> Run:
    """Make a method that CPython itself, and not torch's parser, hands arguments to."""
    run = sparse_first(name, run)

    def method(*args: Any, **keywords: Any) -> Any:
        check(args, lambda: f"unbound method TensorBase.{name}() needs an argument", TypeError)
        tensor, *extra = args
        check(
            isinstance(tensor, Tensor),
            lambda: (
                f"descriptor '{name}' for 'torch._C.TensorBase' objects doesn't apply to a"
                f" '{type_name(tensor)}' object"
            ),
            TypeError,
        )
        if extra or keywords:
            takes_no_arguments(f"TensorBase.{name}", extra, keywords)
        try:
            return run(tensor)
        except NotDense:
            pass
        return of_sparse(name, tensor)

    return method


def _declared(name: str, way: Overload, *, function: bool) -> str:
    parts = [way.input, way.parameters] if function else [way.parameters]
    if function and way.out:
        star = "" if "*" in way.parameters else "*, "
        parts.append(f"{star}{way.out_type} out=None")
    mark = "|deprecated" if way.deprecated else ""
    return f"{name}({', '.join(part for part in parts if part)}){mark}"


def _function(name: str, ways: tuple[Overload, ...]) -> Run:
    parse = Parser(*(_declared(name, each, function=True) for each in ways))
    runs = [each.run if each.deprecated else sparse_first(name, each.run) for each in ways]

    def function(*args: Any, **keywords: Any) -> Any:
        which, bound = bind(parse, args, keywords)
        run = runs[which]
        *operands, out = bound if ways[which].out else (*bound, None)
        try:
            return run(*operands) if out is None else run(*operands, out=out)
        except NotDense:
            pass
        return of_sparse(name, *operands)

    return function


def _method(name: str, ways: list[tuple[Overload, Run]]) -> Run:
    parse = Parser(*(_declared(name, each, function=False) for each, _ in ways))
    runs = [run if each.deprecated else sparse_first(name, run) for each, run in ways]

    def method(self: Tensor, /, *args: Any, **keywords: Any) -> Any:
        which, bound = parse.bind(args, keywords)
        try:
            return runs[which](self, *bound)
        except NotDense:
            pass
        return of_sparse(name, self, *bound)

    return method


def _in_place_function(name: str, ways: list[tuple[Overload, Run]], doc: str) -> Run:
    parse = Parser(*(_declared(name, each._replace(out=False), function=True) for each, _ in ways))
    runs = [run for _, run in ways]

    def function(*args: Any, **keywords: Any) -> Any:
        which, bound = parse.bind(args, keywords)
        return runs[which](*bound)

    return _named(function, name, name, doc)


def _bare_function(run: Run, slow: Run) -> Run:
    def function(*args: Any, **keywords: Any) -> Any:
        if len(args) == 1 and not keywords and type(args[0]) is Tensor:
            try:
                return run(args[0])
            except NotDense:
                pass
        return slow(*args, **keywords)

    return function


def _bare_method(run: Run, slow: Run) -> Run:
    def method(self: Tensor, /, *args: Any, **keywords: Any) -> Any:
        if not args and not keywords:
            try:
                return run(self)
            except NotDense:
                pass
        return slow(self, *args, **keywords)

    return method


def _named(function: Run, name: str, qualname: str, doc: str) -> Run:
    function.__name__, function.__qualname__, function.__doc__ = name, qualname, doc
    return function


def run_of(operator: Operator) -> Run:
    """Return what runs an operator as a function, into ``out`` if that is given."""

    def run(*operands: Any, out: Tensor | None = None) -> Tensor:
        return operator(*operands) if out is None else operator.into(out, *operands)

    return run
