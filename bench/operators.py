"""The rows of all operators: a call of each overload in the oracle's schemas, by size and dtype."""

import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, product
from time import perf_counter
from typing import Any, NamedTuple

from conformance.generators.schemas import values as schema_values
from conformance.generators.schemas.overloads import Overload, Param, overloads
from conformance.generators.schemas.programs import has_out, render, tensors_of

from . import operands
from .timing import minima, timer

_TRIALS = 400
_GROWTH = 16
"""The most elements of a result by one of an operand, else larger sizes are left out."""

_SLOWEST = 0.05
"""The most seconds of a call of torch's, else larger sizes are left out."""


class Row(NamedTuple):
    """A call that is timed.

    overload: the overload's id, such as "torch.add Tensor"
    elements: the number of elements of its largest operand
    variant: the dtype of the operands, or how they lie in memory
    setup: the steps that make the operands
    call: the statement
    """

    overload: str
    elements: int
    variant: str
    setup: tuple[str, ...]
    call: str

    @property
    def writes(self) -> bool:
        """Whether the call writes to its first operand."""
        return re.search(r"[a-z0-9]_\(", self.call) is not None


_SMALL_X = f"x = {schema_values.DEFAULTS['Tensor'][0]}"
"""The step that makes the tensors of a list in a call without another tensor."""

TRANSPOSED, BROADCAST = "transposed", "broadcast"
VARIANTS = (*operands.DTYPES, TRANSPOSED, BROADCAST)


def rows(torch: Any, *, is_full: bool, name: str = "") -> Iterator[Row]:
    """Yield the rows, those of an overload by size.

    is_full: all variants, ``out=``, and methods that have a function with the same schema
    name: a part of the ids of the overloads
    """
    for overload in overloads(torch).values():
        if name not in overload.id or (overload.is_method and has_out(overload)):
            continue
        if not (is_main(overload) or is_full):
            continue
        choices = _accepted_choices(torch, overload)
        if choices is None:
            continue
        variants = VARIANTS if is_full and is_main(overload) else VARIANTS[:1]
        for size in operands.SIZES[:1] if overload.repeats else operands.SIZES:
            ends = False
            for variant in variants:
                row = _row(overload, choices, size, variant)
                cost = None if row is None else _cost(torch, row)
                if row is not None and cost is not None:
                    yield row
                ends |= variant == VARIANTS[0] and (cost is None or cost.is_large(size))
            if ends:
                break


class _Cost(NamedTuple):
    """What a call of the oracle takes: seconds, and the most elements of a result."""

    seconds: float
    elements: int

    def is_large(self, size: int) -> bool:
        """Return whether a call with operands of so many elements is left out with more."""
        return self.seconds > _SLOWEST or self.elements > _GROWTH * size


def _cost(torch: Any, row: Row) -> _Cost | None:
    """Return what a call takes; None if the oracle refuses it."""
    with warnings.catch_warnings(action="ignore"):
        try:
            scope = prepared(torch, row)
            start = perf_counter()
            result = eval(row.call, scope)
            seconds = perf_counter() - start
        except Exception:  # noqa: BLE001  # any refusal
            return None
    results = result if isinstance(result, tuple | list) else (result,)
    tensors = [x for x in results if isinstance(x, torch.Tensor) and x.layout is torch.strided]
    return _Cost(seconds, max([x.numel() for x in tensors], default=0))


def is_main(overload: Overload) -> bool:
    """Return whether an overload is timed also in a quick run, and in each variant."""
    return not (overload.repeats or has_out(overload))


_Choices = Mapping[str, int]
"""The indices of the chosen arguments, by parameter."""


def _accepted_choices(torch: Any, overload: Overload) -> _Choices | None:
    """Return the first choices that the oracle accepts; None if it accepts none.

    The optional arguments are given if it does not accept a call without them.
    """
    required = [param for param in overload.params if not param.has_default]
    for params in (required, overload.params):
        for choices in _all_choices(overload, params):
            row = _row(overload, choices, operands.SIZES[0], VARIANTS[0])
            if row and _cost(torch, row):
                return choices
    return None


def _all_choices(overload: Overload, params: Sequence[Param]) -> Iterator[_Choices]:
    """Yield the choices of arguments, those nearest to the first ones first."""
    size, dtype = operands.SIZES[0], operands.DTYPES[0]
    numbered = [range(len(_texts(overload, param, size, dtype))) for param in params]
    combined = islice(product(*numbered), 10 * _TRIALS)
    for indices in sorted(combined, key=lambda indices: sum({*indices}))[:_TRIALS]:
        yield {param.name: index for param, index in zip(params, indices, strict=True)}


