"""Tolerances for operators whose kernels in torch round differently.

Most operators have a vectorized and a scalar kernel, which may round differently: one uses fused
multiply-add, or the sine of another library. The position of an element decides which kernel
computes it. So a differing element is accepted in two cases, both counted. Either torch computes
the same element with other strides, or the operator is in the table of those that are not exactly
rounded and the element is within its bound.
"""

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from ..core.case import Case
from ..core.float_formats import FORMATS, Format, in_format, is_nan, numbers
from ..libraries.library import Library
from ..observation.facets import observe
from ..observation.runner import Observation, run_case
from .comparator import Comparison, Difference, compare, is_equal
from .nan_bits import combines, wrong_nans
from .other_kernels import OtherResults, assigned_name, in_statements, results_by_width
from .rounded_sums import RULE as ROUNDED_SUMS, undecided_sums
from .ulp import distances

_TABLE = Path(__file__).with_name("tolerances.toml")
_SHOWS_ELEMENTS = frozenset({"elements", "value", "state", "repr"})
"""The facets that contain elements."""

_FLAGS = ("whole", "infinite", "unsigned")
"""The flags of rows that `distances` takes."""

LAST_BITS, OTHER_KERNEL = "last-bits", "other-kernel"
NAN_BITS, ZERO_SIGNS, VECTOR_WIDTH = "nan-bits", "zero-signs", "vector-width"
REWRITTEN = "rewritten-elements"
"""The names of the rules in reports."""


class Tolerance(NamedTuple):
    """The tolerance for an operator that is not exactly rounded.

    measured: the distance of two correct libraries in ULP, by the dtype of the result
    floor: the magnitude below which the ULP is that of the floor, because of cancellation
    reduces: whether the row is for reductions in bulk cases; other sums have to be exact
    whole: whether the parts of a complex element come of one rounding (`ulp.distances`)
    infinite: whether all complex elements that are not finite count as equal
    largest: whether elements are measured in the ULP of the largest one of the result
    unsigned: whether all zeros count as equal
    dtypes: the dtypes of results to which the row is limited; empty for all
    """

    name: str
    pattern: re.Pattern[str]
    why: str
    measured: Mapping[str, int] = MappingProxyType({})
    floor: float = 0.0
    reduces: bool = False
    whole: bool = False
    infinite: bool = False
    largest: bool = False
    unsigned: bool = False
    dtypes: Sequence[str] = ()

    def bound(self, dtype: str) -> int:
        """Return the accepted distance: one more than measured, or 0 if not measured."""
        measured = self.measured.get(dtype, 0)
        return measured + 1 if measured else 0


@cache
def load_tolerances() -> tuple[Tolerance, ...]:
    """Return the rows of the table."""
    rows = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
    return tuple(Tolerance(name, re.compile(row.pop("calls")), **row) for name, row in rows.items())


def tolerances_for(step: str, table: Sequence[Tolerance], reduces: bool = False) -> list[Tolerance]:
    """Return the rows for a step of a program, or for the name of a reduction."""
    return [row for row in table if row.reduces == reduces and row.pattern.search(step)]


def largest_bound(rows: Iterable[Tolerance], fmt: Format) -> int:
    """Return the largest bound of some rows for a dtype."""
    return max(row.bound(fmt.name) for row in rows)


def distances_of(
    rows: Sequence[Tolerance], left: Any, right: Any, fmt: Format, sizes: Any = 0.0
) -> Any:
    """Return the distances of elements, given as raw bits, as rows measure them.

    Elements smaller than ``sizes`` are measured in the ULP of ``sizes``.
    """
    floor = np.maximum(sizes, max(row.floor for row in rows))
    flags = {flag: any(getattr(row, flag) for row in rows) for flag in _FLAGS}
    return distances(left, right, fmt, floor, **flags)


