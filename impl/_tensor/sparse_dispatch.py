"""The dispatch of operators to sparse kernels, and torch's errors for missing ones.

Access of a dense operator to strides or memory of a sparse tensor raises `NotDense`.  The public
function or method catches it and calls `dispatch_sparse`.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import Any

from .._autograd.autograd_meta import requires_grad
from .._autograd.saved_targets import grad_fn_of, is_saved
from .._autograd.tracking import check_inplace, inplace_error
from .._devices.device import CPU, META, device
from .._dtypes.constants import COMPLEX32
from .._runtime.grad_modes import grad_enabled
from .allocation import warn_if_complex32
from .out_autograd import (
    check_no_grad_out,
    check_no_leaf,
    gradient_check_of,
    with_gradient_check,
)
from .sparse_coo import is_sparse
from .sparse_missing import alias_of, could_not_run, missing_kernel, out_kernel, sparse_backend
from .sparse_on_meta import check_applied, kernel_on_meta
from .tensor import METHODS, Tensor

SPARSE_KERNELS: dict[str, Callable[..., Any]] = {}
"""Sparse kernels by operator name; a kernel takes the bound arguments."""

LOADERS: list[Callable[[], object]] = []
"""A function that fills `SPARSE_KERNELS`, added by the package of sparse operators."""

UNARY = frozenset(
    """
    abs absolute asin arcsin asinh arcsinh atan arctan atanh arctanh ceil deg2rad rad2deg erf
    erfinv expm1 floor frac log1p round sign sgn sin sinh sqrt tan tanh trunc fix relu nan_to_num
    """.split()  # noqa: SIM905
)
"""The operators, with in-place forms, that apply to the values of a coalesced tensor."""

PREDICATES = frozenset({"isinf", "isnan", "isneginf", "isposinf", "signbit"})
"""Such operators without in-place forms, whose results are bool."""

_WITH_OUT = UNARY | PREDICATES | {
    "neg", "negative", "pow", "square", "div", "divide", "true_divide", "floor_divide",
    "conj_physical", "all", "any", "add", "sub", "subtract", "mul", "multiply",
    "mm", "addmm", "bmm", "addr",
    "nanmean", "bernoulli", "cat", "concat", "concatenate", "stack", "mean", "sum",
}  # fmt: skip
"""The operators that call the sparse kernel for a sparse ``out``, too."""

SPARSE_FIRST = (
    _WITH_OUT
    | {f"{name}_" for name in UNARY}
    | frozenset(
        """
    add sub mul add_ sub_ mul_ neg_ negative_ subtract multiply rsub sum clone pow_ square_
    div_ divide_ true_divide_ floor_divide_ isfinite isreal any all
    fill_ ldexp ldexp_ conj conj_physical_ subtract_ multiply_ swapaxes_ swapdims_
    resize_ bernoulli index_put index_fill put masked_scatter view_as_real view_as_complex
    masked_fill masked_fill_ resize_as_ squeeze squeeze_ unsqueeze_ diagonal split_with_sizes
    cummax cummin mode float_power adjoint frexp addmm_ addr_ mv
    narrow_copy logsumexp logcumsumexp
    transpose swapaxes swapdims t permute unsqueeze select cat concat concatenate stack unbind copy_
    reshape reshape_as flatten expand expand_as
    broadcast_to contiguous ravel tolist item zero_ view_as movedim moveaxis set_ is_set_to t_
    transpose_ view mean narrow chunk
    """.split()  # noqa: SIM905
    )
)
"""The operators that call the sparse kernel before any check of shapes."""


CHECKED_FIRST = frozenset(
    (
        "float", "double", "half", "bfloat16", "int", "long", "short", "char", "byte", "bool",
        "cfloat", "cdouble", "chalf",
        "as_subclass", "type", "type_as", "to", "to_dense", "to_sparse", "requires_grad_", "cuda",
        "isclose", "allclose", "ipu", "cpu", "mtia", "xpu", "pin_memory", "ldexp_",
        "float_power_", "is_nonzero", "positive", "unflatten", "hstack", "vstack", "row_stack",
        "dstack",
        "column_stack", "hsplit", "vsplit", "dsplit", "repeat", "tile", "diagflat", "sum_to_size",
        "fill", "flip", "fliplr", "flipud", "rot90", "take_along_dim", "diag", "diff", "complex",
        "polar", "repeat_interleave", "argsort", "fill_diagonal_", "matmul", "outer", "ger",
        "inner", "kron", "tensordot", "dot", "vdot", "addbmm", "addbmm_", "softmax", "log_softmax",
        "alias_copy",
        "as_strided_copy", "detach_copy", "diagonal_copy", "expand_copy", "permute_copy",
        "select_copy", "slice_copy", "split_copy", "split_with_sizes_copy", "squeeze_copy",
        "t_copy", "transpose_copy", "unbind_copy", "unfold_copy", "unsqueeze_copy",
        "view_as_complex_copy", "view_as_real_copy", "view_copy", "as_strided_scatter",
        "diagonal_scatter", "select_scatter", "slice_inverse", "slice_scatter", "unsafe_chunk",
        "unsafe_split", "unsafe_split_with_sizes", "quantile", "nanquantile", "cross",
        "combinations", "vander", "trapezoid", "trapz", "cumulative_trapezoid", "fft_fftshift",
        "fft_ifftshift", "linalg_det", "linalg_diagonal", "linalg_eigvals", "linalg_eigvalsh",
        "linalg_matmul",
        "linalg_matrix_norm", "linalg_matrix_power", "linalg_matrix_rank", "linalg_multi_dot",
        "linalg_norm", "linalg_pinv", "linalg_slogdet", "linalg_solve", "linalg_svdvals", "slogdet",
        "linalg_vander", "linalg_vecdot", "pinverse",
    )
)  # fmt: skip
"""The methods that check their arguments first: torch composes them of others, or has no kernel."""


def sparse_first(name: str, run: Callable[..., Any]) -> Callable[..., Any]:
    """Return a callable for a `SPARSE_FIRST` operator that dispatches by sparse operands first."""
    if name not in SPARSE_FIRST:
        return run

    has_out = name in _WITH_OUT

    @wraps(run)
    def dispatch(*operands: Any, **keywords: Any) -> Any:
        for operand in operands:
            if isinstance(operand, Tensor):
                if operand._geometry.is_sparse:
                    return dispatch_sparse(name, *operands, **keywords)
            elif type(operand) in (tuple, list) and any(map(is_sparse, operand)):
                return dispatch_sparse(name, *operands, **keywords)
        if has_out and is_sparse(keywords.get("out")):
            return dispatch_sparse(name, *operands, **keywords)
        return run(*operands, **keywords)

    check = gradient_check_of(run)
    return dispatch if check is None else with_gradient_check(dispatch, check)


_ON_EMPTY_RESULTS = frozenset({"kthvalue.values", "median.dim_values", "nanmedian.dim_values"})
"""The kernels that torch calls with empty results, if there is no ``out``."""


def dispatch_sparse(name: str, *operands: Any, **keywords: Any) -> Any:
    """Return the result of the sparse kernel of an operator; raise torch's error if it has none."""
    if not SPARSE_KERNELS:
        LOADERS[0]()
    out = keywords.get("out")
    run = SPARSE_KERNELS.get(name)
    backend = _backend_of((*operands, out))
    kernel = kernel_on_meta(name, operands, UNARY | PREDICATES) if "Meta" in backend else ""
    has_out = out is not None or kernel == "cat.out"
    if has_out and (name in _CHECKED_GRADIENT or (kernel and name not in PREDICATES)):
        _check_out(name, operands, out)
    if run is None or kernel or (has_out and name in _WITHOUT_OUT):
        missing = kernel or missing_kernel(name, operands)
        is_composed = missing == "as_strided" or missing.endswith(".out")
        if name.endswith("_") and (kernel or not is_composed):
            save_target(name, *operands)
        if out is not None:
            missing = out_kernel(missing)
        elif missing in _ON_EMPTY_RESULTS:
            warn_if_complex32(operands[0]._dtype, 2)  # torch makes the results first
        if kernel and name.removesuffix("_") in UNARY:
            check_applied(name, operands[0], out)
        raise could_not_run(missing, backend)
    return run(*operands, **keywords)


