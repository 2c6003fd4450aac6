"""torch.testing.assert_close and assert_allclose (torch/testing/_comparison.py)."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import wraps
from typing import Any

from .._dtypes import constants as dtypes
from .._dtypes.cpp_names import class_text
from .._runtime.lazy_exports import set_module
from .._runtime.warnings import is_python_frame
from .._tensor.tensor import Tensor
from .mismatch import Message, Mismatch, item_text, torch
from .pairs import PAIRS, Options, Pair, tolerance_of

_UNEXPECTED = (
    "resulted in the unexpected exception above. If you are a user and see this message during"
    " normal operation please file an issue at https://github.com/pytorch/pytorch/issues. If you"
    " are a developer and working on the comparison functions, please except the previous error"
    " and raise an expressive `ErrorMeta` instead."
)


def _pairs(
    actual: Any, expected: Any, options: Options, keys: tuple[Any, ...] = ()
) -> Iterator[Pair]:
    """Yield the pairs in two values, which sequences and mappings may nest; raise `Mismatch`."""
    if _both(actual, expected, Sequence) and not _any(actual, expected, str):
        lengths = len(actual), len(expected)
        if lengths[0] != lengths[1]:
            message = f"The length of the sequences mismatch: {lengths[0]} != {lengths[1]}"
            raise Mismatch(AssertionError, message, keys)
        for index in range(lengths[0]):
            yield from _pairs(actual[index], expected[index], options, (*keys, index))
    elif _both(actual, expected, Mapping):
        for key in _common_keys(actual, expected, keys):
            yield from _pairs(actual[key], expected[key], options, (*keys, key))
    else:
        yield _pair(actual, expected, options, keys)


def _both(actual: Any, expected: Any, cls: type) -> bool:
    return isinstance(actual, cls) and isinstance(expected, cls)


def _any(actual: Any, expected: Any, cls: type) -> bool:
    return isinstance(actual, cls) or isinstance(expected, cls)


def _common_keys(actual: Any, expected: Any, keys: tuple[Any, ...]) -> Any:
    """Return the keys of two mappings, sorted if they have an order; raise if they differ."""
    of_actual, of_expected = set(actual.keys()), set(expected.keys())
    if of_actual != of_expected:
        raise Mismatch(
            AssertionError,
            "The keys of the mappings do not match:\n"
            f"Missing keys in the actual mapping: {sorted(of_expected - of_actual)}\n"
            f"Additional keys in the actual mapping: {sorted(of_actual - of_expected)}",
            keys,
        )
    with suppress(Exception):
        return sorted(of_actual)
    return of_actual


def _pair(actual: Any, expected: Any, options: Options, keys: tuple[Any, ...]) -> Pair:
    """Return the pair of two values by the first class that is for them."""
    for cls in PAIRS:
        try:
            pair = cls.of(actual, expected, keys, options)
        except Mismatch:
            raise
        except Exception as error:
            raise RuntimeError(
                f"Originating a {cls.__name__}() at item {item_text(keys)} with\n\n"
                f"{type(actual).__name__}(): {actual}\n\nand\n\n"
                f"{type(expected).__name__}(): {expected}\n\n{_UNEXPECTED}"
            ) from error
        if pair is not None:
            return pair
    raise Mismatch(
        TypeError,
        "No comparison pair was able to handle inputs of type"
        f" {class_text(type(actual))} and {class_text(type(expected))}.",
        keys,
    )


def _first_mismatch(pairs: list[Pair]) -> Mismatch | None:
    """Compare all pairs and return the first mismatch."""
    mismatches = []
    for pair in pairs:
        try:
            pair.compare()
        except Mismatch as mismatch:
            mismatches.append(mismatch)
        except Exception as error:
            raise RuntimeError(f"Comparing\n\n{pair}\n\n{_UNEXPECTED}") from error
    return mismatches[0] if mismatches else None


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: Message = None,
) -> None:
    """Raise AssertionError unless values are close: ``|a - e| <= atol + rtol * |e|``.

    The values are tensors, numbers, or what as_tensor takes, also in sequences and mappings. By
    default the tolerance depends on their dtypes.

    >>> import impl as torch
    >>> torch.testing.assert_close(torch.ones(2), torch.tensor([1.0, 1.000001]))
    >>> torch.testing.assert_close([1.0], [2.0])
    Traceback (most recent call last):
    AssertionError: Scalars are not close!
    <BLANKLINE>
    Expected 2.0 but got 1.0.
    Absolute difference: 1.0 (up to 1e-07 allowed)
    Relative difference: 0.5 (up to 1e-07 allowed)
    <BLANKLINE>
    The failure occurred for item [0]
    """
    __tracebackhide__ = True
    options = Options(
        allow_subclasses, rtol, atol, equal_nan, check_device, check_dtype, check_layout,
        check_stride,
    )  # fmt: skip
    try:
        pairs = [*_pairs(actual, expected, options)]
    except Mismatch as mismatch:
        raise mismatch.error() from None
    first = _first_mismatch(pairs)
    if first is not None:
        raise first.error(msg)


def _deprecated(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        warnings.warn(_DEPRECATION, FutureWarning, stacklevel=2)
        return function(*args, **kwargs)

    return wrapper


_DEPRECATION = (
    "`torch.testing.assert_allclose()` is deprecated since 1.12 and will be removed in a future"
    " release. Please use `torch.testing.assert_close()` instead. You can find detailed upgrade"
    " instructions in https://github.com/pytorch/pytorch/issues/61844."
)
_FORMER_TOLERANCES = {
    dtypes.FLOAT16: (1e-3, 1e-3),
    dtypes.FLOAT32: (1e-4, 1e-5),
    dtypes.FLOAT64: (1e-5, 1e-8),
}


@_deprecated
@is_python_frame
def assert_allclose(
    actual: Any,
    expected: Any,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = True,
    msg: str = "",
) -> None:
    """Raise AssertionError unless tensors are close; assert_close replaces it."""
    if not isinstance(actual, Tensor):
        actual = torch.tensor(actual)
    if not isinstance(expected, Tensor):
        expected = torch.tensor(expected, dtype=actual.dtype)
    if rtol is None and atol is None:
        rtol, atol = tolerance_of((actual.dtype, expected.dtype), _FORMER_TOLERANCES)
    assert_close(
        actual, expected, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=False,
        msg=msg or None,
    )  # fmt: skip


set_module("testing", globals(), ["assert_allclose", "assert_close"])
