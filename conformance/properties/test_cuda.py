"""CUDA devices: mixed devices of operands, the devices of results, and moves.

On a machine without a GPU, torch runs in FakeTensorMode, and a subject may simulate devices.
"""

import re
from collections.abc import Iterable
from itertools import product
from typing import Any

from ..core.domain import Domain
from ..engine.decorators import exhaustive
from ..engine.probe import Probe
from ..generators import mixed_devices, settings
from ..generators.schemas.programs import with_next_draw


def _devices(torch: Any) -> tuple[str, ...]:
    """Return the devices in programs, without cuda:1 if the oracle has a single GPU."""
    return ("cpu", "cuda:0", "cuda:1")[: 2 if torch.cuda.device_count() == 1 else 3]


def _supported(torch: Any, texts: Iterable[str]) -> list[str]:
    """Return the texts without devices that the oracle lacks."""
    second = () if "cuda:1" in _devices(torch) else ("cuda:1", "'cuda', 1")
    return [text for text in texts if not any(name in text for name in second)]


SHAPES = ("()", "(1,)", "(3,)", "(2, 3)")

OPERATORS = {
    **dict.fromkeys(
        (
            "add", "sub", "mul", "div", "true_divide", "floor_divide", "remainder", "fmod", "pow",
            "float_power", "atan2", "copysign", "hypot", "logaddexp", "logaddexp2", "nextafter",
            "xlogy", "maximum", "minimum", "fmax", "fmin", "eq", "ne", "lt", "le", "gt", "ge",
            "logical_and", "logical_or", "logical_xor", "isclose", "heaviside",
        ),
        "float32",
    ),
    **dict.fromkeys(
        (
            "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift",
            "bitwise_right_shift", "gcd", "lcm",
        ),
        "int64",
    ),
}  # fmt: skip
"""Binary operators, each with a dtype that it accepts."""


def _tensor(name: str, shape: str, device: str, dtype: str = "float32") -> str:
    return f"{name} = torch.ones({shape}, dtype=torch.{dtype}, device='{device}')"


@exhaustive(
    lambda torch: Domain(
        operator=OPERATORS, left=_devices(torch), right=_devices(torch), shape=SHAPES, other=SHAPES
    ),
    parts=4,
    cuda=True,
    one_in=12,
)
def test_operands(ask: Probe, operator: str, left: str, right: str, shape: str, other: str) -> None:
    """Operands must be on one device, except for a 0-dim tensor on the CPU."""
    dtype = OPERATORS[operator]
    a, b = _tensor("a", shape, left, dtype), _tensor("b", other, right, dtype)
    ask(a, b, f"torch.{operator}(a, b)")


SYMBOLS = ("+", "-", "*", "/", "//", "%", "**", "==", "!=", "<", "<=", ">", ">=")


@exhaustive(
    lambda torch: Domain(
        symbol=SYMBOLS, left=_devices(torch), right=_devices(torch), shape=SHAPES, other=SHAPES
    ),
    parts=2,
    cuda=True,
    one_in=2,
)
def test_symbols(ask: Probe, symbol: str, left: str, right: str, shape: str, other: str) -> None:
    """Python's operators, also in place, follow the device rules of the functions."""
    a, b = _tensor("a", shape, left), _tensor("b", other, right)
    ask(a, b, f"a {symbol} b")
    if symbol in SYMBOLS[:7]:
        ask(a, b, f"a {symbol}= b")
    if left == right and other == "()":
        ask(a, f"a {symbol} 2")
        ask(a, f"2.5 {symbol} a")


OF_SEVERAL = (
    "torch.where(a > 0, b, c)", "torch.clamp(a, b, c)", "torch.clamp(a, max=b)",
    "torch.lerp(a, b, c)", "torch.lerp(a, b, 0.5)", "torch.addcmul(a, b, c)",
    "torch.addcdiv(a, b, c)", "a.masked_fill(b > 0, c)", "a.masked_fill(b > 0, 2)",
    "torch.where(a > 0, b, 2)", "torch.where(a > 0, 1, c)", "torch.cat([a, b, c])",
    "torch.stack([a, b, c])", "torch.add(a, b, out=c)", "torch.eq(a, b, out=c)",
    "torch.neg(a, out=b)", "torch.sum(a, 0, out=b)", "a.add_(b)", "a.copysign_(b)", "a.eq_(b)",
    "a.lerp_(b, c)", "a.clamp_(b, c)", "a.masked_fill_(b > 0, 2)", "a.type_as(b)", "a.expand_as(b)",
    "torch.broadcast_tensors(a, b)", "torch.result_type(a, b)", "a.view_as(b)", "a.reshape_as(b)",
    "a.is_same_size(b)", "torch.ones_like(a, device=b.device)", "a.to(b)", "a.set_(b)",
)  # fmt: skip


SHAPES_OF_SEVERAL = (
    ("()", "()", "()"), ("(3,)", "()", "()"), ("(3,)", "(3,)", "()"), ("(3,)", "(3,)", "(3,)"),
    ("()", "(3,)", "(3,)"),
)  # fmt: skip


