"""Autograd: the autograd metadata of tensors, in-place writes, grad modes, and their errors."""

from hypothesis import strategies as st

from ..core.domain import Domain
from ..engine.decorators import exhaustive, sampled
from ..engine.probe import Probe
from ..generators import mixed_devices, settings
from ..generators.schemas.outcomes import chosen
from ..generators.schemas.programs import with_next_draw

LEAF = "a = torch.ones(2, 2, 2).requires_grad_()"
INNER = "a = torch.ones(2, 2, 2).requires_grad_().clone()"
PLAIN = "a = torch.ones(2, 2, 2)"

KINDS = {
    "plain": (PLAIN, "x = a"),
    "leaf": (LEAF, "x = a"),
    "made": (INNER, "x = a"),
    "view of plain": (PLAIN, "x = a[0]"),
    "view of leaf": (LEAF, "x = a[0]"),
    "view of made": (INNER, "x = a[0]"),
    "view of view": (INNER, "x = a.transpose(0, 1)[1]"),
    "view that requires grad": (PLAIN, "x = a[0].requires_grad_()"),
    "view before its base required grad": (PLAIN, "x = a[0]", "a.requires_grad_()"),
    "view before its base was written to": (
        PLAIN, "x = a[0]", "a.copy_(torch.ones(()).requires_grad_())",
    ),
    "view and its base detached": (INNER, "x = a[0]", "a.detach_()"),
    "one of several of plain": (PLAIN, "y, x = a.unbind()"),
    "one of several of leaf": (LEAF, "y, x = a.split(1)"),
    "one of several of made": (INNER, "y, x = a.unbind()"),
    "one of several, written around": (INNER, "y, x = a.chunk(2)", "a.zero_()"),
    "view of one of several": (INNER, "y, z = a.split([1, 1])", "x = z[0]"),
    "one of several slices": (INNER, "y, x = a.tensor_split(2)"),
    "view without grad": (INNER, "with torch.no_grad(): x = a[0]"),
    "view of plain without grad": (PLAIN, "with torch.no_grad(): x = a[0]"),
    "view of leaf without grad": (LEAF, "with torch.no_grad(): x = a[0]"),
    "view of view without grad": (INNER, "with torch.no_grad(): y = a[0]", "x = y.t()"),
    "view without grad, written around": (INNER, "with torch.no_grad(): x = a[0]", "a.zero_()"),
    "several without grad": (INNER, "with torch.no_grad(): y, x = a.unbind()"),
    "one of several without grad": (INNER, "with torch.no_grad(): y = a[0]", "z, x = y.unbind()"),
    "inference": ("with torch.inference_mode(): x = a = torch.ones(2, 2)",),
    "inference leaf": ("with torch.inference_mode(): x = a = torch.ones(2, 2).requires_grad_()",),
    "view of inference": ("with torch.inference_mode(): a = torch.ones(2, 2, 2)", "x = a[0]"),
    "detached inference": ("with torch.inference_mode(): a = torch.ones(2, 2)", "x = a.detach()"),
    "view in inference mode": (INNER, "with torch.inference_mode(): x = a[0]"),
    "view of view in inference mode": (INNER, "with torch.inference_mode(): y = a[0]", "x = y.t()"),
    "several in inference mode": (PLAIN, "with torch.inference_mode(): y, x = a.unbind()"),
    "detached": (INNER, "x = a.detach()"),
    "data": (LEAF, "x = a.data"),
    "view as complex": (INNER, "x = torch.view_as_complex(a)"),
    "view as real": (
        "a = torch.ones(2, dtype=torch.complex64).requires_grad_().clone()",
        "x = torch.view_as_real(a)",
    ),
    "other dtype": (INNER, "x = a.view(torch.int32)"),
    "integers": ("a = torch.ones(2, 2, 2, dtype=torch.int32)", "x = a[0]"),
    "several of integers": ("a = torch.ones(2, 2, 2, dtype=torch.int32)", "y, x = a.unbind()"),
}  # fmt: skip
"""Programs that create a tensor ``x``, by its autograd metadata."""

SOURCES = ("s = torch.ones(())", "s = torch.ones(()).requires_grad_()")

