"""Programs with modules: classes, steps that change a module, and what shows all of it."""

from hypothesis import strategies as st

SHOW = """\
def show(m):
 return (
  repr(m), m.training, [*m.named_parameters(remove_duplicate=False)],
  [*m.named_buffers(remove_duplicate=False)], sorted(m._non_persistent_buffers_set),
  [(n, type(c).__name__, c.training) for n, c in m.named_modules(remove_duplicate=False)],
  dict(m.state_dict()), sorted(vars(m)),
 )"""
"""The function that shows all parts of a module."""

NET = """\
class Net(torch.nn.Module):
 def __init__(self):
  super().__init__()
  self.w = torch.nn.Parameter(torch.arange(6.0).view(2, 3))
  self.register_parameter('p', None)
  self.register_buffer('b', torch.ones(2))
  self.register_buffer('c', torch.tensor([3]), persistent=False)
  self.n = torch.nn.Module()
  self.n.v = torch.nn.Parameter(torch.tensor(2.0))
  self.n.register_buffer('b', self.b)
  self.k = 3
 def forward(self, x, scale=1):
  return x * scale + self.b
 def extra_repr(self):
  return f'k={self.k}'"""
"""A class of modules with all kinds of members."""

NAMES = ("w", "p", "b", "c", "n", "k", "x", "training", "forward", "", "a.b", "_buffers")
VALUES = {
    "None": "None",
    "number": "3",
    "tensor": "torch.zeros(2)",
    "integers": "torch.zeros(2, dtype=torch.int64)",
    "parameter": "torch.nn.Parameter(torch.zeros(2, 3))",
    "frozen": "torch.nn.Parameter(torch.zeros(2, 3), requires_grad=False)",
    "the same parameter": "m.w",
    "buffer": "torch.nn.Buffer(torch.zeros(2))",
    "transient buffer": "torch.nn.Buffer(torch.zeros(2), persistent=False)",
    "result": "m.w * 2",
    "on meta": "torch.nn.Parameter(torch.zeros(2, device='meta'))",
    "module": "torch.nn.Module()",
    "net": "Net()",
    "itself": "m.n",
    "class": "Net",
}
"""Values for the members of a module."""

CHANGES = {
    "assign": "setattr(m, {name!r}, {value})",
    "delete": "delattr(m, {name!r})",
    "register_buffer": "m.register_buffer({name!r}, {value})",
    "register transient": "m.register_buffer({name!r}, {value}, persistent=False)",
    "register_parameter": "m.register_parameter({name!r}, {value})",
    "add_module": "m.add_module({name!r}, {value})",
    "register_module": "m.register_module({name!r}, {value})",
    "assign below": "setattr(m.n, {name!r}, {value})",
    "set_submodule": "m.set_submodule({name!r}, {value})",
    "set_submodule strictly": "m.set_submodule('n.' + {name!r}, {value}, strict=True)",
}
"""Calls that change a member of a module."""

DICTS = ("_parameters", "_buffers", "_modules", "_non_persistent_buffers_set")
"""The attributes of a module that hold its members."""

AFTERWARDS = (
    "setattr(m, 'w', torch.nn.Parameter(torch.zeros(1)))",
    "setattr(m, 'x', torch.nn.Module())", "setattr(m, 'b', torch.nn.Buffer(torch.zeros(1)))",
    "delattr(m, 'c')", "m.register_buffer('x', torch.zeros(1), persistent=False)",
    "m.register_parameter('b', None)", "m.w", "[*m.state_dict()]",
)  # fmt: skip
"""Steps that read or change the attributes of `DICTS`."""

WHOLE = (
    "m.train().training", "m.eval().training", "m.n.eval().training",
    "m.requires_grad_(False) is m",
    "m.requires_grad_() is m", "m.zero_grad()", "m.double() is m", "m.half() is m",
    "m.float() is m",
    "m.bfloat16() is m", "m.to(torch.float64) is m", "m.to('meta') is m",
    "m.to_empty(device='cpu') is m and [p.zero_() for p in m.state_dict().values()] is None",
    "m.apply(lambda n: n.train(False)) is m", "m.load_state_dict(m.state_dict())",
    "m.load_state_dict(Net().state_dict())", "m.load_state_dict(Net().state_dict(), assign=True)",
    "m.load_state_dict(Net().state_dict(), strict=False)",
    "m.load_state_dict(Net().half().state_dict())",
    "m.n.load_state_dict(m.state_dict(), strict=False)", "m.load_state_dict({})",
    "m.load_state_dict(dict(m.state_dict(), b=torch.zeros(2)), assign=True)",
    "m.cpu() is m", "m.state_dict()['b'].fill_(5)", "m.b.mul_(2)", "m.get_buffer('b')",
    "m.get_parameter('w')", "m.get_submodule('n')", "m.get_parameter('n.v')",
    "show(copy.deepcopy(m))", "show(copy.copy(m))", "m._apply(lambda t: t + 1) is m",
)  # fmt: skip
"""Calls that concern a whole module."""


def change(kind: str, name: str, value: str) -> str:
    """Return the call that changes a member."""
    return CHANGES[kind].format(name=name, value=VALUES[value])


def steps() -> st.SearchStrategy[list[str]]:
    """Return a strategy for steps that change a module."""
    one = st.builds(
        change,
        st.sampled_from([*CHANGES]),
        st.sampled_from(NAMES),
        st.sampled_from([*VALUES]),
    )
    return st.lists(one | st.sampled_from(WHOLE), min_size=2, max_size=6)
