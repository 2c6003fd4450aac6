"""State: each setting of the process or of a thread, seen from the same and from other threads."""

from ...core.domain import Domain
from ...engine.decorators import exhaustive
from ...engine.probe import Probe

DETERMINISM = (
    "(torch.get_deterministic_debug_mode(), torch.are_deterministic_algorithms_enabled(),"
    " torch.is_deterministic_algorithms_warn_only_enabled(), torch.empty(2))"
)
"""What shows the deterministic algorithms."""

SETTINGS = {
    "print options": (
        "torch.set_printoptions(precision=1, threshold=20, edgeitems=2, linewidth=30)",
        "repr((x / 3, torch.arange(15.0), torch.arange(30.0)))",
    ),
    "notation": ("torch.set_printoptions(sci_mode=True)", "repr(x / 3)"),
    "print profile": ("torch.set_printoptions(profile='full')", "len(repr(torch.arange(1500)))"),
    "deterministic": (
        "torch.use_deterministic_algorithms(True)", "torch.are_deterministic_algorithms_enabled()",
    ),
    "warn only": (
        "torch.use_deterministic_algorithms(True, warn_only=True)",
        "torch.is_deterministic_algorithms_warn_only_enabled()",
    ),
    "debug mode": (
        "torch.set_deterministic_debug_mode('error')", "torch.get_deterministic_debug_mode()",
    ),
    **{
        f"debug mode {mode!r}": (f"torch.set_deterministic_debug_mode({mode!r})", DETERMINISM)
        for mode in (0, 1, 2, 3, "default", "warn", "none")
    },
    "deterministic fill": (
        "setattr(torch.utils.deterministic, 'fill_uninitialized_memory', False)",
        "torch.utils.deterministic.fill_uninitialized_memory",
    ),
    "invariants": (
        "torch.sparse.check_sparse_tensor_invariants.enable()",
        "torch.sparse.check_sparse_tensor_invariants.is_enabled()",
    ),
    "generator": ("torch.manual_seed(5).initial_seed()", "torch.rand(2)"),
    "seed": ("torch.manual_seed(6).initial_seed()", "torch.initial_seed()"),
    "default dtype": ("torch.set_default_dtype(torch.float64)", "torch.get_default_dtype()"),
    "dtype of data": ("torch.set_default_dtype(torch.float16)", "torch.tensor(1.5).dtype"),
    "tensor type": ("torch.set_default_tensor_type(torch.DoubleTensor)", "torch.ones(1).dtype"),
    "default device": ("torch.set_default_device('meta')", "torch.get_default_device()"),
    "device of data": ("torch.set_default_device('meta')", "torch.ones(1).device"),
    "device context": ("torch.device('meta').__enter__()", "torch.ones(1).device"),
    "grad mode": ("torch.set_grad_enabled(False) is None", "torch.is_grad_enabled()"),
    "recorded": ("torch.set_grad_enabled(False) is None", "(x * 2).requires_grad"),
    "no_grad": ("torch.no_grad().__enter__()", "torch.is_grad_enabled()"),
    "warn always": ("torch.set_warn_always(False)", "torch.is_warn_always_enabled()"),
}  # fmt: skip
"""Settings, and what shows them."""

PATTERNS = {
    "set here": ("{set}", "{read}", "there(lambda: {read})", "pool(lambda: {read})", "{read}"),
    "set there": (
        "there(lambda: {set})", "{read}", "there(lambda: {read})", "pool(lambda: {read})",
    ),
    "set and read there": ("there(lambda: ({set}, {read})[1])", "{read}"),
    "set in a thread that lives on": (
        "pool(lambda: {set})", "pool(lambda: {read})", "{read}", "there(lambda: {read})",
    ),
    "set twice": ("{set}", "pool(lambda: {set})", "{read}", "pool(lambda: {read})"),
}  # fmt: skip

_THREADS = (
    "there = lambda f: concurrent.futures.ThreadPoolExecutor(1).submit(f).result()",
    "pool = (lambda p: lambda f: p.submit(f).result())(concurrent.futures.ThreadPoolExecutor(1))",
    "pool(lambda: None)",
    "x = torch.ones(2, requires_grad=True)",
)
"""A new thread for each call, and one thread that is there before the setting."""


@exhaustive(lambda torch: Domain(setting=SETTINGS, pattern=PATTERNS))
def test_threads(ask: Probe, setting: str, pattern: str) -> None:
    """A setting is seen in the threads in which torch shows it, and in no others."""
    change, read = SETTINGS[setting]
    steps = [step.format(set=change, read=read) for step in PATTERNS[pattern]]
    program = (*_THREADS, *steps, "torch.sparse.check_sparse_tensor_invariants.disable()")
    ask(*program, question=[index for index, step in enumerate(program) if read in step])


CONTEXTS = (
    "torch.no_grad()", "torch.enable_grad()", "torch.set_grad_enabled(False)",
    "torch.set_grad_enabled(True)", "torch.inference_mode()", "torch.inference_mode(False)",
    "torch.device('meta')", "torch.random.fork_rng()", "torch.random.fork_rng(enabled=False)",
    "torch.sparse.check_sparse_tensor_invariants()",
    "torch.sparse.check_sparse_tensor_invariants(False)",
)  # fmt: skip
"""Context managers that change a state, which all of them restore."""

STATE = (
    "(torch.is_grad_enabled(), torch.is_inference_mode_enabled(), torch.get_default_device(),"
    " torch.sparse.check_sparse_tensor_invariants.is_enabled(), torch.initial_seed(),"
    " torch.randn(1, device='cpu'), repr(torch.tensor([0.5, 1e-3], device='cpu')))"
)
"""All states that a context manager may change."""

COURSES = {
    "end": "with {c}: inside = state()",
    "error": "with contextlib.suppress(ValueError):\n with {c}:\n  inside = state()\n"
    "  raise ValueError",
    "twice": "c = {c}\nwith c: first = state()\nwith c: inside = first, state()",
    "nested": "with {c}:\n first = state()\n with {d}: second = state()\n"
    " inside = first, second, state()",
    "entered inside": "c = {c}\nwith {d}:\n with c: first = state()\n inside = first, state()",
    "changed inside": "with {c}:\n torch.manual_seed(9)\n torch.set_grad_enabled(True)\n"
    " inside = state()",
    "function": "f = {c}(state)\ninside = state(), f(), f()",
    "generator": "f = {c}(lambda: (state() for _ in range(2)))\ng = f()\n"
    "inside = next(g), state(), next(g)",
    "abandoned": "c = {c}\nc.__enter__()\ninside = state()\nc.__exit__(None, None, None)",
    "made": "c = {c}\ninside = state()\ndel c",
}
"""Uses of a context manager."""


@exhaustive(lambda torch: Domain(context=CONTEXTS, course=COURSES))
def test_contexts(ask: Probe, context: str, course: str) -> None:
    """A context manager sets torch's state inside, and restores it however the block ends."""
    setup = (
        "torch.sparse.check_sparse_tensor_invariants.disable()",
        "torch.manual_seed(3).initial_seed()", "import contextlib", f"state = lambda: {STATE}",
    )  # fmt: skip
    for other in CONTEXTS[::2] if "{d}" in COURSES[course] else CONTEXTS[:1]:
        body = COURSES[course].format(c=context, d=other).replace("\n", "\n ")
        program = f"def use():\n {body}\n return inside"
        ask(*setup, program, "use()", "state()", question=(-2, -1))
