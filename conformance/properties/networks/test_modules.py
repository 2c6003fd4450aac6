"""Modules: parameters and buffers, members, state dicts, conversions and hooks."""

from ...core.domain import Domain
from ...engine.decorators import exhaustive, sampled
from ...engine.probe import Probe
from ...generators.networks import modules as programs

_SETUP = (programs.SHOW, programs.NET, "m = Net()")

DATA = (
    "", "None", "torch.ones(2)", "torch.ones(2), False", "torch.ones(2, dtype=torch.int64)",
    "torch.ones(2, dtype=torch.int64), requires_grad=False", "torch.ones(2, dtype=torch.complex64)",
    "[1.0]", "3", "torch.ones(2, device='meta')", "torch.ones(2, requires_grad=True) * 2",
    "torch.nn.Parameter(torch.ones(2), False)", "torch.nn.Parameter(torch.ones(2)), 3",
    "torch.ones(2).to_sparse()", "torch.ones(2, 3).t()",
    "data=torch.ones(2)", "torch.ones(2), persistent=False", "torch.ones(1), 1, 2",
)  # fmt: skip
"""Arguments of parameters and buffers."""

USES = (
    "p", "p.detach()", "p.data", "p + 1", "p.add_(1)", "p * p", "p.view(-1)", "p[:1]", "p.t()",
    "p.clone()", "p.to(torch.float64)", "p.to('meta')", "p.cpu()", "p.float()", "p.contiguous()",
    "p.requires_grad_(False)", "p.new_zeros(2)", "p.new_tensor([1.0])", "torch.zeros_like(p)",
    "p.unbind()", "p.expand_as(p)", "p.view_as(p)", "p.numpy()", "p.view(torch.int32)", "p.real",
    "p.as_subclass(torch.Tensor)", "torch.add(p, 1, out=torch.empty(2))", "p == p", "-p",
    "copy.copy(p)", "copy.deepcopy(p)", "copy.deepcopy([p, p])[0]",
    "p.__reduce_ex__(2)[0].__name__",
    "(isinstance(p, torch.nn.Parameter), isinstance(p, torch.nn.Buffer))", "p.is_leaf", "vars(p)",
    "p.fill_(1)", "p.detach_()", "p.retain_grad()", "torch.stack([p, p])", "p.resize_(1)",
    "setattr(p, 'data', torch.zeros(3))", "setattr(p, 'x', 3)", "p.share_memory_()",
    "hash(p) == id(p)",
    "p.set_(torch.zeros(3))", "torch.nn.Parameter(p)", "torch.nn.Buffer(p)", "f'{p}'",
    "p.persistent",
    "torch.typename(p)", "p.type()", "p.T", "p.H", "p.squeeze()", "p.chunk(2)", "p.sum()", "p @ p",
)  # fmt: skip
"""Uses of a parameter."""


@exhaustive(lambda torch: Domain(cls=("Parameter", "Buffer"), data=DATA))
def test_parameters(ask: Probe, cls: str, data: str) -> None:
    """A parameter or buffer is made of the same data, and shows and copies as in torch."""
    ask(
        f"p = torch.nn.{cls}({data})",
        "p",
        "(isinstance(p, torch.nn.Parameter), isinstance(p, torch.nn.Buffer), vars(p), p.is_leaf)",
        "copy.deepcopy(p)",
        "copy.copy(p)",
        question=0,
    )


@exhaustive(
    lambda torch: Domain(
        make=(
            "torch.nn.Parameter(torch.ones(2))", "torch.nn.Parameter(torch.ones(2), False)",
            "torch.nn.Buffer(torch.ones(2))",
            "torch.nn.Parameter(torch.ones(2, device='meta'))",
        ),
        use=USES,
        mode=("", "with torch.no_grad():"),
    ),
    one_in=3,
)  # fmt: skip
def test_uses(ask: Probe, make: str, use: str, mode: str) -> None:
    """Operators on parameters return plain tensors; copies and pickles are parameters."""
    if mode:
        ask(f"p = {make}", f"def use():\n {mode}\n  return {use}", "use()", "p", question=2)
    else:
        ask(f"p = {make}", use, "p", question=1)


