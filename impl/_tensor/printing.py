"""How a tensor is printed, and the options of printing.

A tensor's text is made from plain Python numbers.  Those that are shown are
taken out once, as one flat list; they decide the width and the notation; then
their texts are put into rows, and attributes that cannot be seen from the
numbers follow.  What is printed, and when, is the rule of torch/_tensor_str.py.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain, compress, islice
from math import floor, inf, isnan
from typing import Any, NamedTuple

from .._dtypes.constants import UINT8
from .._dtypes.default_dtype import get_default_dtype
from .._dtypes.table import ROWS, Kind
from .._runtime.c_types import PACKAGE
from .._runtime.errors import check
from .._runtime.warnings import shown_in_warnings

_DEFAULTS = {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80}

_PROFILES: dict[str, dict[str, Any]] = {
    "default": _DEFAULTS,
    "short": {**_DEFAULTS, "precision": 2, "edgeitems": 2},
    "full": {**_DEFAULTS, "threshold": inf},
}

_OPTIONS: dict[str, Any] = {**_DEFAULTS, "sci_mode": None}


def set_printoptions(
    precision: Any = None,
    threshold: Any = None,
    edgeitems: Any = None,
    linewidth: Any = None,
    profile: Any = None,
    sci_mode: Any = None,
) -> None:
    """Set how tensors are printed; what is None stays, but for ``sci_mode``, which is always set.

    ``precision``: digits after the point.  ``threshold``: the number of
    elements above which only the edges are shown, ``edgeitems`` at each end of
    each dimension.  ``linewidth``: where rows are wrapped.  ``profile``: where
    to start from: default, short or full.  ``sci_mode``: whether to use the
    scientific notation; None lets the numbers decide.

    As in torch, nothing is checked: an unknown profile is passed over, and
    other wrong values fail when something is printed.

    >>> set_printoptions(precision=2, linewidth=40)
    >>> get_printoptions()
    {'precision': 2, 'threshold': 1000, 'edgeitems': 3, 'linewidth': 40, 'sci_mode': None}
    >>> set_printoptions(profile="default")
    """
    for name, options in _PROFILES.items():
        if profile == name:
            _OPTIONS.update(options)
    given = {
        "precision": precision,
        "threshold": threshold,
        "edgeitems": edgeitems,
        "linewidth": linewidth,
    }
    _OPTIONS.update((name, value) for name, value in given.items() if value is not None)
    _OPTIONS["sci_mode"] = sci_mode


def get_printoptions() -> dict[str, Any]:
    """Return the options, as `set_printoptions` takes them by name."""
    return _OPTIONS.copy()


@contextmanager
def printoptions(**kwargs: Any) -> Iterator[None]:
    """Set options, which `set_printoptions` takes, for as long as the context lasts.

    >>> with printoptions(profile="short"):
    ...     get_printoptions()["precision"]
    2
    >>> get_printoptions()["precision"]
    4
    """
    before = get_printoptions()
    set_printoptions(**kwargs)
    try:
        yield
    finally:
        set_printoptions(**before)


class Body(NamedTuple):
    """What stands between the brackets: the numbers, and the attributes after them."""

    text: str
    suffixes: list[str]


def tensor_text(tensor: Any, *, contents: str | None = None) -> str:
    """Return what ``repr(tensor)`` is, with ``contents`` in place of the numbers if it is given."""
    cls = type(tensor)
    plain = _is_own(cls, "Tensor") or _is_own(cls, "Parameter")
    prefix = "tensor(" if plain else f"{cls.__name__}("
    indent = len(prefix)
    layout = str(tensor.layout)
    device = tensor.device
    if layout in _SPARSE_PARTS:
        body = _sparse(tensor, layout, indent, contents)
    elif str(tensor.dtype) in _QUANTIZED and tensor.is_quantized:
        body = _quantized(tensor, indent, contents)
    elif device.type == "meta":
        body = Body(_given(contents, "..."), [_size(tensor), *_dtype_unless_default(tensor)])
    else:
        body = _strided(tensor, indent, contents)
    suffixes = [
        *([] if device.type == "cpu" else [f"device='{device}'"]),
        *body.suffixes,
        *([] if layout == "torch.strided" else [f"layout={layout}"]),
        *_autograd(tensor),
    ]
    text = _with_suffixes(prefix + body.text, suffixes, indent, layout == "torch.sparse_coo")
    return text if plain or not _is_parameter(tensor) else f"Parameter({text})"


@shown_in_warnings
def format_tensor(tensor: Any, format_spec: Any) -> str:
    """Return what ``format(tensor, format_spec)`` is: that of the number in a 0-dim tensor.

    Tensors with dimensions, on the meta device or of derived classes take no specification.
    """
    if tensor.dim() == 0 and tensor.device.type != "meta" and _is_own(type(tensor), "Tensor"):
        text: str = tensor.item().__format__(format_spec)
        return text
    return object.__format__(tensor, format_spec)


# What kind of tensor it is.


def _is_own(cls: type, name: str) -> bool:
    """Tell whether it is this package's class of that name, and not one derived from it."""
    return cls.__name__ == name and cls.__module__.partition(".")[0] == PACKAGE


