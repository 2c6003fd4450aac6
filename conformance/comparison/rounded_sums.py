"""Elements of sums and of products of matrices that no order of additions decides.

A kernel adds numbers, or the products of a row and a column, in an order of its own, and may fuse
an addition with a multiplication. So the last bits of a sum that has to be rounded depend on the
kernel, and so does everything where a part of the sum is beyond the largest number. Which elements
these are, the oracle tells: it computes the result again in double precision, and also that of the
absolute values, which is the largest that any part of a sum can be.
"""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.case import Case
from ..core.float_formats import FORMATS, Format, in_format, numbers
from ..libraries.library import Library
from ..observation.facets import observe
from ..observation.runner import run_case
from .other_kernels import assigned_names
from .ulp import distances

RULE = "rounded-sums"
"""The name of the rule in reports."""

_SUMS = re.compile(
    r"\b(?:mm|bmm|mv|v?dot|matmul|inner|tensordot|chain_matmul|multi_dot|vecdot|matrix_power"
    r"|einsum|add(?:mm|mv|bmm)|baddbmm|bilinear|linear|(?:nan)?sum|(?:nan)?mean|(?:cum)?prod"
    r"|cumsum|(?:vector_|matrix_)?norm|dist|trapz|(?:cumulative_)?trapezoid|conv[123]d)_?\(| @ "
)
_SEVERAL = re.compile(r"\b(?:chain_matmul|multi_dot|matrix_power|einsum)\(")
_BOUND = 2
"""The accepted distance in ULP of the sum of absolute products, as that of bulk cases."""

_EXACT = "{0} = {0}.detach().to(torch.float64)"
_ABSOLUTE = "{0} = torch.where({0}.detach().isfinite(), {0}.detach(), 1).abs().to(torch.float64)"
_OUT = re.compile(r", out=\w+\)$")
_NEGATIVE = re.compile(r"\b(alpha|beta)=-")


def undecided_sums(
    oracle: Library,
    case: Case,
    count: int,
    positions: Sequence[int],
    expected: Any,
    observed: Any,
    fmt: Format,
) -> Any:
    """Return which elements a kernel may give either way; None if the step is no sum.

    case: the program, whose last step is one call
    count: the number of elements of the result
    positions: those of the elements ``expected`` and ``observed``, which are raw bits
    """
    if not is_sum(case, fmt):
        return None
    exact, sizes = sums_in_double(oracle, case)
    if exact is None or sizes is None or not len(exact) == len(sizes) == count:
        return None
    exact = exact[positions]
    sizes = np.fmax(np.where(np.isfinite(exact), np.abs(exact), 0), np.abs(sizes[positions]))
    largest = float(numbers(np.array([[fmt.largest]], fmt.raw_dtype), fmt)[0, 0])
    with np.errstate(all="ignore"):
        sides = [numbers(side, fmt)[:, 0] for side in (expected, observed)]
        is_beyond = ~(np.isfinite(sides[0]) & np.isfinite(sides[1])) & (sizes > largest)
        is_near = distances(expected, observed, fmt, np.minimum(sizes, largest)) <= _BOUND
    if not _SEVERAL.search(case.steps[-1]):  # else a product is rounded before the next one
        raw = exact.view(np.uint64).reshape(-1, 1)
        is_near &= ~in_format(raw, FORMATS["float64"], fmt)[1]
    return is_beyond | (is_near & np.isfinite(exact))


def is_sum(case: Case, fmt: Format) -> bool:
    """Return whether the last step of a case adds real floats, or products of them."""
    return fmt.is_float and fmt.parts == 1 and _SUMS.search(case.steps[-1]) is not None


def sums_in_double(oracle: Library, case: Case) -> Sequence[Any]:
    """Return the elements of a sum in double precision, and those of absolute values.

    Each is None if the oracle refuses it. Infinite and missing numbers become 1 in the second.
    """
    *setup, last = case.steps
    names = [name for name in assigned_names(setup) if re.search(rf"\b{name}\b", last)]
    call = _OUT.sub(")", last)
    programs = [
        (*setup, *(template.format(name) for name in names), changed)
        for template, changed in ((_EXACT, call), (_ABSOLUTE, _NEGATIVE.sub(r"\1=", call)))
    ]
    return [_numbers_of(oracle, Case(program)) for program in programs]


def _numbers_of(oracle: Library, case: Case) -> Any:
    observation = run_case(oracle, case, observe)[-1].observation
    elements = observation.get("elements")
    if observation.get("dtype") != "float64" or not isinstance(elements, list):
        return None
    bits = np.array([int(text, 16) for text in elements], np.uint64)
    return bits.view(np.float64)
