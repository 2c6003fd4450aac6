"""Calls of operators on two tensors, and the operands from elsewhere that they meet."""

import re
from collections.abc import Iterator
from functools import cache, partial
from itertools import product
from typing import Any

from ...core.domain import one_in_step
from ..schemas import values
from ..schemas.default_calls import VARIABLES
from ..schemas.outcomes import Program
from ..schemas.overloads import Overload, Param, overloads
from ..schemas.programs import (
    Arguments,
    default_arguments,
    has_out,
    is_tensor_text,
    render,
    stays_in_memory,
    tensors_of,
)
from .oracle_calls import is_accepted

_CONVERTED = re.compile(r"^([xy]) = .*\btorch\.tensor\(\[.*\]\)(.*)$")


@cache
def pair_calls(torch: Any) -> dict[str, Program]:
    """Return programs for each overload with two tensors or more, by its id.

    Each has the operands ``x`` and ``ys[right]``, and a place for the dtype of ``x``. These are the
    first two tensors; if one of them has one dtype only, as an index or a mask, another program,
    with names in its id, has the first two others.
    """
    programs = {}
    for row in overloads(torch).values():
        if _takes_a_pair(row):
            programs[row.id] = _program(torch, row, *VARIABLES[:2])
            names = [param.name for param in tensors_of(row)]
            kept = _with_one_dtype(torch, row)
            free = [name for name in names if name not in kept][:2]
            if len(free) == 2 and free != names[:2]:
                places = (VARIABLES[names.index(name)] for name in free)
                programs[f"{row.id} {' '.join(free)}"] = _program(torch, row, *places)
    return programs


@cache
def single_calls(torch: Any) -> dict[str, str]:
    """Return a call for each overload with one tensor, on ``x``, by its id."""
    calls = {}
    for row in overloads(torch).values():
        if len(tensors_of(row)) == 1 and not (row.repeats or has_out(row) or row.is_attribute):
            *setup, call = render(row, default_arguments(torch, row))
            if [*map(_name_of, setup)] == ["x"]:
                calls[row.id] = call
    return calls


def _name_of(step: str) -> str:
    return step.partition(" = ")[0]


def _takes_a_pair(overload: Overload) -> bool:
    required = [param for param in tensors_of(overload) if param.type == "Tensor"]
    return len(required) > 1 and not (overload.repeats or has_out(overload))


def _program(torch: Any, overload: Overload, left: str, right: str) -> Program:
    """Return a program in which two of the variables are ``x`` and ``ys[right]``."""
    *setup, call = render(overload, default_arguments(torch, overload))
    if overload.name.endswith("_"):
        call = re.sub(r"\bx\b", "x.clone()", call)
    if left != "x":
        names = {"x": left, left: "x"}
        swap = partial(re.sub, rf"\b(x|{left})\b", lambda match: names[match[1]])
        setup, call = [*map(swap, setup)], swap(call)
    call = re.sub(rf"\b{right}\b", "ys[{right!r}]", call)
    return (*(_with_dtype(step, right) for step in setup), call)


def _with_dtype(step: str, right: str) -> str:
    """Return a step that makes an operand of a dtype, or of each dtype."""
    name, _, text = step.partition(" = ")
    if name not in ("x", right):
        return step
    if name == "x":
        return f"x = ({_of_integers(text)}).to(torch.{{left}})"
    return f"ys = {{{{d: ({_of_integers(text)}).to(getattr(torch, d)) for d in {{dtypes}}}}}}"


def _of_integers(text: str) -> str:
    """Return the text of a tensor without negative numbers, which no unsigned dtype has."""
    for floats in (values.FLOATS, values.with_other_elements(values.FLOATS)):
        text = text.replace(floats, values.INTEGERS)
    return text


@cache
def out_calls(torch: Any) -> dict[str, Program]:
    """Return a program for each overload with ``out=``, by its id.

    Each has the places ``SOURCE`` for the dtype of the operands, and ``OUT`` for that of ``out``.
    """
    rows = overloads(torch).values()
    return {row.id: _out_program(torch, row) for row in rows if has_out(row) and not row.is_method}


