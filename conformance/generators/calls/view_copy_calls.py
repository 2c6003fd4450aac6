"""Calls that copy views, write to copies or split in parts, with operands drawn by a seed."""

from random import Random

from .drawn_operands import Operands
from .indexed_calls import Program, in_form

_COPIES = {
    "alias_copy(x)": "fo", "detach_copy(x)": "fo", "t_copy(x)": "fo", "squeeze_copy(x)": "fo",
    "squeeze_copy(x, {d})": "fo", "squeeze_copy(x, ({d}, {e}))": "fo",
    "unsqueeze_copy(x, {d})": "fo", "transpose_copy(x, {d}, {e})": "fo",
    "permute_copy(x, {p})": "fo", "diagonal_copy(x, {n})": "fo",
    "diagonal_copy(x, {n}, {d}, {e})": "fo", "expand_copy(x, {s})": "fo",
    "expand_copy(x, {s}, implicit=True)": "fo", "view_copy(x, {s})": "fo",
    "view_copy(x, (-1, {m}))": "fo", "view_copy(x, {t})": "fo", "view_as_real_copy(x)": "fo",
    "view_as_complex_copy(x)": "fo", "select_copy(x, {d}, {n})": "fo",
    "slice_copy(x, {d}, {n}, {b}, {m})": "fo", "slice_copy(x, {d})": "fo",
    "unfold_copy(x, {d}, {m}, {m})": "fo", "as_strided_copy(x, {s}, {z})": "fo",
    "as_strided_copy(x, {s}, {z}, {n})": "fo", "narrow_copy(x, {d}, {n}, {m})": "fmo",
    "unbind_copy(x, {d})": "fl", "split_copy(x, {m}, {d})": "fl",
    "split_with_sizes_copy(x, {s}, {d})": "fl", "unsafe_chunk(x, {m}, {d})": "fm",
    "unsafe_split(x, {m}, {d})": "fm", "unsafe_split_with_sizes(x, {s}, {d})": "fm",
}  # fmt: skip
"""Calls on ``x`` with their forms: those of `in_form`, and ``l`` for a list to write to."""

_SCATTERS = {
    "select_scatter(x, y, {d}, {n})": ("x.select({d}, {n})", "fm"),
    "slice_scatter(x, y, {d}, {n}, {b}, {m})": (
        "torch.slice_copy(x, {d}, {n}, {b}, {m})", "fmo"
    ),
    "slice_scatter(x, y, {d})": ("x", "fmo"),
    "diagonal_scatter(x, y, {n}, {d}, {e})": ("x.diagonal({n}, {d}, {e})", "fm"),
    "as_strided_scatter(x, y, {s}, {z})": ("torch.zeros({s})", "fm"),
    "as_strided_scatter(x, y, {s}, {z}, {n})": ("torch.zeros({s})", "fm"),
    "slice_inverse(x, y, {d}, {n}, {b}, {m})": ("x[:1]", "fm"),
}  # fmt: skip
"""Calls that take the elements of a view as ``y``, with the text of that view, and their forms."""

_NUMBERS = ("0", "0", "1", "1", "-1", "2", "-2", "3", "7")
_COUNTS = ("1", "1", "2", "2", "3", "0", "-1", "4")
_LISTS = (
    "[torch.zeros(0, dtype=x.dtype) for _ in range({})]",
    "[torch.zeros(x.shape[1:], dtype=x.dtype) for _ in range({})]",
    "[torch.zeros(2, 3, dtype=x.dtype).t() for _ in range({})]",
    "[torch.zeros(0, dtype=x.dtype, device=x.device) for _ in range({})]",
    "[torch.ones(0) for _ in range({})]",
    "[torch.ones(0).requires_grad_() for _ in range({})]",
    "[torch.zeros(0, dtype=x.dtype, device=d) for d in ('cpu', 'meta', 'cpu')][:{}]",
    "[x[:1], x[1:], x][:{}]",
    "[torch.zeros(2, dtype=x.dtype).conj() for _ in range({})]",
)


def program(seed: int) -> Program:
    """Return a program whose call, form and operands depend on the seed; a few are wrong."""
    random = Random(seed)
    drawn = Operands(random)
    shape = drawn.shape(0, 1, 2, 2, 2, 3, 3)
    values = _arguments(drawn, shape)
    steps = [f"x = {drawn.tensor(shape)}"]
    if drawn.rarely(3):
        template, (view, forms) = random.choice([*_SCATTERS.items()])
        steps.append(f"y = {_source(drawn, view.format(**values), shape)}")
    else:
        template, forms = random.choice([*_COPIES.items()])
    call, form = template.format(**values), random.choice(forms)
    steps = [*drawn.stated(steps[:1]), *steps[1:]]
    if form == "l":
        outs = drawn.choice(*_LISTS).format(drawn.choice("1", "2", "3"))
        return *steps, f"o = {outs}", f"torch.{call[:-1]}, out=o)", "[t._version for t in o]"
    called = in_form(drawn, call, form, [step[0] for step in steps])
    if call.startswith("narrow_copy") and any("expand" in step for step in (*steps, *called)):
        called = in_form(drawn, call, "f", ())  # torch writes beyond the memory of ``out``
    return *steps, *called


def _arguments(drawn: Operands, shape: list[int]) -> dict[str, object]:
    """Return the arguments of the calls by their letters."""
    random, rank = drawn.random, len(shape)
    order = [*range(rank)]
    random.shuffle(order)
    sizes = [1 if drawn.rarely(3) else size for size in shape]
    if drawn.rarely(3):
        sizes = [random.choice((1, 2, 3, -1)), *sizes]
    return {
        "d": drawn.dim(rank) if not drawn.rarely(15) else 5,
        "e": drawn.dim(rank),
        "n": random.choice(_NUMBERS),
        "m": random.choice(_COUNTS),
        "b": random.choice(("None", *_NUMBERS)),
        "p": tuple(order[drawn.rarely(10) :]),
        "s": tuple(sizes),
        "z": tuple(random.choice((0, 1, 1, 2, 3)) for _ in sizes[drawn.rarely(10) :]),
        "t": f"torch.{drawn.choice('int8', 'int16', 'float32', 'float64', 'complex64')}",
    }


def _source(drawn: Operands, view: str, shape: list[int]) -> str:
    """Return the text of the elements for a view: as many, or any others."""
    if drawn.rarely(4):
        return drawn.tensor(drawn.other_shape(shape))
    dtype = f", dtype=torch.{drawn.choice('float64', 'int64', 'complex64')}" * drawn.rarely(4)
    device = ", device='meta'" * drawn.rarely(8)
    return f"torch.full_like({view}, 3{dtype}{device})"
