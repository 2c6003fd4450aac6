"""Operands: every pair of dtypes, and operands of other libraries, through every operator."""

import re

from ...core.domain import Domain, one_in_step
from ...engine.decorators import exhaustive
from ...engine.probe import Probe
from ...generators import arithmetic, settings
from ...generators.calls.operand_calls import (
    ARGUMENTS,
    FIRST_OPERANDS,
    FOREIGN,
    NUMBER_TENSORS,
    NUMBERS,
    OPERATORS,
    OUT_FORMS,
    dtype_calls,
    laid_out_calls,
    number_calls,
    out_calls,
    out_operand_calls,
    out_operands,
    pair_calls,
    single_calls,
)
from ...generators.calls.oracle_calls import functions_of_operands, method_calls
from ...generators.oracle_namespace import without_quantized
from ...generators.schemas.operand_bits import calls_with_bits, operands_with_bits
from ...generators.schemas.operand_sizes import sized_calls, sized_operands
from ...generators.schemas.shared_memory import shared_memory_calls, shared_operands

_DTYPES = (*arithmetic.CORE, "uint16", "float8_e5m2")


@exhaustive(lambda torch: Domain(overload=pair_calls(torch), left=_DTYPES), parts=4, one_in=6)
def test_dtypes(ask: Probe, overload: str, left: str) -> None:
    """Every operator on two tensors promotes, computes or refuses dtypes as torch does."""
    *setup, call = pair_calls(ask.session.oracle.root)[overload]
    step = ask.session.profile.pair_step
    dtypes = one_in_step(_DTYPES, step, f"{overload} {left}", ask.turn)
    setup = [line.format(left=left, dtypes=dtypes) for line in setup]
    calls = [call.format(right=right) for right in dtypes]
    ask(*setup, *calls, question=len(setup))


_ZERO_DIMS = {
    "x": ("x = x.flatten()[0]",),
    "y": ("ys = {d: y.flatten()[0] for d, y in ys.items()}",),
    "both": ("x = x.flatten()[0]", "ys = {d: y.flatten()[0] for d, y in ys.items()}"),
}
"""The steps that make operands 0-dim."""


@exhaustive(
    lambda torch: Domain(overload=pair_calls(torch), left=_DTYPES, zero_dim=_ZERO_DIMS),
    parts=4,
    one_in=24,
)
def test_zero_dims(ask: Probe, overload: str, left: str, zero_dim: str) -> None:
    """Every operator on two tensors promotes 0-dim tensors of all dtypes as torch does."""
    *setup, call = pair_calls(ask.session.oracle.root)[overload]
    step = ask.session.profile.pair_step
    dtypes = one_in_step(_DTYPES, step, f"{overload} {left} {zero_dim}", ask.turn)
    setup = [line.format(left=left, dtypes=dtypes) for line in setup]
    calls = [call.format(right=right) for right in dtypes]
    steps = *setup, *_ZERO_DIMS[zero_dim]
    ask(*steps, *calls, question=len(steps))


_RAW = {
    "uint32": "int32", "uint64": "int64", "float8_e4m3fn": "uint8", "float8_e4m3fnuz": "uint8",
    "float8_e5m2fnuz": "uint8", "float8_e8m0fnu": "uint8", "float4_e2m1fn_x2": "uint8",
    "bits1x8": "uint8", "bits8": "uint8", "bits16": "int16", "int4": "uint8", "uint4": "uint8",
}  # fmt: skip
"""Dtypes with few operators, each with a dtype of the same size."""

OUT_DTYPES = (*_DTYPES, *_RAW)


@exhaustive(
    lambda torch: Domain(overload=out_calls(torch), source=arithmetic.CORE), parts=4, one_in=144
)
def test_outs(ask: Probe, overload: str, source: str) -> None:
    """Every operator casts its result to each dtype of out=, or refuses it, as torch does."""
    program = out_calls(ask.session.oracle.root)[overload]
    for dtype in OUT_DTYPES:
        ask(*(step.replace("SOURCE", source).replace("OUT", dtype) for step in program))