IN_PLACE = (
    "x.fill_(2)", "x.zero_()", "x.uniform_()", "x.normal_()", "x.random_()", "x.bernoulli_()",
    "x.t_()", "x.transpose_(0, 1)", "x.unsqueeze_(0)", "x.squeeze_()", "x.squeeze_(0)",
    "x.squeeze_((0, 1))", "x.as_strided_((2,), (1,))", "x.resize_(2, 2)", "x.resize_(1)",
    "x.resize_as_(torch.ones(3))", "x.set_()", "x.set_(torch.ones(2).to(x.dtype))",
    "x.set_(x.untyped_storage())", "x.detach_()", "x.requires_grad_()", "x.requires_grad_(False)",
    "x.requires_grad = True", "x.requires_grad = False", "x.data = torch.ones(3)",
    "x.data = torch.ones(3, dtype=torch.int32)", "x.retain_grad()", "x[0] = 2", "x[...] = 2",
    "x[None] = 2", "x[:] = 2", "x[0, 0] = 2", "x[True] = 2", "x[False] = 2", "x[:, True] = 2",
    "x[0][:1] = 2", "x.backward(torch.ones(3))", "x.backward(inputs=[])", "x.copy_(x)",
    "x.fill_(x[0])", "x[0] = x[0]", "x[0] = x[1]", "x.grad = None", "x.backward()",
)  # fmt: skip
"""In-place calls on ``x`` alone."""

WRITES = (
    "x.copy_(s)", "x.fill_(s)", "x.copy_(s.expand(2))", "x.bernoulli_(s)", "x.set_(s)", "x[0] = s",
    "x[...] = s", "x[0] = s.expand(2)", "x[0, 0] = s", "x[True] = s", "x[:, True] = s",
    "x.data = s", "torch.linspace(0, s, 4, out=x)", "torch.stack([s, s], out=x)",
    "torch.cat([s[None], s[None]], out=x)", "torch.bernoulli(s, out=x)",
    "torch.normal(s, 1.0, out=x)", "x.add_(s)", "x.mul_(s.expand(2))", "x.addcmul_(s, s)",
    "x.lerp_(s, 0.5)", "x.clamp_(s)", "x.eq_(s)", "x.masked_fill_(x > 0, s)",
    "x.index_put_((torch.tensor([0]),), s)", "torch.add(s, s, out=x)", "torch.sum(s, out=x)",
    "torch.where(x > 0, s, s, out=x)",
)  # fmt: skip
"""Calls that write another tensor, ``s``, into ``x``."""

OUT = (
    "torch.empty(2, 2, out=x)", "torch.ones(2, 2, out=x)", "torch.zeros(3, out=x)",
    "torch.full((2, 2), 1, out=x)", "torch.arange(4, out=x)", "torch.range(0, 3, out=x)",
    "torch.linspace(0, 1, 4, out=x)", "torch.logspace(0, 1, 4, out=x)", "torch.eye(2, out=x)",
    "torch.rand(2, 2, out=x)", "torch.randn(2, 2, out=x)", "torch.randint(3, (2, 2), out=x)",
    "torch.randperm(4, out=x)", "torch.normal(0.0, 1.0, (2, 2), out=x)",
    "torch.ones(2, 2, out=x, requires_grad=True)", "torch.ones(2, 2, out=x, requires_grad=False)",
)  # fmt: skip
"""Factories with ``x`` as ``out=``."""

