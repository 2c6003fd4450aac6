"""Copies of several views: unbind_copy, split_copy and split_with_sizes_copy.

With ``out``, their kernels copy the views one after the other (ATen/native/TensorShape.cpp). On
meta, those of unbind_copy and split_with_sizes_copy are written in Python (torch/_refs and
torch/_decomp/decompositions.py).
"""

from functools import partial
from typing import Any, NamedTuple, NoReturn

from ..._autograd.autograd_meta import bump_version
from ..._geometry import view_shapes, view_slices
from ..._numerics.conj_neg import CONJUGATE, NEGATIVE
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.allocation import resize_wrapped_out
from ..._tensor.out_autograd import check_no_grad_out, with_gradient_check
from ..._tensor.sparse_dispatch import no_kernel
from ..._tensor.tensor import METHODS, Tensor, shallow_copy
from ..common.conj_neg_fallback import resolve_operands
from ..common.meta_reference import is_on_meta
from ..elementwise.binding import Overload, install_operator
from ..views import views
from .copies import CopiedView, copy_views, doc_of, prepare_out, without_autograd, write_on_meta


class _CopiedParts(NamedTuple):
    """A function that copies several views.

    counted: the beginning of the error of a wrong number of tensors to write to
    resizes: the tensors to write to are resized, and have to have the dtype of the operand
    """

    copied: CopiedView
    counted: str
    resizes: bool = True


def _run(
    parts: _CopiedParts, tensor: Tensor, *arguments: Any, out: tuple[Tensor, ...] | None = None
) -> tuple[Tensor, ...] | None:
    if out is None:
        return copy_views(parts.copied, tensor, *arguments)
    name = parts.copied.name
    (resolved,) = resolve_operands((tensor,))
    _check_bits(name, (tensor,), out)
    if resolved._geometry.is_sparse and name != "unbind_copy":
        raise_no_parts(resolved, *arguments)
    if not resolved._geometry.is_sparse and parts.resizes and is_on_meta(resolved, *out):
        _write_on_meta(parts.copied, out, resolved, *arguments)
        return None
    if name == "unbind_copy":
        check_no_grad_out(name, *out)
    view = PUBLIC["unbind"] if resolved._geometry.is_sparse else parts.copied.view
    pieces = view(resolved, *arguments)
    check(
        len(out) == len(pieces),
        lambda: (
            f"{parts.counted} expected an out= argument of size {len(pieces)}, got size {len(out)}"
        ),
    )
    for target, piece in zip(out, pieces, strict=True):
        if parts.resizes:
            _count_resize(target, piece)
            prepare_out(target, piece)
        METHODS["copy_"](shallow_copy(target), piece)
        bump_version(target)
    return None


def raise_no_parts(tensor: Tensor, size: Any, dim: int = 0) -> NoReturn:
    """Raise torch's error for parts of a sparse tensor: of its sizes, or of the first view."""
    shape = tensor._geometry.shape
    if not isinstance(size, tuple) or not size or size[0] < 0 or not shape:
        view_slices.split(shape, shape, size, dim)
    else:
        view_shapes.wrap_dim(dim, len(shape))
    raise no_kernel("as_strided", tensor)


def _check_bits(name: str, operands: tuple[Any, ...], outs: tuple[Tensor, ...]) -> None:
    """Raise for a bit, which torch does not resolve in a list to write to."""
    for bit, word in ((NEGATIVE, "negation"), (CONJUGATE, "conjugate")):
        if any(out._conj_neg & bit for out in outs):
            raise RuntimeError(
                f" fallback doesn't currently support mutable TensorLists with {word} inputs."
                f" Please materialize all the {word} input tensor(s) in the mutable TensorList"
                f" inputs before calling aten::{name}"
            )


def _count_resize(out: Tensor, piece: Tensor) -> None:
    """Count the change of the sizes of ``out`` apart from the write to it."""
    if out._geometry.shape != piece._geometry.shape:
        bump_version(out)


def _write_on_meta(
    copied: CopiedView, outs: tuple[Tensor, ...], tensor: Tensor, *arguments: Any
) -> None:
    pieces = copied.view(tensor, *arguments)
    if copied.name == "unbind_copy" and len(outs) != len(pieces):
        raise TypeError(f"expected tuple of {len(pieces)} elements but got {len(outs)}")
    for out, piece in zip(outs, pieces, strict=False):
        _count_resize(out, piece)
        resize_wrapped_out(out, piece._geometry.shape)
        write_on_meta(copied.name, out, piece)
        METHODS["copy_"](shallow_copy(out), piece)  # another one may be on meta
        bump_version(out)


_UNBIND, _SPLIT = without_autograd(views.unbind), without_autograd(views.split_view)

for _parts in (
    _CopiedParts(
        CopiedView("unbind_copy", "int64_t dim=0", _UNBIND, "UnbindBackward0_copy", ".int"),
        "unbind_copy_int_out",
    ),
    _CopiedParts(
        CopiedView(
            "split_copy", "SymInt split_size, int64_t dim=0", _SPLIT,
            "SplitBackward0_copy", ".Tensor",
        ),
        "split_copy_Tensor_out()",
        resizes=False,
    ),
    _CopiedParts(
        CopiedView(
            "split_with_sizes_copy", "SymIntArrayRef split_sizes, int64_t dim=0",
            _SPLIT, "SplitWithSizesBackward0_copy",
        ),
        "split_with_sizes_copy_out",
    ),
):  # fmt: skip
    _name = _parts.copied.name
    _checked = with_gradient_check(partial(_run, _parts), partial(_check_bits, _name))
    install_operator(
        _name,
        Overload(_parts.copied.parameters, _checked, out_type="TensorList"),
        doc=doc_of(_name),
        method=False,
    )