@exhaustive(
    lambda torch: Domain(overload=dtype_calls(torch), dtype=without_quantized(torch)),
    parts=4, one_in=24,
)  # fmt: skip
def test_dtype_arguments(ask: Probe, overload: str, dtype: str) -> None:
    """Every operator converts its result to each dtype=, or refuses it, as torch does."""
    program = dtype_calls(ask.session.oracle.root)[overload]
    for operand in FIRST_OPERANDS if "x = X" in program else ("",):
        steps = (step.replace("DTYPE", dtype) for step in program)
        ask(*(f"x = {operand}" if step == "x = X" else step for step in steps))


@exhaustive(
    lambda torch: Domain(
        parameter=number_calls(torch), dtype=_DTYPES, place=("in memory", "on meta")
    ),
    parts=4, one_in=36,
)  # fmt: skip
def test_numbers(ask: Probe, parameter: str, dtype: str, place: str) -> None:
    """Every operator takes or refuses each number beside tensors of each dtype, as torch does."""
    *setup, call = number_calls(ask.session.oracle.root)[parameter]
    if place == "on meta":
        names = [step.partition(" = ")[0] for step in setup]
        setup.append("; ".join(f"{name} = {name}.to('meta')" for name in names) or "pass")
    for number in NUMBERS:
        steps = (step.replace("NUMBER", number).replace("DTYPE", dtype) for step in (*setup, call))
        ask(*steps)


@exhaustive(lambda torch: Domain(overload=laid_out_calls(torch), form=OUT_FORMS), parts=4)
def test_laid_outs(ask: Probe, overload: str, form: str) -> None:
    """Every operator writes to each form of out= in memory, or refuses it, as torch does."""
    program = laid_out_calls(ask.session.oracle.root)[overload]
    ask(*(step.replace("FORM", OUT_FORMS[form]) for step in program))


@exhaustive(lambda torch: Domain(operand=out_operands(torch)), parts=4, one_in=12, asks_part=True)
def test_out_operands(ask: Probe, operand: str) -> None:
    """Every operator reads an operand that is out=, and may be resized, as torch does."""
    root, step = ask.session.oracle.root, ask.session.profile.call_step
    for steps in out_operand_calls(root, operand, step, ask.turn):
        ask(*steps)


@exhaustive(lambda torch: Domain(operand=shared_operands(torch)), parts=4, asks_part=True, one_in=4)
def test_shared_memory(ask: Probe, operand: str) -> None:
    """Every operator writes to the memory from which it reads, or refuses it, as torch does."""
    root, step = ask.session.oracle.root, ask.session.profile.call_step
    for steps in shared_memory_calls(root, operand, step, ask.turn):
        ask(*steps)


@exhaustive(lambda torch: Domain(operand=sized_operands(torch)), parts=4, asks_part=True, one_in=5)
def test_sizes(ask: Probe, operand: str) -> None:
    """Every operator takes or refuses an operand of each other size as torch does."""
    root, step = ask.session.oracle.root, ask.session.profile.call_step
    for steps in sized_calls(root, operand, step, ask.turn):
        ask(*steps)


@exhaustive(
    lambda torch: Domain(operand=operands_with_bits(torch)), parts=4, one_in=12, asks_part=True
)
def test_lazy_bits(ask: Probe, operand: str) -> None:
    """Every operator resolves, keeps or refuses the conj and neg bits of operands as torch does."""
    root, step = ask.session.oracle.root, ask.session.profile.call_step
    for steps in calls_with_bits(root, operand, step, ask.turn):
        ask(*steps)


_SINGLE = ("[[1, 0, 2], [3, 5, 1]]", "3", "[]")
"""Elements: several, one and none."""


@exhaustive(lambda torch: Domain(overload=single_calls(torch)), parts=4, one_in=48)
def test_single(ask: Probe, overload: str) -> None:
    """Every operator on one tensor takes each dtype, of elements, of one and of none, as torch."""
    call = single_calls(ask.session.oracle.root)[overload]
    for dtype in _DTYPES:
        for elements in _SINGLE:
            ask(f"x = torch.tensor({elements}).to(torch.{dtype})", call)


