"""Numbers that kernels are given beside their operands: exponents, bounds, weights, factors."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._dtypes.constants import COMPLEX32, COMPLEX64, COMPLEX128, FLOAT32, FLOAT64
from ..._dtypes.table import DTYPES, dtype
from ..._kernels.elementwise import OPMATH_DTYPE
from ..._numerics.cast import convert
from ..._numerics.encode_scalar import ScalarPath, encode_scalar
from ..._tensor.factories import number_of


class ScalarArg:
    """A number, as c10::Scalar hands it to kernels: made an element of each dtype when asked for.

    ``first`` says for which dtypes it is made an element of another dtype first.
    """

    __slots__ = ("_first", "_made", "value")

    def __init__(self, value: Any, first: Mapping[dtype, dtype] = MappingProxyType({})) -> None:
        self.value = number_of(value)
        self._first = first
        self._made: dict[dtype, Any] = {}

    def of(self, dtype: dtype) -> Any:
        """Return the number as an array of what a dtype is computed in; raise if it is out of range."""
        made = self._made.get(dtype)
        if made is None:
            computed = OPMATH_DTYPE.get(dtype, dtype)
            first = self._first.get(dtype, dtype)
            element = np.array(
                encode_scalar(self.value, first, _way(first)), numpy_storage_dtype(first)
            )
            made = self._made[dtype] = convert(element, first, computed)
        return made


def _way(dtype: dtype) -> ScalarPath:
    """Return the way of writing that checks the range of a dtype itself."""
    return ScalarPath.SCALAR_ZERO_DIM if dtype is COMPLEX32 else ScalarPath.SCALAR


UNROUNDED = {DTYPES[name]: FLOAT32 for name in ("float16", "bfloat16")}
"""For kernels that do not round their numbers to the narrow formats."""
DOUBLE = {FLOAT32: FLOAT64, COMPLEX64: COMPLEX128}
"""For kernels that are given numbers in double precision."""

Made = TypeVar("Made")


class OperatorCache(Generic[Made]):
    """What differs in numbers alone, such as the operators that clamp between two bounds.

    Each is made once and kept; what is written alike, is alike.
    """

    def __init__(self, make: Callable[..., Made]) -> None:
        self._make = make
        self._kept: dict[str, Made] = {}

    def __call__(self, *numbers: Any) -> Made:
        """Return the one for some numbers."""
        numbers = tuple(map(_plain, numbers))
        key = repr(numbers)
        found = self._kept.get(key)
        if found is None:
            found = self._make(*numbers)
            if len(self._kept) >= _KEPT:
                self._kept.clear()
            self._kept[key] = found
        return found


_KEPT = 1000
_PLAIN = frozenset({bool, int, float, complex, type(None)})


def _plain(number: Any) -> Any:
    return number if type(number) in _PLAIN else number_of(number)