def _out_program(torch: Any, overload: Overload) -> Program:
    given = dict(default_arguments(torch, overload))
    out = next(param.name for param in overload.params if param.is_out)
    kept = _with_one_dtype(torch, overload)
    for param in tensors_of(overload):
        if is_tensor_text(given.get(param.name, "")) and param.name not in kept:
            given[param.name] = f"{_of_integers(given[param.name])}.to(torch.SOURCE)"
    return render(overload, {**given, out: "torch.empty(0, dtype=torch.OUT)"})


FIRST_OPERANDS = (
    values.FLOATS, f"{values.INTEGERS}.view(3, 4)", f"{values.COMPLEX}.view(2, 6).t()",
    "torch.tensor(2.5)", "torch.zeros(2, 0, 3, dtype=torch.bfloat16)", "torch.ones(0).bool()",
    "torch.tensor([1.0, 2.0], requires_grad=True)",
)  # fmt: skip
"""Tensors that calls with ``dtype=`` convert."""


@cache
def dtype_calls(torch: Any) -> dict[str, Program]:
    """Return a program for each overload that takes a dtype, by its id.

    Each has the place ``DTYPE``, and the place ``X`` for its first tensor, if it has one.
    """
    rows = overloads(torch).values()
    return {
        row.id: _dtype_program(torch, row)
        for row in rows
        if any(param.element_type == "ScalarType" for param in row.params) and not row.repeats
    }


def _dtype_program(torch: Any, overload: Overload) -> Program:
    dtype = next(param for param in overload.params if param.element_type == "ScalarType")
    given = {**default_arguments(torch, overload), dtype.name: "torch.DTYPE"}
    first, *others = render(overload, given)
    return ("x = X", *others) if first.startswith("x = ") else (first, *others)


NUMBERS = (
    "True", "0", "-0.0", "2", "-1", "1.5", "1j", "300", "70000", "2**40", "2**63", "1e300",
    "math.nan", "math.inf", "torch.tensor(2)", "torch.tensor(1.5)", "numpy.float32(2.5)",
    "numpy.int8(-3)",
)  # fmt: skip
"""Numbers for parameters of type Scalar."""


@cache
def number_calls(torch: Any) -> dict[str, Program]:
    """Return a program for each parameter of type Scalar, by its overload's id and its name.

    Each has the places ``NUMBER`` and ``DTYPE``, the dtype of its tensors. An index, a mask and a
    condition keep their dtype, else the oracle would refuse them before it reads the number.
    """
    return {
        f"{row.id} {param.name}": _number_program(torch, row, param)
        for row in overloads(torch).values()
        for param in row.params
        if param.element_type == "number" and not row.repeats
    }


def _number_program(torch: Any, overload: Overload, number: Param) -> Program:
    default, kept = default_arguments(torch, overload), _with_one_dtype(torch, overload)
    given = {**default, number.name: "NUMBER"}
    for name in (param.name for param in tensors_of(overload)):
        if is_tensor_text(default.get(name, "")) and name not in kept:
            text = f"({default[name]}).abs()" if kept else values.INTEGERS
            given[name] = f"{text}.to(torch.DTYPE)"
    return render(overload, given)


@cache
def _with_one_dtype(torch: Any, overload: Overload) -> list[str]:
    """Return the tensors that the oracle takes neither of float32 nor of int8: indices, masks."""
    default = default_arguments(torch, overload)
    if not is_accepted(torch, *render(overload, default)):
        return []
    names = [param.name for param in tensors_of(overload)]
    return [
        name
        for name in names
        if is_tensor_text(default.get(name, ""))
        and not any(
            is_accepted(torch, *render(overload, {**default, name: text}))
            for dtype in ("float32", "int8")
            for text in [f"({default[name]}).to(torch.{dtype})"]
        )
    ]