def _check_out(name: str, operands: tuple[Any, ...], out: Any) -> None:
    """Raise for a gradient that autograd does not support with ``out``."""
    if name == "floor_divide":
        check_no_leaf(f"aten::{name}", out, *_tensors_in(operands))
        return
    name = "pow" if name == "square" else alias_of(name)
    check_no_grad_out(name, *_with_gradients(name, operands, out))


def save_target(name: str, target: Tensor, *others: Any) -> None:
    """Do what autograd does before an in-place operator: check the target, and save a copy.

    Only of a complex32 target does anyone see the copy, as torch warns about it.
    """
    tensors = [*_tensors_in(others)]
    check_inplace(target, *tensors)
    node = grad_fn_of(_GRAD_FNS.get(name) or alias_of(name.removesuffix("_")))
    if name in _NODES_OF_TENSOR and isinstance(others[-1], Tensor):
        node = node.replace("Backward0", "Backward1")
    if target._dtype is COMPLEX32 and is_saved(target, node, tensors):
        METHODS["clone"](target)


_GRAD_FNS = {"square_": "pow_"}
"""The operators in place that record the grad_fn of another one."""

_NODES_OF_TENSOR = frozenset({"fmod_", "remainder_", "lerp_"})
"""The operators in place that record a second grad_fn if the last operand is a tensor."""