@exhaustive(
    lambda torch: Domain(
        change=programs.CHANGES, name=programs.NAMES, value=programs.VALUES
    ),
    one_in=8,
    parts=2,
)  # fmt: skip
def test_members(ask: Probe, change: str, name: str, value: str) -> None:
    """A member is assigned, registered, replaced or deleted, or refused, as in torch."""
    ask(*_SETUP, programs.change(change, name, value), "show(m)", "dir(m.n)[-8:]", question=3)


@exhaustive(
    lambda torch: Domain(
        members=programs.DICTS, value=(*programs.VALUES, "set"), then=programs.AFTERWARDS
    ),
    one_in=3,
)  # fmt: skip
def test_replaced_dicts(ask: Probe, members: str, value: str, then: str) -> None:
    """Members change, or fail to, as in torch if a program has replaced a dict of members."""
    text = programs.VALUES.get(value, "set()")
    ask(*_SETUP, f"setattr(m, {members!r}, {text})", then, "sorted(vars(m))", question=4)


@exhaustive(lambda torch: Domain(call=programs.WHOLE, then=programs.WHOLE), one_in=8)
def test_whole(ask: Probe, call: str, then: str) -> None:
    """Calls for a whole module change all its members as in torch, and in one order."""
    ask(*_SETUP, call, "show(m)", then, "show(m)", question=3)


@sampled(calls=4, steps=programs.steps())
def test_steps(ask: Probe, steps: list[str]) -> None:
    """A module is the same after any steps of assignments, registrations, deletions and loads."""
    ask(*_SETUP, *(line for step in steps for line in (step, "show(m)")), question=3)


STATES = {
    "own": "m.state_dict()",
    "kept": "m.state_dict(keep_vars=True)",
    "with prefix": "m.state_dict(prefix='x.')",
    "into": "m.state_dict(destination={'k': 1})",
    "positional": "m.state_dict({}, 'a.', True)",
    "of another": "Net().double().state_dict()",
    "on meta": "Net().to('meta').state_dict()",
    "dict": "dict(Net().state_dict())",
    "nothing": "{}",
    "too little": "{'w': torch.ones(2, 3)}",
    "too much": "dict(m.state_dict(), y=torch.ones(1), n=torch.ones(1), **{'n.y.z': 3, 'q.y': 3})",
    "other sizes": "dict(m.state_dict(), w=torch.ones(3, 2), b=torch.ones(2, 1))",
    "numbers": "dict(m.state_dict(), w=3, b='x')",
    "one element": "dict(m.state_dict(), **{'n.v': torch.tensor([7.0])})",
    "parameters": "dict(m.state_dict(), w=torch.nn.Parameter(torch.ones(2, 3), False))",
    "integers": "dict(m.state_dict(), w=torch.ones(2, 3, dtype=torch.int64))",
    "complex": "dict(m.state_dict(), w=torch.ones(2, 3) + 1j)",
    "sparse": "dict(m.state_dict(), w=torch.ones(2, 3).to_sparse())",
    "transient": "dict(m.state_dict(), c=torch.tensor([4]))",
    "extra": "dict(m.state_dict(), _extra_state=3)",
    "list": "[1]",
    "none": "None",
    "module": "m",
}
"""State dicts."""

TARGETS = {
    "net": "m = Net()",
    "on meta": "m = Net().to('meta')",
    "half": "m = Net().half()",
    "frozen": "m = Net().requires_grad_(False)",
    "own module": "m = Net(); m.w = None",
    "nested": "m = Net(); m.n.q = m2 = Net()",
    "shared": "m = Net(); m.n.w = m.w",
}  # fmt: skip


