"""torch.norm and Tensor.norm, which torch composes in Python (torch/functional.py).

The norms of sparse tensors follow norm_sparse in ATen/native/sparse/SparseTensorMath.cpp.
"""

from typing import Any

from ..._argparser.parser import Parser
from ..._autograd.grad_mode import no_grad
from ..._devices.device import META
from ..._dtypes.table import spec_of
from ..._geometry.view_shapes import wrap_dim
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._runtime.warnings import is_python_frame
from ..._tensor.out_autograd import check_no_grad_out
from ..._tensor.sparse_coo import is_sparse
from ..._tensor.sparse_dispatch import no_kernel
from ..._tensor.tensor import METHODS, Tensor
from ..._tensor.views import record_grad_fn
from .norms import matrix_norm
from .vector_norm import vector_norm


@is_python_frame
def norm(
    input: Any,
    p: Any = "fro",
    dim: Any = None,
    keepdim: Any = False,
    out: Any = None,
    dtype: Any = None,
) -> Tensor:
    """Return the norm of all elements, of vectors along a dimension, or of matrices."""
    dims = [dim] if isinstance(dim, int) else dim
    options = {"dtype": dtype} if out is None else {"dtype": dtype, "out": out}
    if is_sparse(input):
        return _sparse_norm(input, p, dims, keepdim, options)
    input.layout  # noqa: B018  # raises for what is no tensor
    result: Tensor
    if not isinstance(p, str):
        result = vector_norm(input, 2.0 if p is None else p, dims, keepdim, **options)
    elif p == "fro" and (dims is None or len(dims) <= 2):
        result = vector_norm(input, 2, dims, keepdim, **options)
    else:
        dims = [*range(input.ndim)] if dims is None else dims
        result = matrix_norm(input, p, dims, keepdim, **options)
    return result


_parse = Parser("norm(Tensor input, Scalar? p, IntArrayRef[1] dim, bool keepdim=False)")
_parse_frobenius = Parser("frobenius_norm(Tensor input, IntArrayRef[1] dim, bool keepdim=False)")
_parse_nuclear = Parser(
    "nuclear_norm(Tensor input, IntArrayRef[2] dim, bool keepdim=False, *, Tensor out=None)",
    "nuclear_norm(Tensor input, bool keepdim=False, *, Tensor out=None)",
)
_WORDS = {"fro": "frobenius", "nuc": "nuclear"}


def _sparse_norm(
    tensor: Tensor, p: Any, dims: Any, keepdim: Any, options: dict[str, Any]
) -> Tensor:
    if isinstance(p, str):
        is_plain = dims is None and options == {"dtype": None}
        check(
            p in _WORDS,
            lambda: f"only valid string values are 'fro' and 'nuc', found {p}",
        )
        check(
            options["dtype"] is None,
            lambda: f"dtype argument is not supported in {_WORDS[p]} norm",
            ValueError,
        )
        if p == "nuc":
            given = (tensor,) if dims is None else (tensor, dims)
            _, *pair, keepdim, _ = _parse_nuclear(given, {"keepdim": keepdim})
            dims = pair[0] if pair else (-2, -1)
            return matrix_norm(tensor, p, dims, keepdim, **options)  # type: ignore[no-any-return]
        p, dims = 2.0, () if is_plain else dims
        dims = [*range(tensor._geometry.rank)] if dims is None else dims
        _, dims, keepdim = _parse_frobenius((tensor, dims), {"keepdim": keepdim})
        check(
            len(dims) <= 2,
            lambda: f"Expected at most 2 dimensions, but got {len(dims)} dimensions instead.",
        )
    elif dims is None:
        keywords = {"dim": [*range(tensor._geometry.rank)], "keepdim": keepdim}
        _, p, dims, keepdim = _parse((tensor, p), keywords)
    else:
        _, p, dims, keepdim = _parse((tensor, p, dims), {"keepdim": keepdim})
    if p is None and options["dtype"] is None:
        p = 2.0
    return _of_values(tensor, p, dims, keepdim, options)


def _of_values(tensor: Tensor, p: Any, dims: Any, keepdim: bool, options: dict[str, Any]) -> Tensor:
    """Return the norm of all elements of a sparse tensor."""
    if "out" in options:
        check_no_grad_out("norm", tensor, options["out"])
        kernel = "norm.out" if options["dtype"] is None else "norm.dtype_out"
        raise no_kernel(kernel, tensor, options["out"])
    if tensor._geometry.device is META:
        kernel = "norm.ScalarOpt_dim" + "_dtype" * (options["dtype"] is not None)
        raise no_kernel(kernel, tensor)
    rank = tensor._geometry.rank
    is_full = not dims or len(dims) == rank
    is_full = is_full and len({wrap_dim(dim, rank) for dim in dims}) == len(dims)
    check(
        is_full,
        lambda: (
            "norm_sparse currently only supports full reductions, so 'dim' must either be empty or"
            " contain all dimensions of the input"
        ),
    )
    check(not keepdim, lambda: "norm_sparse currently does not support keepdim=True")
    check(
        options["dtype"] is None,
        lambda: "norm_sparse currently does not support 'dtype' argument",
    )
    own = tensor._dtype
    check(
        own.is_floating_point or own.is_complex,
        lambda: (
            "norm(): input dtype should be either floating point or complex. Got"
            f" {spec_of(own).cpp_name} instead."
        ),
    )
    with no_grad():
        values = METHODS["_values"](METHODS["coalesce"](tensor))
    return record_grad_fn(vector_norm(values, p), (tensor,), "NormBackward1")


def _norm_method(
    self: Tensor,
    p: float | str | None = "fro",
    dim: Any = None,
    keepdim: Any = False,
    dtype: Any = None,
) -> Tensor:
    """Return the norm of all elements, of vectors along a dimension, or of matrices."""
    return PUBLIC["norm"](self, p, dim, keepdim, dtype=dtype)  # type: ignore[no-any-return]


_norm_method.__name__, _norm_method.__qualname__ = "norm", "Tensor.norm"
PUBLIC["norm"] = norm
METHODS["norm"] = _norm_method
