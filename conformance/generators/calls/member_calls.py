"""Uses of objects of every class but tensors: by syntax, and each member read, set and called.

The members are the oracle's. Special methods are used by their syntax.
"""

import re
import warnings
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

OBJECTS = {
    "short storage": "torch.TypedStorage([1, -2, 3], dtype=torch.int16)",
    "float storage": "torch.FloatStorage([1.5, 2.5])",
    "bool storage": "torch.BoolStorage([True, False, True, True])",
    "uint16 storage": "torch.zeros(2, dtype=torch.uint16).storage()",
    "complex storage": "torch.TypedStorage([1, 2j], dtype=torch.complex64)",
    "empty storage": "torch.TypedStorage()",
    "meta storage": "torch.TypedStorage(2, device='meta')",
    "UntypedStorage": "torch.UntypedStorage([1, 2, 3, 4, 5, 6, 7, 8])",
    "meta bytes": "torch.UntypedStorage(8, device='meta')",
    "Generator": "torch.Generator().manual_seed(3)",
    "default generator": "torch.default_generator.manual_seed(3)",
    "device": "torch.device('cpu', 0)",
    "dtype": "torch.float32",
    "finfo": "torch.finfo(torch.float16)",
    "iinfo": "torch.iinfo(torch.int8)",
    "layout": "torch.strided",
    "memory format": "torch.channels_last",
    "Size": "torch.Size([2, 3])",
    "return type": "torch.ones(2, 2).max(0)",
    "out type": "torch.return_types.min_out([torch.ones(2), torch.ones(2)])",
    "no_grad": "torch.no_grad()",
    "enable_grad": "torch.enable_grad()",
    "set_grad_enabled": "torch.set_grad_enabled(True)",
    "inference_mode": "torch.inference_mode()",
    "invariants": "torch.sparse.check_sparse_tensor_invariants()",
    "device index": "torch.accelerator.device_index(None)",
    "cuda device": "torch.cuda.device(-1)",
    "cuda device of": "torch.cuda.device_of(torch.ones(1))",
}  # fmt: skip
"""Objects, as source text."""

MOST_ASKED = re.compile("(?!(float|bool|uint16|complex|empty) storage).*")
"""The objects whose methods take all arguments; the other storages have the same methods."""

CLASSES = (
    "torch.storage._LegacyStorage", "torch.Storage", "torch.FloatStorage", "torch.BoolStorage",
    "torch.ComplexDoubleStorage", "torch.BFloat16Storage", "torch.cuda.FloatStorage",
    "torch.cuda.LongStorage", "torch.TypedStorage", "torch.UntypedStorage",
)  # fmt: skip
"""The classes of storages."""

CLASS_USES = (
    "x.dtype", "x._dtype", "x.is_sparse", "x.is_cuda", "x.__name__", "x()", "x(2)",
    "x([1, 2])", "x(1, 2)", "x(device='cpu')", "x(device='meta')", "x(dtype=torch.int8)", "x(1.5)",
    "x(unknown=1)", "x(wrap_storage=1)", "x(wrap_storage=torch.UntypedStorage(8))",
    "x(1, wrap_storage=torch.UntypedStorage(8))", "x(-1)", "x(None)", "x('ab')", "x(range(3))",
    "x(wrap_storage=torch.UntypedStorage(8), dtype=torch.int16)",
    "x(wrap_storage=torch.UntypedStorage(8), dtype=3)", "x(wrap_storage=[1], dtype=torch.int16)",
    "x(wrap_storage=torch.UntypedStorage(8), dtype=torch.int16, device='cpu')",
    "x(wrap_storage=torch.UntypedStorage(8, device='meta'))", "x(torch.UntypedStorage(8))",
    "x(torch.ones(2))", "x(numpy.ones(2))", "x(True)", "x(2**62)", "x({})", "x([[1]])", "x([1j])",
    "x.from_buffer(b'12345678', 'little')", "x.from_buffer(b'12345678', byte_order='big')",
    "x.from_buffer(b'12345678', 'big', 1, 0)", "x.from_buffer(b'12345678', 'little', 1, 0, 1)",
    "x.from_buffer(b'123', 'native')", "x.from_buffer()", "x.from_buffer(3, 'little')",
    "x.from_buffer(b'12345678', 'little', dtype=torch.int16)",
    "x.from_buffer(b'12345678', dtype=torch.int16)", "x.from_buffer(b'12345678', device='cpu')",
    "x.from_buffer(b'12345678', 'little', dtype=torch.int32, device='meta')",
    "x.from_buffer(b'12345678', 'little', dtype=torch.float64, device='cpu')",
    *(
        f"isinstance({value}, x)"
        for value in ("1", "torch.ones(2)", "torch.ones(2).storage()", "torch.UntypedStorage(2)",
                      "torch.ones(2).double().storage()", "torch.ones(2, device='meta').storage()")
    ),
    "issubclass(x, torch.TypedStorage)", "torch.is_storage(x)", "x is torch.Storage",
    "type('A', (x,), {})(2)", "torch.ones(2).storage().type(x)", "torch.UntypedStorage(8).type(x)",
)  # fmt: skip
"""Uses of a storage class."""

