"""Calls of the public callables without a schema: classes, their methods, Python functions.

The parameters are those of `inspect.signature`, or of `_PARAMETERS` for C functions. The first call
takes the first values that the oracle accepts. In the others the arguments come by position, by
keyword, twice, one too many, or each with each value of `VALUES`.
"""

import inspect
import math
import warnings
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager
from functools import cache
from itertools import islice, product
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy

from ...core.domain import one_in_step
from ...spec.public_surface import in_scope, resolve_name
from ..schemas.overloads import overloads
from .oracle_calls import CHANGES_SETTINGS

VALUES = (
    "2", "torch.float32", "[1, 2]", "torch.tensor([1.5, 2.0])", "'cpu'", "b'1234'", "True", "None",
    "0", "-1", "5", "1.5", "2**63", "'a'", "torch.uint8", "torch.int64", "torch.device('meta')",
    "()", "torch.ones(2, dtype=torch.int64)", "numpy.ones(2)",
    "torch.tensor([1, 2]).untyped_storage()", "torch.Generator().manual_seed(4).get_state()",
    "'little'", "torch.float4_e2m1fn_x2",
)  # fmt: skip

RECEIVERS = {
    "Tensor": "torch.tensor([[1.0, 2.0], [3.0, 4.0]])",
    "UntypedStorage": "torch.tensor([1, 2, 3, 4, 5, 6, 7, 8]).to(torch.uint8).untyped_storage()",
    "Size": "torch.Size([2, 3])",
    "Generator": "torch.Generator().manual_seed(3)",
    "dtype": "torch.float32",
    "device": "torch.device('cpu', 0)",
}
_PARAMETERS = {
    "torch.UntypedStorage.from_buffer": {
        "buffer": "b'1234'", "byte_order": "'little'", "count": "1", "offset": "1",
        "dtype": "torch.int16",
    },
    "torch.TypedStorage": {"size": "3", "dtype": "torch.float32", "device": "'cpu'"},
    "torch.UntypedStorage": {"size": "3", "device": "'cpu'"},
    "torch.finfo": {"type": "torch.float16"},
    "torch.iinfo": {"type": "torch.int8"},
    "torch.device": {"type": "'cpu'", "index": "0"},
    "torch.Generator": {"device": "'cpu'"},
    "torch.Size": {"iterable": "[1, 2]"},
    "torch.asarray": {
        "obj": "[1, 2]", "dtype": "torch.int16", "device": "'cpu'", "copy": "True",
        "requires_grad": "False",
    },
    "torch.frombuffer": {
        "buffer": "bytearray(4)", "dtype": "torch.int16", "count": "1", "offset": "2",
        "requires_grad": "False",
    },
    "torch.Tensor": {"data": "[1, 2]", "device": "'cpu:0'"},
    "torch.LongTensor": {"data": "[1, 2]", "device": "'cpu:0'"},
    "torch.Tensor.new": {"data": "[1, 2]", "device": "'cpu:0'"},
    "torch.from_numpy": {"ndarray": "numpy.ones(2)"},
    "torch.Tensor.type": {"dtype": "torch.int16", "non_blocking": "False"},
    "torch.Tensor.new_tensor": {"data": "[1, 2]", "dtype": "torch.int16", "device": "'cpu'"},
    "torch.Tensor.numpy": {"force": "True"},
    "torch.UntypedStorage.copy_": {
        "source": "torch.UntypedStorage(8)", "non_blocking": "False",
    },
}  # fmt: skip
"""Arguments of C functions by their parameters."""

_NOT_REPEATABLE = (
    "seed", "data_ptr", "backward", "set_printoptions", "init", "hash", "get_num_threads",
    "get_num_interop_threads", "set_num_interop_threads", "get_device_module", "register_package",
)  # fmt: skip
"""Callables that answer differently each time or machine, with a reason of their own, or in vain.

The area `environment` asks the numbers of threads, one of which a process can set only once, and
the modules of devices. What `register_package` registers stays for the process, which the area
`files` asks with care. So do hooks of all modules (`_HOOKS`), which the area `modules` removes.
"""

_HOOKS = "register_module_"
"""The start of the names of functions that register hooks of all modules."""


class Callable(NamedTuple):
    """A callable: its name and text, and the arguments of the call that the oracle accepts.

    required: the number of arguments that cannot be omitted
    """

    name: str
    text: str
    given: Mapping[str, str]
    required: int


@contextmanager
def in_a_temporary_folder() -> Iterator[None]:
    """Run in a folder that is removed, as some of the calls write files."""
    with TemporaryDirectory() as folder, chdir(folder):
        yield


