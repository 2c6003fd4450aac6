"""Calls of torch.linalg, of norms and of torch.fft's orders, with operands from a seed, as text."""

from collections.abc import Callable
from random import Random

from ..core.float_formats import FORMATS
from .calls.drawn_operands import Operands
from .calls.product_calls import exact_tensor
from .special_values import DTYPES

Program = tuple[str, ...]

ORDERS = ("2", "2.0", "0", "1", "1.0", "True", "math.inf", "-math.inf")
"""The orders of vectors whose norms are sums or extremes of a few small numbers."""

POWERS = ("3", "-1", "0.5", "-2", "-0.5", "4", "math.nan", "1j")
"""The orders whose powers are not exact, and one that torch refuses."""

MATRIX_ORDERS = (
    "1", "-1", "math.inf", "-math.inf", "'fro'", "1.0", "3", "0", "'abc'", "1j", "'nuc'",
)  # fmt: skip
"""The orders of matrices, and some that torch refuses."""

SINGULAR_ORDERS = ("2", "-2", "2.0")
"""The other orders of matrices, which are orders of vectors as well."""

_FLOATS = tuple(dtype for dtype in DTYPES if FORMATS[dtype].is_float)
_OUTS = (
    "torch.zeros(0, dtype=x.dtype)", "torch.zeros(0, dtype=x.dtype)", "torch.zeros(0)",
    "torch.zeros(0, dtype=torch.empty(0, dtype=x.dtype).abs().dtype)",
    "torch.zeros(2, dtype=x.dtype)", "torch.zeros(4, dtype=x.dtype)[::2]",
    "torch.zeros(2, 2, dtype=x.dtype).t()", "torch.zeros(2, dtype=x.dtype).conj()",
    "torch.zeros(0, dtype=x.dtype, device='meta')", "torch.zeros((), dtype=torch.float64)",
    "torch.zeros(2, requires_grad=True)",
)  # fmt: skip
"""Tensors for ``out=`` that share no memory with operands."""


def program(seed: int) -> Program:
    """Return a program whose call, form and operands depend on the seed; a few are wrong."""
    random = Random(seed)
    return random.choice([*_CALLS.values()])(Operands(random))


def _called(drawn: Operands, steps: list[str], call: str, *, has_out: bool = True) -> Program:
    """Return the steps of a function, which writes to ``out=`` in some programs."""
    steps = drawn.stated(steps)
    if not has_out or not drawn.rarely(3):
        return *steps, call
    return *steps, f"o = {drawn.choice(*_OUTS)}", f"{call[:-1]}, out=o)"


def _tensor(drawn: Operands, shape: list[int], dtype: str) -> str:
    return exact_tensor(drawn.random, dtype, shape, 0.2)


def _dtype_for_norms(drawn: Operands) -> str:
    return drawn.dtype if drawn.rarely(6) else drawn.choice(*_FLOATS)


def _shape(drawn: Operands, *ranks: int) -> list[int]:
    sizes = (1, 2, 2, 3, 3, 4, 0)
    return [drawn.random.choice(sizes) for _ in range(drawn.random.choice(ranks))]


def _dims(drawn: Operands, rank: int) -> str:
    """Return dimensions: one, several, or a few that are wrong."""
    if drawn.rarely(12):
        return drawn.choice("7", "(0, 0)", "()", "(0, 7)", "1.5", "True", "(0, 1, 2)")
    if drawn.rarely(2):
        return str(drawn.dim(rank))
    dims = drawn.random.sample(range(max(1, rank)), drawn.random.randint(1, max(1, rank)))
    return str(tuple(dim - drawn.random.choice((0, max(1, rank))) for dim in dims))


def _options(drawn: Operands, rank: int) -> str:
    """Return arguments after the order: dimensions, keepdim and a dtype."""
    text = f", {_dims(drawn, rank)}" if not drawn.rarely(3) else ""
    if drawn.rarely(3):
        text += f", keepdim={drawn.choice('True', 'False')}"
    if drawn.rarely(5):
        wider = drawn.choice("float64", "complex128", "float32", "float16", "int64")
        text += f", dtype=torch.{wider}"
    return text


def _norm(drawn: Operands, call: str, orders: tuple[str, ...], *ranks: int) -> Program:
    shape = _shape(drawn, *ranks)
    steps = [f"x = {_tensor(drawn, shape, _dtype_for_norms(drawn))}"]
    order = drawn.choice(*orders)
    text = f"{call}(x, {order}{_options(drawn, len(shape))})"
    if drawn.rarely(5):
        text = f"{call}(x)"
    return _called(drawn, steps, text)


def _vector_norm(drawn: Operands) -> Program:
    orders = (*ORDERS, *ORDERS, *POWERS)
    return _norm(drawn, "torch.linalg.vector_norm", orders, 0, 1, 2, 2, 3)