def apply_tolerances(
    oracle: Library,
    case: Case,
    expected: Observation,
    observed: Observation,
    comparison: Comparison,
    table: Sequence[Tolerance],
) -> Comparison:
    """Return a comparison without the differences in last bits that torch's kernels explain."""
    facets = {difference.facet for difference in comparison.differences}
    if not facets or not facets <= _SHOWS_ELEMENTS:
        return comparison
    if facets <= {"value", "repr", "state"} and "value" in facets:
        return _apply_to_fields(oracle, case, expected, observed, comparison, table)
    case = in_statements(case)
    sides = [_result(observation, case) for observation in (expected, observed)]
    left, right = map(_elements, sides)
    fmt = FORMATS.get(str(sides[0].get("dtype", "")).removeprefix("torch."))
    if fmt is None or left is None or right is None or len(left) != len(right):
        return comparison
    positions = [index for index, (a, b) in enumerate(zip(left, right, strict=True)) if a != b]
    if not is_equal(_with_elements(sides[0], right)["elements"], sides[1]["elements"]):
        return comparison  # in the indices of a sparse tensor
    # Differences outside the elements, or in other tensors, have another cause.
    states = expected.get("state"), observed.get("state")
    if not positions or ("state" in facets and not _differs_only_in_results(*states, left, right)):
        return comparison
    rows = [
        row
        for row in tolerances_for(case.steps[-1], table)
        if not row.dtypes or fmt.name in row.dtypes
    ]
    if fmt.is_float:
        # The values of a sparse tensor have other kernels by their number, which no view changes.
        is_compared = not (combines(case.steps[-1], fmt) or isinstance(sides[0]["elements"], dict))
        is_wrong = is_compared and _has_wrong_nans(
            oracle, case, left, right, positions, fmt, payload=not rows
        )
        if is_wrong:
            return comparison
        positions = _without_nans(left, right, positions, fmt)
        if not positions:
            return _without(comparison, NAN_BITS)
        positions = _without_other_zeros(oracle, case, left, right, positions, fmt)
        if not positions:
            return _without(comparison, ZERO_SIGNS)
        first, second = (_raw_parts(side, positions, fmt) for side in (left, right))
        undecided = undecided_sums(oracle, case, len(left), positions, first, second, fmt)
        if undecided is not None:
            positions = _where(~undecided, positions)
        if not positions:
            return _without(comparison, ROUNDED_SUMS)
    if not rows:
        is_other_width = _is_of_other_width(oracle, case, right, positions, fmt)
        return _without(comparison, VECTOR_WIDTH) if is_other_width else comparison
    computed = computed_format(oracle, case, fmt)
    first, second = (_raw_parts(side, positions, fmt) for side in (left, right))
    sizes = _largest(left, fmt) if any(row.largest for row in rows) else 0.0
    positions = _where(_is_beyond_bound(first, second, fmt, computed, rows, sizes), positions)
    if not positions:
        return _without(comparison, f"{LAST_BITS}:{rows[0].name}:{computed.name}")
    if _IN_PLACE.match(case.steps[-1]):
        positions = _where(~_is_shared(sides[0], len(left))[positions], positions)
    if not positions:
        return _without(comparison, f"{REWRITTEN}:{rows[0].name}")
    for result in _other_elements(oracle, case, fmt, len(left)):
        second = _raw_parts(right, positions, fmt)
        is_far = _is_beyond_bound(result[positions], second, fmt, computed, rows, sizes)
        positions = _where(is_far, positions)
        if not positions:
            return _without(comparison, f"{OTHER_KERNEL}:{rows[0].name}")
    return comparison


def _apply_to_fields(
    oracle: Library,
    case: Case,
    expected: Observation,
    observed: Observation,
    comparison: Comparison,
    table: Sequence[Tolerance],
) -> Comparison:
    """Return a comparison without the differences that kernels explain in a tuple of tensors."""
    left, right = (_fields(observation["value"]) for observation in (expected, observed))
    rules: list[str] = []
    pairs: set[tuple[str, str]] = set()
    for index, (want, got) in enumerate(zip(left, right, strict=False)):
        if is_equal(want, got):
            continue
        if not is_equal({**want, "elements": None}, {**got, "elements": None}):
            return comparison
        part = Case((*case.steps[:-1], f"({case.steps[-1]})[{index}]"))
        difference = Difference("elements", want["elements"], got["elements"])
        differs = Comparison(("elements",), [difference], [])
        result = apply_tolerances(oracle, part, want, got, differs, table)
        if result.differences:
            return comparison
        rules += result.normalized
        pairs |= set(zip(_elements(want) or (), _elements(got) or (), strict=False))
    if not rules or len(left) != len(right):
        return comparison
    states = expected.get("state"), observed.get("state")
    if not _differs_only_in_pairs(*states, pairs):
        return comparison
    # A difference in the value ended the comparison.
    shown: dict[str, Any] = {name: None for name in ("value", "repr", "state") if name in expected}
    others = compare({**expected, **shown}, {**observed, **shown}, str(case))
    return others._replace(normalized=[*comparison.normalized, *others.normalized, *rules])