VIEWS = (
    "x[0]", "x[...]", "x[:, :]", "x[0, 0]", "x[None]", "x.t()", "x.T", "x.mT", "x.view(-1)",
    "x.reshape(-1)", "x.permute(1, 0)", "x.unsqueeze(0)", "x.squeeze()", "x.expand(2, 2, 2)",
    "x.narrow(0, 0, 1)", "x.select(0, 0)", "x.diagonal()", "x.unfold(0, 1, 1)",
    "x.as_strided((2,), (1,))", "x.flatten()", "x.ravel()", "x.unbind()", "x.chunk(2)",
    "x.split(1)", "x.split([1, 1])", "x.tensor_split(2)", "x.tensor_split((1,))", "list(x)",
    "x.detach()", "x.data", "x.real", "x.view(torch.int16)", "x.view(x.dtype)",
    "torch.view_as_complex(x)", "torch.view_as_real(x)", "x.clone()", "x.contiguous()",
    "x.to(torch.float64)", "x.int()", "torch.cat([x, x])", "torch.stack([x, x])",
    "torch.empty_like(x)", "torch.ones_like(x)", "x.new_ones(2)", "torch.tensor(x)", "reversed(x)",
    "x[True]", "x.T.reshape(-1)", "torch.asarray(x)", "torch.broadcast_tensors(x, x[None])",
    "x.view_as(x)", "x.expand_as(x)", "x.as_subclass(torch.Tensor)", "torch.bernoulli(x)",
    "torch.rand_like(x)", "x.numpy()", "x.is_inference()", "torch.is_inference(x)", "x._base is a",
    "torch.normal(x, 1.0)", "torch.normal(x, x)", "torch.normal(1.0, x)", "x.bernoulli(0.5)",
    "x.new_zeros(2)", "x.new_full((2,), 1)", "torch.zeros_like(x)", "torch.full_like(x, 2)",
    "x.T.contiguous()", "torch.linspace(x[0, 0], 1, 2)",
    "torch.Tensor._make_subclass(torch.Tensor, x)", "x.tolist()", "x.requires_grad_().grad",
    "float(x[0, 0])", "x.retains_grad", "copy.copy(x)", "copy.deepcopy(x)", "x.grad",
    "x.data.requires_grad_()",
)  # fmt: skip
"""Views, copies and attributes of ``x``."""


@exhaustive(lambda torch: Domain(kind=KINDS, write=(*IN_PLACE, *OUT)), parts=4)
def test_writes(ask: Probe, kind: str, write: str) -> None:
    """In-place and out= calls leave torch's autograd metadata, or raise its error."""
    ask(*settings.seed(write), *KINDS[kind], write)


@exhaustive(lambda torch: Domain(kind=KINDS, source=SOURCES, write=WRITES), parts=4)
def test_sources(ask: Probe, kind: str, source: str, write: str) -> None:
    """In-place writes of another tensor leave torch's autograd metadata, or raise its error."""
    ask(*settings.seed(write), *KINDS[kind], source, write)


@exhaustive(lambda torch: Domain(kind=KINDS, view=VIEWS), parts=4, one_in=2)
def test_results(ask: Probe, kind: str, view: str) -> None:
    """Views and copies of a tensor of any kind have torch's autograd metadata."""
    setup = *settings.seed(view), *KINDS[kind]
    ask(*setup, f"y = {view}", "y", "with torch.no_grad(): x.fill_(0)", question=-3)


VIEW_STEPS = {
    "one": "{y} = {x}[0]",
    "one without grad": "with torch.no_grad(): {y} = {x}[0]",
    "one in inference mode": "with torch.inference_mode(): {y} = {x}[0]",
    "several": "{y}, *_ = {x}.unbind()",
    "several without grad": "with torch.no_grad(): {y}, _ = {x}.split(1)",
    "several in inference mode": "with torch.inference_mode(): {y}, _ = {x}.chunk(2)",
    "another dtype": "{y} = torch.view_as_complex({x})",
}
"""Steps that create a view ``y`` of ``x``."""


@exhaustive(
    lambda torch: Domain(
        start=(PLAIN, LEAF, INNER), first=VIEW_STEPS, second=VIEW_STEPS, third=VIEW_STEPS
    )
)
def test_creations(ask: Probe, start: str, first: str, second: str, third: str) -> None:
    """The CreationMeta of nested views decides whether they can be modified in place."""
    steps = zip((first, second, third), "abc", "bcd", strict=True)
    views = (VIEW_STEPS[step].format(x=x, y=y) for step, x, y in steps)
    ask(start, *views, "d.fill_(2)", question=-2)


