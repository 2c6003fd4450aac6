"""The text of tensors and the print options (torch/_tensor_str.py).

The text is made from Python numbers.  The printed elements are read once, into
one flat list.  They decide the width and the notation.  Their texts are arranged
in rows, and the attributes that the numbers do not show follow.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain, compress, islice
from math import floor, inf, isnan
from typing import Any

from .._dtypes.constants import UINT8
from .._dtypes.default_dtype import get_default_dtype
from .._dtypes.table import DTYPE_SPECS, Kind
from .._runtime.c_types import PACKAGE
from .._runtime.errors import check
from .._runtime.warnings import is_python_frame

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
    """Set the print options; None keeps an option, except ``sci_mode``, which is always set.

    precision: the number of digits after the point.
    threshold: the number of elements above which a summary is printed.
    edgeitems: the number of items at each end of each dimension in a summary.
    linewidth: the number of characters per line.
    profile: the defaults to start from: default, short or full.
    sci_mode: whether to use the scientific notation; None decides by the numbers.

    As in torch, nothing is checked.  An unknown profile is ignored.  Other wrong
    values fail when a tensor is printed.

    >>> set_printoptions(precision=2, linewidth=40)
    >>> get_printoptions()
    {'precision': 2, 'threshold': 1000, 'edgeitems': 3, 'linewidth': 40, 'sci_mode': None}
    >>> set_printoptions(profile="default")
    """
    for name, defaults in _PROFILES.items():
        if profile == name:
            _OPTIONS.update(defaults)
    options = zip(_DEFAULTS, (precision, threshold, edgeitems, linewidth), strict=True)
    _OPTIONS.update((name, value) for name, value in options if value is not None)
    _OPTIONS["sci_mode"] = sci_mode


def get_printoptions() -> dict[str, Any]:
    """Return the options as keyword arguments of `set_printoptions`."""
    return _OPTIONS.copy()


@contextmanager
def printoptions(**kwargs: Any) -> Iterator[None]:
    """Set the options of `set_printoptions` inside a context.

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


Body = tuple[str, list[str]]
"""The text between the parentheses: the numbers, and the attributes after them."""


def tensor_text(tensor: Any, *, contents: str | None = None) -> str:
    """Return the repr of a tensor; ``contents`` replaces the numbers if it is not None."""
    cls = type(tensor)
    is_plain = _is_class(cls, "Tensor") or _is_class(cls, "Parameter")
    prefix = "tensor(" if is_plain else f"{cls.__name__}("
    indent = len(prefix)
    layout = str(tensor.layout)
    device = tensor.device
    if layout in _SPARSE_PARTS:
        text, suffixes = _sparse(tensor, layout, indent, contents)
    elif str(tensor.dtype) in _QUANTIZED and tensor.is_quantized:
        text, suffixes = _quantized(tensor, indent, contents)
    elif device.type == "meta":
        text = "..." if contents is None else contents
        suffixes = [_size(tensor), *_dtype_unless_default(tensor)]
    else:
        text, suffixes = _strided(tensor, indent, contents)
    suffixes = [
        *([] if device.type == "cpu" else [f"device='{device}'"]),
        *suffixes,
        *([] if layout == "torch.strided" else [f"layout={layout}"]),
        *_autograd(tensor),
    ]
    text = _with_suffixes(prefix + text, suffixes, indent, layout == "torch.sparse_coo")
    return text if is_plain or not _is_parameter(tensor) else f"Parameter({text})"


@is_python_frame
def format_tensor(tensor: Any, format_spec: Any) -> str:
    """Return ``format(tensor, format_spec)``: a 0-dim tensor formats its number.

    Other tensors, meta tensors and subclasses raise for a nonempty ``format_spec``.
    """
    if tensor.dim() == 0 and tensor.device.type != "meta" and _is_class(type(tensor), "Tensor"):
        return tensor.detach().item().__format__(format_spec)  # type: ignore[no-any-return]
    return object.__format__(tensor, format_spec)


# Classes, layouts and dtypes.


def _is_class(cls: type, name: str) -> bool:
    """Return whether ``cls`` is this package's class of a name, not a subclass."""
    return cls.__name__ == name and cls.__module__.partition(".")[0] == PACKAGE


def _is_parameter(tensor: Any) -> bool:
    mro = type(tensor).__mro__
    return any(_is_class(cls, "Parameter") for cls in mro) or getattr(tensor, "_is_param", False)


