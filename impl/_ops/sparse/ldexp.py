"""ldexp of sparse tensors (ATen/native/BinaryOps.cpp): a product with a power of two."""

from typing import Any

from ..._argparser.types import is_integral_dtype
from ..._autograd.tracking import check_inplace
from ..._devices.device import META
from ..._dtypes.constants import FLOAT32
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.factories import full
from ..._tensor.sparse_coo import detached_part, is_sparse
from ..._tensor.tensor import Tensor
from ..._tensor.views import record_grad_fn
from ..elementwise.power import check_ldexp_cast
from . import mul


def _ldexp(left: Tensor, right: Tensor, out: Tensor | None = None) -> Tensor:
    """ldexp(input, other): input * 2 ** other."""
    if out is not None:
        check_ldexp_cast(left, out)
        product: Tensor = PUBLIC["mul"](left, _power_of_two(left, right), out=out)
        return product
    result = PUBLIC["mul"](detached_part(left), detached_part(_power_of_two(left, right)))
    return record_grad_fn(result, (left, right), "LdexpBackward0")


def _ldexp_(left: Tensor, right: Tensor) -> Tensor:
    check_inplace(left)
    check_ldexp_cast(left, left)
    if META in (left._geometry.device, right._geometry.device):
        return _ldexp(left, right, out=left)
    return mul.mul_(left, _power_of_two(left, right), "LdexpBackward0")


def _power_of_two(left: Tensor, right: Tensor) -> Tensor:
    is_kernel = left._dtype.is_floating_point and is_integral_dtype(right._dtype, or_bool=True)
    is_on_meta = META in (left._geometry.device, right._geometry.device)
    check(not is_kernel or is_on_meta, lambda: "unsupported tensor layout: Sparse")
    is_number = left._dtype is FLOAT32 or is_integral_dtype(left._dtype, or_bool=True)
    check(
        is_number or not is_sparse(left),  # torch makes a tensor of 2 with the layout of ``left``
        lambda: "full(...) is not implemented for sparse layout",
    )
    base: Any = 2.0
    if not is_number:
        base = full((), base, dtype=left._dtype, device=left._geometry.device)
    power: Tensor = PUBLIC["pow"](base, right)
    return power


KERNELS = {"ldexp": _ldexp, "ldexp_": _ldexp_}