CHANGES = (
    *(f"x.{name}_()" for name in (
        "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "bitwise_not", "ceil",
        "conj_physical", "cos", "cosh", "deg2rad", "digamma", "erf", "erfc", "erfinv", "exp",
        "exp2", "expm1", "fix", "floor", "frac", "i0", "lgamma", "log", "log10", "log1p", "log2",
        "logical_not", "logit", "nan_to_num", "neg", "negative", "positive", "rad2deg",
        "reciprocal", "relu", "round", "rsqrt", "sgn", "sigmoid", "sign", "sin", "sinc", "sinh",
        "sqrt", "square", "tan", "tanh", "trunc", "zero", "clamp",
    )),
    *(f"x.{name}_({other})" for other in ("y", "2") for name in (
        "add", "atan2", "bitwise_and", "clamp", "clamp_max", "clamp_min", "copysign", "div", "eq",
        "float_power", "floor_divide", "fmod", "hypot", "ldexp", "logical_and", "lt", "mul",
        "nextafter", "pow", "remainder", "sub", "xlogy", "copy", "fill",
    )),
    "x.clamp_(y, y)", "x.clamp_(None, y)", "x.clamp_(1, 2)", "x.lerp_(y, y)", "x.lerp_(y, 2)",
    "x.lerp_(y.detach(), y)", "x.lerp_(y, y.detach())", "x.addcmul_(y, y)", "x.addcdiv_(y, y)",
    "x.div_(y, rounding_mode='floor')", "x.div_(2, rounding_mode='trunc')", "x.cumsum_(0)",
    "x.cumprod_(0)", "x.cumprod_(5)", "x.masked_fill_(y == y, 2)", "x.logit_(2)",
    "x.round_(decimals=1)", "x.add_(y, alpha=2)", "x[0] = y[0]",
    "x.index_put_((torch.tensor(0),), y[0])",
)  # fmt: skip
"""In-place calls on ``x`` with ``y`` or numbers as operands."""


@exhaustive(
    lambda torch: Domain(x=("", ".requires_grad_()"), y=("", ".requires_grad_()"), change=CHANGES)
)
def test_saved(ask: Probe, x: str, y: str, change: str) -> None:
    """Autograd saves a copy before an in-place call, and warns for complex32 as torch does."""
    ones = "torch.ones(2, dtype=torch.complex64).to(torch.complex32)"
    ask(f"x = {ones}{x}.conj().resolve_conj()", f"y = {ones}{y}", change)
    ask(f"x = {ones}{x}[0:]", f"y = {ones}{y}", f"with torch.no_grad(): {change}")


GRAD_MODES = "(torch.is_grad_enabled(), torch.is_inference_mode_enabled())"
MANAGERS = (
    "torch.no_grad()", "torch.enable_grad()", "torch.set_grad_enabled(True)",
    "torch.set_grad_enabled(False)", "torch.set_grad_enabled(mode=False)", "torch.inference_mode()",
    "torch.inference_mode(True)", "torch.inference_mode(False)", "torch.inference_mode(mode=False)",
    "torch.autograd.no_grad()", "torch.autograd.grad_mode.inference_mode()",
    "torch.no_grad().clone()", "torch.set_grad_enabled(False).clone()",
    "torch.inference_mode(False).clone()", "torch.no_grad", "torch.enable_grad",
    "torch.inference_mode",
)  # fmt: skip
GENERATOR = f"""def generate():
    try:
        got = yield {GRAD_MODES}
        yield got, {GRAD_MODES}
    finally:
        seen.append({GRAD_MODES})
    return 1"""