def compared_results(case: Case, observation: Observation) -> Iterator[tuple[Case, Format, Any]]:
    """Yield each tensor in the result of a case whose elements tolerances may compare.

    Each one has the case that `apply_tolerances` takes for it, its format, and its raw elements.
    """
    last = case.steps[-1]
    whole = in_statements(case)
    results = [(whole, _result(observation, whole))]
    for index, data in enumerate(_fields(observation.get("value"))):
        results.append((Case((*case.steps[:-1], f"({last})[{index}]")), data))
    for part, data in results:
        fmt = FORMATS.get(str(data.get("dtype", "")).removeprefix("torch."))
        elements = _elements(data)
        if fmt is not None and elements:
            yield part, fmt, _raw_parts(elements, range(len(elements)), fmt)


def _fields(value: Any) -> list[dict[str, Any]]:
    """Return the data of the tensors in a tuple, or an empty list if it has anything else."""
    if not isinstance(value, dict):
        return []
    fields = value.get("fields") or value.get("tuple") or []
    is_data = [isinstance(field, dict) and "elements" in field for field in fields]
    return fields if all(is_data) else []


def _differs_only_in_results(
    left: Any, right: Any, expected: list[str], observed: list[str]
) -> bool:
    """Return whether states differ only in tensors that contain the elements of the results."""
    pairs = {(a, b) for a, b in zip(expected, observed, strict=True) if a != b}
    return _differs_only_in_pairs(left, right, pairs)


def _differs_only_in_pairs(left: Any, right: Any, pairs: Set[tuple[str, str]]) -> bool:
    """Return whether states differ only in tensors with pairs of elements that results have."""
    if is_equal(left, right):
        return True
    if not isinstance(left, dict) or not isinstance(right, dict) or list(left) != list(right):
        return False
    return all(
        is_equal(value, right[name]) or _differs_only_in(pairs, value, right[name])
        for name, value in left.items()
    )


def _differs_only_in(pairs: Set[tuple[str, str]], left: Any, right: Any) -> bool:
    """Return whether two tensors differ only in elements that are results, as a base does."""
    if not isinstance(left, dict) or not isinstance(right, dict):
        return False
    first, second = _elements(left), _elements(right)
    if first is None or second is None or len(first) != len(second):
        return False
    differing = {(a, b) for a, b in zip(first, second, strict=True) if a != b}
    return differing <= pairs and is_equal(_with_elements(left, second), right)


def _has_wrong_nans(
    oracle: Library,
    case: Case,
    left: Sequence[str],
    right: Sequence[str],
    positions: Sequence[int],
    fmt: Format,
    *,
    payload: bool,
) -> bool:
    """Return whether an element is a NaN with bits that no kernel of the oracle gives."""
    first, second = (_raw_parts(side, positions, fmt) for side in (left, right))
    others = (result[positions] for result in _other_elements(oracle, case, fmt, len(left)))
    return bool(wrong_nans(first, second, others, fmt, payload=payload).any())


def _without_nans(
    left: Sequence[str], right: Sequence[str], positions: Sequence[int], fmt: Format
) -> list[int]:
    """Return the positions at which not all differing parts are NaNs on both sides."""
    first, second = (_raw_parts(side, positions, fmt) for side in (left, right))
    is_alike = ((first == second) | (is_nan(first, fmt) & is_nan(second, fmt))).all(-1)
    return _where(~is_alike, positions)


def _without_other_zeros(
    oracle: Library,
    case: Case,
    left: Sequence[str],
    right: Sequence[str],
    positions: Sequence[int],
    fmt: Format,
) -> list[int]:
    """Return the positions without those at which a kernel of the oracle gives the other zero.

    The sign of the larger of two zeros depends on the kernel.
    """
    first, second = (_raw_parts(side, positions, fmt) for side in (left, right))
    is_zero = ((first == second) | ((first | second) & (fmt.magnitudes - 1) == 0)).all(-1)
    zeros, kept = _where(is_zero, positions), _where(~is_zero, positions)
    for result in _other_elements(oracle, case, fmt, len(left)) if zeros else ():
        zeros = _where((result[zeros] != _raw_parts(right, zeros, fmt)).any(-1), zeros)
        if not zeros:
            break
    return sorted([*zeros, *kept])


def _other_elements(oracle: Library, case: Case, fmt: Format, count: int) -> Iterator[Any]:
    """Yield the raw parts of ``count`` elements by each other kernel of the oracle."""
    for result in OtherResults(oracle, case, fmt):
        if result[..., 0].size == count:
            yield result.reshape(-1, fmt.parts)