def _matrix_norm(drawn: Operands) -> Program:
    shape = _shape(drawn, 2, 2, 3, 3, 1)
    steps = [f"x = {_tensor(drawn, shape, _dtype_for_norms(drawn))}"]
    dims = drawn.choice(
        "", "", ", (0, 1)", ", (1, 0)", ", (-1, -2)", ", (0, -1)", ", (0, 0)", ", 0"
    )
    keepdim = drawn.choice("", "", ", keepdim=True")
    order = drawn.choice(*MATRIX_ORDERS, *SINGULAR_ORDERS)
    call = f"torch.linalg.matrix_norm(x, {order}{dims}{keepdim})"
    return _called(drawn, steps, call)


def _linalg_norm(drawn: Operands) -> Program:
    return _norm(drawn, "torch.linalg.norm", (*MATRIX_ORDERS, "None"), 0, 1, 1, 2, 2, 3)


def _torch_norm(drawn: Operands) -> Program:
    orders = (*ORDERS, "'fro'", "'fro'", "'fro'", "None", "'abc'")
    program = _norm(drawn, "torch.norm", orders, 0, 1, 2, 2, 3)
    last = program[-1]
    if "out=" in last or drawn.rarely(2):
        return program
    return *program[:-1], last.replace("torch.norm(x, ", "x.norm(").replace(
        "torch.norm(x)", "x.norm()"
    )


def _vecdot(drawn: Operands) -> Program:
    shape = _shape(drawn, 1, 1, 2, 2, 3)
    other = [1 if drawn.rarely(8) else size for size in drawn.other_shape(shape)]
    if drawn.rarely(5):
        other = other[1:]
    dtype = _dtype_for_norms(drawn)
    steps = [
        f"x = {_tensor(drawn, shape, dtype)}",
        f"y = {_tensor(drawn, other, 'float32' if drawn.rarely(15) else dtype)}",
    ]
    dim = drawn.choice("", "", f", dim={drawn.dim(len(shape))}", ", dim=7")
    return _called(drawn, steps, f"torch.linalg.vecdot(x, y{dim})")


def _cross(drawn: Operands) -> Program:
    shape = _shape(drawn, 1, 2, 2, 3)
    dim = drawn.dim(len(shape))
    shape[dim] = 3
    if not drawn.rarely(3):
        shape[-1], dim = 3, -1
    other = [1 if drawn.rarely(10) else size for size in drawn.other_shape(shape)]
    steps = [
        f"x = {_tensor(drawn, shape, drawn.dtype)}", f"y = {_tensor(drawn, other, drawn.dtype)}"
    ]  # fmt: skip
    option = drawn.choice(f", dim={dim}", f", dim={dim}", "" if dim == -1 else f", dim={dim}")
    return _called(drawn, steps, f"torch.linalg.cross(x, y{option})")


def _diagonal(drawn: Operands) -> Program:
    shape = _shape(drawn, 2, 2, 3, 4, 1)
    steps = [f"x = {_tensor(drawn, shape, drawn.dtype)}"]
    options = ("", ", offset=1", ", offset=-1", ", dim1=0", ", dim1=0, dim2=1", ", dim2=-2", ", 1")
    call = f"torch.linalg.diagonal(x{drawn.choice(*options)})"
    return _called(drawn, steps, call, has_out=False)


def _multi_dot(drawn: Operands) -> Program:
    """Draw a chain of matrices, whose ends may be vectors.

    There is no NaN: of two NaN in one product a kernel chooses, and the next products show it.
    """
    random = drawn.random
    count = random.choice((1, 2, 2, 3, 3, 3, 4, 5))
    sizes = [random.choice((1, 2, 3, 4, 0)) for _ in range(count + 1)]
    steps = []
    for at, name in enumerate("xyzwv"[:count]):
        shape = sizes[at : at + 2]
        if at == 0 and drawn.rarely(4):
            shape = shape[1:]
        elif at == count - 1 and drawn.rarely(4):
            shape = shape[:1]
        elif drawn.rarely(20):
            shape = drawn.other_shape(shape)
        dtype = "float32" if drawn.rarely(25) else drawn.dtype
        steps.append(f"{name} = {exact_tensor(random, dtype, shape, 0)}")
    names = ", ".join(step[0] for step in steps)
    return _called(drawn, steps, f"torch.linalg.multi_dot([{names}])")


def _matrix_power(drawn: Operands) -> Program:
    """Draw a power of matrices without NaN, as in `_multi_dot`."""
    size = drawn.random.choice((1, 2, 3, 0))
    shape = [*_shape(drawn, 0, 0, 1), size, size + drawn.rarely(15)]
    if drawn.rarely(20):
        shape = shape[:1]
    steps = [f"x = {exact_tensor(drawn.random, drawn.dtype, shape, 0)}"]
    return _called(drawn, steps, f"torch.linalg.matrix_power(x, {drawn.random.randrange(6)})")


