"""Compiled special functions of float32 numbers, with functions of the C library.

Each has the steps of its NumPy kernel in `erf` or `special`; those that this one rounds in float32
are rounded in float32, where a product and a sum are fused.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

from .._arrays.numpy_bridge import np
from .._codegen.loops import fast_address
from .._codegen.routine import Routine
from .._codegen.scalar_ir import IRBuilder, constant, single_constant
from . import special

Kernel = Callable[[Any], Any]


def via_compiled(name: str, kernel: Kernel) -> Kernel:
    """Return the kernel that calls a compiled function of float32 numbers once that pays."""
    routine, call_ns, element_ns = _ROUTINES[name]

    def compute(x: Any) -> Any:
        if x.dtype.char != "f" or not x.flags.c_contiguous or not x.size:
            return kernel(x)
        fill = routine.wanted(call_ns + element_ns * x.size).get(f"special.{name}")
        if fill is None:
            return kernel(x)
        result = np.empty(x.shape, np.float32)
        fill(fast_address(x), fast_address(result), x.size)
        return result

    return compute


def _library_text(name: str) -> str:
    """Return the function that rounds what a function of the C library returns."""
    return f"""\
declare double @{name}(double)
define internal float @one.{name}(float %x) {{
  %wide = fpext float %x to double
  %result = call double @{name}(double %wide)
  %narrow = fptrunc double %result to float
  ret float %narrow
}}
"""


def _i0_text() -> str:
    near, far = IRBuilder("near"), IRBuilder("far")
    half = near.add(f"fmul float %x, {single_constant(0.5)}")
    series = _chebyshev(near, near.add(f"fsub float {half}, {single_constant(2)}"), special.I0_TO_8)
    first = near.add(f"fmul float %exp, {series}")
    part = far.add(f"fdiv float {single_constant(32)}, %x")
    series = _chebyshev(far, far.add(f"fsub float {part}, {single_constant(2)}"), special.I0_FAR)
    root = far.add("call float @llvm.sqrt.f32(float %x)")
    second = far.add(f"fdiv float {far.add(f'fmul float %exp, {series}')}, {root}")
    return _I0_TEXT.format(
        near="\n  ".join(near.lines),
        first=first,
        far="\n  ".join(far.lines),
        second=second,
        eight=single_constant(8),
    )


def _chebyshev(code: IRBuilder, x: str, coefficients: Sequence[float]) -> str:
    """Emit the value of a Chebyshev series; the highest coefficient comes first."""
    current, last, before_last = (
        single_constant(coefficients[0]),
        single_constant(0),
        single_constant(0),
    )
    for coefficient in coefficients[1:]:
        minus = code.add(f"fneg float {last}")
        term = _fma(code, x, current, minus)
        new = code.add(f"fadd float {term}, {single_constant(coefficient)}")
        current, last, before_last = new, current, last
    difference = code.add(f"fsub float {current}, {before_last}")
    return code.add(f"fmul float {single_constant(0.5)}, {difference}")


def _fma(code: IRBuilder, left: str, right: str, added: str, ty: str = "float") -> str:
    width = "f32" if ty == "float" else "f64"
    return code.add(f"call {ty} @llvm.fma.{width}({ty} {left}, {ty} {right}, {ty} {added})")


_I0_TEXT = """\
declare double @exp(double)
define internal float @one.i0(float %number) {{
entry:
  %x = call float @llvm.fabs.f32(float %number)
  %wide = fpext float %x to double
  %exp.wide = call double @exp(double %wide)
  %exp = fptrunc double %exp.wide to float
  %is.near = fcmp ole float %x, {eight}
  br i1 %is.near, label %near, label %far
near:
  {near}
  ret float {first}
far:
  {far}
  ret float {second}
}}
"""


def _digamma_text() -> str:
    code = IRBuilder("v")
    total, *others = map(single_constant, reversed(special.DIGAMMA_FAR))
    for coefficient in others:
        total = _fma(code, "%inverse", total, coefficient)
    series = code.add(f"fmul float %inverse, {total}")
    return _DIGAMMA_TEXT.format(
        lines="\n  ".join(code.lines),
        series=series,
        pi=constant(math.pi),
        psi=single_constant(special.PSI_10),
        **{f"n{n}": single_constant(number) for n, number in enumerate((0, 1, 10, 1e17, 0.5))},
        nan=constant(math.nan),
        infinity=constant(math.inf),
    )


_DIGAMMA_TEXT = """\
declare double @log(double)
declare double @tan(double)
define internal float @digamma.positive(float %x) {{
entry:
  br label %loop
loop:
  %i = phi i32 [0, %entry], [%i.next, %step]
  %z = phi float [%x, %entry], [%z.next, %step]
  %sum = phi float [{n0}, %entry], [%sum.next, %step]
  %is.low = fcmp olt float %z, {n2}
  %is.left = icmp ult i32 %i, 10
  %more = and i1 %is.low, %is.left
  br i1 %more, label %step, label %done
step:
  %part = fdiv float {n1}, %z
  %sum.next = fsub float %sum, %part
  %z.next = fadd float %z, {n1}
  %i.next = add i32 %i, 1
  br label %loop
done:
  %square = fmul float %z, %z
  %inverse = fdiv float {n1}, %square
  {lines}
  %is.small = fcmp olt float %z, {n3}
  %series = select i1 %is.small, float {series}, float {n0}
  %wide = fpext float %z to double
  %log.wide = call double @log(double %wide)
  %log = fptrunc double %log.wide to float
  %first = fadd float %sum, %log
  %half = fdiv float {n4}, %z
  %second = fsub float %first, %half
  %far = fsub float %second, %series
  %at.ten = fadd float %sum, {psi}
  %is.ten = fcmp oeq float %z, {n2}
  %result = select i1 %is.ten, float %at.ten, float %far
  ret float %result
}}