def _programs(torch: Any) -> Domain:
    """Return a domain of distinct programs: calls differ in the number of their tensors."""
    programs: dict[str, None] = {}
    for call, shapes in product(OF_SEVERAL, SHAPES_OF_SEVERAL):
        names = [name for name in "abc" if re.search(rf"\b{name}\b", call)]
        for devices in product(_devices(torch), repeat=len(names)):
            tensors = map(_tensor, names, shapes, devices)
            programs["\n".join([*tensors, call])] = None
    return Domain(program=[*programs])


@exhaustive(_programs, parts=2, cuda=True, one_in=2)
def test_several(ask: Probe, program: str) -> None:
    """Functions of several tensors, also with out= and in place, check devices as torch does."""
    ask(*program.split("\n"))


NEEDS_A_DEVICE = ("~x", "x.t().contiguous()", "torch.range(0, 3, device={})")
"""Calls that FakeTensorMode cannot run, as they need a CUDA driver."""


def _runnable(torch: Any, calls: tuple[str, ...]) -> list[str]:
    """Return the calls that the oracle can run."""
    return [call for call in calls if torch.cuda.is_available() or call not in NEEDS_A_DEVICE]


ON_ONE = (
    "x", "x.t()", "x.view(-1)", "x.reshape(3, 2)", "x.expand(4, 2, 3)",
    "x.as_strided((2, 2), (1, 2), 1)", "x.unsqueeze(0)", "x.flatten()", "x.split(1)", "x.unbind()",
    "x.detach()", "x.clone()", "x.contiguous()", "x.t().contiguous()", "x.t().clone()",
    "x.to(torch.float64)", "x.to(device=x.device) is x", "x.half()", "x.to(torch.bool)", "x.cpu()",
    "x.t().cpu()", "x.type()", "x.device", "x.is_cuda", "x.is_cpu", "x.is_meta", "x.get_device()",
    "x.is_contiguous()", "x.stride()", "x.storage_offset()", "x.nbytes", "x.element_size()",
    "x + 1", "x + x", "x + x.t().t()", "1 + x", "x * 2.5", "x / x", "x // 2", "x ** 2", "x == x",
    "x < 1", "2 - x", "x & 1", "~x", "-x", "abs(x)", "x.add_(1)", "x.mul_(x)", "x.zero_()",
    "x.neg_()", "torch.add(x, x, out=torch.empty(0, dtype=x.dtype, device=x.device))", "x.abs()",
    "x.neg()", "torch.exp(x)", "torch.sqrt(x)", "x.isnan()", "torch.where(x == x, x, x)",
    "torch.where(x == x, 1, 2)", "torch.clamp(x, 0, 1)", "torch.maximum(x, x)",
    "x.masked_fill(x == x, 1)", "torch.reciprocal(x)", "x.sign()", "x.square()", "x.floor()",
    "torch.logical_not(x)", "x.sum()", "x.sum(0)", "x.sum(1, keepdim=True)",
    "x.sum(dtype=torch.float64)", "x.prod()", "x.mean()", "x.amax(0)", "x.max(0)", "x.max()",
    "x.argmax()", "x.argmin(1)", "x.any()", "x.all(0)", "x.cumsum(0)", "x.cumprod(1)",
    "x.count_nonzero()", "x.aminmax()", "x.cummax(0)", "x.nansum()", "torch.cat([x, x])",
    "torch.cat([x, x], 1)", "torch.stack([x, x])", "torch.ones_like(x)", "torch.zeros_like(x.t())",
    "torch.full_like(x, 1)", "torch.empty_like(x, device='cpu').device", "torch.rand_like(x)",
    "x.new_ones(2)", "x.new_zeros((2, 3), device='cpu')", "x.new_full((2,), 1)",
    "x.new_empty_strided((2,), (3,)).stride()", "x.transpose_(0, 1)", "x.unsqueeze_(0)",
    "x.requires_grad", "torch.result_type(x, 1.5)", "x.is_floating_point()", "x.real",
    "torch.view_as_real(x)", "x.conj()", "x.view(torch.uint8)", "torch.isfinite(x)",
    "x.dim_order()", "x.to('cuda:1')", "x.to('cuda:0')", "x.to('meta')",
    "x.to('cuda:1', torch.int8)", "x.t().to('cuda:1')",
    "x.to('cuda:1', memory_format=torch.contiguous_format)", "x.to('cuda:1', non_blocking=True)",
    "torch.promote_types(x.dtype, torch.int8)", "x.size()", "x.movedim(0, 1)", "torch.squeeze(x)",
    "x.chunk(2)", "x.narrow(1, 0, 2)", "x.unfold(0, 1, 1)", "x.diagonal()",
    "torch.broadcast_to(x, (2, 2, 3))", "torch.clone(x, memory_format=torch.contiguous_format)",
)  # fmt: skip


