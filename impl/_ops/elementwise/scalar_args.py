"""Scalar arguments of kernels: exponents, bounds, weights, factors."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._dtypes.constants import COMPLEX32, COMPLEX64, COMPLEX128, FLOAT32, FLOAT64
from ..._dtypes.table import DTYPES, dtype
from ..._kernels.elementwise import OPMATH_DTYPE
from ..._numerics.cast import convert
from ..._numerics.encode_scalar import ScalarPath, encode_scalar
from ..._tensor.factories import python_scalar
from ..common.caches import remember


class ScalarArg:
    """A number, converted to dtypes on demand, as c10::Scalar does for kernels.

    ``first`` maps a dtype to an intermediate dtype, to which the number is converted first.
    """

    __slots__ = ("_arrays", "_first", "value")

    def __init__(self, value: Any, first: Mapping[dtype, dtype] = MappingProxyType({})) -> None:
        self.value = python_scalar(value)
        self._first = first
        self._arrays: dict[dtype, Any] = {}

    def of(self, dtype: dtype) -> Any:
        """Return the number as an array of the opmath dtype; raise if it overflows the dtype."""
        array = self._arrays.get(dtype)
        if array is None:
            source = self._first.get(dtype, dtype)
            # The path checks the range of the dtype itself.
            path = ScalarPath.SCALAR_ZERO_DIM if source is COMPLEX32 else ScalarPath.SCALAR
            element = np.array(encode_scalar(self.value, source, path), numpy_storage_dtype(source))
            array = convert(element, source, OPMATH_DTYPE.get(dtype, dtype))
            self._arrays[dtype] = array
        return array


UNROUNDED = {DTYPES[name]: FLOAT32 for name in ("float16", "bfloat16")}
"""For kernels which do not round scalars to the narrow formats."""
DOUBLE = {FLOAT32: FLOAT64, COMPLEX64: COMPLEX128}
"""For kernels with scalars in double precision."""


_NO_NUMBERS = frozenset({type(None), str})


def cached_by_numbers(make: Callable[..., Any]) -> Callable[..., Any]:
    """Cache the operators that ``make`` returns for scalars, such as the bounds of clamp.

    Scalars with the same repr share an operator.
    """
    cache: dict[str, Any] = {}

    def operator(*numbers: Any) -> Any:
        numbers = tuple([x if type(x) in _NO_NUMBERS else python_scalar(x) for x in numbers])
        key = repr(numbers)
        result = cache.get(key)
        if result is None:
            result = make(*numbers)
            remember(cache, key, result)
        return result

    return operator
