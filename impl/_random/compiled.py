"""Compiled normal numbers and shuffles.

The numbers are those of `box_muller` and `normal`, but each fused product and sum rounds once.
"""

import math
from collections.abc import Sequence
from typing import Any

from .._arrays.numpy_bridge import np
from .._codegen.loops import fast_address
from .._codegen.routine import Routine
from .._codegen.scalar_ir import IRBuilder, constant, single_constant
from . import box_muller

_CALL_NS, _GROUP_NS, _PAIR_NS, _SWAP_NS = 100_000, 1000, 700, 300
"""The time that NumPy or Python takes for a call, for 16 numbers, for 2, and for a swap."""


def normal_groups(words: Any, mean: float, std: float) -> Any:
    """Return the normal numbers of groups of 16 words; None if NumPy computes them.

    The numbers are float32 for uint32 words, and float64 for uint64 words.
    """
    groups = len(words) // 16
    cost = _CALL_NS + _GROUP_NS * groups
    if words.dtype.char == "I":
        fill, result_type = _SINGLES.wanted(cost).get("normal.groups.single"), np.float32
    else:
        fill, result_type = _DOUBLES.wanted(cost).get("normal.groups.double"), np.float64
    if fill is None:
        return None
    numbers = np.empty(len(words), result_type)
    fill(fast_address(words), fast_address(numbers), groups, mean, std)
    return numbers


def normal_pairs(words: Any, mean: float, std: float) -> Any:
    """Return the float64 normal numbers of pairs of uint64 words; None if Python computes them."""
    pairs = len(words) // 2
    fill = _DOUBLES.wanted(_PAIR_NS * pairs).get("normal.pairs.double")
    if fill is None or not pairs:
        return None
    numbers = np.empty(len(words))
    fill(fast_address(words), fast_address(numbers), pairs, mean, std)
    return numbers


def shuffled(words: Any, n: int) -> Any:
    """Return integers shuffled by n - 1 uint32 words, as int64; None if Python computes them."""
    shuffle = _SHUFFLE.wanted(_SWAP_NS * n).get("shuffle")
    if shuffle is None:
        return None
    order = np.arange(n)
    shuffle(fast_address(words), fast_address(order), n)
    return order


