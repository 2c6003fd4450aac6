"""Pairs of values that assert_close compares (torch/testing/_comparison.py).

The names of the classes are those in torch's messages.
"""

import cmath
from typing import Any, NamedTuple, NoReturn, Self

from .._dtypes import constants as dtypes
from .._dtypes.scalars import numpy_types
from .._dtypes.table import DTYPES, dtype
from .._geometry.layout import sparse_coo, strided
from .._runtime.warnings import is_python_frame
from .._tensor.tensor import Tensor
from .mismatch import Mismatch, Tolerance, of_scalars, of_tensors, torch

TOLERANCES = {
    dtypes.FLOAT16: (0.001, 1e-5),
    dtypes.BFLOAT16: (0.016, 1e-5),
    dtypes.FLOAT32: (1.3e-6, 1e-5),
    dtypes.FLOAT64: (1e-7, 1e-7),
    dtypes.COMPLEX32: (0.001, 1e-5),
    dtypes.COMPLEX64: (1.3e-6, 1e-5),
    dtypes.COMPLEX128: (1e-7, 1e-7),
}
"""dtype -> rtol and atol; zero for other dtypes."""

_UNSIGNED = [DTYPES[f"uint{bits}"] for bits in (16, 32, 64)]


class Options(NamedTuple):
    """The options of assert_close."""

    allow_subclasses: bool
    rtol: Any
    atol: Any
    equal_nan: bool
    check_device: bool
    check_dtype: bool
    check_layout: bool
    check_stride: bool


def tolerance_of(
    values: tuple[dtype, dtype], table: dict[dtype, tuple[float, float]] = TOLERANCES
) -> Tolerance:
    """Return the larger tolerance of two dtypes."""
    rtols, atols = zip(*(table.get(value, (0.0, 0.0)) for value in values), strict=True)
    return Tolerance(max(rtols), max(atols))


def _tolerance(values: tuple[dtype, dtype], options: Options, keys: tuple[Any, ...]) -> Tolerance:
    """Return the given tolerance, or that of two dtypes; raise `Mismatch` for half of one."""
    if (options.rtol is None) is not (options.atol is None):
        raise Mismatch(
            ValueError,
            "Both 'rtol' and 'atol' must be either specified or omitted, but got no"
            f" {'rtol' if options.rtol is None else 'atol'}.",
            keys,
        )
    if options.rtol is None:
        return tolerance_of(values)
    return Tolerance(options.rtol, options.atol)


class Pair:
    """Two values and the options for their comparison."""

    shown: tuple[str, ...] = ()
    """The options in the repr."""

    def __init__(self, actual: Any, expected: Any, keys: tuple[Any, ...]) -> None:
        self.actual, self.expected, self.id = actual, expected, keys

    @classmethod
    def of(cls, actual: Any, expected: Any, keys: tuple[Any, ...], options: Options) -> Self | None:
        """Return the pair of two values, or None if the class is not for them."""
        raise NotImplementedError

    def compare(self) -> None:
        """Raise `Mismatch` unless the values are close."""
        raise NotImplementedError

    def fail(self, message: str) -> NoReturn:
        """Raise `Mismatch` with an AssertionError."""
        raise Mismatch(AssertionError, message, self.id)

    def __repr__(self) -> str:
        fields = ("id", "actual", "expected", *self.shown)
        lines = "".join(f"    {name}={getattr(self, name)!s},\n" for name in fields)
        return f"{type(self).__name__}(\n{lines})"


class NonePair(Pair):
    """A pair of which one value is None."""

    @classmethod
    def of(cls, actual: Any, expected: Any, keys: tuple[Any, ...], options: Options) -> Self | None:
        """Return the pair if one value is None."""
        return cls(actual, expected, keys) if actual is None or expected is None else None

    def compare(self) -> None:
        """Raise `Mismatch` unless both are None."""
        if self.actual is not self.expected:
            self.fail(f"None mismatch: {self.actual} is not {self.expected}")