OUT_FORMS = {
    "expanded": "torch.zeros((), dtype=t.dtype).expand(t.shape)",
    "with a dimension expanded": (
        "torch.zeros((1, *t.shape[1:])[:t.dim()], dtype=t.dtype).expand(t.shape)"
    ),
    "stepped": (
        "torch.zeros([2 * n + 1 for n in t.shape], dtype=t.dtype)[(slice(1, None, 2),) * t.dim()]"
    ),
    "reversed": "torch.zeros(t.shape[::-1], dtype=t.dtype).permute([*range(t.dim())][::-1])",
}
"""Tensors for ``out=`` of the shape and dtype of a result ``t``, by their form in memory."""


@cache
def laid_out_calls(torch: Any) -> dict[str, Program]:
    """Return a program for each overload with ``out=``, by its id.

    Each has the place ``FORM`` for an expression of `OUT_FORMS`. A call that the oracle refuses
    without ``out=`` gets one for a result of the usual shape.
    """
    rows = overloads(torch).values()
    return {
        row.id: _laid_out_program(torch, row) for row in rows if has_out(row) and not row.is_method
    }


def _laid_out_program(torch: Any, overload: Overload) -> Program:
    outs = {param.name for param in overload.params if param.is_out}
    given = default_arguments(torch, overload)
    *setup, call = render(overload, {name: given[name] for name in given if name not in outs})
    result = call if is_accepted(torch, *setup, call) else "torch.zeros(2, 3)"
    return (
        *setup, f"r = {result}",
        "o = tuple(FORM for t in (r if isinstance(r, tuple) else (r,)))",
        "o = o if isinstance(r, tuple) else o[0]",
        f"{call[:-1]}{'' if call.endswith('()') else ', '}out=o)",
    )  # fmt: skip


_SHAPES = (
    "(2, 3), (3, 1)", "(), ()", "(0,), (1,)", "(1,), (1,)", "(2,), (1,)", "(3,), (1,)",
    "(6,), (1,)", "(2, 2), (2, 1)", "(3, 3), (3, 1)", "(3, 2), (2, 1)", "(1, 3), (3, 1)",
    "(2, 1), (1, 1)", "(2, 3), (1, 2)", "(2, 2), (6, 2)", "(2, 1, 2), (2, 2, 1)",
    "(2, 2, 3), (6, 3, 1)", "(0, 3), (3, 1)",
)  # fmt: skip
"""Sizes and strides of an operand that is ``out=`` as well."""

_OTHER_SHAPES = *_SHAPES[:2], *_SHAPES[4:10], "(2, 3, 2), (6, 2, 1)"
"""Those of another operand."""

_OTHER_NUMBERS = {
    "int": ("0", "1", "-1", "2"), "bool": ("True", "False"),
    "List[int]": ("[0]", "[1]", "[0, 1]", "[3, 2]"),
}  # fmt: skip


@cache
def out_operands(torch: Any) -> dict[str, tuple[Overload, Param]]:
    """Return the overloads with ``out=`` and each of their operands, by the names of both."""
    return {
        f"{row.id} {param.name}": (row, param)
        for row in overloads(torch).values()
        if has_out(row) and not row.is_method
        for param in tensors_of(row)
        if is_tensor_text(default_arguments(torch, row).get(param.name, ""))
    }


def out_operand_calls(torch: Any, name: str, step: int, seed: int) -> list[Program]:
    """Return programs in which an operand is ``out=``: of many shapes, with other arguments.

    They are one of ``step``, which change with the seed.
    """
    overload, operand = out_operands(torch)[name]
    given = default_arguments(torch, overload)
    variable = "xyzw"[tensors_of(overload).index(operand)]
    programs = []
    for arguments in _arguments_of_out_operand(overload, operand, given, variable):
        for out in (param.name for param in overload.params if param.is_out):
            *setup, call = render(overload, {**arguments, out: variable})
            for shape, form in product(_SHAPES, ("", ".clone()")):
                programs.append((*setup, f"{variable} = {_shaped(variable, shape)}{form}", call))
    chosen = one_in_step([*dict.fromkeys(programs)], step, name, seed)
    return [program for program in chosen if stays_in_memory(torch, overload, program)]


def _shaped(text: str, shape: str) -> str:
    return f"{text}.flatten().repeat(12)[:12].as_strided({shape})"