class _Vector(IRBuilder):
    """The arithmetic of eight float32 numbers."""

    type = "<8 x float>"

    def op(self, name: str, *numbers: str) -> str:
        """Emit an instruction of numbers."""
        return self.add(f"{name} {self.type} {', '.join(numbers)}")

    def fused(self, left: str, right: str, added: str) -> str:
        """Emit a product and a sum with one rounding."""
        numbers = ", ".join(f"{self.type} {number}" for number in (left, right, added))
        return self.add(f"call {self.type} @llvm.fma.v8f32({numbers})")

    def polynomial(self, x: str, coefficients: Sequence[float]) -> str:
        """Emit the value of a polynomial whose constant coefficient comes first."""
        total, *others = map(_floats, reversed(coefficients))
        for coefficient in others:
            total = self.fused(x, total, coefficient)
        return total

    def integers(self, name: str, number: str, value: int) -> str:
        """Emit an instruction of eight integers and a constant."""
        return self.add(f"{name} <8 x i32> {number}, {_integers(value)}")

    def chosen(self, condition: str, left: str, right: str) -> str:
        """Emit the choice between two numbers by a vector of conditions."""
        return self.add(f"select <8 x i1> {condition}, {self.type} {left}, {self.type} {right}")

    def log(self, x: str) -> str:
        """Emit the natural logarithm of numbers in (0, 1], none of them subnormal."""
        bits = self.add(f"bitcast {self.type} {x} to <8 x i32>")
        mantissa = self.integers("or", self.integers("and", bits, 0x7FFFFF), 0x3F000000)
        fraction = self.add(f"bitcast <8 x i32> {mantissa} to {self.type}")
        exponent = self.integers("sub", self.integers("lshr", bits, 23), 126)
        is_small = self.op("fcmp olt", fraction, _floats(box_muller.ROOT_HALF))
        one_less = self.add(f"sext <8 x i1> {is_small} to <8 x i32>")
        exponent = self.add(f"add <8 x i32> {exponent}, {one_less}")
        power = self.add(f"sitofp <8 x i32> {exponent} to {self.type}")
        doubled = self.op("fadd", fraction, fraction)
        fraction = self.op("fsub", self.chosen(is_small, doubled, fraction), _floats(1.0))
        square = self.op("fmul", fraction, fraction)
        product = self.op("fmul", self.polynomial(fraction, box_muller.LOG), fraction)
        tail = self.fused(product, square, self.op("fmul", power, _floats(box_muller.LOG_2_LOW)))
        tail = self.op("fsub", tail, self.op("fmul", square, _floats(0.5)))
        high = self.op("fmul", power, _floats(box_muller.LOG_2_HIGH))
        return self.op("fadd", self.op("fadd", fraction, tail), high)

    def sine_and_cosine(self, angle: str) -> tuple[str, str]:
        """Emit sine and cosine of angles up to a full turn."""
        scaled = self.op("fmul", angle, _floats(4.0 / math.pi))
        whole = self.add(f"fptosi {self.type} {scaled} to <8 x i32>")
        eighths = self.integers("and", self.integers("add", whole, 1), -2)
        number = self.add(f"sitofp <8 x i32> {eighths} to {self.type}")
        for part in box_muller.EIGHTH_TURN:
            angle = self.fused(_floats(part), number, angle)
        square = self.op("fmul", angle, angle)
        product = self.op("fmul", self.polynomial(square, box_muller.COSINE), square)
        cosine = self.fused(product, square, self.op("fmul", square, _floats(-0.5)))
        cosine = self.op("fadd", cosine, _floats(1.0))
        product = self.op("fmul", self.polynomial(square, box_muller.SINE), square)
        sine = self.fused(product, angle, angle)
        swapped = self.integers("icmp ne", self.integers("and", eighths, 2), 0)
        return (
            self._negated(eighths, self.chosen(swapped, cosine, sine)),
            self._negated(self.integers("add", eighths, 2), self.chosen(swapped, sine, cosine)),
        )

    def _negated(self, eighths: str, number: str) -> str:
        """Emit the negative of the numbers with the bit of half a turn."""
        sign = self.integers("shl", self.integers("and", eighths, 4), 29)
        bits = self.add(f"bitcast {self.type} {number} to <8 x i32>")
        return self.add(
            f"bitcast <8 x i32> {self.add(f'xor <8 x i32> {bits}, {sign}')} to {self.type}"
        )

    def fraction(self, words: str) -> str:
        """Emit the numbers in [0, 1) from the low 24 bits of words."""
        number = self.add(
            f"sitofp <8 x i32> {self.integers('and', words, 0xFFFFFF)} to {self.type}"
        )
        return self.op("fmul", number, _floats(2.0**-24))

    def splat(self, number: str) -> str:
        """Emit eight copies of a number."""
        first = self.add(f"insertelement {self.type} undef, float {number}, i32 0")
        return self.add(
            f"shufflevector {self.type} {first}, {self.type} undef, <8 x i32> zeroinitializer"
        )


def _floats(number: float) -> str:
    return f"<{', '.join([f'float {single_constant(number)}'] * 8)}>"


def _integers(number: int) -> str:
    return f"<{', '.join([f'i32 {number}'] * 8)}>"


def _single_text() -> str:
    code = _Vector("v")
    radius = code.op("fsub", _floats(1.0), code.fraction("%words0"))
    scaled = code.op("fmul", _floats(-2.0), code.log(radius))
    radius = code.add(f"call {code.type} @llvm.sqrt.v8f32({code.type} {scaled})")
    angle = code.op("fmul", _floats(box_muller.FULL_TURN), code.fraction("%words1"))
    sine, cosine = code.sine_and_cosine(angle)
    mean, std = code.splat("%mean"), code.splat("%std")
    first = code.fused(code.op("fmul", radius, cosine), std, mean)
    second = code.fused(code.op("fmul", radius, sine), std, mean)
    return _SINGLE_TEXT.format(body="\n  ".join(code.lines), first=first, second=second)


_SINGLE_TEXT = """\
define void @normal.groups.single(ptr %words, ptr %out, i64 %n, float %mean, float %std) nounwind {{
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%i.next, %loop]
  %at0 = shl i64 %i, 4
  %at1 = or i64 %at0, 8
  %words0.ptr = getelementptr i32, ptr %words, i64 %at0
  %words1.ptr = getelementptr i32, ptr %words, i64 %at1
  %words0 = load <8 x i32>, ptr %words0.ptr, align 4
  %words1 = load <8 x i32>, ptr %words1.ptr, align 4
  {body}
  %first.ptr = getelementptr float, ptr %out, i64 %at0
  %second.ptr = getelementptr float, ptr %out, i64 %at1
  store <8 x float> {first}, ptr %first.ptr, align 4
  store <8 x float> {second}, ptr %second.ptr, align 4
  %i.next = add nuw i64 %i, 1
  %more = icmp ult i64 %i.next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}}
"""

_SINGLES = Routine(_single_text, {"normal.groups.single": "-ppiff"})