class BooleanPair(Pair):
    """A pair of bools, Python's or NumPy's."""

    @classmethod
    def of(cls, actual: Any, expected: Any, keys: tuple[Any, ...], options: Options) -> Self | None:
        """Return the pair if both values are bools."""
        if not all(isinstance(value, _bool_types()) for value in (actual, expected)):
            return None
        return cls(bool(actual), bool(expected), keys)

    def compare(self) -> None:
        """Raise `Mismatch` unless both are the same."""
        if self.actual is not self.expected:
            self.fail(f"Booleans mismatch: {self.actual} is not {self.expected}")


def _bool_types() -> tuple[type, ...]:
    return (bool, *numpy_types("bool_"))


class NumberPair(Pair):
    """A pair of numbers, Python's or NumPy's."""

    shown = ("rtol", "atol", "equal_nan", "check_dtype")

    def __init__(self, actual: Any, expected: Any, keys: tuple[Any, ...], options: Options) -> None:
        super().__init__(actual, expected, keys)
        types = _DTYPES[type(actual)], _DTYPES[type(expected)]  # no bool, which is an int
        self.rtol, self.atol = _tolerance(types, options, keys)
        self.equal_nan, self.check_dtype = options.equal_nan, options.check_dtype

    @classmethod
    def of(cls, actual: Any, expected: Any, keys: tuple[Any, ...], options: Options) -> Self | None:
        """Return the pair if both values are numbers."""
        if not all(
            isinstance(value, (*_DTYPES, *numpy_types("number"))) for value in (actual, expected)
        ):
            return None
        return cls(_as_number(actual), _as_number(expected), keys, options)

    def compare(self) -> None:
        """Raise `Mismatch` unless both are close."""
        actual, expected = self.actual, self.expected
        if self.check_dtype and type(actual) is not type(expected):
            self.fail(f"The (d)types do not match: {type(actual)} != {type(expected)}.")
        if actual == expected:
            return
        if self.equal_nan and cmath.isnan(actual) and cmath.isnan(expected):
            return
        difference = abs(actual - expected)
        largest = self.atol + self.rtol * abs(expected)
        if not (cmath.isfinite(difference) and difference <= largest):
            self.fail(of_scalars(actual, expected, Tolerance(self.rtol, self.atol)))


def _as_number(value: Any) -> Any:
    of_numpy: Any = value
    return of_numpy.item() if isinstance(value, numpy_types("number")) else value


_DTYPES = {int: dtypes.INT64, float: dtypes.FLOAT64, complex: dtypes.COMPLEX128}