def _is_of_other_width(
    oracle: Library, case: Case, right: Sequence[str], positions: Sequence[int], fmt: Format
) -> bool:
    """Return whether elements are exactly those of the oracle under another vector width."""
    observed = _raw_parts(right, positions, fmt)
    return any(
        result[..., 0].size == len(right)
        and np.array_equal(result.reshape(-1, fmt.parts)[positions], observed)
        for result in results_by_width(oracle, case, fmt)
    )


def _where(condition: Any, positions: Sequence[int]) -> list[int]:
    return [position for position, holds in zip(positions, condition, strict=True) if holds]


def _largest(elements: Sequence[str], fmt: Format) -> float:
    """Return the magnitude of the largest part of the elements that is finite."""
    parts = np.abs(numbers(_raw_parts(elements, range(len(elements)), fmt), fmt))
    return float(parts.max(initial=0, where=np.isfinite(parts)))


def _is_beyond_bound(
    first: Any,
    second: Any,
    fmt: Format,
    computed: Format,
    rows: Sequence[Tolerance],
    sizes: float,
) -> Any:
    """Return which elements, given as raw bits, differ by more than the bound.

    They are measured in the format in which they were computed, if it has both elements.
    """
    is_far = distances_of(rows, first, second, fmt, sizes) > largest_bound(rows, fmt)
    if computed is not fmt:
        parts = [in_format(raw, fmt, computed) for raw in (first, second)]
        is_exact = parts[0][1] & parts[1][1]
        steps = distances_of(rows, parts[0][0], parts[1][0], computed, sizes)
        is_far &= ~is_exact | (steps > largest_bound(rows, computed))
    return is_far


def _is_shared(result: Observation, count: int) -> Any:
    """Return which of ``count`` elements have their place in common.

    In place, each is computed of the one before it, so that a difference in its last bit may grow.
    """
    shape, stride = result.get("shape"), result.get("stride")
    if not isinstance(shape, list) or not isinstance(stride, list):
        return np.zeros(count, bool)
    places = np.zeros(shape, np.int64)
    for dim, (size, step) in enumerate(zip(shape, stride, strict=True)):
        places += (np.arange(size) * step).reshape(size, *[1] * (len(shape) - dim - 1))
    _, inverse, counts = np.unique(places, return_inverse=True, return_counts=True)
    return counts[inverse.reshape(-1)] > 1


_IN_PLACE = re.compile(r"\w+\.\w+[^\W_]_\(")


def computed_format(oracle: Library, case: Case, fmt: Format) -> Format:
    """Return the format of the oracle's result without ``out=``, which may have another dtype."""
    *setup, last = case.steps
    if "out=" not in last:
        return fmt
    call = getattr(ast.parse(last).body[0], "value", None)
    if not isinstance(call, ast.Call):
        return fmt
    call.keywords = [keyword for keyword in call.keywords if keyword.arg != "out"]
    results = run_case(oracle, Case((*setup, ast.unparse(call))), observe)
    dtype = str(results[-1].observation.get("dtype", "")).removeprefix("torch.")
    return FORMATS.get(dtype, fmt)


def _without(comparison: Comparison, rule: str) -> Comparison:
    return Comparison(comparison.facets, [], [*comparison.normalized, rule])


def _result(observation: Observation, case: Case) -> Observation:
    """Return the observation of the result; for ``x = y`` and ``x += y`` that of ``x`` after it."""
    name = assigned_name(case.steps[-1])
    state = observation.get("state")
    if not name or not isinstance(state, dict):
        return observation
    return state.get(name) or {}


def _elements(data: Mapping[str, Any]) -> list[str] | None:
    """Return the elements of an observed tensor; of a sparse one those of its values."""
    elements = data.get("elements")
    if isinstance(elements, dict):
        elements = elements["values"]["elements"]
    return elements if isinstance(elements, list) else None


def _with_elements(data: Mapping[str, Any], elements: list[str]) -> dict[str, Any]:
    """Return an observed tensor with other elements; of a sparse one with other values."""
    own = data.get("elements")
    if not isinstance(own, dict):
        return {**data, "elements": elements}
    return {**data, "elements": {**own, "values": {**own["values"], "elements": elements}}}


def _raw_parts(texts: Sequence[str], positions: Sequence[int], fmt: Format) -> Any:
    """Return the raw bits of the parts of elements; the text has the imaginary part first."""
    content = bytes.fromhex("".join(map(texts.__getitem__, positions)))
    raw = np.frombuffer(content, np.dtype(fmt.raw_dtype).newbyteorder(">"))
    return raw.reshape(len(positions), -1)[:, ::-1].astype(fmt.raw_dtype)