define internal float @one.digamma(float %x) {{
entry:
  %is.positive = fcmp ogt float %x, {n0}
  br i1 %is.positive, label %positive, label %other
positive:
  %result = call float @digamma.positive(float %x)
  ret float %result
other:
  %is.negative = fcmp olt float %x, {n0}
  br i1 %is.negative, label %negative, label %zero
negative:
  %whole = call float @llvm.trunc.f32(float %x)
  %fraction = fsub float %x, %whole
  %is.whole = fcmp oeq float %fraction, {n0}
  %is.infinite = fcmp oeq float %x, 0xFFF0000000000000
  %is.pole = or i1 %is.whole, %is.infinite
  br i1 %is.pole, label %pole, label %between
pole:
  ret float {nan}
between:
  %fraction.wide = fpext float %fraction to double
  %angle = fmul double %fraction.wide, {pi}
  %tan = call double @tan(double %angle)
  %cotangent.wide = fdiv double {pi}, %tan
  %cotangent = fptrunc double %cotangent.wide to float
  %mirrored = fsub float {n1}, %x
  %positive.part = call float @digamma.positive(float %mirrored)
  %difference = fsub float %positive.part, %cotangent
  ret float %difference
zero:
  %minus = fneg float %x
  %signed = call float @llvm.copysign.f32(float {infinity}, float %minus)
  %is.nan = fcmp uno float %x, %x
  %at.zero = select i1 %is.nan, float %x, float %signed
  ret float %at.zero
}}
"""


_GUESS_NEAR = (
    2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
    -0.00125372503, -0.00417768164, 0.246640727, 1.50140941,
)  # fmt: skip
_GUESS_FAR = (
    -0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
    -0.0076224613, 0.00943887047, 1.00167406, 2.83297682,
)  # fmt: skip
"""The polynomials of M. Giles, "Approximating the erfinv function" (GPU Computing Gems, 2011)."""


def _erfinv_text() -> str:
    near, far = IRBuilder("near"), IRBuilder("far")
    results = []
    for code, coefficients in ((near, _GUESS_NEAR), (far, _GUESS_FAR)):
        total = constant(coefficients[0])
        for coefficient in coefficients[1:]:
            total = _fma(code, f"%{code.prefix}.w", total, constant(coefficient), "double")
        results.append(total)
    return _ERFINV_TEXT.format(
        near="\n  ".join(near.lines),
        near_guess=results[0],
        far="\n  ".join(far.lines),
        far_guess=results[1],
        slope=constant(2 / math.sqrt(math.pi)),
        infinity=constant(math.inf),
        nan=constant(math.nan),
    )


_ERFINV_TEXT = """\
declare double @log1p(double)
declare double @exp(double)
declare double @erf(double)
declare double @erfc(double)
define internal float @one.erfinv(float %number) {{
entry:
  %magnitude = call float @llvm.fabs.f32(float %number)
  %x = fpext float %magnitude to double
  %is.inside = fcmp olt double %x, 1.0
  br i1 %is.inside, label %inside, label %outside
outside:
  %is.one = fcmp oeq double %x, 1.0
  %end = select i1 %is.one, float {infinity}, float {nan}
  %end.signed = call float @llvm.copysign.f32(float %end, float %number)
  ret float %end.signed
inside:
  %minus = fneg double %x
  %log.below = call double @log1p(double %minus)
  %log.above = call double @log1p(double %x)
  %log = fadd double %log.below, %log.above
  %w = fneg double %log
  %is.near = fcmp olt double %w, 5.0
  br i1 %is.near, label %near, label %far
near:
  %near.w = fsub double %w, 2.5
  {near}
  br label %guess
far:
  %far.root = call double @llvm.sqrt.f64(double %w)
  %far.w = fsub double %far.root, 3.0
  {far}
  br label %guess
guess:
  %factor = phi double [{near_guess}, %near], [{far_guess}, %far]
  %y = fmul double %factor, %x
  %is.small = fcmp ole double %x, 0.5
  br i1 %is.small, label %small, label %large
small:
  %erf = call double @erf(double %y)
  %small.error = fsub double %erf, %x
  br label %step
large:
  %complement = fsub double 1.0, %x
  %erfc = call double @erfc(double %y)
  %large.error = fsub double %complement, %erfc
  br label %step
step:
  %error = phi double [%small.error, %small], [%large.error, %large]
  %square = fmul double %y, %y
  %square.minus = fneg double %square
  %exp = call double @exp(double %square.minus)
  %slope = fmul double %exp, {slope}
  %newton = fdiv double %error, %slope
  %curve = fmul double %y, %newton
  %divisor = fadd double %curve, 1.0
  %halley = fdiv double %newton, %divisor
  %result = fsub double %y, %halley
  %narrow = fptrunc double %result to float
  %signed = call float @llvm.copysign.f32(float %narrow, float %number)
  ret float %signed
}}
"""

_LOOP_TEXT = """
define void @special.{name}(ptr %in, ptr %out, i64 %n) nounwind {{
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%i.next, %loop]
  %in.ptr = getelementptr float, ptr %in, i64 %i
  %number = load float, ptr %in.ptr
  %result = call float @one.{name}(float %number)
  %out.ptr = getelementptr float, ptr %out, i64 %i
  store float %result, ptr %out.ptr
  %i.next = add nuw i64 %i, 1
  %more = icmp ult i64 %i.next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}}
"""


def _routine(
    name: str, call_ns: float, element_ns: float, text: Callable[[], str], *functions: str
) -> tuple[Routine, float, float]:
    """Return a routine, and the time that NumPy takes for a call and for an element."""
    signatures = {f"special.{name}": "-ppi"}
    routine = Routine(lambda: text() + _LOOP_TEXT.format(name=name), signatures, functions)
    return routine, call_ns, element_ns


_ROUTINES = {
    "lgamma": _routine("lgamma", 70_000, 60, lambda: _library_text("lgamma"), "lgamma"),
    "i0": _routine("i0", 100_000, 20, _i0_text, "exp"),
    "digamma": _routine("digamma", 80_000, 20, _digamma_text, "log", "tan"),
    "erfinv": _routine("erfinv", 60_000, 200, _erfinv_text, "log1p", "exp", "erf", "erfc"),
}