class TensorLikePair(Pair):
    """A pair of tensors, or of values of which as_tensor makes tensors."""

    shown = ("rtol", "atol", "equal_nan", "check_device", "check_dtype", "check_layout",
             "check_stride")  # fmt: skip

    def __init__(self, actual: Any, expected: Any, keys: tuple[Any, ...], options: Options) -> None:
        super().__init__(actual, expected, keys)
        self.rtol, self.atol = _tolerance((actual.dtype, expected.dtype), options, keys)
        self.equal_nan = options.equal_nan
        self.check_device, self.check_dtype = options.check_device, options.check_dtype
        self.check_layout, self.check_stride = options.check_layout, options.check_stride

    @classmethod
    def of(cls, actual: Any, expected: Any, keys: tuple[Any, ...], options: Options) -> Self | None:
        """Return the pair if the type of one value is that of the other, or derives from it."""
        if not (isinstance(actual, type(expected)) or isinstance(expected, type(actual))):
            return None
        if not options.allow_subclasses and type(actual) is not type(expected):
            return None
        try:
            actual, expected = map(_as_tensor, (actual, expected))
        except Exception:  # noqa: BLE001 - whatever the value raises
            return None
        return cls(actual, expected, keys, options)

    def compare(self) -> None:
        """Raise `Mismatch` unless the checked attributes are equal and the elements close."""
        actual, expected = self.actual, self.expected
        self._compare_attributes(actual, expected)
        if "meta" not in (actual.device.type, expected.device.type):
            self._compare_elements(*_equalized(actual, expected))

    def _compare_attributes(self, actual: Any, expected: Any) -> None:
        self._compare_attribute("shape", actual.shape, expected.shape)
        if actual.layout != expected.layout:
            if self.check_layout:
                self._compare_attribute("layout", actual.layout, expected.layout)
        elif self.check_stride and actual.layout == strided:
            self._compare_attribute("stride()", actual.stride(), expected.stride())
        if self.check_device:
            self._compare_attribute("device", actual.device, expected.device)
        if self.check_dtype:
            self._compare_attribute("dtype", actual.dtype, expected.dtype)

    def _compare_attribute(self, name: str, actual: object, expected: object) -> None:
        if actual != expected:
            self.fail(f"The values for attribute '{name}' do not match: {actual} != {expected}.")

    def _compare_elements(self, actual: Any, expected: Any) -> None:
        tolerance = Tolerance(self.rtol, self.atol)
        if actual.layout == sparse_coo:
            self._compare_sparse(actual, expected, tolerance)
            return
        if actual.dtype.is_floating_point and actual.dtype.itemsize == 1 and not tolerance.is_zero:
            raise Mismatch(
                AssertionError,
                f"Rtol={self.rtol} and atol={self.atol} are not supported for bitwise comparison of"
                " low dimensional floats. Please use rtol=0.0 and atol=0.0.",
            )
        self._compare_strided(actual, expected, tolerance)

    @is_python_frame
    def _compare_sparse(self, actual: Any, expected: Any, tolerance: Tolerance) -> None:
        for what, numbers in (
            ("sparse dimensions", (actual.sparse_dim(), expected.sparse_dim())),
            ("specified values", (actual._nnz(), expected._nnz())),
        ):
            if numbers[0] != numbers[1]:
                self.fail(
                    f"The number of {what} in sparse COO tensors does not match:"
                    f" {numbers[0]} != {numbers[1]}"
                )
        indices = actual._indices(), expected._indices()
        self._compare_strided(*indices, Tolerance(0, 0), "Sparse COO indices", equal_nan=False)
        values = actual._values(), expected._values()
        self._compare_strided(*values, tolerance, "Sparse COO values")

    @is_python_frame
    def _compare_strided(
        self,
        actual: Any,
        expected: Any,
        tolerance: Tolerance,
        name: str = "",
        *,
        equal_nan: bool | None = None,
    ) -> None:
        equal_nan = self.equal_nan if equal_nan is None else equal_nan
        rtol, atol = tolerance
        matches = torch.isclose(actual, expected, rtol=rtol, atol=atol, equal_nan=equal_nan)
        if torch.all(matches):
            return
        if not actual.shape:
            numbers = actual.item(), expected.item()
            self.fail(of_scalars(*numbers, tolerance, name or "Scalars"))
        self.fail(of_tensors(actual, expected, matches, tolerance, name or "Tensor-likes"))


@is_python_frame
def _as_tensor(value: Any) -> Any:
    return value if isinstance(value, Tensor) else torch.as_tensor(value)


@is_python_frame
def _equalized(actual: Any, expected: Any) -> tuple[Any, Any]:
    """Return two tensors with the same device, dtype and layout."""
    if actual.device != expected.device:
        actual, expected = actual.cpu(), expected.cpu()
    if actual.dtype != expected.dtype:
        # Other integers have no common dtype with these.
        common = torch.promote_types(
            *(dtypes.INT64 if x.dtype in _UNSIGNED else x.dtype for x in (actual, expected))
        )
        actual, expected = actual.to(common), expected.to(common)
    if actual.layout != expected.layout:
        actual, expected = (x if x.layout == strided else x.to_dense() for x in (actual, expected))
    return actual, expected


PAIRS: tuple[type[Pair], ...] = (NonePair, BooleanPair, NumberPair, TensorLikePair)