def _arguments_of_out_operand(
    overload: Overload, operand: Param, given: Arguments, variable: str
) -> Iterator[Arguments]:
    """Yield the arguments of calls: other numbers, dtypes, and shapes of another operand."""
    yield given
    for param in overload.params:
        for text in () if param.is_tensor else _OTHER_NUMBERS.get(param.element_type, ()):
            yield {**given, param.name: text}
    tensors = [
        param.name for param in tensors_of(overload) if is_tensor_text(given.get(param.name, ""))
    ]
    of_dtypes = [
        {**given, **{name: f"{_of_integers(given[name])}.to(torch.{dtype})" for name in tensors}}
        for dtype in ("int32", "int64", "bfloat16", "complex64")
    ]
    for other in [name for name in tensors if name != operand.name][:1]:
        for arguments in (given, of_dtypes[0]):
            yield from (
                {**arguments, other: _shaped(arguments[other], shape)} for shape in _OTHER_SHAPES
            )
            yield {**arguments, other: variable}
    yield from of_dtypes


def _class(bases: str, **methods: str) -> str:
    """Return an expression that creates an instance of a class with methods."""
    members = ", ".join(f"'{name}': {text}" for name, text in methods.items())
    return f"type('A', ({bases}), {{{members}}})"


_SELF = "lambda self, *args: "
_REFLECTED = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift",
    "rshift", "divmod",
)  # fmt: skip
_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
FOREIGN = {
    "None": "None", "str": "'a'", "bytes": "b'ab'", "list": "[1, 2]", "tuple": "(1, 2)",
    "dict": "{1: 2}", "set": "{1}", "object": "object()", "NotImplemented": "NotImplemented",
    "...": "...", "slice": "slice(1)", "range": "range(2)", "type": "int", "function": "len",
    "Fraction": "fractions.Fraction(1, 2)", "Decimal": "decimal.Decimal('1.5')",
    "bool subclass": "enum.IntFlag('E', 'A B').A", "enum": "enum.Enum('E', 'A B').A",
    "int enum": "enum.IntEnum('E', 'A B').B",
    "int subclass": _class("int,") + "(3)", "float subclass": _class("float,") + "(0.5)",
    "complex subclass": _class("complex,") + "(1j)", "large int": "2**63", "larger int": "-2**64",
    "int": "2", "float": "1.5", "bool": "True", "complex": "2j", "nan": "math.nan",
    "array": "numpy.ones(2)", "int array": "numpy.array([2, 1], dtype=numpy.int16)",
    "array of another size": "numpy.ones(3)", "0-dim array": "numpy.array(2.0)",
    "object array": "numpy.array([1, None], dtype=object)", "str array": "numpy.array(['a', 'b'])",
    "read-only array": "numpy.broadcast_to(numpy.float32(1), (2,))",
    "uint32 array": "numpy.ones(2, dtype=numpy.uint32)",
    "float32": "numpy.float32(1.5)", "int8": "numpy.int8(-3)", "uint64": "numpy.uint64(2**63)",
    "bool_": "numpy.bool_(True)", "complex64": "numpy.complex64(1j)", "str_": "numpy.str_('a')",
    "datetime64": "numpy.datetime64('2020-01-01')",
    "with __array__": _class(
        "", __array__="lambda self, dtype=None, copy=None: numpy.array([2.0, 3.0])"
    ) + "()",
    "with __index__": _class("", __index__=_SELF + "2") + "()",
    "with __float__": _class("", __float__=_SELF + "2.5") + "()",
    "with __len__": _class("", __len__=_SELF + "2", __getitem__="lambda self, i: [5, 6][i]") + "()",
    "reflecting": _class(
        "", **{f"__r{name}__": f"{_SELF}'reflected {name}'" for name in _REFLECTED}
    ) + "()",
    "comparing": _class(
        "", **{f"__{n}__": f"{_SELF}'compared {n}'" for n in _COMPARISONS},
        __hash__=_SELF + "1",
    ) + "()",
    "reflecting int": _class("int,", __radd__=_SELF + "'radd'", __rpow__=_SELF + "'rpow'") + "(2)",
    "raising": _class("", __radd__=_SELF + "1 / 0", __eq__=_SELF + "1 / 0") + "()",
    "Size": "torch.Size([2, 1])", "dtype": "torch.float32", "device": "torch.device('cpu')",
    "storage": "torch.ones(2).untyped_storage()", "parameter-like": "torch.ones(2)[None]",
}  # fmt: skip
"""Operands that are no tensors, or hardly."""