def _double_text() -> str:
    full_turn, scale = constant(box_muller.FULL_TURN), constant(2.0**-53)
    return _DOUBLE_TEXT.format(full_turn=full_turn, scale=scale, minus_two=constant(-2.0))


_DOUBLE_TEXT = """\
declare double @log(double)
declare double @log1p(double)
declare double @sin(double)
declare double @cos(double)
declare double @llvm.sqrt.f64(double)
declare double @llvm.fma.f64(double, double, double)

define internal double @fraction(ptr %words, i64 %at) alwaysinline {{
  %ptr = getelementptr i64, ptr %words, i64 %at
  %word = load i64, ptr %ptr, align 4
  %bits = and i64 %word, 9007199254740991
  %number = uitofp i64 %bits to double
  %result = fmul double %number, {scale}
  ret double %result
}}

define internal void @pair(double %log, double %turn, double %mean, double %std, ptr %out, i64 %at0,
                           i64 %at1) alwaysinline {{
  %scaled = fmul double %log, {minus_two}
  %radius = call double @llvm.sqrt.f64(double %scaled)
  %angle = fmul double %turn, {full_turn}
  %cos = call double @cos(double %angle)
  %sin = call double @sin(double %angle)
  %first = fmul double %radius, %cos
  %second = fmul double %radius, %sin
  %x = call double @llvm.fma.f64(double %first, double %std, double %mean)
  %y = call double @llvm.fma.f64(double %second, double %std, double %mean)
  %x.ptr = getelementptr double, ptr %out, i64 %at0
  %y.ptr = getelementptr double, ptr %out, i64 %at1
  store double %x, ptr %x.ptr, align 8
  store double %y, ptr %y.ptr, align 8
  ret void
}}

define void @normal.groups.double(ptr %words, ptr %out, i64 %n, double %mean,
                                   double %std) nounwind {{
entry:
  %count = shl i64 %n, 3
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%i.next, %loop]
  %group = and i64 %i, -8
  %at0 = add i64 %i, %group
  %at1 = add i64 %at0, 8
  %first = call double @fraction(ptr %words, i64 %at0)
  %turn = call double @fraction(ptr %words, i64 %at1)
  %left = fsub double 1.0, %first
  %log = call double @log(double %left)
  call void @pair(double %log, double %turn, double %mean, double %std, ptr %out, i64 %at0,
                  i64 %at1)
  %i.next = add nuw i64 %i, 1
  %more = icmp ult i64 %i.next, %count
  br i1 %more, label %loop, label %done
done:
  ret void
}}

define void @normal.pairs.double(ptr %words, ptr %out, i64 %n, double %mean,
                                   double %std) nounwind {{
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%i.next, %loop]
  %at0 = shl i64 %i, 1
  %at1 = or i64 %at0, 1
  %turn = call double @fraction(ptr %words, i64 %at0)
  %second = call double @fraction(ptr %words, i64 %at1)
  %minus = fneg double %second
  %log = call double @log1p(double %minus)
  call void @pair(double %log, double %turn, double %mean, double %std, ptr %out, i64 %at0,
                  i64 %at1)
  %i.next = add nuw i64 %i, 1
  %more = icmp ult i64 %i.next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}}
"""

_DOUBLES = Routine(
    _double_text,
    {"normal.groups.double": "-ppidd", "normal.pairs.double": "-ppidd"},
    ("log", "log1p", "sin", "cos"),
)

_SHUFFLE_TEXT = """\
define void @shuffle(ptr %words, ptr %order, i64 %n) nounwind {
entry:
  %last = sub i64 %n, 1
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%i.next, %loop]
  %word.ptr = getelementptr i32, ptr %words, i64 %i
  %word = load i32, ptr %word.ptr, align 4
  %left = sub i64 %n, %i
  %size = trunc i64 %left to i32
  %step = urem i32 %word, %size
  %step.long = zext i32 %step to i64
  %other = add i64 %i, %step.long
  %this.ptr = getelementptr i64, ptr %order, i64 %i
  %other.ptr = getelementptr i64, ptr %order, i64 %other
  %this = load i64, ptr %this.ptr, align 8
  %that = load i64, ptr %other.ptr, align 8
  store i64 %that, ptr %this.ptr, align 8
  store i64 %this, ptr %other.ptr, align 8
  %i.next = add nuw i64 %i, 1
  %more = icmp ult i64 %i.next, %last
  br i1 %more, label %loop, label %done
done:
  ret void
}
"""

_SHUFFLE = Routine(lambda: _SHUFFLE_TEXT, {"shuffle": "-ppi"})
