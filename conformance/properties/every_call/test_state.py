"""State: each setting of the process or of a thread, seen from the same and from other threads."""

from ...core.domain import Domain
from ...engine.decorators import exhaustive
from ...engine.probe import Probe

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