SYNTAX = (
    "x[0]", "x[-1]", "x[9]", "x[0:2]", "x[1.5]", "x['a']", "x[True]", "x[None]",
    "operator.setitem(x, 0, 5)", "operator.setitem(x, slice(0, 2), 7)",
    "operator.setitem(x, 0, x)", "operator.setitem(x, 'a', 5)", "operator.setitem(x, 0, 'a')",
    "operator.setitem(x, 9, 5)", "operator.setitem(x, 0, torch.ones(2).storage())",
    "len(x)", "[*x]", "1 in x", "bool(x)", "x == x", "x == copy.copy(x)", "hash(x) == hash(x)",
    "x < x", "x + (1,)", "x + 1", "x * 2", "2 * x", "x * None", "repr(x)", "str(x)",
    "format(x, '>5')", "copy.copy(x)", "copy.deepcopy(x)",
    "(lambda c: c[0] is c[1])(copy.deepcopy([x, x]))", "copy.deepcopy(x, {id(x): 7})",
    *(f"pickle.loads(pickle.dumps(x, {protocol}))" for protocol in (0, 2, 5)),
    "x()", "x(1)", "x(lambda: 3)()", "x(lambda: torch.is_grad_enabled())()", "x.foo", "x.__foo__",
    "setattr(x, 'foo', 1)", "delattr(x, 'foo')", "type(x).foo", "next(iter(x))", "reversed(x)",
    "type(x).__name__", "isinstance(x, type(x))",
    "type('A', (type(x),), {}).__name__", "type(x)()", "[*zip(x, x)]", "float(x)", "int(x)",
    "operator.index(x)", "torch.tensor(x)", "torch.is_tensor(x)", "torch.is_storage(x)",
    "numpy.asarray(x).dtype", "bytes(x)", "memoryview(x)", "x.__dict__", "-x", "x @ x", "x is x",
    "x.__sizeof__() - object.__sizeof__(x)",
)  # fmt: skip
"""Uses of an object by syntax."""

ARGUMENTS = (
    "",
    "1",
    "-1",
    "None",
    "'cpu'",
    "'meta'",
    "x",
    "torch.int16",
    "[1, 2]",
    "b'1234'",
    "0, 5",
    "torch.ones(2)",
    "torch.zeros(8, dtype=torch.uint8).untyped_storage()",
    "'cuda'",
    "torch.ones(2).storage()",
    "{}",
    "torch.DoubleStorage",
    "'torch.HalfStorage'",
    "2**62",
    "device='cpu'",
    "device='meta'",
    "device='cuda:1'",
    "1.5, True",
    "unknown=1",
)
"""Arguments of the calls."""

_NOT_ASKED = re.compile(
    r".*\.(data_ptr|seed)|meta bytes\.byteswap"
    r"|.*\.from_file"
)
"""Members that answer with an address, are out of scope, or end torch's process."""


class Member(NamedTuple):
    """A member of an object.

    owner: the object, as source text
    arguments: the arguments of its calls, if it can be called
    """

    owner: str
    name: str
    arguments: tuple[str, ...]


@cache
def members(torch: Any) -> dict[str, Member]:
    """Return the public members of the objects by the names of both."""
    with warnings.catch_warnings(action="ignore"):
        found = {
            f"{label}.{name}": Member(text, name, _arguments(label, getattr(owner, name, None)))
            for label, text in OBJECTS.items()
            for owner in (eval(text, {"torch": torch}),)
            for name in dir(owner)
            if not name.startswith("_")
        }
    return {key: member for key, member in found.items() if not _NOT_ASKED.fullmatch(key)}


def _arguments(label: str, value: Any) -> tuple[str, ...]:
    step = 1 if MOST_ASKED.fullmatch(label) else 6
    return ARGUMENTS[::step] if callable(value) else ()


def uses(member: Member) -> Iterator[str]:
    """Yield the steps that use a member of the object ``x``."""
    name = member.name
    if member.arguments:
        yield f"callable(x.{name})"
        yield from (f"x.{name}({arguments})" for arguments in member.arguments)
    else:
        yield f"x.{name}"
        yield from (f"setattr(x, {name!r}, {value})" for value in ("3", f"x.{name}"))
        yield f"delattr(x, {name!r})"
