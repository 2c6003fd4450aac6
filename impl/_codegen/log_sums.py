"""The compiled loop of logcumsumexp for complex numbers: one element after the other, as torch's.

Its exponentials and logarithms are those of the C library, which NumPy and torch call, too.
"""

import math
import os
from functools import cache
from typing import Any

from .._arrays.numpy_bridge import np
from .._arrays.parallel import parallel_for
from . import llvm
from .fma import emit_fma
from .scalar_ir import DOUBLE, IRBuilder, constant

Parts = tuple[str, str]
"""The names of the real and the imaginary part of a number."""


def cumulate_lines(lines: Any) -> Any:
    """Return the cumulative results of complex128 lines, which are on the first axis.

    At most one element of a line is infinitely large.  Return None if NumPy computes them, with
    the same bits.
    """
    is_worthwhile = lines.size >= _LARGE or llvm.MODE == "always" or _COMPILED
    function = _function() if is_worthwhile and llvm.MODE != "never" else None
    if function is None:
        return None
    size = len(lines)
    columns = np.ascontiguousarray(np.moveaxis(lines, 0, -1)).reshape(-1, size)
    totals = np.empty_like(columns)

    def work(column: int) -> None:
        function.call(columns[column].ctypes.data, totals[column].ctypes.data, size)

    parallel_for(work, [(column,) for column in range(len(columns))])
    return np.moveaxis(totals.reshape(*lines.shape[1:], size), -1, 0)


@cache
def _function() -> llvm.Function | None:
    """Return the function of a line; None without a compiler or the C functions."""
    if os.name != "posix" or not llvm.is_available() or not llvm.is_x86():
        return None
    if not (llvm.has_symbol("cexp") and llvm.has_symbol("clog")):
        return None
    code = _Complex("v")
    real, imaginary = code.log_add_exp(("%x", "%y"), ("%re", "%im"))
    least, body = constant(-math.inf), "\n  ".join(code.lines)
    text = _TEXT.format(name=_NAME, re=real, im=imaginary, least=least, body=body)
    _COMPILED.extend(llvm.compile_functions(text, {_NAME: "-ppi"}))
    return _COMPILED[0]


_COMPILED: list[llvm.Function] = []
_LARGE = 2**12
"""The number of elements from which the loop is compiled."""


_NAME = "logcumsumexp"