USES = {
    "block": (f"with m: seen.append({GRAD_MODES})",),
    "nested": (
        f"with m: seen.append({GRAD_MODES}); n.__enter__(); seen.append({GRAD_MODES});"
        f" n.__exit__(None, None, None); seen.append({GRAD_MODES})",
    ),
    "error": ("with m: seen.append(1 // 0)",),
    "function": (f"f = m(lambda *a, **k: (a, k, {GRAD_MODES}))", "f(1, b=2)", "f.__name__"),
    "generator": (GENERATOR, "g = list(m(generate)())",),
    "generator that is sent to": (
        GENERATOR, "g = m(generate)(); h = next(g), g.send(5)", "g.close()",
    ),
    "generator that is thrown at": (
        GENERATOR, "g = m(generate)(); h = next(g)", "g.throw(KeyError(1))",
    ),
    "class": ("f = m(int)", "f('3')"),
    "entered": (
        "e = m.__enter__()", f"a = {GRAD_MODES}", "e = m.__enter__()", f"b = {GRAD_MODES}",
        "m.__exit__(None, None, None)", f"c = {GRAD_MODES}",
    ),
    "left": ("m.__exit__(None, None, None)",),
    "tensors": (
        "with m: a = torch.ones(2).requires_grad_(); b = a[0]; c = a.clone(); d = torch.ones(2)",
    ),
    "thread": (
        f"import threading; t = threading.Thread(target=lambda: seen.append({GRAD_MODES}))",
        "with m: t.start(); t.join(); del t",
    ),
    "text": (
        "m.__class__.__name__", "m.__class__.__module__.partition('.')[2]",
        "str(m).partition('.')[2].partition(' object at')[0]",
    ),
}  # fmt: skip
"""Uses of a context manager ``m``, and of another one, ``n``."""

MODE_CALLS = (
    "torch.set_grad_enabled()", "torch.set_grad_enabled(1)", "torch.set_grad_enabled(None)",
    "torch.set_grad_enabled(True, False)", "torch.is_grad_enabled(1)", "torch.is_grad_enabled(a=1)",
    "torch.is_inference_mode_enabled(1)", "torch.no_grad(True, 1)", "torch.no_grad().__exit__()",
    "torch.inference_mode(True, 1)", "torch.inference_mode(1)()", "torch.no_grad(1)()",
    "torch.enable_grad().prev", "torch.no_grad().prev", "torch.set_grad_enabled(False).prev",
    "torch.set_grad_enabled(True).mode", "torch.inference_mode(False).mode", "torch.is_inference()",
    "torch.is_inference(1)", "torch.ones(2).is_inference(1)",
    "torch.autograd.set_grad_enabled is torch.set_grad_enabled", "torch.ones(2)._version",
    "torch.ones(2)._is_view(1)", "setattr(torch.ones(2), '_version', 1)",
    "setattr(torch.ones(2), 'output_nr', 1)", "setattr(torch.ones(2), 'is_leaf', True)",
    "setattr(torch.ones(2), 'grad_fn', None)", "setattr(torch.ones(2), 'requires_grad', 1)",
    "torch.ones(2).requires_grad_(1)", "torch.ones(2).detach(1)",
    "torch.ones(2).backward(1, 2, 3, 4, 5)", "torch.ones(()).requires_grad_().backward(1)",
    "torch.ones(()).requires_grad_().backward(torch.ones(2))",
    "torch.ones(()).requires_grad_().backward(inputs=())",
    "torch.ones(()).requires_grad_().backward(torch.ones((), dtype=torch.complex64))",
    "torch.ones((), dtype=torch.complex64).requires_grad_().backward()",
    "torch.ones(2).backward(())", "torch.ones(2).backward((1,))", "torch.ones(2).backward('a')",
    "torch.ones(2).backward((torch.ones(2), 1))", "torch.ones(2).backward((None, None))",
    "torch.ones(2).backward((torch.ones(2), torch.ones(3)))",
)  # fmt: skip
"""Valid and invalid calls of the grad modes and of autograd attributes."""


@exhaustive(
    lambda torch: Domain(
        manager=MANAGERS, other=("torch.enable_grad()", "torch.inference_mode(False)"), use=USES
    )
)
def test_modes(ask: Probe, manager: str, other: str, use: str) -> None:
    """The context managers set the grad modes of a thread, in every use, and restore them."""
    ask("seen = []", f"m = {manager}", f"n = {other}", *USES[use], f"seen, {GRAD_MODES}",
        question=3)  # fmt: skip


@exhaustive(lambda torch: Domain(call=MODE_CALLS))
def test_calls(ask: Probe, call: str) -> None:
    """Grad modes and autograd attributes are read and set as in torch, errors included."""
    ask(call, GRAD_MODES, question=0)


