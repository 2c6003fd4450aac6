"""The unpickler of ``torch.load(weights_only=True)`` (torch/_weights_only_unpickler.py).

It calls nothing but the globals that are allowed, and has only the opcodes that files of tensors
need.  Each opcode is a method; the tables have those that only push a value or read an argument.
"""

import pickle
import re
import warnings
from _compat_pickle import IMPORT_MAPPING, NAME_MAPPING
from collections import Counter, OrderedDict
from collections.abc import Callable
from functools import cache
from pickle import UnpicklingError
from struct import unpack
from typing import Any, NoReturn

from .._runtime.errors import check
from .._tensor.tensor import Tensor
from .safe_globals import BLOCKED_MODULES, allowed_globals, user_globals

UNSAFE_MESSAGE = (
    "In PyTorch 2.6, we changed the default value of the `weights_only` argument in `torch.load`"
    " from `False` to `True`. Re-running `torch.load` with `weights_only` set to `False` will"
    " likely succeed, but it can result in arbitrary code execution. Do it only if you got the"
    " file from a trusted source."
)

_DOCS = (
    "\n\nCheck the documentation of torch.load to learn more about types accepted by default with"
    " weights_only https://pytorch.org/docs/stable/generated/torch.load.html."
)


def advice(message: str) -> str:
    """Return the message of torch.load for an error of the unpickler, with advice for users."""
    if re.search(r"GLOBAL (\S+) was not an allowed global by default.", message):
        return (
            "Weights only load failed. This file can still be loaded, to do so you have two"
            " options, \033[1mdo those steps only if you trust the source of the checkpoint\033[0m."
            f" \n\t(1) {UNSAFE_MESSAGE}\n\t(2) Alternatively, to load with `weights_only=True`"
            " please check the recommended steps in the following error message.\n\t"
            f"WeightsUnpickler error: {message}{_DOCS}"
        )
    if re.search(r"(\S+) must be (\S+) to load", message):
        return f"Weights only load failed. {message}\n {UNSAFE_MESSAGE}\n"
    request = (
        "Please file an issue with the following so that we can make `weights_only=True` compatible"
        " with your use case: WeightsUnpickler error: "
    )
    if re.search(r"whose module (\S+) is blocked", message):
        request = ""
    return f"Weights only load failed. {UNSAFE_MESSAGE}\n{request}\n\n{message}{_DOCS}"


_NESTED = {
    "torch.nested._internal.nested_tensor.NestedTensor",
    "torch.nested._internal.nested_tensor._rebuild_njt",
    "torch._dynamo.decorators._DimRange",
}
_DISTRIBUTED = {
    "torch.distributed.device_mesh.DeviceMesh",
    "torch.distributed.tensor._dtensor_spec.DTensorSpec",
    "torch.distributed.tensor._dtensor_spec.TensorMeta",
    "torch.distributed.tensor.DTensor",
    "torch.distributed.tensor.placement_types.Partial",
    "torch.distributed.tensor.placement_types.Replicate",
    "torch.distributed.tensor.placement_types.Shard",
}
"""The globals of torch for which another module must be imported."""


def _read_global(readline: Callable[[], bytes]) -> tuple[str, str]:
    """Return the module and name of a global, with Python 3's names."""
    module, name = (readline()[:-1].decode("utf-8") for _ in range(2))
    return NAME_MAPPING.get((module, name)) or (IMPORT_MAPPING.get(module, module), name)