def _texts(overload: Overload, param: Param, size: int, dtype: str) -> tuple[str, ...]:
    """Return the texts from which an argument is chosen."""
    if param.is_out:
        return "torch.empty(0)", "torch.empty(0, dtype=torch.int64)", "torch.zeros(0) > 0"
    if param.is_tensor:
        return operands.tensors(size, dtype)
    has_tensor = any("Tensor" in each.type and not each.is_out for each in overload.params)
    return operands.numbers(size, param.element_type, has_tensor=has_tensor)


def _row(overload: Overload, choices: _Choices, size: int, variant: str) -> Row | None:
    """Return the row of a variant; None if no operand could vary."""
    dtype = variant if variant in operands.DTYPES else operands.DTYPES[0]
    given = {
        param.name: _texts(overload, param, size, dtype)[choices[param.name]]
        for param in overload.params
        if param.name in choices
    }
    matrix = operands.tensors(size, dtype)[0]
    if variant != VARIANTS[0]:
        of_dtype = [param.name for param in tensors_of(overload) if given.get(param.name) == matrix]
        place = variant == BROADCAST
        if len(of_dtype) <= place:
            return None
        if variant == TRANSPOSED:
            given[of_dtype[0]] = operands.transposed(matrix)
        elif variant == BROADCAST:
            given[of_dtype[1]] = operands.broadcast(matrix)
    *setup, call = render(overload, given)
    setup = [f"x = {matrix}" if step == _SMALL_X else step for step in setup]
    setup += [f"{name} = {text}" for name, text in operands.NAMED.items() if f"[{name}]" in call]
    return Row(overload.id, size, variant, tuple(setup), call)


def prepared(torch: Any, row: Row) -> dict[str, Any]:
    """Return the names of a row's call: a library, its operands and the arrays."""
    scope = {"torch": torch, **operands.scope(row.elements)}
    for step in row.setup:
        exec(step, scope)
    return scope


class FreshOperands:
    """A timer of calls that write to their first operand, which is a new copy for each call."""

    _MOST_BYTES = 2**25

    def __init__(self, call: str, scope: dict[str, Any]) -> None:
        names = [name for name in scope if name not in ("torch", "x", "__builtins__")]
        lines = [f" {name} = scope[{name!r}]" for name in names]
        text = "\n".join(
            [
                "def run(xs):", *lines,
                " start = now()", " for x in xs:", f"  {call}", " return now() - start",
            ]
        )  # fmt: skip
        names_of: dict[str, Any] = {"scope": scope, "now": perf_counter, **scope}
        exec(text, names_of)
        self._run: Callable[[list[Any]], float] = names_of["run"]
        self._x = scope["x"]
        self._most = max(1, self._MOST_BYTES // max(self._x.numel() * self._x.itemsize, 4096))

    def timeit(self, number: int) -> float:
        """Return the seconds of so many calls."""
        seconds, left = 0.0, number
        while left > 0:
            count = min(left, self._most)
            seconds += self._run([self._x.clone() for _ in range(count)])
            left -= count
        return seconds


def row_of(result: Mapping[str, Any]) -> Row:
    """Return the row of a result."""
    *setup, call = result["call"].split("; ")
    return Row(result["overload"], result["elements"], result["variant"], tuple(setup), call)


def time_row(row: Row, libraries: Mapping[str, Any], budget: float) -> dict[str, Any]:
    """Return the result of a row: the least seconds of a call on each side, or an error."""
    result = {
        "overload": row.overload,
        "elements": row.elements,
        "variant": row.variant,
        "call": "; ".join((*row.setup, row.call)),
    }
    with warnings.catch_warnings(action="ignore"):
        try:
            scopes = {side: prepared(torch, row) for side, torch in libraries.items()}
            timers = {side: _timer(row, scope) for side, scope in scopes.items()}
            seconds = minima(timers, budget)
        except Exception as error:  # noqa: BLE001  # the report says which
            return {**result, "error": f"{type(error).__name__}: {error}".partition("\n")[0][:200]}
    ratio = seconds["impl"] / seconds["torch"]
    return {
        **result,
        **{f"{side}_ns": round(each * 1e9) for side, each in seconds.items()},
        "ratio": float(f"{ratio:.3g}"),
    }


def _timer(row: Row, scope: dict[str, Any]) -> Any:
    if row.writes and "x" in scope:
        return FreshOperands(row.call, scope)
    return timer(row.call, scope)