BASES = (
    "torch.ones(2, 3)", "torch.ones(2, 3, requires_grad=True)",
    "torch.ones(2, 3, requires_grad=True) * 1", "torch.ones(2, 3, requires_grad=True).t()",
)  # fmt: skip
VIEWS_OF_BASE = (
    "x", "x[0]", "x[0][1:]", "x.view(*x.shape, 1)", "x.t()", "x.detach()", "x.expand(2, *x.shape)",
    "x.unbind()[0]", "x.chunk(2)[0]", "x.view_as(x)", "x.select(0, 1)", "x.data", "x.clone()",
)  # fmt: skip
GRAD_FN_CHANGES = (
    "None", "x.mul_(2)", "y.mul_(2)", "x.detach().mul_(2)", "x.data.mul_(2)", "x.requires_grad_()",
    "x.detach_()", "y.detach_()", "y[0].zero_()", "x += x", "y.copy_(y.clone())", "x.t_()",
    "y.unsqueeze_(0)", "y.requires_grad_(); x.add_(1)",
)  # fmt: skip
"""What may make the grad_fn of a view another one, or leave it."""


@exhaustive(lambda torch: Domain(base=BASES, view=VIEWS_OF_BASE, change=GRAD_FN_CHANGES))
def test_grad_fns(ask: Probe, base: str, view: str, change: str) -> None:
    """A view has one grad_fn until something changes its base, each time that it is read."""
    steps = f"x = {base}", f"y = {view}", "f = y.grad_fn", "y.grad_fn is f"
    again = "g = y.grad_fn", "y.grad_fn is g", "x.grad_fn is x.grad_fn", "y.grad_fn is f"
    ask(*steps, change, *again, "type(g).__name__", question=4)
    ask(*steps, change, *again, "x.mul_(1)", "y.grad_fn is g", question=4)


STARTS = (
    "torch.ones(2, 2, 2)", "torch.ones(2, 2, 2)", "torch.ones(2, 2, 2).requires_grad_()",
    "torch.ones(2, 2, 2).requires_grad_().clone()", "torch.ones(2, 2, 2).requires_grad_().clone()",
    "torch.ones(2, 2, dtype=torch.complex64).requires_grad_().clone()",
    "torch.ones(2, 2, dtype=torch.complex64)", "torch.ones(2, 2, 2, dtype=torch.int32)",
    "torch.ones(())", "torch.ones(()).requires_grad_()",
)  # fmt: skip
"""The first tensors of a program."""

NEW_TENSORS = (
    "{x}[0]", "{x}[0]", "{x}[:]", "{x}[...]", "{x}[None]", "{x}[:, 0]", "{x}[1:]",
    "{x}.transpose(0, -1)", "{x}.view(-1)", "{x}.reshape(-1)", "{x}.unsqueeze(0)", "{x}.squeeze()",
    "{x}.expand(2, 2, 2)", "{x}.as_strided((2,), (1,))", "{x}.diagonal()", "{x}.unbind()[0]",
    "{x}.split(1)[-1]", "{x}.chunk(2)[0]", "{x}.tensor_split(2)[1]", "torch.view_as_real({x})",
    "torch.view_as_complex({x})", "{x}.real", "{x}.imag", "{x}.view(torch.int16)",
    "{x}.view({x}.dtype)", "{x}.detach()", "{x}.detach()", "{x}.data", "{x}.clone()",
    "{x}.contiguous()", "{x}.int()", "{x}.to(torch.complex64)", "torch.cat([{x}, {y}])",
    "torch.stack([{x}, {y}])", "{x}.requires_grad_()", "torch.empty_like({x}).zero_()",
    "{x}.new_ones(2)", "torch.asarray({x}, requires_grad=False)", "{x}",
)  # fmt: skip
"""New tensors of a program, of its tensors ``x`` and ``y``."""