def find_global(module: str, name: str) -> Any:
    """Return an allowed global; raise for another one."""
    path = f"{module}.{name}"
    if module in BLOCKED_MODULES:
        raise UnpicklingError(
            f"Trying to load unsupported GLOBAL {path} whose module {module} is blocked."
        )
    for table in (allowed_globals, user_globals):
        if path in (allowed := table()):
            return allowed[path]
    if path in _NESTED:
        raise UnpicklingError(
            "``torch.nested`` and ``torch._dynamo`` must be imported to load nested jagged tensors"
            " (NJTs)"
        )
    if path in _DISTRIBUTED:
        raise UnpicklingError("``torch.distributed.tensor`` must be imported to load DTensors")
    path = path.removeprefix("builtins.")
    raise UnpicklingError(
        f"Unsupported global: GLOBAL {path} was not an allowed global by default. Please use"
        f" `torch.serialization.add_safe_globals([{path}])` or the"
        f" `torch.serialization.safe_globals([{path}])` context manager to allowlist this global"
        " if you trust this class/function."
    )


def _is_allowed(value: Any) -> bool:
    """Return whether a value is an allowed global itself."""
    return id(value) in _allowed_ids() or _is_allowed_by_user(value)


def _is_allowed_by_user(value: Any) -> bool:
    return any(value is each for each in user_globals().values())


@cache
def _allowed_ids() -> frozenset[int]:
    return frozenset(map(id, allowed_globals().values()))


def _raise_unsupported(key: Any) -> NoReturn:
    """Raise for what is read instead of an opcode."""
    if not key:
        raise EOFError
    check(
        isinstance(key, bytes | bytearray),
        lambda: f"Expected bytes, got {type(key).__name__}",
        AssertionError,
    )
    raise UnpicklingError(f"Unsupported operand {key[0]}")