class _Complex(IRBuilder):
    """The arithmetic of complex numbers, as in `_kernels.unary` and `_kernels.binary`."""

    def op(self, name: str, *numbers: str) -> str:
        """Emit an instruction."""
        return self.add(f"{name} double {', '.join(numbers)}")

    def fused(self, left: str, right: str, added: str) -> str:
        """Emit a product and a sum with one rounding."""
        return emit_fma(self, DOUBLE, left, right, added)

    def magnitude(self, number: str) -> str:
        """Emit an absolute value."""
        return self.add(f"call double @llvm.fabs.f64(double {number})")

    def unless_nan(self, number: str, other: str) -> str:
        """Emit the choice of a NaN, or of another number."""
        return self.select(self.op("fcmp uno", number, number), "double", number, other)

    def choose(self, condition: str, left: Parts, right: Parts) -> Parts:
        """Emit the choice of one of two numbers."""
        real, imaginary = (
            self.select(condition, "double", *pair) for pair in zip(left, right, strict=True)
        )
        return real, imaginary

    def call(self, name: str, number: Parts) -> Parts:
        """Emit a call of a complex function of the C library, by the conventions of x86-64."""
        arguments = f"double {number[0]}, double {number[1]}"
        result = self.add(f"call {{ double, double }} @{name}({arguments})")
        real, imaginary = (
            self.add(f"extractvalue {{ double, double }} {result}, {at}") for at in range(2)
        )
        return real, imaginary

    def divided(self, left: Parts, right: Parts) -> Parts:
        """Emit a quotient (`divide_complex`)."""
        real, imaginary = right
        size = self.magnitude(real)
        mask = self.op("fcmp oge", size, self.magnitude(imaginary))
        larger, smaller = self.choose(mask, right, (imaginary, real))
        zeros = [self.op("fcmp oeq", part, "0.0") for part in right]
        both_zero = self.add(f"and i1 {zeros[0]}, {zeros[1]}")
        ratio = self.op("fdiv", smaller, larger)
        scale = self.op("fdiv", constant(1.0), self.fused(smaller, ratio, larger))
        first, second = left
        minus = self.unless_nan(first, self.op("fneg", first))
        sums = self.choose(
            mask,
            (self.fused(second, ratio, first), self.fused(minus, ratio, second)),
            (self.fused(first, ratio, second), self.fused(second, ratio, minus)),
        )
        scaled = self.op("fmul", sums[0], scale), self.op("fmul", sums[1], scale)
        infinite = self.op("fdiv", first, size), self.op("fdiv", second, size)
        return self.choose(both_zero, infinite, scaled)

    def multiplied(self, left: Parts, right: Parts) -> Parts:
        """Emit a product (`multiply_complex_fma`)."""
        product = self.op("fmul", left[1], right[1])
        cross = self.op("fmul", left[1], right[0])
        real = self.fused(left[0], right[0], self.op("fneg", product))
        real = self.unless_nan(product, real)
        return real, self.fused(left[0], right[1], cross)

    def log1p(self, number: Parts) -> Parts:
        """Emit log(1 + x) (`complex_log1p`)."""
        real, imaginary = number
        shifted = self.op("fadd", real, constant(1.0)), imaginary
        recovered = self.op("fsub", shifted[0], constant(1.0)), imaginary
        logarithm = self.call("clog", shifted)
        corrected = self.multiplied(logarithm, self.divided(number, recovered))
        is_exact = self.op("fcmp oeq", recovered[0], real)
        is_one = self.add(
            f"and i1 {self.op('fcmp oeq', shifted[0], constant(1.0))},"
            f" {self.op('fcmp oeq', imaginary, '0.0')}"
        )
        return self.choose(is_one, number, self.choose(is_exact, logarithm, corrected))

    def log_add_exp(self, left: Parts, right: Parts) -> Parts:
        """Emit log(exp(left) + exp(right)), not of two large infinities (`complex_logaddexp`)."""
        is_larger = self.op("fcmp oge", left[0], right[0])
        larger, smaller = (self.choose(is_larger, *pair) for pair in ((left, right), (right, left)))
        difference = [self.op("fsub", *pair) for pair in zip(smaller, larger, strict=True)]
        added = self.log1p(self.call("cexp", (difference[0], difference[1])))
        real, imaginary = (self.op("fadd", *pair) for pair in zip(larger, added, strict=True))
        is_infinite = self.op("fcmp oeq", larger[0], constant(float("-inf")))
        total = self.choose(is_infinite, smaller, (real, imaginary))
        nans = [self.op("fcmp uno", *number) for number in (left, right)]
        is_nan = self.add(f"or i1 {nans[0]}, {nans[1]}")
        return self.choose(is_nan, (constant(math.nan),) * 2, total)


_TEXT = """\
declare {{ double, double }} @cexp(double, double)
declare {{ double, double }} @clog(double, double)

define void @{name}(ptr %numbers, ptr %totals, i64 %n) nounwind {{
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%i.next, %loop]
  %re = phi double [{least}, %entry], [{re}, %loop]
  %im = phi double [0.0, %entry], [{im}, %loop]
  %at = shl i64 %i, 1
  %at.im = or i64 %at, 1
  %x.ptr = getelementptr double, ptr %numbers, i64 %at
  %y.ptr = getelementptr double, ptr %numbers, i64 %at.im
  %x = load double, ptr %x.ptr
  %y = load double, ptr %y.ptr
  {body}
  %re.ptr = getelementptr double, ptr %totals, i64 %at
  %im.ptr = getelementptr double, ptr %totals, i64 %at.im
  store double {re}, ptr %re.ptr
  store double {im}, ptr %im.ptr
  %i.next = add nuw i64 %i, 1
  %i.more = icmp ult i64 %i.next, %n
  br i1 %i.more, label %loop, label %done
done:
  ret void
}}
"""