@exhaustive(
    lambda torch: Domain(
        device=_devices(torch),
        dtype=("float32", "int64", "complex64"),
        call=_supported(torch, _runnable(torch, ON_ONE)),
    ),
    cuda=True,
)
def test_results(ask: Probe, device: str, dtype: str, call: str) -> None:
    """Results are on the device of their tensor, with torch's dtype, shape and strides."""
    ask(*settings.seed(call), _tensor("x", "(2, 3)", device, dtype), call)


MADE = (
    "torch.empty(2, 3, device={})", "torch.zeros((2, 0), device={})",
    "torch.ones((), dtype=torch.int8, device={})", "torch.full((2,), 7, device={})",
    "torch.full((2,), 7.5, dtype=torch.float16, device={})", "torch.arange(3, device={})",
    "torch.arange(0, 1, 0.25, device={})", "torch.linspace(0, 1, 3, device={})",
    "torch.logspace(0, 1, 3, device={})", "torch.eye(2, 3, device={})", "torch.rand(2, device={})",
    "torch.randn(2, device={})", "torch.randint(3, (2,), device={})",
    "torch.randperm(3, device={})", "torch.empty_strided((2, 3), (1, 2), device={})",
    "torch.empty_permuted((2, 3), (1, 0), device={})",
    "torch.empty((2, 3, 4, 5), memory_format=torch.channels_last, device={})",
    "torch.scalar_tensor(2, device={})", "torch.tensor([1, 2], device={})",
    "torch.tensor(1.5, device={})", "torch.zeros_like(torch.ones(2, 3).t(), device={})",
    "torch.ones(2).new_zeros(3, device={})", "torch.zeros(-1, device={})",
    "torch.full((2,), 2**70, device={})", "torch.empty(2, dtype=torch.complex64, device={})",
    "torch.range(0, 3, device={})",
)  # fmt: skip
NAMES = (
    "'cuda'",
    "'cuda:0'",
    "'cuda:1'",
    "torch.device('cuda', 1)",
    "torch.device('cuda')",
    "'cpu'",
    "None",
)


@exhaustive(
    lambda torch: Domain(
        call=_runnable(torch, MADE),
        name=_supported(torch, NAMES),
        default=_supported(torch, NAMES[:3] + NAMES[5:]),
    ),
    cuda=True,
)
def test_factories(ask: Probe, call: str, name: str, default: str) -> None:
    """Factories create tensors on the given or the default device; cuda is the current one."""
    ask(*settings.seed(call), *settings.default_device(default), call.format(name))


def _layouts(torch: Any) -> Domain:
    return Domain(
        layout=(
            "torch.ones(2, 3{})", "torch.ones(2, 3{}).t()",
            "torch.ones(4, 6{}).as_strided((2, 2), (12, 3))", "torch.ones(3{}).expand(2, 3)",
            "torch.ones(2, 3, 4, 5{}).to(memory_format=torch.channels_last)", "torch.ones((){})",
            "torch.ones(0, 3{})", "torch.ones(2, 3, 4{}).permute(2, 0, 1)",
            "torch.ones(5{}).narrow(0, 1, 4)", "torch.empty_strided((2, 3), (10, 1){})",
            "torch.ones(2, 1, 3{}).transpose(0, 1)",
            "torch.ones(2, dtype=torch.complex64{}).conj()",
            "torch.ones(2, dtype=torch.complex64{}).conj().imag",
        ),
        device=_devices(torch),
        target=_devices(torch),
        form=(
            "x.to('{}')", "x.to('{}', torch.float16)", "x.to('{}', copy=True)",
            "x.to('{}', memory_format=torch.contiguous_format)",
            "x.to('{}', memory_format=torch.preserve_format)",
            "x.to('{}', memory_format=torch.channels_last)", "torch.empty_like(x, device='{}')",
            "torch.zeros_like(x, device='{}')", "x.to(torch.ones(1, device='{}'))",
            "x.to('{}', non_blocking=True)",
        ),
    )  # fmt: skip


@exhaustive(_layouts, cuda=True)
def test_moves(ask: Probe, layout: str, device: str, target: str, form: str) -> None:
    """A move between any two devices keeps the strides as a copy does."""
    base, _, view = layout.partition("{})")
    y = f"y = {base}, device='{device}')"
    ask(y, f"x = y{view}", form.format(target))


@exhaustive(
    lambda torch: Domain(overload=mixed_devices.overload_ids(torch)), parts=4, cuda=True, one_in=3
)
def test_overloads(ask: Probe, overload: str) -> None:
    """Every overload takes or rejects each operand on CUDA, ``out=`` included, as torch does.

    Without a GPU all operands are on CUDA: FakeTensorMode checks devices by a rule of its own.
    """
    root = ask.session.oracle.root
    place = mixed_devices.programs if root.cuda.is_available() else mixed_devices.programs_on
    for steps in place(root, overload, "cuda:0"):
        program, question = with_next_draw(steps)
        ask(*program, question=question)