class Unpickler:
    """Loads one object from a file."""

    def __init__(self, file: Any, *, encoding: str = "bytes") -> None:
        self.encoding = encoding
        self.read, self.readline = file.read, file.readline
        self.memo: dict[int, Any] = {}
        self.stack: list[Any] = []
        self.marks: list[list[Any]] = []

    def persistent_load(self, pid: Any) -> Any:
        """Raise: torch.load sets this."""
        raise UnpicklingError("unsupported persistent id encountered")

    def load(self) -> Any:
        """Return the object."""
        self.stack, self.marks = [], []
        read = self.read
        while True:
            key = read(1)
            operation = _OPERATIONS.get(key)
            if operation is not None:
                operation(self)
            elif key == pickle.STOP:
                return self.stack.pop()
            else:
                _raise_unsupported(key)

    def pop_mark(self) -> list[Any]:
        """Return the items above the last mark."""
        items, self.stack = self.stack, self.marks.pop()
        return items

    # Globals, and objects made by them

    def load_global(self) -> None:
        self.stack.append(find_global(*_read_global(self.readline)))

    def load_newobj(self) -> None:
        args = self.stack.pop()
        cls = self.stack.pop()
        if not _is_allowed_by_user(cls) and not _is_allowed(cls):
            raise UnpicklingError(
                "Can only create new object for nn.Parameter or classes allowlisted via"
                f" `add_safe_globals` but got {cls}"
            )
        self.stack.append(cls.__new__(cls, *args))

    def load_reduce(self) -> None:
        args = self.stack.pop()
        function = self.stack[-1]
        if not _is_allowed(function):
            message = f"Trying to call reduce for unrecognized function {function}"
            if hasattr(function, "__self__"):
                message += f" which belongs to {function.__self__}"
            raise UnpicklingError(message)
        self.stack[-1] = function(*args)

    def load_build(self) -> None:
        state = self.stack.pop()
        instance = self.stack[-1]
        cls = type(instance)
        if cls is Tensor:
            instance.set_(*state)
        elif cls is OrderedDict:
            instance.__dict__.update(state)
        elif not _is_allowed_by_user(cls) and not _is_allowed(cls):
            raise UnpicklingError(
                "Can only build Tensor, Parameter, OrderedDict or types allowlisted via"
                f" `add_safe_globals`, but got {cls}"
            )
        elif hasattr(instance, "__setstate__"):
            instance.__setstate__(state)
        else:
            slots = None
            if isinstance(state, tuple) and len(state) == 2:
                state, slots = state
            if state:
                instance.__dict__.update(state)
            for name, value in (slots or {}).items():
                setattr(instance, name, value)

    def load_persistent(self) -> None:
        pid = self.stack.pop()
        if type(pid) is not tuple and type(pid) is not int:
            raise UnpicklingError(f"persistent_load id must be tuple or int, but got {type(pid)}")
        if type(pid) is tuple and pid and decoded_ascii(pid[0]) != "storage":
            raise UnpicklingError(
                f"Only persistent_load of storage is allowed, but got {type(pid[0])}"
            )
        self.stack.append(self.persistent_load(pid))

    # Containers

    def load_append(self) -> None:
        self._extend("append to", [self.stack.pop()])

    def load_appends(self) -> None:
        self._extend("extend", self.pop_mark())

    def _extend(self, action: str, items: list[Any]) -> None:
        target = self.stack[-1]
        if type(target) is not list:
            raise UnpicklingError(f"Can only {action} lists, but got {type(target)}")
        target.extend(items)

    def load_setitem(self) -> None:
        value = self.stack.pop()
        self._set_items("SETITEM", [self.stack.pop(), value])

    def load_setitems(self) -> None:
        self._set_items("SETITEMS", self.pop_mark())

    def _set_items(self, opcode: str, items: list[Any]) -> None:
        target = self.stack[-1]
        if type(target) not in (dict, OrderedDict, Counter):
            raise UnpicklingError(
                f"Can only {opcode} for dict, collections.OrderedDict, collections.Counter, but got"
                f" {type(target)}"
            )
        for i in range(0, len(items), 2):
            target[items[i]] = items[i + 1]

    def load_mark(self) -> None:
        self.marks.append(self.stack)
        self.stack = []

    def load_tuple(self) -> None:
        items = tuple(self.pop_mark())  # which replaces the stack
        self.stack.append(items)

    def load_tuple1(self) -> None:
        self.stack[-1] = (self.stack[-1],)

    def load_tuple2(self) -> None:
        self.stack[-2:] = [(self.stack[-2], self.stack[-1])]

    def load_tuple3(self) -> None:
        self.stack[-3:] = [(self.stack[-3], self.stack[-2], self.stack[-1])]

    # Values with an argument

    def load_binunicode(self) -> None:
        (length,) = unpack("<I", self.read(4))
        self.stack.append(str(self.read(length), "utf-8", "surrogatepass"))

    def load_short_binstring(self) -> None:
        data = self.read(self.read(1)[0])
        is_text = self.encoding != "bytes"
        self.stack.append(data.decode(self.encoding, "strict") if is_text else data)

    def load_long1(self) -> None:
        self.stack.append(pickle.decode_long(self.read(self.read(1)[0])))

    def load_proto(self) -> None:
        protocol = self.read(1)[0]
        if protocol != 2:
            warnings.warn(
                f"Detected pickle protocol {protocol} in the checkpoint, which was not the default"
                " pickle protocol used by `torch.load` (2). The weights_only Unpickler might not"
                " support all instructions implemented by this protocol, please file an issue for"
                " adding support if you encounter this.",
                stacklevel=1,  # torch's warning does not show the caller's line either
            )


def decoded_ascii(text: Any) -> Any:
    """Return text for bytes, as which Python 2 wrote it."""
    return text.decode("ascii") if isinstance(text, bytes) else text


def _pushing(make: Callable[[], Any]) -> Callable[[Unpickler], None]:
    return lambda unpickler: unpickler.stack.append(make())


def _reading(form: str, size: int) -> Callable[[Unpickler], None]:
    def operation(unpickler: Unpickler) -> None:
        unpickler.stack.append(unpack(form, unpickler.read(size))[0])

    return operation


def _reading_byte(use: Callable[[Unpickler, int], None]) -> Callable[[Unpickler], None]:
    return lambda unpickler: use(unpickler, unpickler.read(1)[0])