@exhaustive(
    lambda torch: Domain(
        state=STATES, target=TARGETS, strict=("True", "False"), assign=("False", "True")
    ),
    one_in=5,
)
def test_loading(ask: Probe, state: str, target: str, strict: str, assign: str) -> None:
    """A state dict is loaded, or refused with all its errors, as by torch."""
    make, *others = TARGETS[target].split("; ")
    ask(
        programs.SHOW, programs.NET, make, *others, f"s = {STATES[state]}",
        "(type(s).__name__, [*s.items()], getattr(s, '_metadata', None) is None)",
        f"m.load_state_dict(s, strict={strict}, assign={assign})",
        "show(m)", "[*s]", "m.b is s.get('b')",
        question=-5,
    )  # fmt: skip


TO = (
    "", "torch.float64", "torch.float16", "torch.int32", "torch.complex64", "'cpu'", "'meta'",
    "torch.device('meta'), torch.float64", "'cpu', torch.bfloat16, True", "dtype=torch.float64",
    "device='meta'", "torch.ones(1, dtype=torch.float64)", "torch.ones(1, device='meta')", "3.5",
    "None", "None, None", "torch.float64, copy=True", "x=3", "'nowhere'", "[1]",
    "memory_format=torch.channels_last", "torch.float64, memory_format=torch.channels_last",
    "memory_format=torch.contiguous_format", "memory_format=3", "torch.float8_e5m2", "other=m.w",
    "torch.float64, False, False, 3", "torch.bool", "m.w", "'cpu', non_blocking=True",
    "torch.float32",
)  # fmt: skip
"""Arguments of Module.to."""


@exhaustive(
    lambda torch: Domain(
        call=(
            *(f"m.to({arguments})" for arguments in TO),
            "m.float()", "m.double()", "m.half()", "m.bfloat16()", "m.cpu()",
            "m.type('torch.DoubleTensor')",
            "m.type(torch.float16)", "m.type(torch.int32)", "m.to_empty(device='meta')", "m.cuda()",
            "m.to_empty()", "m.to_empty(device='meta', recurse=False)", "m.share_memory()",
            "m.half(1)",
            "m.ipu()", "m.mtia()",
        ),
        start=("m = Net()", "m = Net().to('meta')", "m = Net().double()"),
    ),
    one_in=2,
)  # fmt: skip
def test_conversions(ask: Probe, call: str, start: str) -> None:
    """Conversions change the parameters in place, and replace the buffers, as in torch."""
    ask(
        programs.SHOW, programs.NET, start,
        "m.image = torch.nn.Parameter(torch.arange(24.0, device=m.b.device).view(1, 2, 3, 4))",
        "w, b = m.w, m.b", f"{call} is m", "show(m)", "(m.w is w, m.b is b, m.n.b is m.b)", "w",
        "b",
        question=5,
    )  # fmt: skip


PATHS = ("", "n", "n.v", "w", "b", "p", "k", "n.b", "n.x", "x", "x.y", ".", "n.", "c", "w.data")


@exhaustive(
    lambda torch: Domain(
        call=(
            *(f"m.get_{kind}({path!r})" for kind in ("submodule", "parameter",
            "buffer") for path in PATHS),
            "[n for n, _ in m.named_parameters()]",
            "[n for n, _ in m.named_parameters('x', False)]",
            "[n for n, _ in m.named_buffers()]",
            "[n for n, _ in m.named_buffers(remove_duplicate=False)]",
            "[n for n, _ in m.named_modules(prefix='z')]", "[n for n, _ in m.named_children()]",
            "len([*m.modules()])", "len([*m.children()])", "[*m.parameters()]", "[*m.buffers()]",
            "[*m.parameters(recurse=False)]", "dir(m)[-7:]", "m.x", "m(torch.ones(2))",
            "m(torch.ones(2), 3)",
            "m(torch.ones(2), scale=torch.ones(1))", "m()", "m.forward(torch.ones(2))",
            "torch.nn.Module()(3)",
            "torch.nn.Module(3)", "torch.nn.Module(x=3)", "torch.typename(m)",
            "torch.typename(m.n)",
            "m.train(3)", "m.train('x')", "m.state_dict(x=3)", "m.get_extra_state()",
            "m.set_extra_state(3)",
            "m.load_state_dict()", "len(m)", "m.extra_repr()", "m._get_name()", "m.dump_patches",
            "torch.nn.Module.__mro__[-1]", "m.call_super_init", "iter(m.parameters()) is None",
            "m == m",
            "pickle.loads(pickle.dumps(m.n)).v", "hasattr(m, 'w')", "m.share_memory() is m",
        )
    )
)  # fmt: skip
def test_reads(ask: Probe, call: str) -> None:
    """Members are found and listed by torch's names, or refused with torch's messages."""
    ask(*_SETUP, call)


