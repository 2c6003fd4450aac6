"""Compiled elements of linspace and logspace; each is one fused product and sum, or one power."""

import math
from typing import Any

from .._arrays.numpy_bridge import np
from .loops import fast_address
from .routine import Routine

_CALL_NS, _STEP_NS, _POWER_NS = 20_000, 4, 300
"""The time of a call of NumPy's functions, of an element, and of a power in Python."""


def steps_between(first: Any, last: Any, step: float, count: int) -> Any:
    """Return numbers from both ends of an interval; None if NumPy computes them.

    ``first`` and ``last`` are of one NumPy float type, in which the numbers are computed.
    """
    if not (math.isfinite(first) and math.isfinite(last) and math.isfinite(step)):
        return None
    is_single = first.dtype.char == "f"
    name = "linspace.single" if is_single else "linspace.double"
    fill = _SPACES.wanted(_CALL_NS + _STEP_NS * count).get(name)
    if fill is None:
        return None
    numbers = np.empty(count, first.dtype)
    fill(fast_address(numbers), count // 2, count, float(first), float(last), step)
    return numbers


def powers(base: float, exponents: Any) -> Any:
    """Return the C library's powers of a number, as float64; None if Python computes them."""
    fill = _POWERS.wanted(_POWER_NS * len(exponents)).get("powers")
    if fill is None or not len(exponents):
        return None
    exponents = np.ascontiguousarray(exponents)
    numbers = np.empty(len(exponents))
    fill(fast_address(exponents), fast_address(numbers), len(exponents), base)
    return numbers


_SPACE_TEXT = """\
define void @linspace.{name}(ptr %out, i64 %half, i64 %n, {ty} %first, {ty} %last, {ty} %step)
    nounwind {{
entry:
  %minus = fneg {ty} %step
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%i.next, %loop]
  %i.next = add nuw i64 %i, 1
  %from.end = sub i64 %n, %i.next
  %is.first = icmp ult i64 %i, %half
  %index = select i1 %is.first, i64 %i, i64 %from.end
  %factor = select i1 %is.first, {ty} %step, {ty} %minus
  %start = select i1 %is.first, {ty} %first, {ty} %last
  %number = sitofp i64 %index to {ty}
  %result = call {ty} @llvm.fma.{width}({ty} %number, {ty} %factor, {ty} %start)
  %ptr = getelementptr {ty}, ptr %out, i64 %i
  store {ty} %result, ptr %ptr
  %more = icmp ult i64 %i.next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}}
"""

_SPACES = Routine(
    lambda: (
        _SPACE_TEXT.format(name="single", ty="float", width="f32")
        + _SPACE_TEXT.format(name="double", ty="double", width="f64")
    ),
    {"linspace.single": "-piifff", "linspace.double": "-piiddd"},
)

_POWER_TEXT = """\
declare double @pow(double, double)

define void @powers(ptr %exponents, ptr %out, i64 %n, double %base) nounwind {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%i.next, %loop]
  %exponent.ptr = getelementptr double, ptr %exponents, i64 %i
  %exponent = load double, ptr %exponent.ptr
  %power = call double @pow(double %base, double %exponent)
  %out.ptr = getelementptr double, ptr %out, i64 %i
  store double %power, ptr %out.ptr
  %i.next = add nuw i64 %i, 1
  %more = icmp ult i64 %i.next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
"""

_POWERS = Routine(lambda: _POWER_TEXT, {"powers": "-ppid"}, ("pow",))