def _reading_word(use: Callable[[Unpickler, int], None]) -> Callable[[Unpickler], None]:
    return lambda unpickler: use(unpickler, unpack("<I", unpickler.read(4))[0])


def _get(unpickler: Unpickler, index: int) -> None:
    unpickler.stack.append(unpickler.memo[index])


def _put(unpickler: Unpickler, index: int) -> None:
    unpickler.memo[index] = unpickler.stack[-1]


def _push(unpickler: Unpickler, value: int) -> None:
    unpickler.stack.append(value)


_OPERATIONS: dict[bytes, Callable[[Unpickler], None]] = {
    pickle.GLOBAL: Unpickler.load_global,
    pickle.NEWOBJ: Unpickler.load_newobj,
    pickle.REDUCE: Unpickler.load_reduce,
    pickle.BUILD: Unpickler.load_build,
    pickle.BINPERSID: Unpickler.load_persistent,
    pickle.APPEND: Unpickler.load_append,
    pickle.APPENDS: Unpickler.load_appends,
    pickle.SETITEM: Unpickler.load_setitem,
    pickle.SETITEMS: Unpickler.load_setitems,
    pickle.MARK: Unpickler.load_mark,
    pickle.TUPLE: Unpickler.load_tuple,
    pickle.TUPLE1: Unpickler.load_tuple1,
    pickle.TUPLE2: Unpickler.load_tuple2,
    pickle.TUPLE3: Unpickler.load_tuple3,
    pickle.NONE: _pushing(lambda: None),
    pickle.NEWFALSE: _pushing(lambda: False),
    pickle.NEWTRUE: _pushing(lambda: True),
    pickle.EMPTY_TUPLE: _pushing(tuple),
    pickle.EMPTY_LIST: _pushing(list),
    pickle.EMPTY_DICT: _pushing(dict),
    pickle.EMPTY_SET: _pushing(set),
    pickle.BININT: _reading("<i", 4),
    pickle.BININT1: _reading_byte(_push),
    pickle.BININT2: _reading("<H", 2),
    pickle.BINFLOAT: _reading(">d", 8),
    pickle.BINUNICODE: Unpickler.load_binunicode,
    pickle.SHORT_BINSTRING: Unpickler.load_short_binstring,
    pickle.BINGET: _reading_byte(_get),
    pickle.LONG_BINGET: _reading_word(_get),
    pickle.BINPUT: _reading_byte(_put),
    pickle.LONG_BINPUT: _reading_word(_put),
    pickle.LONG1: Unpickler.load_long1,
    pickle.PROTO: Unpickler.load_proto,
}


def load(file: Any, *, encoding: str = "ASCII") -> Any:
    """Return the object of a pickle that follows in a file."""
    return Unpickler(file, encoding=encoding).load()


_SKIPPED = {
    pickle.BININT: 4, pickle.BININT1: 1, pickle.BININT2: 2, pickle.BINFLOAT: 8, pickle.BINGET: 1,
    pickle.LONG_BINGET: 4, pickle.BINPUT: 1, pickle.LONG_BINPUT: 4, pickle.PROTO: 1,
}  # fmt: skip
"""The sizes of arguments that `globals_in_pickle` does not read."""


def globals_in_pickle(file: Any) -> set[str]:
    """Return the names of all globals in a pickle, without loading it."""
    found: set[str] = set()
    while (key := file.read(1)) != pickle.STOP:
        if key == pickle.GLOBAL:
            found.add(".".join(_read_global(file.readline)))
        elif key == pickle.BINUNICODE:
            file.read(unpack("<I", file.read(4))[0])
        elif key in (pickle.SHORT_BINSTRING, pickle.LONG1):
            file.read(file.read(1)[0])
        elif key in _OPERATIONS:
            file.read(_SKIPPED.get(key, 0))
        else:
            _raise_unsupported(key)
    return found
