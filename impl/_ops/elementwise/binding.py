"""Functions, methods and in-place methods of operators."""

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple

from ..._argparser.parser import Parser, repeat_deprecation
from ..._argparser.schema import MISSING
from ..._autograd.tracking import check_inplace
from ..._dtypes.scalars import tensor_dtype_of
from ..._runtime.c_types import PACKAGE
from ..._runtime.errors import NotDense, takes_no_arguments
from ..._runtime.lazy_exports import PUBLIC
from ..._runtime.torch_function import OWNERS, UnrelatedOverride, redispatch
from ..._tensor.allocation import empty_tensor
from ..._tensor.factories import python_scalar
from ..._tensor.out_autograd import gradient_check_of
from ..._tensor.sparse_dispatch import dispatch_sparse, lacks_sparse_kernel, sparse_first
from ..._tensor.tensor import METHODS, Tensor, check_receiver
from ..common.array_plans import with_array_plans, without_note
from ..common.conj_neg_fallback import resolves_conj_neg, resolves_conj_neg_in_place
from ..common.cuda_kernels import check_out_kernel, one_device_first
from ..common.device_checks import check_copied_out
from ..common.meta_reference import NUMBER
from ..common.out_argument import bind
from ..common.registration import method_of, signature, with_no_args_path, with_tensor_only
from . import fast_path_unary
from .fast_path import with_fast_path, with_inplace_fast_path
from .iterator import Operator

Run = Callable[..., Any]


class Overload(NamedTuple):
    """An overload of an operator.

    parameters: the parameters after the first one, as in torch's signatures
    run: the implementation, with the function's arguments in order and ``out`` by keyword
    inplace: the implementation of the in-place method
    input: the function's first parameter; only a Tensor gives a method overload
    out: the function has an ``out`` parameter
    deprecated: the overload is deprecated
    out_type: the type of ``out``; a list for several results
    only: "function" or "method" for an overload that the other one lacks
    operator: the name by which the dispatch finds sparse kernels, if it is not the function's
    """

    parameters: str
    run: Run
    inplace: Run | None = None
    input: str = "Tensor input"
    out: bool = True
    deprecated: bool = False
    out_type: str = "Tensor"
    only: str = ""
    operator: str = ""

    @property
    def is_function(self) -> bool:
        """Whether the function has the overload."""
        return self.only != "method"

    @property
    def is_method(self) -> bool:
        """Whether the method has the overload."""
        return self.only != "function" and self.input == "Tensor input"


Select = Callable[..., tuple[Any, tuple[Any, ...]]]
"""A function of arguments that returns an operator, or one with its two forms, and operands."""


def checked_overload(name: str, parameters: str, select: Select, node: str = "") -> Overload:
    """Return an overload whose arguments are checked before the operator runs.

    ``select`` checks the arguments, and returns the operator with its operands.  Torch resolves
    conj/neg bits and checks gradients before that; ``name`` is the operator's name in the errors.
    ``node`` is the name of the grad_fn, if that saves the target of the in-place form.
    """

    def run(*arguments: Any, out: Tensor | None = None) -> Tensor:
        operator, operands = select(*arguments)
        result: Tensor = operator(*operands, out=out)
        return result

    def inplace(*arguments: Any) -> Tensor:
        check_inplace(*(each for each in arguments if isinstance(each, Tensor)))
        operator, operands = select(*arguments)
        # A reference may convert the target.
        result: Tensor = operator.inplace_below_autograd(arguments[0], *operands[1:])
        return result

    inplace = resolves_conj_neg_in_place(inplace, node)
    return Overload(parameters, resolves_conj_neg(run, name), inplace)


