"""Context managers of torch, and every way to use one."""

CONTEXTS = {
    "no_grad": "torch.no_grad()",
    "enable_grad": "torch.enable_grad()",
    "set_grad_enabled": "torch.set_grad_enabled(False)",
    "inference_mode": "torch.inference_mode()",
    "no inference_mode": "torch.inference_mode(False)",
    "invariants": "torch.sparse.check_sparse_tensor_invariants()",
    "no invariants": "torch.sparse.check_sparse_tensor_invariants(enable=False)",
    "fork_rng": "torch.random.fork_rng()",
    "fork_rng on meta": "torch.random.fork_rng(device_type='meta')",
    "fork_rng of none": "torch.random.fork_rng(devices=[])",
    "no fork_rng": "torch.random.fork_rng(enabled=False)",
    "device": "torch.device('meta')",
    "device index": "torch.accelerator.device_index(None)",
    "cuda device": "torch.cuda.device(None)",
    "cuda device beyond": "torch.cuda.device(-5)",
    "cuda device of": "torch.cuda.device_of(torch.ones(1))",
}
"""Context managers, as source text."""

READ = (
    "(torch.is_grad_enabled(), torch.is_inference_mode_enabled(), torch.rand(1),"
    " torch.sparse.check_sparse_tensor_invariants.is_enabled(), torch.ones(1).device)"
)
"""An expression that shows every state that a context manager sets."""

USES = {
    "with": ("with {c} as y:\n    z = read()", "y", "z", "read()"),
    "raising": ("with {c}:\n    1 / 0", "read()"),
    "nested": ("with {c}:\n    with {c}:\n        z = read()\n    w = read()", "z", "w", "read()"),
    "twice": (
        "c = {c}", "with c:\n    z = read()", "with c:\n    w = read()", "z", "w", "read()",
    ),
    "attributes": (
        "c = {c}", "with c:\n    z = read()",
        "[(name, getattr(c, name, None)) for name in ('idx', 'prev_idx', 'prev', 'mode')]",
    ),
    "in itself": ("c = {c}", "with c:\n    with c:\n        z = read()", "read()"),
    "decorator": ("f = {c}(read)", "f()", "read()", "f()", "f.__name__"),
    "of a raising function": ("f = {c}(lambda: 1 / 0)", "f()", "read()"),
    "of arguments": ("f = {c}(lambda a, *, b: (a, b, read()))", "f(1, b=2)", "f(1)", "read()"),
    "of a generator": (
        "def g():\n    x = yield read()\n    yield (x, read())", "f = {c}(g)", "i = f()", "next(i)",
        "read()", "i.send(5)", "next(i)", "read()",
    ),
    "of a closed generator": (
        "def g():\n    x = yield read()\n    yield (x, read())", "f = {c}(g)", "i = f()", "next(i)",
        "i.send(5)", "i.close()", "read()",
    ),
    "of a suspended generator": (
        "def g():\n    yield read()\n    yield 1", "f = {c}(g)", "i = f()", "next(i)", "read()",
    ),
    "of a generator that catches": (
        "def g():\n    try:\n        yield 1\n    except ValueError:\n        yield read()",
        "f = {c}(g)", "i = f()", "next(i)", "i.throw(ValueError('a'))", "next(i)", "read()",
    ),
    "of a class": ("class A:\n    v = 3", "B = {c}(A)", "B().v", "read()"),
    "of no function": ("f = {c}(3)", "f()", "read()"),
    "exit first": ("{c}.__exit__(None, None, None)", "read()"),
    "exit twice": (
        "c = {c}", "c.__enter__() is None", "c.__exit__(None, None, None)",
        "c.__exit__(None, None, None)", "read()",
    ),
    "enter twice": ("c = {c}", "c.__enter__() is None", "c.__enter__() is None", "read()"),
    "two at once": (
        "c = {c}", "d = {c}", "c.__enter__() is None", "d.__enter__() is None",
        "c.__exit__(None, None, None)", "read()", "d.__exit__(None, None, None)", "read()",
    ),
    "in a thread": (
        "with {c}:\n    z = concurrent.futures.ThreadPoolExecutor(1).submit(read).result()", "z",
        "read()",
    ),
}  # fmt: skip
"""Uses of a context manager ``{c}``; ``read()`` shows the state."""


def program(context: str, use: str) -> tuple[str, ...]:
    """Return a program with a use of a context manager."""
    steps = (step.format(c=CONTEXTS[context]) for step in USES[use])
    return ("torch.manual_seed(7).initial_seed()", f"read = lambda: {READ}", *steps)
