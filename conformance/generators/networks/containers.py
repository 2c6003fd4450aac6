"""Programs with containers of modules and parameters."""

from hypothesis import strategies as st

CLASSES = """\
class A(torch.nn.Module):
 def __init__(self, k=1):
  super().__init__()
  self.w = torch.nn.Parameter(torch.full((1,), float(k)))
 def forward(self, x):
  return x * self.w + 1
class B(A): pass"""
"""Classes of modules."""

MAKES = {
    "Sequential": (
        "", "A(1), A(2), B(3)", "A(1)", "collections.OrderedDict(x=A(1), y=B(2))", "A(1), None",
        "[A(1)]", "3", "collections.OrderedDict([('0', A(1)), ('a.b', A(2))])", "*[A(1)] * 2",
    ),
    "ModuleList": (
        "", "[A(1), A(1), B(2)]", "(A(k) for k in range(3))", "[A(1), None]", "3", "[3]", "A(1)",
        "torch.nn.Sequential(A(1), A(1))", "{'x': A(1)}", "[A(1)] * 2",
        "[torch.nn.ModuleList([A(1)])]",
    ),
    "ModuleDict": (
        "", "{'x': A(1), 'y': B(2)}", "[('x', A(1)), ['y', A(2)]]", "3", "[3]", "[(1, 2, 3)]",
        "[('x', 3)]", "{'pop': A(1)}", "{1: A(1)}", "torch.nn.ModuleDict({'z': A(1)})",
        "{'a.b': A(1)}",
    ),
    "ParameterList": (
        "", "[torch.ones(2), torch.zeros(1, 2), 3]", "[torch.nn.Parameter(torch.ones(1), False)]",
        "torch.ones(2)", "3", "(torch.ones(k) for k in range(3))", "[A(1), None, 'x']", "'ab'",
        "[torch.ones(2, dtype=torch.int64)]", "[torch.ones(2, device='meta')]", "[torch.ones(())]",
    ),
    "ParameterDict": (
        "", "{'y': torch.ones(2), 'x': torch.zeros(1, 2), 'z': 3}",
        "[('b', torch.ones(1)), ('a', 3)]",
        "collections.OrderedDict(y=torch.ones(1), x=None)", "3", "[3]", "[(1, 2, 3)]", "{1: 2}",
        "torch.nn.ParameterDict({'q': torch.ones(1)})", "{'x': torch.ones(1, device='meta')}",
        "{'x': torch.ones(2, dtype=torch.int64)}", "{'keys': torch.ones(1)}",
        "{'a.b': torch.ones(1)}",
    ),
}  # fmt: skip
"""Arguments of each class of containers."""

VALUES = {
    "Sequential": ("A(9)", "B(8)", "3", "None", "torch.nn.Sequential(A(7), A(7))", "[A(6)]"),
    "ModuleList": ("A(9)", "B(8)", "3", "None", "[A(7), A(7)]", "torch.nn.ModuleList([A(6)])"),
    "ModuleDict": ("A(9)", "3", "None", "{'x': A(7)}", "[('q', A(6))]"),
    "ParameterList": ("torch.ones(3)", "torch.nn.Parameter(torch.zeros(1))", "3",
    "[torch.ones(1)]"),
    "ParameterDict": ("torch.ones(3)", "3", "None", "{'x': torch.ones(1)}", "m"),
}  # fmt: skip

_READS = (
    "len(m)",
    "[*m]",
    "repr(m)",
    "m[{i}]",
    "m[{s}]",
    "{i} in m",
    "m({x})",
    "dir(m)[-4:]",
    "bool(m)",
    "[*reversed(m)]",
    "m + {v}",
    "{v} + m",
    "m * 2",
    "3 * m",
    "m * 0",
    "m * {v}",
    "m == m",
    "m.x",
    "[*m.keys()]",
    "[*m.values()]",
    "[*m.items()]",
    "m.get({i})",
    "m.get({i}, {v})",
    "m.copy()",
    "m | {v}",
    "{v} | m",
    "m.fromkeys(['a', 'b'], {v})",
    "m.extra_repr()",
    "getattr(m, '0')",
)
_WRITES = (
    "operator.setitem(m, {i}, {v})",
    "operator.delitem(m, {i})",
    "operator.delitem(m, {s})",
    "m.append({v})",
    "m.insert({i}, {v})",
    "m.extend({v})",
    "m.pop({i})",
    "m.pop({s})",
    "operator.iadd(m, {v})",
    "operator.imul(m, 2)",
    "operator.imul(m, 0)",
    "m.clear()",
    "m.update({v})",
    "m.setdefault({i}, {v})",
    "m.popitem()",
    "operator.ior(m, {v})",
    "m.add_module('7', A(5))",
    "setattr(m, '0', {v})",
    "delattr(m, '0')",
    "m.pop()",
    "m.train(False)",
    "m.double()",
    "m.load_state_dict(m.state_dict())",
    "copy.deepcopy(m)",
)
CALLS = (*_READS, *_WRITES)
"""Calls of a container ``m``: ``i`` is an index, ``s`` a slice, ``v`` a value."""

INDICES = {
    "Sequential": ("0", "-1", "1", "5", "-7", "'0'", "'x'", "None", "True", "torch.tensor(1)"),
    "ParameterDict": ("'x'", "'y'", "'q'", "0", "None", "''", "'a.b'"),
}
INDICES |= {
    "ModuleList": INDICES["Sequential"],
    "ParameterList": INDICES["Sequential"],
    "ModuleDict": INDICES["ParameterDict"],
}
SLICES = ("slice(None)", "slice(1, None)", "slice(0, 2)", "slice(None, None, -1)", "slice(5, 2)")
SHOW = "([*m.state_dict().items()], repr(m), [*vars(m)][-2:], type(m).__name__)"


def filled(call: str, name: str, index: int, value: int, part: int) -> str:
    """Return a call of a container of a class, with an index, a slice and a value by number."""
    indices, values = INDICES[name], VALUES[name]
    return call.format(
        i=indices[index % len(indices)],
        v=values[value % len(values)],
        s=SLICES[part % len(SLICES)],
        x="torch.ones(1)",
    )


def steps() -> st.SearchStrategy[tuple[str, list[str]]]:
    """Return a strategy for a container and calls that change it."""
    number = st.integers(0, 29)

    def of(name: str) -> st.SearchStrategy[tuple[str, list[str]]]:
        make = st.sampled_from(MAKES[name]).map(lambda text: f"m = torch.nn.{name}({text})")
        call = st.builds(filled, st.sampled_from(_WRITES), st.just(name), number, number, number)
        return st.tuples(make, st.lists(call, min_size=2, max_size=5))

    return st.sampled_from([*MAKES]).flatmap(of)
