"""Programs with subclasses of Tensor, objects that are no tensors, and modes.

``record(call)`` returns the result of a call, its class, and what each ``__torch_function__`` got:
who was called, the name of the function, the types, the number of arguments, and the keywords.
``states(call)`` returns class, base, dtype, shape and strides of each tensor instead of the result,
whose elements other properties compare.
"""

import re
from collections.abc import Mapping
from random import Random
from types import GetSetDescriptorType
from typing import Any

from ...spec.public_surface import in_scope
from ..schemas import programs as schema_calls
from ..schemas.overloads import overloads

Program = tuple[str, ...]

_RECORD = """
def note(who, func, types, args, kwargs):
    if active:  # else whoever looks at the variables
        calls.append((
            who, func.__name__, [t.__name__ for t in types], len(args), [*(kwargs or {})],
        ))
"""

_RUN = """
def noted(call):
    calls.clear()
    active.append(True)
    try:
        return call(), [*calls]
    finally:
        active.clear()
        calls.clear()

def record(call):
    result, notes = noted(call)
    many = isinstance(result, (tuple, list))
    made = [type(result).__name__, *(type(each).__name__ for each in result if many)] \
if many else [type(result).__name__]
    return result, made, notes

def state(value):
    if isinstance(value, (tuple, list)):
        return [state(each) for each in value]
    if not isinstance(value, torch.Tensor):
        return type(value).__name__
    plain = value.as_subclass(torch.Tensor)
    return type(value).__name__, value._base is None, plain.dtype, plain.shape, plain.stride()

def states(call):
    result, notes = noted(call)
    return state(result), notes
"""


def _tensor_class(name: str, base: str, answer: str) -> str:
    return (
        f"class {name}({base}):\n"
        "    @classmethod\n"
        "    def __torch_function__(cls, func, types, args=(), kwargs=None):\n"
        f"        note('{name}', func, types, args, kwargs)\n"
        f"        return {answer}"
    )


_SUPER = "super({}, cls).__torch_function__(func, types, args, kwargs or {{}})"

CLASSES: Mapping[str, str] = {
    "A": _tensor_class("A", "torch.Tensor", _SUPER.format("A")),
    "B": _tensor_class("B", "A", _SUPER.format("B")),
    "D": _tensor_class("D", "torch.Tensor", _SUPER.format("D")),
    "P": "class P(torch.Tensor):\n    pass",
    "Q": (
        "class Q(torch.Tensor):\n"
        "    __torch_function__ = torch._C._disabled_torch_function_impl"
    ),
    "R": _tensor_class("R", "A", "NotImplemented"),
    "S": _tensor_class("S", "object", "('S', len(args))"),
    "N": _tensor_class("N", "object", "NotImplemented"),
    "U": _tensor_class(
        "U", "torch.Tensor",
        "func(*[a.as_subclass(torch.Tensor) if isinstance(a, U) else a for a in args],"
        " **(kwargs or {}))",
    ),
    "M": (
        "class M(torch.overrides.TorchFunctionMode):\n"
        "    def __init__(self, name='M'):\n"
        "        self.name = name\n"
        "    def __torch_function__(self, func, types, args=(), kwargs=None):\n"
        "        note(self.name, func, types, args, kwargs)\n"
        "        return func(*args, **(kwargs or {}))"
    ),
    "K": (
        "class K(torch.overrides.TorchFunctionMode):\n"
        "    def __torch_function__(self, func, types, args=(), kwargs=None):\n"
        "        note('K', func, types, args, kwargs)\n"
        "        return NotImplemented if types else func(*args, **(kwargs or {}))\n"
        "    def __repr__(self):\n"
        "        return 'K()'"
    ),
}  # fmt: skip
"""Classes by name: A and D are unrelated; B and R are subclasses of A; S and N are no tensors."""


def setup(*names: str) -> Program:
    """Return the steps that define some of the classes, and ``record``."""
    needed = {"A", *names} if {"B", "R"} & {*names} else {*names}
    classes = (text for name, text in CLASSES.items() if name in needed)
    return "calls, active = [], []", _RECORD.strip(), _RUN.strip(), *classes


def recorded(expression: str) -> str:
    """Return the step that records a call."""
    return f"record(lambda: {expression})"


_TENSOR = re.compile(r"(\w) = ((?!torch\.sparse_coo).+)")