BEFORE_INIT = (
    "self.w = torch.nn.Parameter(torch.ones(1))", "self.n = torch.nn.Module()", "self.k = 3",
    "self.b = torch.nn.Buffer(torch.ones(1))", "self.register_buffer('b', torch.ones(1))",
    "self.register_parameter('p', None)", "self.add_module('n', None)", "self.x", "del self.x",
    "self.train()", "self.state_dict()", "self(1)", "super().__init__(3)", "super().__init__(x=3)",
    "super().__init__(); self.w = torch.nn.Parameter(torch.ones(1)); del self.w; self.w",
    "super().__init__(); self.b = torch.nn.Buffer(torch.ones(1)); self.b = None; self.b = 3",
    "super().__init__(); self.call_super_init = True; super().__init__()",
)  # fmt: skip


@exhaustive(lambda torch: Domain(line=BEFORE_INIT))
def test_before_init(ask: Probe, line: str) -> None:
    """What a module refuses before and in ``__init__`` is what torch refuses."""
    ask(f"class M(torch.nn.Module):\n def __init__(self):\n  {line}", "M()", "sorted(vars(M()))")


HOOKS = {
    "pre": "m.register_forward_pre_hook(lambda m, a: log.append(('pre', a)))",
    "pre that changes": "m.register_forward_pre_hook(lambda m, a: (a[0] + 1,))",
    "pre with one value": "m.register_forward_pre_hook(lambda m, a: a[0] * 3)",
    "pre first": "m.register_forward_pre_hook(lambda m, a: log.append('first'), prepend=True)",
    "pre with kwargs": (
        "m.register_forward_pre_hook(lambda m, a, k: (a, {**k, 'scale': 5}), with_kwargs=True)"
    ),
    "pre that is wrong": "m.register_forward_pre_hook(lambda m, a, k: 3, with_kwargs=True)",
    "pre that raises": "m.register_forward_pre_hook(lambda m, a: 1 // 0)",
    "post": "m.register_forward_hook(lambda m, a, r: log.append(('post', a, r)))",
    "post that changes": "m.register_forward_hook(lambda m, a, r: r * 2)",
    "post with kwargs": (
        "m.register_forward_hook(lambda m, a, k, r: log.append([*k.items()]), with_kwargs=True)"
    ),
    "post first": "m.register_forward_hook(lambda m, a, r: r - 1, prepend=True)",
    "post always": (
        "m.register_forward_hook(lambda m, a, r: log.append(('always', r)), always_call=True)"
    ),
    "post always that raises": (
        "m.register_forward_hook(lambda m, a, r: 1 // 0, always_call=True)"
    ),
    "post that raises": "m.register_forward_hook(lambda m, a, r: 1 // 0)",
    "of all, pre": "torch.nn.modules.module.register_module_forward_pre_hook("
    "lambda m, a: log.append(('all', type(m).__name__)))",
    "of all, post": "torch.nn.modules.module.register_module_forward_hook("
    "lambda m, a, r: r + 100, always_call=True)",
    "state": "m._register_state_dict_hook(lambda m, s, p, l: log.append((p, l, [*s])))",
    "state that changes": "m._register_state_dict_hook(lambda m, s, p, l: {'x': 1})",
    "state pre": "m.register_state_dict_pre_hook(lambda m, p, k: log.append((p, k)))",
    "state post": "m.register_state_dict_post_hook(lambda m, s, p, l: log.append([*s]))",
    "state post that is wrong": "m.register_state_dict_post_hook(lambda m, s, p, l: 3)",
    "load pre": (
        "m.register_load_state_dict_pre_hook(lambda m, s, p, l, t, x, y, e: s.pop(p + 'b'))"
    ),
    "load post": (
        "m.register_load_state_dict_post_hook(lambda m, k: (log.append(repr(k)), k[0].clear())[1])"
    ),
    "load post that is wrong": "m.register_load_state_dict_post_hook(lambda m, k: 3)",
    "parameters": "torch.nn.modules.module.register_module_parameter_registration_hook("
    "lambda m, n, p: log.append(n))",
    "buffers": "torch.nn.modules.module.register_module_buffer_registration_hook("
    "lambda m, n, b: b + 1)",
    "modules": "torch.nn.modules.module.register_module_module_registration_hook("
    "lambda m, n, c: c.eval())",
    "none": "torch.utils.hooks.RemovableHandle(collections.OrderedDict())",
}
"""Hooks of all kinds, which note their calls in ``log``."""