def install_operator(
    name: str,
    *overloads: Overload,
    doc: str = "",
    method: bool = True,
    in_place_function: bool = False,
    fast_path: Operator | None = None,
    tensor_only: Run | None = None,
    wrap: Callable[[Run, Overload], Run] = with_array_plans,
) -> None:
    """Install the function, the method and the in-place method of an operator.

    ``in_place_function`` also installs the in-place function, such as torch.clamp_.  ``fast_path``
    is the operator for the fast path, by default that of the overload with a second tensor.
    ``tensor_only`` implements calls with a tensor alone.  ``wrap`` returns what other calls of
    each of the forms take first; it gets the form and its first overload.
    """
    functions = [overload for overload in overloads if overload.is_function]
    methods = [overload for overload in overloads if overload.is_method]
    function = wrap(_function(name, functions, _runs(name, functions)), functions[0])
    run = wrap(_method(name, methods), (methods or functions)[0])
    is_given = fast_path is not None
    takes_numbers = is_given or _same_operator_of_number(methods)
    fast_path = fast_path or _operator_of_pair(methods)
    if fast_path is not None:
        function, run = (
            with_fast_path(fast_path, each, takes_numbers=takes_numbers) for each in (function, run)
        )
    if tensor_only is not None:
        tensor_only = sparse_first(name, tensor_only)
        function, run = (
            with_tensor_only(tensor_only, function),
            with_no_args_path(tensor_only, run),
        )
    _publish(name, doc, function, run if method else None)
    inplaces = [x._replace(run=x.inplace, out=False) for x in overloads if x.inplace is not None]
    if inplaces:
        name, doc = f"{name}_", f"{doc.rstrip('.')}, in place."
        functions = [overload for overload in inplaces if overload.is_function]
        methods = [overload for overload in inplaces if overload.is_method]
        run = wrap(_method(name, methods), methods[0])
        if fast_path and (is_given or any(x.run == fast_path.inplace for x in methods)):
            run = with_inplace_fast_path(fast_path, run, takes_numbers=takes_numbers)
        function = wrap(_function(name, functions, _runs(name, functions)), functions[0])
        _publish(name, doc, function if in_place_function else None, run)


def function_of_module(module: str, name: str, *overloads: Overload, doc: str = "") -> Run:
    """Return a function of one of torch's modules, which C names after the module and the function.

    ``torch.linalg.norm`` is ``linalg_norm`` in errors, and its parser belongs to ``torch.linalg``.
    """
    owner, full_name = f"torch.{module}", f"{module}_{name}"
    runs = _runs(full_name, overloads)
    function = _function(full_name, overloads, runs, owner)
    function.__name__, function.__doc__ = full_name, doc
    function.__module__, function.__qualname__ = f"{PACKAGE}.{module}", name  # for pickles
    setattr(OWNERS.setdefault(owner, SimpleNamespace()), full_name, function)
    return function


def _operator_of_pair(methods: Sequence[Overload]) -> Operator | None:
    """Return the operator that implements the overload with a second tensor, if one does."""
    runs = _runs_of_one(methods, "Tensor")
    return runs[0] if len(runs) == 1 and isinstance(runs[0], Operator) else None


def _same_operator_of_number(methods: Sequence[Overload]) -> bool:
    """Return whether one operator implements the overloads with a second tensor and a number."""
    runs = [*_runs_of_one(methods, "Tensor"), *_runs_of_one(methods, "Scalar")]
    return len(runs) == 2 and runs[0] is runs[1]


def _runs_of_one(methods: Sequence[Overload], type_name: str) -> list[Run]:
    """Return the implementations of the overloads with one more operand, of a type."""
    return [
        x.run
        for x in methods
        if x.parameters.split()[:1] == [type_name] == x.parameters.split()[:-1]
    ]


def install_unary(
    name: str,
    run: Run,
    inplace: Run | None = None,
    *,
    out: bool = False,
    in_place_function: bool = True,
    fast_path: Operator | None = None,
    wrap: Callable[[Run], Run] | None = None,
) -> None:
    """Install the function, the method and the in-place forms of a unary operator.

    ``inplace`` implements the in-place form.  ``out``: the function has an ``out`` parameter.
    ``fast_path`` is the operator for the fast path.  ``wrap`` returns what is installed for the
    function and the method.
    """
    for form, implementation, suffix, has_out, with_path in (
        (name, run, "", out, fast_path_unary.with_fast_path),
        (f"{name}_", inplace, ", in place", False, fast_path_unary.with_inplace_fast_path),
    ):
        if implementation is None:
            continue
        implementation = sparse_first(form, implementation)
        function = _function(form, [Overload("", implementation, out=has_out)], [implementation])
        method = _unary_method(form, implementation)
        if fast_path is not None:
            function, method = with_path(fast_path, function), with_path(fast_path, method)
        if wrap is not None and form == name:
            function, method = wrap(function), wrap(method)
        is_public = form == name or in_place_function
        doc = f"Return {name} of each element{suffix}."
        _publish(form, doc, function if is_public else None, method)