OPERANDS = {"all": "AAAA", "first": "A   ", "second": " A  ", "derived": "ABAB"}
"""The classes of the operands x, y, z, w of a call; a blank is Tensor."""


def schema_program(torch: Any, overload_id: str, operands: str) -> tuple[Program, int]:
    """Return the first call of an overload with operands of subclasses, and its question."""
    overload = overloads(torch)[overload_id]
    given = schema_calls.default_arguments(torch, overload)
    *steps, call = schema_calls.render(overload, given)
    start = setup("A", "B")
    converted = [_of_class(step, OPERANDS[operands]) for step in steps]
    # No variables: the elements of results are compared elsewhere.
    lines = "".join(f"\n    {step}" for step in converted)
    program = (*start, f"def make():{lines}\n    return lambda: {call}", "states(make())")
    return program, len(program) - 1


def _of_class(step: str, classes: str) -> str:
    match = _TENSOR.fullmatch(step)
    if match is None:
        return step
    name, value = match.groups()
    cls = (classes + "  A")["xyzwopq".index(name)] if name in "xyzwopq" else " "
    return step if cls == " " else f"{name} = ({value}).as_subclass({cls})"


MEMBERS = (
    "x + y", "x + 1", "1 + x", "x - y", "1 - x", "x * y", "2 * x", "x / y", "2 / x", "x // y",
    "2 // x", "x % y", "2 % x", "x ** y", "2 ** x", "-x", "+x", "abs(x)", "i & i", "i | i", "~i",
    "i << i", "i >> i", "2 << i", "2 >> i", "2 & i", "2 | i", "2 ^ i", "x == y", "x != y", "x < y",
    "x == None", "x + 'a'", "x @ y", "p @ x", "x + p", "p + x", "p == x", "p ** x", "p - x",
    "p % x", "p // x", "x[0]", "x[0:1]", "x[i]", "x[None, 0]", "p[i[0]]", "x[i > 0]",
    "operator.setitem(x, 0, 1)", "operator.setitem(p, 0, y[0])", "operator.setitem(p, i, 1)",
    "operator.delitem(x, 0)", "len(x)", "bool(x[0])", "int(x[0])", "float(x[0])", "complex(x[0])",
    "operator.index(i[0])", "list(x)", "[*x]", "1.0 in x", "reversed(x)", "repr(x)", "str(x)",
    "format(x[0])", "format(x, '')", "x.__dir__()[0]", "operator.iadd(x, y)",
    "operator.iadd(p, x)", "operator.isub(x, 1)", "operator.imul(p, x)", "operator.ipow(x, 2)",
    "operator.ipow(p, x)", "operator.itruediv(x, 2)", "operator.ifloordiv(x, 2)",
    "operator.imod(x, 2)", "operator.iand(i, i)", "operator.ilshift(i, i)", "x.__rsub__(1)",
    "x.__rpow__(2)", "x.__div__(2)", "x.__idiv__(2)", "x.__rdiv__(2)", "x.__rmatmul__(y)",
    "setattr(x, 'requires_grad', True)", "setattr(x, 'grad', None)", "setattr(x, 'data', p)",
    "setattr(p, 'data', x)", "setattr(x, 'foo', 1)", "setattr(x, 'shape', 1)",
    "x.__cuda_array_interface__", "torch.Tensor.shape.__get__(x)", "torch.Tensor.add(x, 1)",
    "torch.Tensor.add(x)", "torch.add(x)", "torch.add(x, 'a')", "x.add('a')", "x.dim(1)",
    "x.sin(1)", "torch.sin(x, 1)", "x.size(0)", "x.stride(0)", "x.type()", "x.type(torch.int32)",
    "x.to(torch.int32)", "x.to('cpu')", "x.to(p)", "p.to(x)", "x.numpy()", "x.tolist()",
    "x[0].item()", "numpy.asarray(x)", "x.__array__()", "x.__dlpack_device__()",
    "torch.from_dlpack(x)", "x.new_zeros(2)", "x.new_tensor([1])", "x.new(2)", "p.new_tensor(x)",
    "torch.tensor(x)", "torch.as_tensor(x)", "torch.asarray(x)", "copy.copy(x)",
    "pickle.loads(pickle.dumps(p.as_subclass(A)))", "x.__reduce_ex__(2)[0].__name__",
    "copy.deepcopy(torch.Tensor._make_subclass(A, p))", "x.as_subclass(torch.Tensor)", "A(x)",
    "A([1])", "torch.Tensor(x)", "torch.Tensor._make_subclass(A, x)", "torch.is_tensor(x)",
    "torch.typename(x)", "torch.split(x, 1)", "torch.split(x, split_size_or_sections=1)",
    "x.split(1)", "x.split(split_size=1, dim=0)", "x.split([1, 1])",
    "torch.broadcast_tensors(p, x)",
    "torch.meshgrid(x, p)", "torch.meshgrid([x, p], indexing='ij')", "torch.einsum('i,i', x, p)",
    "torch.einsum('i,i', [x, p])", "torch.einsum(x, [0], p, [0])", "torch.cartesian_prod(x, p)",
    "torch.block_diag(p, x)", "torch.chain_matmul(x[None], y[:, None])", "torch.tensordot(x, p, 1)",
    "torch.unique(x)", "torch.unique(x, True, True, True)", "torch.unique_consecutive(x)",
    "x.unique(return_counts=True)", "torch.atleast_1d(x, p)", "torch.atleast_1d([x, p])",
    "torch.atleast_2d(x)", "torch.unravel_index(i, (2,))", "torch.cat([p, x])",
    "torch.hstack((x,))",
    "torch.add(p, p, out=x)", "torch.add(x, p, out=torch.zeros(2))", "torch.add(input=p, other=x)",
    "torch.max(x, 0)", "torch.zeros(i[0])", "torch.zeros((i[0], 2))", "p.view(2, i[1])",
    "torch.full((2,), x[0])", "torch.arange(x[0])", "torch.add(p, p, alpha=i[1])",
    "torch.clamp(p, min=x)", "torch.where(p > 0, x, 1)", "torch.pow(2, x)", "p.sum(dim=i[0])",
    "p.sum(dim=(i[0],))", "torch.permute(p, (i[0],))", "torch.roll(p, i[1])",
    "torch.narrow(p, 0, i[0], 1)", "torch.select(p, 0, i[0])", "torch.index_put(p, [i], p)",
    "torch.result_type(x, 1)", "torch.numel(x)", "x.storage().dtype", "x.is_shared()",
    "x.share_memory_()", "x.resize(2)", "x.resize_as(y)", "x.__deepcopy__({})",
    "x.__setstate__(())",
    "x.unflatten(0, (1, 2))", "x.dim_order()", "x.copy_(p)", "p.copy_(x)",
    "torch.save(x, io.BytesIO())", "hash(x) == id(x)", "x.requires_grad_()", "x.detach_()",
    *(
        f"torch.overrides.handle_torch_function({function}, {operands}, x)"
        for function in ("2", "p", "torch.add", "torch.Tensor.grad.__get__", "torch.Tensor", "len")
        for operands in ("()", "(p, 2)", "[x]")
    ),
)  # fmt: skip
"""Calls beside the schemas; x and y are floats and i ints of a subclass, p is a plain tensor."""