TENSORS = {
    "float": "x = torch.tensor([1.0, -2.0])", "int": "x = torch.tensor([3, 1])",
    "0-dim": "x = torch.tensor(2)",
}  # fmt: skip


@exhaustive(lambda torch: Domain(tensor=TENSORS, other=FOREIGN), parts=2, one_in=4)
def test_foreign(ask: Probe, tensor: str, other: str) -> None:
    """Operators take, refuse or leave to the other operand what torch does."""
    setup = TENSORS[tensor], f"y = {FOREIGN[other]}"
    ask(*setup, *OPERATORS, question=2)


_VALUES = {**FOREIGN, **NUMBER_TENSORS}


@exhaustive(lambda torch: Domain(call=ARGUMENTS, value=_VALUES), one_in=3)
def test_arguments(ask: Probe, call: str, value: str) -> None:
    """A parameter of each type takes or refuses every object as in torch."""
    setup = "torch.manual_seed(0).device", "x = torch.tensor([[1.0, 2.0, 0.5]])"
    ask(*setup, f"v = {_VALUES[value]}", call)


_KINDS = {
    "0-dim": "torch.tensor(1.5)",
    "bool": "torch.tensor([[True, False], [True, True]])",
    "empty": "torch.zeros(2, 0, 3)",
    "conj": "torch.tensor([[1 + 2j, -3j], [2, 1 - 1j]]).conj()",
    "imag of conj": "torch.tensor([1 + 2j, -3j]).conj().imag",
    "leaf": "torch.tensor([1.5, -2.0], requires_grad=True)",
    "integers on meta": "torch.ones(2, 3, dtype=torch.int64, device='meta')",
    "complex on meta": "torch.ones((), dtype=torch.complex64, device='meta')",
    "float8": "torch.tensor([1.5, -2.0]).to(torch.float8_e5m2)",
    "bits": "torch.tensor([1, 2], dtype=torch.uint8).view(torch.bits8)",
    "uint16": "torch.tensor([[1, 0], [7, 2]]).to(torch.uint16).t()",
    "complex32": "torch.tensor([1 + 2j, -3j]).to(torch.complex32)",
    # Torch's median reads the elements after an expanded one.
    "expanded": "torch.tensor([2.0] * 3)[:1].expand(3)",
    "sparse": "torch.sparse_coo_tensor([[0, 2, 2], [1, 0, 0]], [1.5, 0.0, -2.0], (3, 4))",
    "sparse of integers": "torch.sparse_coo_tensor([[0, 2]], [3, -1], (3,))",
    "hybrid": "torch.sparse_coo_tensor([[1, 0]], [[1.0, math.inf], [0.5, -1.0]], (3, 2))",
    "sparse leaf": (
        "torch.sparse_coo_tensor([[0, 2]], [1.0, 2.0], (3,), is_coalesced=True, requires_grad=True)"
    ),
}
"""Tensors ``x`` and ``y`` of methods."""


@exhaustive(lambda torch: Domain(tensor=_KINDS, call=method_calls(torch)), parts=4, one_in=48)
def test_methods(ask: Probe, tensor: str, call: str) -> None:
    """Every method of a tensor of any kind takes or refuses its arguments as torch does."""
    steps = f"x = {_KINDS[tensor]}", f"y = {_KINDS[tensor]}", call, "x"
    ask(*settings.seed(call), *steps, question=(-2, -1))


@exhaustive(lambda torch: Domain(overload=single_calls(torch), dtype=_RAW), parts=4, one_in=12)
def test_few_kernels(ask: Probe, overload: str, dtype: str) -> None:
    """Every operator on one tensor takes or rejects dtypes with few kernels, as torch does."""
    call = single_calls(ask.session.oracle.root)[overload]
    for elements in _SINGLE:
        x = f"torch.tensor({elements}).to(torch.{_RAW[dtype]}).view(torch.{dtype})"
        ask(f"x = {x}", call)
        if elements == _SINGLE[0]:
            ask(f"x = {x}[:, ::2]", call)