@cache
@in_a_temporary_folder()
def callables(torch: Any) -> dict[str, Callable]:
    """Return the callables without a schema, by their names."""
    known = {overload_id.partition(" ")[0] for overload_id in overloads(torch)}
    names = [name for name in in_scope(torch) if name not in known]
    rows = (_callable(torch, name) for name in dict.fromkeys(names) if _is_asked(torch, name))
    return {row.name: row for row in rows}


def _is_asked(torch: Any, name: str) -> bool:
    last = name.rpartition(".")[2]
    if last.strip("_") in _NOT_REPEATABLE or last.startswith(_HOOKS) or ".cuda." in name:
        return False
    with warnings.catch_warnings(action="ignore"):
        return callable(getattr(*_owner_and_name(torch, name), None))


def _owner_and_name(torch: Any, path: str) -> tuple[Any, str]:
    owner, _, name = path.rpartition(".")
    return resolve_name(torch, owner), name


def _callable(torch: Any, name: str) -> Callable:
    owner, _, last = name.rpartition(".")
    text = f"x.{last}" if owner.removeprefix("torch.") in RECEIVERS else name
    if name in _PARAMETERS:
        return Callable(name, text, _PARAMETERS[name], 1)
    scope = {"torch": torch, "numpy": numpy, "math": math}
    with warnings.catch_warnings(action="ignore"):
        if text[0] == "x":
            scope["x"] = eval(RECEIVERS[owner.removeprefix("torch.")], scope)
        params = _parameters(eval(text, scope))
        required = [key for key, is_required in params.items() if is_required]
        values = VALUES[: len(required)]
        if required and not CHANGES_SETTINGS.fullmatch(last):
            choices = islice(product(VALUES, repeat=len(required)), 600)
            accepted = (choice for choice in choices if _accepts(text, choice, scope))
            values = next(accepted, values)
    given = dict(zip(required, values, strict=True))
    others = {key: VALUES[0] for key, is_required in params.items() if not is_required}
    return Callable(name, text, given | others, len(required))


def _parameters(function: Any) -> dict[str, bool]:
    """Return the parameters of a callable, and whether each is required."""
    try:
        params = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return {}
    return {
        param.name: param.default is param.empty and param.kind is not param.KEYWORD_ONLY
        for param in params
        if param.kind not in (param.VAR_POSITIONAL, param.VAR_KEYWORD)
    }


def _accepts(text: str, values: tuple[str, ...], scope: dict[str, Any]) -> bool:
    try:
        eval(f"{text}({', '.join(values)})", dict(scope))
    except Exception:  # noqa: BLE001  # any refusal
        return False
    return True


def programs(torch: Any, name: str, step: int, seed: int) -> list[tuple[str, ...]]:
    """Return the programs that call a callable; one of ``step`` of those with other values.

    Of a C function with arguments in `_PARAMETERS` return all.
    """
    step = 1 if name in _PARAMETERS else step
    row = callables(torch)[name]
    owner = name.rpartition(".")[0].removeprefix("torch.")
    setup = (f"x = {RECEIVERS[owner]}",) if owner in RECEIVERS else ()
    others = one_in_step([*dict.fromkeys(_variations(row))], step, name, seed)
    calls = dict.fromkeys((*_forms(row), *others))
    return [(*setup, f"{row.text}({arguments})") for arguments in calls]


def _forms(row: Callable) -> Iterator[str]:
    """Yield the arguments by position and by keyword, too many, too few, unknown and doubled."""
    names, values = [*row.given], [*row.given.values()]
    for count in range(len(names) + 1):
        yield ", ".join(values[:count])
        keywords = [f"{name}={row.given[name]}" for name in names[count:]]
        yield ", ".join((*values[:count], *keywords))
        yield ", ".join((*values[:count], "unknown=1"))
        if count:
            yield ", ".join((*values[:count], f"{names[count - 1]}={values[count - 1]}"))
    yield ", ".join((*values, "3"))
    yield ", ".join((*values, "3", "unknown=1"))
    yield from ("None", "1, 1, 2, 1, 1, 2, 1, 1, 1")


def _variations(row: Callable) -> Iterator[str]:
    """Yield the arguments with each value in turn, by position and by keyword."""
    required = [*row.given.values()][: row.required]
    yield from VALUES
    yield from (", ".join((*required, value)) for value in VALUES)
    for name in row.given:
        keywords = {key: row.given[key] for key in [*row.given][: row.required]}
        for value in VALUES:
            yield ", ".join(f"{key}={text}" for key, text in {**keywords, name: value}.items())
            yield ", ".join({**row.given, name: value}.values())