def _is_parameter(tensor: Any) -> bool:
    kinds = type(tensor).__mro__
    return any(_is_own(kind, "Parameter") for kind in kinds) or getattr(tensor, "_is_param", False)


_SPARSE_PARTS = {
    "torch.sparse_coo": ("_indices", "_values"),
    "torch.sparse_csr": ("crow_indices", "col_indices", "values"),
    "torch.sparse_csc": ("ccol_indices", "row_indices", "values"),
    "torch.sparse_bsr": ("crow_indices", "col_indices", "values"),
    "torch.sparse_bsc": ("ccol_indices", "row_indices", "values"),
}
"""The methods that return the tensors of which a sparse one is made; less ``_``, their labels."""

_QUANTIZED = frozenset(f"torch.{row.name}" for row in ROWS if row.kind is Kind.QUANTIZED)


_PACKED = frozenset(
    f"torch.{row.name}" for row in ROWS if row.float_format and row.float_format.packed > 1
)

_WITHOUT_NUMBERS = _PACKED.union(
    f"torch.{row.name}" for row in ROWS if row.kind in (Kind.BITS, Kind.QUANTIZED) or row.bits < 8
)
"""The dtypes whose elements torch cannot turn into Python numbers."""


def _strided(tensor: Any, indent: int, contents: str | None) -> Body:
    if not tensor.numel():
        size = [] if tensor.dim() == 1 else [_size(tensor)]
        return Body(_given(contents, "[]"), size + _dtype_unless_default(tensor))
    suffixes = [] if _OPTIONS["edgeitems"] else [_size(tensor)]
    suffixes += _dtype_unless_seen(tensor)
    if contents is None:
        # The layout of MKL-DNN has no elements that can be asked for.
        strided = tensor if str(tensor.layout) == "torch.strided" else tensor.to_dense()
        contents = _numbers(strided, indent)
    return Body(contents, suffixes)


def _sparse(tensor: Any, layout: str, indent: int, contents: str | None) -> Body:
    is_meta = tensor.device.type == "meta"
    suffixes = [_size(tensor), *([] if is_meta else [f"nnz={tensor._nnz()}"])]
    suffixes += _dtype_unless_seen(tensor)
    if contents is None:
        parts = []
        for method in _SPARSE_PARTS[layout]:
            part = getattr(tensor, method)()
            prefix = f"{method.removeprefix('_')}=tensor("
            text = "..." if is_meta else _numbers(part, indent + len(prefix))
            size = "" if part.numel() and not is_meta else f", {_size(part)}"
            parts.append(f"{prefix}{text}{size})")
        contents = (",\n" + " " * indent).join(parts)
    return Body(contents, suffixes)


def _quantized(tensor: Any, indent: int, contents: str | None) -> Body:
    scheme = str(tensor.qscheme())
    suffixes = [_size(tensor), *_dtype_unless_seen(tensor), f"quantization_scheme={scheme}"]
    if scheme.startswith("torch.per_tensor"):
        suffixes += [f"scale={tensor.q_scale()}", f"zero_point={tensor.q_zero_point()}"]
    else:
        suffixes += [
            f"scale={tensor.q_per_channel_scales()}",
            f"zero_point={tensor.q_per_channel_zero_points()}",
            f"axis={tensor.q_per_channel_axis()}",
        ]
    return Body(_numbers(tensor.dequantize(), indent) if contents is None else contents, suffixes)