_WITH_KERNELS = ("float32", "int64", "bool")


@exhaustive(lambda torch: Domain(overload=pair_calls(torch), dtype=_RAW), parts=4, one_in=6)
def test_few_kernels_of_pairs(ask: Probe, overload: str, dtype: str) -> None:
    """Every operator on two tensors takes or rejects dtypes with few kernels, as torch does."""
    *setup, call = pair_calls(ask.session.oracle.root)[overload]
    raw = _RAW[dtype]
    setup = [line.format(left=raw, dtypes=(raw, *_WITH_KERNELS)) for line in setup]
    views = f"ys[{dtype!r}] = ys[{raw!r}].view(torch.{dtype})", f"raw = x.view(torch.{dtype})"
    calls = [re.sub(r"\bx\b", "raw", call).format(right=right) for right in (dtype, *_WITH_KERNELS)]
    ask(*setup, *views, *calls, call.format(right=dtype), question=len(setup) + len(views))


_BITS = {
    "conj": "torch.tensor([[1 + 2j, -3j, 0], [2, 1 - 1j, -1]]).conj()",
    "imag of conj": "torch.tensor([[1 + 2j, -3j, 0], [2j, 1 - 1j, -1]]).conj().imag",
    "neg": "torch.tensor([[1.0, -2.0, 0.0], [3.0, 0.5, -1.0]])._neg_view()",
    "plain": "torch.tensor([[1.0, -2.0, 0.5], [3.0, 2.0, -1.0]])",
    "complex": "torch.tensor([[1 + 1j, -2, 0.5j], [3, 2, -1j]])",
    "number": "2",
}
"""Operands with and without conj and neg bits."""

_OTHER_CALLS = (
    "torch.equal(x, y)", "torch.allclose(x, y)", "x.pow_(y)", "x.heaviside(y)",
    "x.is_same_size(y)", "torch.is_nonzero(x[0, 0])", "x.is_set_to(y)", "x.add_(y, alpha=2)",
    "x.addcmul_(x, y)", "x.lerp_(x, 0.5)", "torch.stack([x, y])", "torch.cat([x, y], 1)",
    "x[0].tolist()", "x.cumsum(0)",
)  # fmt: skip


@exhaustive(
    lambda torch: Domain(
        call=dict.fromkeys((*functions_of_operands(torch), *_OTHER_CALLS)),
        left=[name for name in _BITS if name != "number"],
        right=_BITS,
    ),
    parts=4, one_in=4,
)  # fmt: skip
def test_bits(ask: Probe, call: str, left: str, right: str) -> None:
    """Every function resolves or keeps the conj and neg bits of each operand as torch does."""
    ask(*settings.seed(call), f"x = {_BITS[left]}", f"y = {_BITS[right]}", call)


_LARGE = ("160, 1, 400", "1, 160, 1, 400", "64000, 1", "2, 160, 1, 200", "1, 64000")
_USES = (
    "x * 2", "x + x.clone()", "x.clone()", "x.contiguous()", "x.to(torch.float64)", "x.sum(0)",
    "x.sum(-1)", "x.amax(0)", "x == x.contiguous()", "x.neg_()", "x.cumsum(0)", "x.abs()",
    "x.copy_(x.clone() + 1)", "x.fill_(3)", "x.reshape(-1)", "torch.where(x > 5, x, 0)",
)  # fmt: skip


@exhaustive(
    lambda torch: Domain(
        shape=_LARGE, use=_USES,
        order=("x", "x.transpose(0, -1)", "x.transpose(0, 1)", "x.movedim(0, -1)", "x[1:]",
               "x.transpose(0, -1)[::2]", "x[:1].expand(3, *x.shape[1:])"),
    ),
    one_in=4,
)  # fmt: skip
def test_large(ask: Probe, shape: str, use: str, order: str) -> None:
    """Operators read and write many elements in any order of dimensions, some of size 1."""
    ask(f"b = torch.arange(64000).float().view({shape})", f"x = b; x = {order}", use)