_CHECKED_GRADIENT = frozenset(
    (
        "clamp", "clip", "mean", "round", "sum", "normal", "ldexp", "cummax", "cummin", "where",
        "frexp", "logsumexp", "logcumsumexp", "narrow_copy",
    )
)  # fmt: skip
"""The operators whose kernels here leave the check of the gradients of ``out`` to the dispatch."""

_NO_GRADIENT = frozenset(("argmax", "argmin", "isin", "nonzero"))
"""The operators without gradients, which torch looks for before it checks those of ``out``."""


_OF_FIRST = frozenset(("gather", "index_select", "take"))
"""The operators that have gradients of the first operand alone."""


def _with_gradients(name: str, operands: Iterable[Any], out: Any) -> list[Tensor]:
    """Return the tensors that can have gradients: no condition, and no indices."""
    operands = [*operands][name == "where" : 1 if name in _OF_FIRST else None]
    if type(out) is tuple and name in ("max", "min", "cummax", "cummin", "frexp"):
        out = out[0]
    return [*_tensors_in((*operands, out))]


_WITHOUT_OUT = frozenset({"index_select", "narrow_copy"})
"""The operators that have a sparse kernel, but none for ``out``."""


def lacks_sparse_kernel(name: str, operands: Iterable[Any], out: Any = None) -> bool:
    """Return whether an operand is sparse and the operator has no sparse kernel.

    Torch finds that before it checks anything else than the gradients of ``out``, so an error of
    such a call is another one.
    """
    given = [*operands, *(out if isinstance(out, tuple) else (out,))]
    if not any(map(is_sparse, given)):
        return False
    if name == "heaviside" and out is not None:
        return inplace_error(out) is None
    tensors = _with_gradients(name, operands, out)
    is_checked = out is not None and name not in _NO_GRADIENT
    if is_checked and grad_enabled() and any(map(requires_grad, tensors)):
        return False
    if not SPARSE_KERNELS:
        LOADERS[0]()
    if out is not None and name in _WITHOUT_OUT:
        return True
    return name not in SPARSE_KERNELS and name not in CHECKED_FIRST


def _backend_of(operands: tuple[Any, ...]) -> str:
    """Return torch's backend of a call with sparse tensors, for a given device or on their own."""
    given = [x for x in operands if isinstance(x, device)]
    devices = given or [x._geometry.device for x in _tensors_in(operands)]
    return sparse_backend(META if META in devices else CPU)


def _tensors_in(operands: Iterable[Any]) -> Iterator[Tensor]:
    """Iterate over the tensors among operands and in their tuples."""
    for operand in operands:
        if isinstance(operand, Tensor):
            yield operand
        elif type(operand) in (tuple, list):
            yield from _tensors_in(operand)


def no_kernel(kernel: str, *operands: Any) -> NotImplementedError:
    """Return torch's error for a kernel that sparse operands lack."""
    return could_not_run(kernel, _backend_of(operands))
