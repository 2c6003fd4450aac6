"""topk and msort (aten/src/ATen/native/Sorting.cpp and TopKImpl.h)."""

from typing import Any

from ..._arrays.numpy_bridge import np
from ..._autograd.autograd_meta import bump_version
from ..._devices.device import META
from ..._dtypes.constants import BOOL, INT64
from ..._geometry import view_shapes
from ..._geometry.geometry import dense, on_device
from ..._kernels import selection
from ..._runtime.errors import check
from ..._tensor import structseq
from ..._tensor.allocation import empty_with
from ..._tensor.data_access import write_elements
from ..._tensor.tensor import Tensor
from ..arrangement.sort import resolved_sort
from ..common.copy import copy_into
from ..common.memory_overlap import check_no_overlap
from ..elementwise.binding import Overload, install_operator, install_unary
from ..elementwise.plan import NUMBERS
from ..reduction.reduce import (
    check_kernel,
    check_opaque_copy,
    prepare_out,
    resolves_bits,
    warn_of_narrow_complex,
)
from . import lines
from .lines import Pair
from .ranked import check_dense


def _topk(
    tensor: Tensor, k: int, dim: int, largest: bool, ordered: bool, out: Pair | None = None
) -> Any:
    geometry, dtype = tensor._geometry, tensor._dtype
    check_dense(tensor, out)
    on_meta = geometry.device is META
    dim = view_shapes.wrap_dim(dim, geometry.rank)
    size = geometry.shape[dim] if geometry.rank else 1
    if on_meta and out is None:
        check(k >= 0, lambda: _UNEXPLAINED)
        check(k <= size, lambda: "k not in range for dimension")
    else:
        check(0 <= k <= size, lambda: "selected index k out of range")
    result = lines.result_geometry(geometry, dim, k)
    if on_meta and out is None:
        return lines.on_meta("topk", tensor, result, None, "TopkBackward0")
    check(not dtype.is_complex, lambda: " topk does not support complex dtypes on CPU")
    check(dtype is not BOOL, lambda: "topk does not support bool dtypes on CPU")

    def find(rows: Any) -> Any:
        if not rows.size:
            return np.zeros((len(rows), k), np.int64)
        return selection.top_places(rows, dtype, k, largest=largest, ordered=ordered)

    if out is not None:
        prepare_out(tensor, result, (out[0], dtype), (out[1], INT64))
        _write(tensor, dim, find, out)
        return structseq.topk_out(out)
    warn_of_narrow_complex(dtype, allocated=True, converted=False)
    if geometry.rank:
        check_kernel("topk_cpu", NUMBERS, dtype, tensor)
    else:
        check_opaque_copy(tensor, dtype)
    return lines.results_of("topk", tensor, dim, find, result, "TopkBackward0")


def _write(tensor: Tensor, dim: int, find: lines.Places, out: Pair) -> None:
    if tensor._geometry.device is META:
        pass
    elif not tensor._geometry.rank:
        copy_into(out[0], tensor)
        write_elements(out[1], np.zeros((), np.int64))
    else:
        for target in out:
            check_no_overlap(target, tensor)
        check_kernel("topk_cpu", NUMBERS, tensor._dtype, tensor)
        lines.write_lines(tensor, dim, find, out, copied=False)
    for target in out:
        bump_version(target)


_UNEXPLAINED = (
    "Expected cond to be True, but got False. (Could this error message be improved? If so, please"
    " report an enhancement request to PyTorch.)"
)


def _msort(tensor: Tensor, out: Tensor | None = None) -> Tensor:
    if out is None:
        values: Tensor = resolved_sort(tensor, 0, False)[0]
        return values
    indices = empty_with(on_device(dense((0,)), tensor._geometry.device), INT64)
    resolved_sort(tensor, 0, False, out=(out, indices))
    return out


install_operator(
    "topk",
    Overload(
        "SymInt k, int64_t dim=-1, bool largest=True, bool sorted=True",
        resolves_bits(_topk, "topk"),
        out_type="TensorList[2]",
    ),
    doc="Return the k largest or smallest elements along a dimension, and their indices.",
)
install_unary("msort", _msort, out=True, in_place_function=False)