MEMBER_SETUP = (
    "x = torch.tensor([1.0, 2.0]).as_subclass(A)", "y = torch.tensor([3.0, 4.0]).as_subclass(A)",
    "i = torch.tensor([0, 1]).as_subclass(A)", "p = torch.tensor([5.0, 6.0])",
)  # fmt: skip


def attributes(torch: Any) -> list[str]:
    """Return the attributes of tensors in scope, and two private ones that programs read."""
    names = [name.removeprefix("torch.Tensor.") for name in in_scope(torch)]
    return [
        name
        for name in [*dict.fromkeys(names), "_base", "_version"]
        if isinstance(vars(torch.Tensor).get(name, getattr(torch.Tensor, name, None)), _ATTRIBUTE)
    ]


_ATTRIBUTE = (GetSetDescriptorType, property)

_VALUES = {
    "t": "torch.ones(2)", "a": "torch.ones(2).as_subclass(A)", "b": "torch.ones(2).as_subclass(B)",
    "d": "torch.ones(2).as_subclass(D)", "p": "torch.ones(2).as_subclass(P)",
    "q": "torch.ones(2).as_subclass(Q)", "r": "torch.ones(2).as_subclass(R)", "s": "S()",
    "n": "N()", "u": "torch.ones(2).as_subclass(U)",
}  # fmt: skip