# What follows the numbers.


def _given(contents: str | None, otherwise: str) -> str:
    return otherwise if contents is None else contents


def _size(tensor: Any) -> str:
    return f"size={tuple(tensor.shape)}"


def _dtype_unless_default(tensor: Any) -> list[str]:
    """Return the dtype where no number tells it."""
    name = str(tensor.dtype)
    return [] if name == str(get_default_dtype()) else [f"dtype={name}"]


def _dtype_unless_seen(tensor: Any) -> list[str]:
    """Return the dtype where the numbers do not tell it."""
    name, default = str(tensor.dtype), str(get_default_dtype())
    # Complex numbers of single precision are not told apart under a default of half precision.
    default_complex = "torch.complex128" if default == "torch.float64" else "torch.complex64"
    seen = name in ("torch.int64", "torch.bool", default, default_complex)
    return [] if seen else [f"dtype={name}"]


def _autograd(tensor: Any) -> list[str]:
    try:
        grad_fn = tensor.grad_fn
    except RuntimeError:
        # A view made and written to without gradients refuses to tell (#99968).
        return ["grad_fn=<Invalid>"]
    if grad_fn is None:
        return ["requires_grad=True"] if tensor.requires_grad else []
    name = type(grad_fn).__name__
    if name == "CppFunction":
        name = grad_fn.name().rsplit("::", 1)[-1]
    return [f"grad_fn=<{name}>"]


def _with_suffixes(text: str, suffixes: list[str], indent: int, force_newline: bool) -> str:
    """Append the suffixes, each on a new line if it does not fit, the first one if it is forced."""
    linewidth = _OPTIONS["linewidth"]
    # Torch counts two characters more than the last line has.
    used = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if force_newline or used + len(suffix) + 2 > linewidth:
            text += ",\n" + " " * indent + suffix
            used = indent + len(suffix)
            force_newline = False
        else:
            text += ", " + suffix
            used += len(suffix) + 2
    return text + ")"


# The numbers.

Plan = list[tuple[int, int | None]]
"""What is shown of each dimension: so many at the front, and so many at the back or, if nothing
is left out, None."""


def _numbers(tensor: Any, indent: int) -> str:
    """Return the numbers of a tensor, in brackets, for a place that is indented so far."""
    count = tensor.numel()
    if not count:
        return "[]"
    tensor = _resolved(tensor)
    shape = tuple(tensor.shape)
    edge = _OPTIONS["edgeitems"] if count > _OPTIONS["threshold"] else None
    if edge is not None and not edge and shape:
        return "[...]"
    plan: Plan = [(size, None) for size in shape] if edge is None else _edges(shape, edge)
    dtype = tensor.dtype
    name = str(dtype)
    if name in _PACKED and shape:
        tensor = tensor.view(UINT8)  # no casts are defined (#146647)
    elif name in _WITHOUT_NUMBERS:
        # This raises: what torch asks for first, a flat copy or a number, says why there is none.
        first = tensor.reshape(-1)[0] if edge is None else tensor[(0,) * len(shape)]
        first.item()
    texts, width = _texts(_shown(tensor, plan), dtype)
    if not plan:
        return texts[0]
    room = _OPTIONS["linewidth"] - (indent + len(plan) - 1)
    per_line = max(1, floor(room / (width + 2)))
    return _bracketed(iter(texts), plan, indent, per_line)


@shown_in_warnings
def _resolved(tensor: Any) -> Any:
    return tensor.resolve_neg().resolve_conj()


def _edges(shape: tuple[int, ...], edge: Any) -> Plan:
    """Plan a summary.  The errors for what is no number of items are those of torch's ways there."""
    plan: Plan = []
    for axis, size in enumerate(shape):
        if not size > 2 * edge:
            plan.append((size, None))
        elif axis == len(shape) - 1:
            plan.append((len(range(size)[:edge]), len(range(size)[-edge:])))
        else:
            shown = len(range(edge))
            check(shown, lambda: "stack expects a non-empty TensorList")
            plan.append((shown, shown))
    return plan