_SPARSE_PARTS = {
    "torch.sparse_coo": ("_indices", "_values"),
    "torch.sparse_csr": ("crow_indices", "col_indices", "values"),
    "torch.sparse_csc": ("ccol_indices", "row_indices", "values"),
    "torch.sparse_bsr": ("crow_indices", "col_indices", "values"),
    "torch.sparse_bsc": ("ccol_indices", "row_indices", "values"),
}
"""The methods for the parts of sparse tensors; without ``_`` they are the printed labels."""

_QUANTIZED = frozenset(f"torch.{row.name}" for row in DTYPE_SPECS if row.kind is Kind.QUANTIZED)

_PACKED = frozenset(
    f"torch.{row.name}" for row in DTYPE_SPECS if row.float_format and row.float_format.packed > 1
)

_WITHOUT_NUMBERS = _PACKED.union(
    f"torch.{row.name}"
    for row in DTYPE_SPECS
    if row.kind in (Kind.BITS, Kind.QUANTIZED) or row.bits < 8
)
"""The dtypes whose elements torch cannot convert to Python numbers."""


def _strided(tensor: Any, indent: int, contents: str | None) -> Body:
    if not tensor.numel():
        size = [] if tensor.dim() == 1 else [_size(tensor)]
        return "[]" if contents is None else contents, size + _dtype_unless_default(tensor)
    suffixes = [] if _OPTIONS["edgeitems"] else [_size(tensor)]
    suffixes += _dtype_unless_implied(tensor)
    if contents is None:
        # Elements of the MKL-DNN layout cannot be read.
        strided = tensor if str(tensor.layout) == "torch.strided" else tensor.to_dense()
        contents = _numbers(strided, indent)
    return contents, suffixes


def _sparse(tensor: Any, layout: str, indent: int, contents: str | None) -> Body:
    is_meta = tensor.device.type == "meta"
    suffixes = [_size(tensor), *([] if is_meta else [f"nnz={tensor._nnz()}"])]
    suffixes += _dtype_unless_implied(tensor)
    if contents is None:
        parts = []
        for method in _SPARSE_PARTS[layout]:
            part = getattr(tensor, method)()
            prefix = f"{method.removeprefix('_')}=tensor("
            text = "..." if is_meta else _numbers(part, indent + len(prefix))
            size = "" if part.numel() and not is_meta else f", {_size(part)}"
            parts.append(f"{prefix}{text}{size})")
        contents = (",\n" + " " * indent).join(parts)
    return contents, suffixes


def _quantized(tensor: Any, indent: int, contents: str | None) -> Body:
    scheme = str(tensor.qscheme())
    suffixes = [_size(tensor), *_dtype_unless_implied(tensor), f"quantization_scheme={scheme}"]
    if scheme.startswith("torch.per_tensor"):
        suffixes += [f"scale={tensor.q_scale()}", f"zero_point={tensor.q_zero_point()}"]
    else:
        suffixes += [
            f"scale={tensor.q_per_channel_scales()}",
            f"zero_point={tensor.q_per_channel_zero_points()}",
            f"axis={tensor.q_per_channel_axis()}",
        ]
    return _numbers(tensor.dequantize(), indent) if contents is None else contents, suffixes


# The attributes after the numbers.


def _size(tensor: Any) -> str:
    return f"size={tuple(tensor.shape)}"


def _dtype_unless_default(tensor: Any) -> list[str]:
    """Return the dtype suffix of a tensor without printed numbers."""
    name = str(tensor.dtype)
    return [] if name == str(get_default_dtype()) else [f"dtype={name}"]


def _dtype_unless_implied(tensor: Any) -> list[str]:
    """Return the dtype suffix, unless the printed numbers imply the dtype."""
    name, default = str(tensor.dtype), str(get_default_dtype())
    # With a default of half precision the implied complex dtype is still complex64.
    default_complex = "torch.complex128" if default == "torch.float64" else "torch.complex64"
    is_implied = name in ("torch.int64", "torch.bool", default, default_complex)
    return [] if is_implied else [f"dtype={name}"]


def _autograd(tensor: Any) -> list[str]:
    try:
        grad_fn = tensor.grad_fn
    except RuntimeError:
        # grad_fn raises for some views modified in-place without grad mode (#99968).
        return ["grad_fn=<Invalid>"]
    if grad_fn is None:
        return ["requires_grad=True"] if tensor.requires_grad else []
    name = type(grad_fn).__name__
    if name == "CppFunction":
        name = grad_fn.name().rsplit("::", 1)[-1]
    return [f"grad_fn=<{name}>"]