NUMBER_TENSORS = {
    text: f"torch.tensor({text})"
    for text in (
        "1", "2.5", "1.0, requires_grad=True", "1j", "True", "[1]", "[1, 0]", "[]", "1 + 0j",
        "[[1.0]], requires_grad=True", "1, device='meta'", "1, dtype=torch.uint8", "2**40",
        "math.nan", "-1.0, dtype=torch.float16",
    )
}  # fmt: skip
"""Tensors that an operator may take for a number, or refuse."""

ARGUMENTS = (
    "torch.sum(x, v)", "torch.cumsum(x, v)", "x.mul(v)", "torch.full((2,), v)",
    "torch.normal(0.0, v, (2,))", "torch.sum(x, 0, v)", "torch.zeros(v)", "x.view(v)",
    "torch.arange(v)", "torch.clamp(x, v)", "torch.add(x, x, alpha=v)", "torch.ones(2, dtype=v)",
    "torch.ones(2, device=v)", "x.to(v)", "torch.stack(v)", "torch.where(x > 1, v, x)",
    "torch.randint(v, (2,))", "torch.squeeze(x, v)", "torch.round(x, decimals=v)",
    "torch.div(x, x, rounding_mode=v)", "torch.empty_permuted((2, 3), v).stride()", "x.expand(v)",
    "x.fill_(v)", "x.masked_fill(x > 1, v)", "x.transpose(0, v)", "x.permute(v)",
    "torch.std(x, correction=v)", "torch.all(x, v)", "x.as_strided((2,), v)",
    "torch.isclose(x, x, v)", "torch.logspace(0, 1, v)", "torch.full(v, 1)",
    "x.contiguous(memory_format=v)", "torch.randn(2, generator=v)",
    "torch.tensor(1, requires_grad=v)", "torch.linspace(0, v, 3)", "x.narrow(0, v, 1)",
    "torch.cat(v)", "x.bernoulli_(v)", "x.uniform_(0, v)", "x.reshape(2, v)", "x.size(v)",
)  # fmt: skip
"""Calls with an argument ``v``, for parameters of each type."""

_SIGNS = (
    "+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">", ">="
)  # fmt: skip
_METHODS = (
    "add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "rdiv", "floordiv",
    "rfloordiv", "mod", "rmod", "pow", "rpow", "and", "rand", "or", "ror", "xor", "rxor", "lshift",
    "rlshift", "rshift", "rrshift", "eq", "ne", "lt", "le", "gt", "ge", "contains", "getitem",
    "array_wrap", "format", "deepcopy", "div",
)  # fmt: skip
_IN_PLACE = (
    "iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "iand", "ior", "ixor",
    "ilshift", "irshift",
)  # fmt: skip
OPERATORS = (
    *(f"x {sign} y" for sign in _SIGNS), *(f"y {sign} x" for sign in _SIGNS),
    *(f"x.__{name}__(y)" for name in _METHODS), *(f"x.clone().__{name}__(y)" for name in _IN_PLACE),
    "divmod(x, y)", "divmod(y, x)",
    "pow(x, y, 2)", "y in x", "x in [y]", "operator.setitem(x.clone(), 0, y)",
    "operator.setitem(x.clone(), y, 1)", "x.clone().fill_(y)", "x.clone().copy_(y)",
    "x.__radd__(x, y)", "x.__add__()", "x.__add__(other=y)", "x.__eq__(other=y)", "x.__rsub__()",
    "x.__rpow__(other=y)", "x.__contains__(element=y)",
    *(f"operator.{name}(x.clone(), y)" for name in _IN_PLACE if name != "imul"),
    "operator.imul(x.clone(), y)",
)  # fmt: skip
"""Operators, and the methods behind them."""