_FORMS = (
    "torch.add({0}, {1})", "{0} + {1}", "{0} - {1}", "{0} ** {1}", "{0} // {1}", "{0} == {1}",
    "{0} < {1}", "torch.cat([{0}, {1}])", "torch.stack([{0}, {1}, {2}])", "t.add({1})",
    "torch.where({0}, {1}, {2})", "torch.addcmul({0}, {1}, {2})", "t[{1}]", "t[0, {1}]",
    "operator.setitem(t, 0, {1})", "operator.iadd({0}, {1})", "torch.split({1}, 1)",
    "torch.broadcast_tensors({0}, {1}, {2})", "torch.atleast_1d({0}, {1})",
    "torch.meshgrid({0}, {1})", "torch.einsum('i,i', {0}, {1})", "torch.tensordot({0}, {1}, 1)",
    "torch.add({0}, {1}, alpha={2})", "torch.add({0}, {1}, out={2})", "torch.sum({0}, dim={1})",
    "torch.full((2,), {1})", "torch.zeros({1})", "torch.zeros((2, {1}))", "t.view({1})",
    "torch.add({0}, 'a')", "torch.clamp({0}, min={1})", "torch.max({0}, {1})",
    "torch.equal({0}, {1})", "torch.unique({1})", "torch.block_diag({0}, {1})",
    "torch.cartesian_prod({0}, {1})", "torch.result_type({0}, {1})", "t.to({1})", "t.copy_({1})",
    "torch.sin({1})", "torch.numel({1})", "torch.is_tensor({1})", "torch.can_cast({0}, {1})",
    "torch.tensor({1})", "torch.zeros(2)", "torch.tensor([1])", "t.shape", "t.dim()", "t[0]",
    "len(t)", "repr(t)", "torch.promote_types(torch.int, torch.float)", "torch.arange(3)",
    "list(t)", "t.requires_grad", "t.new_zeros(2)", "a.shape", "b.T", "d.data", "u.sum()",
    "torch.overrides.has_torch_function(({0}, {1}))",
    "torch.overrides.has_torch_function_unary({1})",
    "torch.overrides.has_torch_function_variadic({0}, {1})",
    "torch.overrides.is_tensor_like({1})",
    "torch.overrides.handle_torch_function(torch.add, ({0}, {1}), {0}, {1})",
    "torch.overrides.handle_torch_function(torch.split, ({1},), {1}, 1)",
    "A.__torch_function__(torch.add, (A,), ({0}, t))",
    "torch.Tensor.__torch_function__(torch.add, (), ({0}, {1}))",
    "torch.Tensor.__torch_function__(torch.max, (), (t, 0))",
    "torch._C._disabled_torch_function_impl(torch.add, (), ({0}, {1}))",
    "torch.overrides.get_default_nowrap_functions() == "
    "{{torch.Tensor._base.__get__, torch.Tensor.grad.__get__, torch.Tensor._grad.__get__}}",
    "torch._C._is_torch_function_enabled()", "torch._C._len_torch_function_stack()",
)  # fmt: skip

_CONTEXTS = (
    "", "", "", "M('1')", "M('1'), M('2')", "K()", "K(), M()", "M(), K()",
    "torch._C.DisableTorchFunctionSubclass()", "torch._C.DisableTorchFunction()",
    "M(), torch._C.DisableTorchFunctionSubclass()", "torch._C.DisableTorchFunctionSubclass(), M()",
    "M(), torch._C.DisableTorchFunction()", "torch._C.DisableTorchFunction(), M()",
)  # fmt: skip
"""What a call runs in."""


def drawn_program(seed: int) -> tuple[Program, int]:
    """Return a program of calls with drawn operands, each in drawn contexts, and its question."""
    random = Random(seed)
    steps = [*setup(*CLASSES), *(f"{name} = {text}" for name, text in _VALUES.items())]
    question = len(steps)
    for _ in range(4):
        form = random.choice(_FORMS)
        call = form.format(*(random.choice([*_VALUES]) for _ in range(3)))
        context = random.choice(_CONTEXTS)
        if context:
            steps.append(f"def call():\n    with {context}:\n        return {call}")
            steps.append("record(call)")
        else:
            steps.append(recorded(call))
    return tuple(steps), question