def _with_suffixes(text: str, suffixes: list[str], indent: int, force_newline: bool) -> str:
    """Return a text with suffixes, each on a new line if it does not fit or is forced to."""
    linewidth = _OPTIONS["linewidth"]
    # Torch counts two extra characters for the last line.
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
"""The printed items of each dimension: counts at the front and at the back (None: no summary)."""


def _numbers(tensor: Any, indent: int) -> str:
    """Return the bracketed numbers of a tensor, for a position after ``indent`` characters."""
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
        tensor = tensor.view(UINT8)  # torch defines no casts (#146647)
    elif name in _WITHOUT_NUMBERS:
        # This raises as in torch, which first makes a flat copy or reads a number.
        first = tensor.reshape(-1)[0] if edge is None else tensor[(0,) * len(shape)]
        first.item()
    texts, width = _texts(_printed_elements(tensor, plan), dtype)
    if not plan:
        return texts[0]
    room = _OPTIONS["linewidth"] - (indent + len(plan) - 1)
    per_line = max(1, floor(room / (width + 2)))
    return _bracketed(iter(texts), plan, indent, per_line)


@is_python_frame
def _resolved(tensor: Any) -> Any:
    return tensor.resolve_neg().resolve_conj()


def _edges(shape: tuple[int, ...], edge: Any) -> Plan:
    """Return the plan of a summary; raise for an invalid ``edgeitems``, as torch's slicing does."""
    plan: Plan = []
    for axis, size in enumerate(shape):
        if not size > 2 * edge:
            plan.append((size, None))
        elif axis == len(shape) - 1:
            plan.append((len(range(size)[:edge]), len(range(size)[-edge:])))
        else:
            count = len(range(edge))
            check(count, lambda: "stack expects a non-empty TensorList")
            plan.append((count, count))
    return plan


def _printed_elements(tensor: Any, plan: Plan) -> list[Any]:
    """Return the printed elements in order, without reading the others."""
    if all(back is None for _, back in plan):
        values = tensor.tolist()
        for _ in plan[1:]:
            values = [*chain.from_iterable(values)]
        return values if plan else [values]
    front, back = plan[0]
    size = tensor.shape[0]
    start = size if back is None else size - back
    if len(plan) == 1:
        return tensor[:front].tolist() + tensor[start:].tolist()  # type: ignore[no-any-return]
    return [
        value
        for index in chain(range(front), range(start, size))
        for value in _printed_elements(tensor[index], plan[1:])
    ]


def _bracketed(texts: Iterator[str], plan: Plan, indent: int, per_line: int) -> str:
    """Return the next ``texts`` in brackets and rows, as planned."""
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
    """Return the texts of elements, and the width of an element."""
    if dtype.is_complex:
        reals, width = _float_texts([value.real for value in values])
        imaginaries, imaginary_width = _float_texts([value.imag for value in values])
        return [*map(_complex_text, reals, imaginaries)], width + imaginary_width + 1
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
    """Return the texts of floats, and the width of the finite nonzero ones."""
    if is_e8m0:
        # This dtype rounds 0 to its smallest number, and torch's isfinite is True for its NaN.
        mask = [value != 2.0**-127 for value in values]
    else:
        mask = [-inf < value < inf and value != 0.0 for value in values]
    texts = [*map(_notation([*compress(values, mask)]), values)]
    return _aligned(texts, [*compress(texts, mask)])


def _notation(values: list[float]) -> Callable[[float], str]:
    """Return the formatter of floats, chosen by the finite nonzero ones."""
    if not values:
        return _format_integral
    sizes = [*map(abs, values)]
    largest, smallest = max(sizes), min(sizes)
    scientific = _OPTIONS["sci_mode"]
    if scientific is None:
        # With a NaN, possible in float8_e8m0fnu, all comparisons are false in torch.
        scientific = not any(map(isnan, values)) and (
            largest / smallest > 1000.0 or largest > 1.0e8 or smallest < 1.0e-4
        )
    if scientific:
        return f"{{:.{_OPTIONS['precision']}e}}".format
    if all(map(float.is_integer, values)):
        return _format_integral
    return f"{{:.{_OPTIONS['precision']}f}}".format


def _format_integral(value: float) -> str:
    return f"{value:.0f}." if -inf < value < inf else f"{value:.0f}"


def _aligned(texts: list[str], wide: list[str]) -> tuple[list[str], int]:
    """Return texts aligned to the right, and the width: that of the longest of ``wide``."""
    width = max(map(len, wide), default=1)
    return [text.rjust(width) for text in texts], width