def _shown(tensor: Any, plan: Plan) -> list[Any]:
    """Return the elements that are shown, in their order, and read no others."""
    if all(back is None for _, back in plan):
        values = tensor.tolist()
        for _ in plan[1:]:
            values = [*chain.from_iterable(values)]
        return values if plan else [values]
    front, back = plan[0]
    size = tensor.shape[0]
    start = size if back is None else size - back
    if len(plan) == 1:
        edges: list[Any] = tensor[:front].tolist() + tensor[start:].tolist()
        return edges
    return [
        value
        for index in chain(range(front), range(start, size))
        for value in _shown(tensor[index], plan[1:])
    ]


def _bracketed(texts: Iterator[str], plan: Plan, indent: int, per_line: int) -> str:
    """Take from ``texts`` as many as the plan asks for, and put them into rows."""
    (front, back), inner = plan[0], plan[1:]

    def take(count: int) -> list[str]:
        if not inner:
            return [*islice(texts, count)]
        return [_bracketed(texts, inner, indent + 1, per_line) for _ in range(count)]

    parts = take(front)
    if back is not None:
        parts += ["..." if inner else " ...", *take(back)]
    if not inner:
        parts = [", ".join(parts[i : i + per_line]) for i in range(0, len(parts), per_line)]
    return "[" + ("," + "\n" * max(1, len(inner)) + " " * (indent + 1)).join(parts) + "]"


def _texts(values: list[Any], dtype: Any) -> tuple[list[str], int]:
    """Return the texts of elements, and the width that an element counts for."""
    if dtype.is_complex:
        reals, width = _float_texts([value.real for value in values])
        imaginaries, more = _float_texts([value.imag for value in values])
        return [*map(_complex_text, reals, imaginaries)], width + more + 1
    if not dtype.is_floating_point:
        texts = [*map(str, values)]
        return _aligned(texts, texts)
    name = str(dtype)
    if name in _PACKED:
        values = [*map(float, values)]
    return _float_texts(values, name == "torch.float8_e8m0fnu")


def _complex_text(real: str, imaginary: str) -> str:
    imaginary = imaginary.lstrip()
    sign = "" if imaginary[0] in "+-" else "+"
    return f"{real}{sign}{imaginary}j"


def _float_texts(values: list[float], is_e8m0: bool = False) -> tuple[list[str], int]:
    """Return the texts of floats, and their width, for which only finite ones but 0 count."""
    if is_e8m0:
        # In this dtype 0 is rounded to the smallest number, which then equals it; and torch's
        # isfinite takes NaN for finite.
        counts = [value != 2.0**-127 for value in values]
    else:
        counts = [-inf < value < inf and value != 0.0 for value in values]
    counted = [*compress(values, counts)]
    text_of = _notation(counted)
    texts = [*map(text_of, values)]
    return _aligned(texts, [*compress(texts, counts)])


def _notation(values: list[float]) -> Callable[[float], str]:
    """Choose how floats are written, from those that are finite and not 0."""
    if not values:
        return _whole
    sizes = [*map(abs, values)]
    largest, smallest = max(sizes), min(sizes)
    scientific = _OPTIONS["sci_mode"]
    if scientific is None:
        # NaN, which float8_e8m0fnu can bring, makes all comparisons false in torch.
        scientific = not any(map(isnan, values)) and (
            largest / smallest > 1000.0 or largest > 1.0e8 or smallest < 1.0e-4
        )
    if scientific:
        return f"{{:.{_OPTIONS['precision']}e}}".format
    if all(map(float.is_integer, values)):
        return _whole
    return f"{{:.{_OPTIONS['precision']}f}}".format


def _whole(value: float) -> str:
    return f"{value:.0f}." if -inf < value < inf else f"{value:.0f}"


def _aligned(texts: list[str], wide: list[str]) -> tuple[list[str], int]:
    """Align texts to the right, in the width of the widest of some of them, which is returned, too."""
    width = max(map(len, wide), default=1)
    return [text.rjust(width) for text in texts], width