def _matmul(drawn: Operands) -> Program:
    rows, inner, columns = (drawn.random.choice((1, 2, 3, 0)) for _ in range(3))
    batch = _shape(drawn, 0, 0, 1)
    steps = [
        f"x = {_tensor(drawn, [*batch, rows, inner], drawn.dtype)}",
        f"y = {_tensor(drawn, drawn.other_shape([inner, columns]), drawn.dtype)}",
    ]
    return _called(drawn, steps, "torch.linalg.matmul(x, y)")


def _cdist(drawn: Operands) -> Program:
    left, right = [drawn.random.choice((1, 2, 3, 27)) for _ in range(2)]
    columns, dtype = drawn.random.choice((0, 1, 3, 5)), _dtype_for_norms(drawn)
    other = 3 if drawn.rarely(12) else columns
    batch = _shape(drawn, 0, 0, 1)
    steps = [
        f"x = {_tensor(drawn, [*batch, left, columns], dtype)}",
        f"y = {_tensor(drawn, [*(batch if drawn.rarely(2) else ()), right, other], dtype)}",
    ]
    mode = drawn.choice("", "", ", compute_mode='use_mm_for_euclid_dist'")
    order = drawn.choice("2", "2", "2.0", "1", "math.inf", "0", "True", "-1", "'2'")
    return _called(drawn, steps, f"torch.cdist(x, y, {order}{mode})", has_out=False)


def _vander(drawn: Operands) -> Program:
    shape = _shape(drawn, 0, 1, 1, 2, 3)
    steps = [f"x = {_tensor(drawn, shape, drawn.dtype)}"]
    count = drawn.choice("", "", ", N=2", ", N=3", ", N=4", ", N=1", ", N=0", ", N=-1", ", N=None")
    return _called(drawn, steps, f"torch.linalg.vander(x{count})", has_out=False)


_DETERMINED = (
    "linalg.det(x)", "linalg.slogdet(x)", "linalg.inv(x)", "linalg.pinv(x)",
    "linalg.matrix_rank(x)", "linalg.svdvals(x)", "linalg.eigvalsh(x)", "linalg.eigvalsh(x, 'U')",
    "linalg.cholesky(x)", "linalg.cholesky(x, upper=True)", "linalg.qr(x, 'r')", "linalg.qr(x)",
    "inverse(x)", "slogdet(x)", "linalg.matrix_power(x, -1)", "linalg.matrix_power(x, -3)",
    "linalg.pinv(x, rtol=0.1)", "linalg.matrix_rank(x, 2)", "linalg.solve(x, x)",
    "linalg.solve(x, x[..., :1])", "linalg.solve(x, x[..., 0])", "linalg.solve(x, x, left=False)",
)  # fmt: skip
"""The calls whose results do not depend on the signs that LAPACK selects for vectors."""


def _decomposition(drawn: Operands) -> Program:
    """Draw a call of matrices without NaN, for which LAPACK defines no result."""
    size, dtype = drawn.random.choice((1, 2, 2, 3, 4, 0)), _dtype_for_norms(drawn)
    shape = [*_shape(drawn, 0, 0, 1), size, size if not drawn.rarely(8) else 2]
    if drawn.rarely(20):
        shape = shape[1:]
    steps = [f"x = {exact_tensor(drawn.random, dtype, shape, 0)}"]
    call = drawn.choice(*_DETERMINED)
    if "cholesky" in call and not drawn.rarely(3) and len(shape) > 1:
        steps.append(f"x = x @ x.mH + {size} * torch.eye({shape[-2]})")
    return _called(drawn, steps, f"torch.{call}")


def _shift(drawn: Operands) -> Program:
    shape = _shape(drawn, 0, 1, 2, 2, 3)
    steps = [f"x = {_tensor(drawn, shape, drawn.dtype)}"]
    dims = f", {_dims(drawn, len(shape))}" if drawn.rarely(2) else ""
    name = drawn.choice("fftshift", "ifftshift")
    return _called(drawn, steps, f"torch.fft.{name}(x{dims})", has_out=False)


_CALLS: dict[str, Callable[[Operands], Program]] = {
    "vector_norm": _vector_norm, "matrix_norm": _matrix_norm, "linalg.norm": _linalg_norm,
    "norm": _torch_norm, "vecdot": _vecdot, "cross": _cross, "diagonal": _diagonal,
    "multi_dot": _multi_dot, "matrix_power": _matrix_power, "matmul": _matmul, "vander": _vander,
    "cdist": _cdist, "shift": _shift, "decomposition": _decomposition,
}  # fmt: skip
"""The functions that draw the calls, by operator."""
