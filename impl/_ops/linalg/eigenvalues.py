"""Eigenvalues of square matrices of any kind (ATen/native/BatchLinearAlgebra.cpp)."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ..._arrays.numpy_bridge import np
from ..._autograd.autograd_meta import requires_grad
from ..._devices.device import META
from ..._dtypes.table import dtype
from ..._geometry.geometry import Geometry, dense, on_device
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import check
from ..._runtime.grad_modes import grad_enabled
from ..._tensor import structseq
from ..._tensor.allocation import resize_output, warn_if_complex32
from ..._tensor.data_access import resolved_array
from ..._tensor.out_autograd import (
    check_no_leaf,
    gradient_check,
    with_gradient_check,
)
from ..._tensor.sparse_coo import is_sparse
from ..._tensor.sparse_dispatch import no_kernel
from ..._tensor.tensor import METHODS, Tensor, set_geometry
from ..elementwise.binding import Overload, function_of_module
from ..reduction.reduce import resolves_bits
from . import factors
from .checks import LAPACK, check_castable, check_same_device, check_square, cpp_name
from .results import Kernel, Result, by_columns, make

_NO_NAN = "torch.linalg.eig: input tensor should not contain infs or NaNs."
_EIG = Kernel("linalg_eig", "LinalgEigBackward0", "linalg_eig_out_cpu", True)
_EIGVALS = Kernel("_linalg_eigvals", "LinalgEigBackward0", "linalg_eig_out_cpu", True)


def _complex(tensor: Tensor) -> dtype:
    """Return the complex dtype of eigenvalues (toComplexType)."""
    own = tensor._dtype
    is_known = own.is_complex or (own.is_floating_point and own.itemsize > 1)
    if tensor._geometry.device is META:
        if not is_known:
            raise KeyError(own)
    else:
        check(is_known, lambda: f"Unknown Complex ScalarType for {cpp_name(own)}")
    return own if own.is_complex else own.to_complex()


def _check_kernel(tensor: Tensor, copies: int) -> None:
    """Raise if there is no kernel for a dtype, after warnings of copies that are complex32."""
    if tensor._dtype not in LAPACK and tensor._geometry.device is not META:
        for _ in range(copies):
            warn_if_complex32(tensor._dtype)
        raise_not_implemented(_EIG.lapack, tensor._dtype)


def _eig(tensor: Tensor, out: Sequence[Tensor] | None = None) -> Any:
    on_meta = tensor._geometry.device is META
    if out is None and not on_meta:
        wanted = _complex(tensor)  # of the tensors that torch makes first
        warn_if_complex32(wanted)
        warn_if_complex32(wanted)
    if not on_meta:
        check(np.isfinite(resolved_array(tensor)).all(), lambda: _NO_NAN)
    check_square("linalg.eig", tensor, by_reference=on_meta)
    if out is None:
        _check_kernel(tensor, 1)
    wanted, shape = _complex(tensor), tensor._geometry.shape
    vectors = dense(shape) if on_meta else by_columns(shape)  # torch asks for CUDA on meta
    results = [Result(dense(shape[:-1]), wanted), Result(vectors, wanted)]
    run = partial(make, _EIG, (tensor,), results, lambda: factors.eig(resolved_array(tensor)))
    if out is None:
        return structseq.linalg_eig(run())
    if on_meta:
        return structseq.linalg_eig_out(run(out))
    names = ("eigenvalues", "eigenvectors")
    return structseq.linalg_eig_out(_into("torch.linalg.eig", tensor, run, results, out, names))


def _into(
    name: str,
    tensor: Tensor,
    run: Callable[..., tuple[Tensor, ...]],
    results: Sequence[Result],
    out: Sequence[Tensor],
    names: Sequence[str],
) -> Sequence[Tensor]:
    """Write results to ``out``; torch makes tensors of its own if one of them does not fit."""
    for target, what in zip(out, names, strict=True):
        check_castable(name, results[0].dtype, target, what)
    for target, what in zip(out, names, strict=True):
        check_same_device(name, target, tensor, what)
    does_fit = all(_fits(target, result) for target, result in zip(out, results, strict=True))
    _check_kernel(tensor, (3 - len(out)) + (0 if does_fit else len(out)))
    if does_fit:
        for target, result in zip(out, results, strict=True):
            if target._geometry.shape != result.geometry.shape:
                set_geometry(resize_output(target, result.geometry.shape), _placed(target, result))
        run(out)
        return out
    for target, made in zip(out, run(), strict=True):
        resize_output(target, made._geometry.shape)
        METHODS["copy_"](target, made)
    return out


def _placed(target: Tensor, result: Result) -> Geometry:
    return on_device(result.geometry, target._geometry.device)


def _fits(target: Tensor, result: Result) -> bool:
    """Return whether LAPACK can write to a tensor."""
    if target._dtype is not result.dtype:
        return False
    if not target._geometry.numel:
        return True
    return _placed(target, result) is target._geometry


def _eigvals(tensor: Tensor, out: Tensor | None = None) -> Tensor:
    on_meta = tensor._geometry.device is META
    if tensor._geometry.is_sparse or is_sparse(out):
        raise no_kernel("linalg_eig" if out is None else "linalg_eigvals.out", tensor, out)
    if out is None and (on_meta or (requires_grad(tensor) and grad_enabled())):
        values: Tensor = _eig(tensor)[0]
        return values
    if out is not None:
        check_no_leaf("aten::linalg_eigvals", out, tensor)
    if out is None:
        warn_if_complex32(_complex(tensor))
    check_square("linalg.eig" if on_meta else "linalg.eigvals", tensor, by_reference=on_meta)
    if out is None:
        _check_kernel(tensor, 2)
    wanted = _complex(tensor)
    results = [Result(dense(tensor._geometry.shape[:-1]), wanted)]
    compute = partial(_values, tensor)
    run = partial(make, _EIGVALS, (tensor,), results, compute)
    if out is None or on_meta:
        return run(None if out is None else (out,))[0]
    _into("torch.linalg.eigvals", tensor, run, results, (out,), ("eigenvalues",))
    return out


def _values(tensor: Tensor) -> Sequence[Any]:
    return [factors.eigvals(resolved_array(tensor))]


eig = function_of_module(
    "linalg",
    "eig",
    Overload("", resolves_bits(_eig, "linalg_eig", 2), out_type="TensorList[2]"),
    doc="Return the complex eigenvalues and eigenvectors of square matrices.",
)
eigvals = function_of_module(
    "linalg",
    "eigvals",
    Overload("", with_gradient_check(_eigvals, gradient_check("aten::linalg_eigvals"))),
    doc="Return the complex eigenvalues of square matrices.",
)