IN_PLACE_STEPS = (
    "{x}.fill_(2)", "{x}.zero_()", "{x}.copy_({y})", "{x}.copy_({y})", "{x}.fill_({y})",
    "{x}[0] = {y}", "{x}[...] = {y}", "{x}[0] = 3", "{x}[:, True] = 4", "{x}.t_()",
    "{x}.transpose_(0, -1)", "{x}.unsqueeze_(0)", "{x}.squeeze_()", "{x}.as_strided_((2,), (1,))",
    "{x}.set_({y})", "{x}.set_()", "{x}.resize_(2, 2)", "{x}.resize_as_({y})", "{x}.detach_()",
    "{x}.requires_grad_()", "{x}.requires_grad_(False)", "{x}.requires_grad = True",
    "{x}.retain_grad()", "{x}.data = {y}", "torch.ones(2, out={x})", "torch.arange(2, out={x})",
    "torch.randn(2, out={x})", "torch.empty(2, out={x})", "torch.cat([{y}, {y}], out={x})",
    "torch.linspace(0, {y}, 2, out={x})", "{x}.bernoulli_({y})", "{x}.uniform_()",
    "torch.set_grad_enabled(False).prev", "torch.set_grad_enabled(True).prev",
)  # fmt: skip
"""In-place calls of a program."""

BLOCKS = (
    *[""] * 6, "with torch.no_grad(): ", "with torch.inference_mode(): ",
    "with torch.enable_grad(): ", "with torch.set_grad_enabled(False): ",
    "with torch.inference_mode(False): ",
)  # fmt: skip
"""Context managers around steps of a program."""


@st.composite
def _stories(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """Draw the setup of a program, and views, copies, writes and grad modes on its tensors."""
    tensors = [f"{name} = {draw(st.sampled_from(STARTS))}" for name in "ab"]
    steps: list[str] = []
    names = ["a", "b"]
    for _ in range(draw(st.integers(2, 7))):
        block = draw(st.sampled_from(BLOCKS))
        parts = [_step(draw, names) for _ in range(draw(st.integers(1, 2)) if block else 1)]
        steps.append(block + "; ".join(parts))
    return [*settings.seed(*steps), *settings.filled_memory(*steps), *tensors], steps


def _step(draw: st.DrawFn, names: list[str]) -> str:
    """Draw one step of a program, and append the name of a new tensor to ``names``."""
    is_new = draw(st.booleans())
    step = draw(st.sampled_from(NEW_TENSORS if is_new else IN_PLACE_STEPS))
    step = step.format(x=draw(st.sampled_from(names)), y=draw(st.sampled_from(names)))
    if not is_new:
        return step
    names.append(chr(ord("a") + len(names)))
    return f"{names[-1]} = {step}"


@sampled(calls=2, parts=4, story=_stories())
def test_stories(ask: Probe, story: tuple[list[str], list[str]]) -> None:
    """Programs of views, writes and grad modes leave torch's autograd metadata at each step."""
    setup, steps = story
    ask(*setup, *steps, question=len(setup))


@exhaustive(
    lambda torch: Domain(overload=mixed_devices.overload_ids(torch)),
    parts=2,
    asks_part=True,
    one_in=2,
)
def test_functions(ask: Probe, overload: str) -> None:
    """Every overload gives results of torch's autograd metadata, or raises its error."""
    root, step = ask.session.oracle.root, ask.session.profile.call_step
    programs = mixed_devices.gradient_programs(root, overload, "cpu")
    for steps in chosen(root, programs, step, overload, ask.turn):
        program, question = with_next_draw((*settings.seed(*steps), *steps))
        ask(*program, question=question)


_DISABLE, _ENABLE = "torch.set_grad_enabled(False).prev", "torch.set_grad_enabled(True).prev"


@exhaustive(lambda torch: Domain(overload=mixed_devices.overload_ids(torch)), parts=4, one_in=12)
def test_again(ask: Probe, overload: str) -> None:
    """Every overload gives torch's results of new operands again, recorded or not."""
    programs = mixed_devices.wide_gradient_programs(ask.session.oracle.root, overload)
    for number, (*operands, call) in enumerate(programs):
        # Either the recorded call or the other one is the first of its kind.
        recorded, other = (*operands, call), (*operands, _DISABLE, call, _ENABLE)
        steps = [*recorded * 2, *other * 2] if number % 2 else [*other * 2, *recorded * 2]
        ask(*steps, question=[index for index, step in enumerate(steps) if step == call])
