"""Numbers: each function of a tensor and a number takes, or refuses, all kinds of numbers."""

from ...core.domain import Domain
from ...engine.decorators import exhaustive
from ...engine.probe import Probe
from ...generators import settings

NUMBERS = (
    "0", "True", "-1", "300", "-1000", "2**31", "2**40", "2**63 - 1", "-(2**63)", "2**63", "2**64",
    "2**70", "0.5", "-0.0", "70000.0", "1e20", "1e39", "1e300", "-1e20", "math.inf", "-math.inf",
    "math.nan", "1j", "2 + 0j", "numpy.int64(3)", "numpy.float32(2.5)", "torch.tensor(3)",
    "torch.tensor(1e20)", "torch.tensor(2.5, device='meta')", "torch.tensor(1j)", "'1'", "None",
    "[1]",
)  # fmt: skip
"""Numbers within and beyond every dtype, and what is no number."""

CALLS = (
    "x.masked_fill(m, {})", "x.masked_fill_(m, {})", "x.fill_({})", "torch.full_like(x, {})",
    "torch.full((2,), {}, dtype=x.dtype, device=x.device)", "torch.full((2,), {}, device=x.device)",
    "x.new_full((2,), {})", "torch.where(m, x, {})", "torch.where(m, {}, x)",
    "x.where(m, {})", "x.clamp({})", "x.clamp(max={})", "x.clamp_({}, 5)", "x.clamp_min({})",
    "x.clamp_max_({})", "torch.clip(x, 0, {})", "x + {}", "x - {}", "{} - x", "x * {}", "x / {}",
    "x // {}", "x % {}", "x ** {}", "{} ** x", "x == {}", "x < {}", "x & {}", "x | {}", "x ^ {}",
    "x << {}", "x >> {}", "x.add(x, alpha={})", "torch.sub(x, x, alpha={})", "x.add_({})",
    "x.mul_({})", "x.div_({})", "torch.rsub(x, {})", "torch.rsub(x, x, alpha={})", "x.pow_({})",
    "torch.float_power(x, {})", "torch.fmod(x, {})", "torch.remainder({}, x)", "x.copysign({})",
    "torch.xlogy(x, {})", "torch.xlogy({}, x)", "torch.div(x, {}, rounding_mode='floor')",
    "torch.lerp(x, x, {})", "torch.addcmul(x, x, x, value={})", "torch.addcdiv(x, x, x, value={})",
    "operator.setitem(x, 0, {})", "operator.setitem(x, m, {})", "x.eq_({})", "x.lt_({})",
    "torch.scalar_tensor({}, dtype=x.dtype, device=x.device)", "torch.nan_to_num(x, {})",
    "torch.nan_to_num(x, 0, {})", "torch.result_type(x, {})", "torch.can_cast(x.dtype, {})",
    "torch.heaviside(x, {})",
    "torch.ldexp(x, {})", "torch.isclose(x, x, {})", "x.logit({})", "x.round(decimals={})",
    "x.sum({})", "x.std(correction={})", "torch.bitwise_and({}, x)", "torch.eq({}, x)",
    "x.cumsum({})", "x.new_tensor({})", "torch.tensor({}, dtype=x.dtype, device=x.device)",
    "(m + 0).to(x.dtype).pow({})", "(m + 0).to(x.dtype) ** {}",
    "x.item() == {}", "x.bernoulli_({})", "x.uniform_(0, {})", "x.normal_(0, {})",
)  # fmt: skip
"""Calls on ``x`` with the mask ``m`` and a number."""

DTYPES = (
    "uint8", "int8", "int64", "float32", "bool", "complex64", "uint16", "bfloat16",
    "float8_e4m3fn", "float16", "float8_e5m2", "bits8", "int4",
)  # fmt: skip


@exhaustive(
    lambda torch: Domain(call=CALLS, number=NUMBERS, dtype=DTYPES, device=("cpu", "meta")),
    parts=4,
    one_in=72,
)
def test_calls(ask: Probe, call: str, number: str, dtype: str, device: str) -> None:
    """Each call with a number gives torch's result or error for tensors of every dtype."""
    options = f"dtype=torch.{dtype}, device='{device}'"
    steps = (
        f"x = torch.empty(3, {options}); x.untyped_storage().fill_(1)",
        f"m = torch.tensor([True, False, True], device='{device}')",
    )
    call = call.format(number)
    ask(*settings.seed(call), *steps, call, "x", question=(-2, -1))
