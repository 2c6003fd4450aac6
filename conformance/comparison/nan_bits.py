"""The sign and the payload of NaNs, which count wherever torch's kernels agree on them."""

import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..core.float_formats import Format, is_nan

_COMBINES = re.compile(
    r"\b(?:i?(?:add|sub|mul|truediv|floordiv|mod|pow)|subtract|rsub|multiply|div|divide|true_divide"
    r"|floor_divide|remainder|fmod"
    r"|float_power|a(?:rc)?tan2|hypot|logaddexp2?|xlogy|ldexp|lerp|addcmul|addcdiv|nextafter|logit"
    r"|diff|index_add|scatter_add|(?:nan)?sum|(?:nan)?mean|prod|cumsum|cumprod|logcumsumexp"
    r"|logsumexp|(?:log_)?softmax|(?:var|std)(?:_mean)?|(?:vector_|matrix_)?norm|c?dist"
    r"|(?:cumulative_)?trap(?:z|ezoid)"
    r"|histogram)_?\("
    r"|\b(?:mm|bmm|mv|v?dot|matmul|outer|ger|inner|kron|tensordot|chain_matmul|einsum"
    r"|cross|vecdot|multi_dot|matrix_power"
    r"|add(?:mm|mv|r|bmm)|baddbmm)_?\("
    r"|\b(?:scatter|index)_reduce_?\(.*'(?:sum|prod|mean)'|\bscatter_?\(.*, reduce="
    r"| (?:[-+*/%@]|//|\*\*)=? "
)
"""The calls and operators that compute a number from several."""

_REPEATED_LIST = re.compile(r"\] \* \d+")


def combines(step: str, fmt: Format) -> bool:
    """Return whether a step may choose among several NaNs, as compilers order operands freely.

    IEEE 754 leaves the bits of such a NaN open, also those of a complex result.
    """
    return fmt.parts > 1 or _COMBINES.search(_REPEATED_LIST.sub("]", step)) is not None


def differing_nans(expected: Any, observed: Any, fmt: Format) -> Any:
    """Return which parts, given as raw bits, are NaNs with different bits."""
    if not fmt.is_float:
        return np.zeros(expected.shape, bool)
    return is_nan(expected, fmt) & is_nan(observed, fmt) & (expected != observed)


def wrong_nans(
    expected: Any, observed: Any, others: Iterable[Any], fmt: Format, *, payload: bool = True
) -> Any:
    """Return which parts are NaNs that differ in a field on which the oracle's kernels agree.

    The fields are the sign and, with ``payload``, the payload. ``others`` are results of other
    kernels for the same elements; they are read as long as a part is wrong. A field in which the
    kernels differ for one NaN depends on the kernel for all. Both fields do if one kernel keeps
    NaNs and another returns a constant.
    """
    wrong = differing_nans(expected, observed, fmt)
    if not wrong.any():
        return wrong
    fields = [expected.dtype.type(fmt.magnitudes)]
    if payload:
        fields.append(expected.dtype.type(fmt.magnitudes - 1))
    wrong &= _differ(expected, observed, fields)
    for other in others:
        if not wrong.any():
            break
        if other.shape == expected.shape:
            varies = differing_nans(expected, other, fmt)
            bits = (expected ^ other)[varies]
            if bits.size and _is_constant(other, fmt) != _is_constant(expected, fmt):
                fields = []
            fields = [field for field in fields if not (bits & field).any()]
            wrong &= _differ(expected, observed, fields)
    return wrong


def _is_constant(parts: Any, fmt: Format) -> bool:
    """Return whether all NaNs have the same payload."""
    nans = parts[is_nan(parts, fmt)] & parts.dtype.type(fmt.magnitudes - 1)
    return bool((nans == nans[:1]).all())


def _differ(left: Any, right: Any, fields: Iterable[Any]) -> Any:
    """Return which parts differ in one of some fields, given as masks."""
    different = np.zeros(left.shape, bool)
    for field in fields:
        different |= ((left ^ right) & field) != 0
    return different