def function_of(name: str, overload: Overload, doc: str) -> Run:
    """Return the function of an operator that is not public in torch itself."""
    overloads = [overload]
    function = _function(name, overloads, _runs(name, overloads))
    function.__name__, function.__qualname__, function.__doc__ = name, name, doc
    return function


def _publish(name: str, doc: str, function: Run | None, method: Run | None) -> None:
    if function is not None:
        PUBLIC[name] = function
        function.__name__, function.__qualname__, function.__doc__ = name, name, doc
    if method is not None:
        METHODS[name] = method
        method.__name__, method.__qualname__, method.__doc__ = name, f"Tensor.{name}", doc


def _unary_method(name: str, run: Run) -> Run:
    """Return a method whose arguments CPython checks, not torch's parser."""

    def method(*args: Any, **keywords: Any) -> Any:
        tensor, *extra = args or (MISSING,)
        check_receiver(name, tensor)
        if extra or keywords:
            takes_no_arguments(f"TensorBase.{name}", extra, keywords)
        try:
            return run(tensor)
        except NotDense:
            pass
        return dispatch_sparse(name, tensor)

    return method


def _parser(name: str, overloads: Sequence[Overload], owner: str) -> Parser:
    """Return the parser of the functions of an owner, or of the methods of ``torch.Tensor``."""
    signatures, function = [], owner != "torch.Tensor"
    for overload in overloads:
        parts = [overload.input, overload.parameters] if function else [overload.parameters]
        if function and overload.out:
            star = "" if "*" in overload.parameters else "*, "
            parts.append(f"{star}{overload.out_type} out=None")
        signatures.append(signature(name, *parts) + "|deprecated" * overload.deprecated)
    return Parser(*signatures, repeats_at_end=True, owner=owner)


def _runs(name: str, overloads: Sequence[Overload]) -> list[Run]:
    return [
        without_note(each.run)
        if each.deprecated
        else sparse_first(each.operator or name, one_device_first(name, each.run))
        for each in overloads
    ]


def _repeating(run: Run, overloads: Sequence[Overload]) -> Run:
    """Return a function or a method that ends with the warnings of a deprecated overload."""
    return repeat_deprecation(run) if any(each.deprecated for each in overloads) else run


def _function(
    name: str, overloads: Sequence[Overload], runs: list[Run], owner: str = "torch"
) -> Run:
    parse = _parser(name, overloads, owner)
    checks = [gradient_check_of(overload.run) for overload in overloads]
    names = [overload.operator or name for overload in overloads]

    def function(*args: Any, **keywords: Any) -> Any:
        try:
            index, arguments = bind(parse, args, keywords)
        except UnrelatedOverride:
            return redispatch(owner, name, args, keywords)
        run, operator = runs[index], names[index]
        *operands, out = arguments if overloads[index].out else (*arguments, None)
        try:
            if out is None:
                return run(*operands)
            check_copied_out(name, tuple(operands), out, checks[index])
            check_out_kernel(name, tuple(operands), out, checks[index])
            if not lacks_sparse_kernel(operator, operands, out):  # else ``out`` is not resized
                return run(*operands, out=_out_tensor(out))
        except NotDense:
            pass
        except Exception:  # whichever check raised, torch looks for the sparse kernel before it
            if not lacks_sparse_kernel(operator, operands, out):
                raise
        return dispatch_sparse(operator, *operands, **({} if out is None else {"out": out}))

    return _repeating(function, overloads)


def _out_tensor(out: Any) -> Any:
    """Return ``out``, or a 0-dim tensor of a number, which some functions take for a tensor."""
    if isinstance(out, Tensor | tuple):
        return out
    number = python_scalar(out)
    result = empty_tensor((), tensor_dtype_of(number))
    setattr(result, NUMBER, number)
    return result


def _method(name: str, overloads: Sequence[Overload]) -> Run:
    parse = _parser(name, overloads, "torch.Tensor")
    is_deprecated = any(overload.deprecated for overload in overloads)
    method = method_of(name, parse.bind, _runs(name, overloads), is_deprecated=is_deprecated)
    return _repeating(method, overloads)