AFTER_HOOKS = (
    "m(torch.ones(2))", "m(torch.ones(2), scale=2)", "m('x')", "dict(m.state_dict())",
    "m.load_state_dict(Net().state_dict())", "m.load_state_dict({})", "m.n(1)",
    "(setattr(m, 'q', torch.nn.Parameter(torch.ones(1))), setattr(m, 'b', torch.ones(3)))",
    "(setattr(m, 'q', torch.nn.Module()), m.q.training, m.add_module('r', torch.nn.Module()))",
    "show(copy.deepcopy(m))", "len(m._forward_hooks)",
)  # fmt: skip


@exhaustive(lambda torch: Domain(first=HOOKS, second=HOOKS), one_in=8)
def test_hooks(ask: Probe, first: str, second: str) -> None:
    """Hooks are called in torch's order and with its arguments, until their handles remove them."""
    remove = "(h.remove(), g.remove(), g.remove())"
    body = "\n".join(
        f" try:\n  out.append({call})\n"
        " except Exception as e:\n  out.append((type(e).__name__, str(e)))"
        for call in AFTER_HOOKS
    )
    ask(
        "import collections", *_SETUP, "log = []",
        f"def use():\n out = []\n h = {HOOKS[first]}\n g = {HOOKS[second]}\n{body}\n"
        f" {remove}\n out.append(m(torch.ones(2)))\n return out",
        "use()", "log", "show(m)", question=-3,
    )  # fmt: skip


SAVED = {
    "parameter": "torch.nn.Parameter(torch.arange(4.0)[1:])",
    "frozen": "torch.nn.Parameter(torch.ones(2), False)",
    "with attributes": "p",
    "buffer": "torch.nn.Buffer(torch.ones(2), persistent=False)",
    "on meta": "torch.nn.Parameter(torch.ones(2, device='meta'))",
    "half": "torch.nn.Parameter(torch.ones(2).half())",
    "shared": "[p, p, p.detach()]",
    "state dict": "m.state_dict()",
    "state dict with variables": "m.state_dict(keep_vars=True)",
    "module": "m.n",
}


@exhaustive(
    lambda torch: Domain(
        saved=SAVED,
        load=("", "weights_only=False", "map_location='meta'", "map_location='cpu', mmap=False"),
        form=("", ", _use_new_zipfile_serialization=False"),
    ),
    one_in=2,
)
def test_files(ask: Probe, saved: str, load: str, form: str) -> None:
    """Parameters, state dicts and modules are saved and loaded, or refused, as by torch."""
    ask(
        *_SETUP, "p = torch.nn.Parameter(torch.ones(2))", "p.x = 3", "f = io.BytesIO()",
        f"torch.save({SAVED[saved]}, f{form})", "position = f.seek(0)",
        f"c = torch.load(f{', ' * bool(load)}{load})", "repr(c)",
        "[*c.items()] if isinstance(c, dict) else c",
        "vars(c) if isinstance(c, torch.Tensor) else getattr(c, '_metadata', None) is None",
        "getattr(c, 'v', None)", "isinstance(c, torch.nn.Buffer)", question=6,
    )  # fmt: skip
