"""The largest and the smallest elements, and where they are.

The rules are those of aten/src/ATen/native/ReduceOps.cpp, ReduceAllOps.cpp and TensorCompare.cpp.
"""

from collections.abc import Callable
from functools import partial
from math import inf
from typing import Any, NamedTuple

from ..._arrays.numpy_bridge import np
from ..._autograd.autograd_meta import count_write
from ..._devices.device import META
from ..._dtypes.constants import BOOL, INT64
from ..._dtypes.table import dtype, spec_of
from ..._geometry import view_shapes
from ..._geometry.geometry import Geometry
from ..._kernels import reduction
from ..._kernels.elementwise import OPMATH_DTYPE
from ..._kernels.reduction import Reducer
from ..._numerics.cast import convert
from ..._numerics.encode_scalar import ScalarPath as Written
from ..._numerics.encode_scalar import encode_scalar
from ..._numerics.promotion import can_cast
from ..._numerics.type_info import iinfo
from ..._runtime.errors import check
from ..._tensor import structseq
from ..._tensor.data_access import resolved_array, write_elements
from ..._tensor.factories import resize_output
from ..._tensor.out_autograd import check_no_gradients
from ..._tensor.tensor import Tensor
from ..common.device_checks import check_place_of
from ..common.memory_overlap import check_no_overlap
from ..elementwise.binary import maximum, minimum
from ..elementwise.binding import Overload, install_operator
from ..elementwise.plan import BOOLS, NUMBERS
from .fast_path import small_extreme
from .reduce import (
    Reduction,
    check_dims,
    check_kernel,
    check_no_complex_gradient,
    check_not_resized,
    finished,
    folded,
    prepare,
    recorded,
    reduce,
    reduced_geometry,
    warn_of_narrow_complex,
)
from .reduce_plan import keep, planned

_KINDS = BOOLS | NUMBERS
_LARGE = 2**17
"""From so many elements on it pays to find the extreme values first, and then where they are."""


class Extreme(NamedTuple):
    """The operators that find the largest elements, or the smallest.

    ``fold`` returns the first of zeros, ``last`` the last, as torch's kernel for all elements does.
    """

    name: str
    place: str
    fold: Reducer
    last: Reducer
    choose: Callable[..., Any]

    @property
    def node(self) -> str:
        """What autograd calls the operator, without its ending."""
        return self.name.title()


MAX = Extreme("max", "argmax", reduction.LARGEST, reduction.LAST_LARGEST, max)
MIN = Extreme("min", "argmin", reduction.SMALLEST, reduction.LAST_SMALLEST, min)


def _check_not_empty(name: str, geometry: Geometry, dim: int) -> None:
    """Refuse to look for an extreme where there is nothing."""
    if geometry.rank and not geometry.shape[view_shapes.wrap_dim(dim, geometry.rank)]:
        raise IndexError(f"{name}: Expected reduction dim {dim} to have non-zero size.")


# The values alone


def _values(
    extreme: Extreme,
    tensor: Tensor,
    dims: tuple[int, ...],
    keepdim: bool,
    out: Tensor | None = None,
) -> Tensor:
    """amax(input, dim=(), keepdim=False): return the largest elements along dimensions."""
    name, own = f"a{extreme.name}", tensor._dtype
    geometry, key = tensor._geometry, (f"a{extreme.name}", dims, keepdim)
    if out is None and (found := planned(tensor, key)) is not None:
        return found
    if out is not None:
        check_no_gradients(name, tensor, out)
        check(
            out._dtype is own,
            lambda: (
                "Expected the dtype for input and out to match, but got"
                f" {spec_of(own).cpp_name} for input's dtype and {spec_of(out._dtype).cpp_name}"
                " for out's dtype."
            ),
        )
    if not geometry.numel:
        check(dims, lambda: _NOTHING.format(name))
        for dim in dims:
            _check_not_empty(f"{name}()", geometry, dim)
    check_dims(dims, geometry.rank)
    row = Reduction(
        name, f"{extreme.name}_values_cpu", _KINDS, extreme.fold, 0, f"A{extreme.name}Backward0"
    )
    result = reduce(row, tensor, dims, keepdim, own, out, key)
    check_no_complex_gradient(name, tensor)
    return result


_NOTHING = (
    "{}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction"
    " dim with the 'dim' argument."
)


def _row_of_all(extreme: Extreme) -> Reduction:
    name = extreme.name
    return Reduction(name, f"{name}_all", _KINDS, extreme.last, 0, f"{extreme.node}Backward1")


def _of_all(extreme: Extreme, tensor: Tensor, out: Tensor | None = None) -> Tensor:
    """max(input): return the largest of all elements."""
    if out is not None:
        return _of_all_into(extreme, tensor, out)
    found = small_extreme(extreme.choose, f"{extreme.node}Backward1", tensor)
    if found is not None:
        return found
    key = (extreme.name,)
    if (found := planned(tensor, key)) is not None:
        return found
    check(tensor._geometry.numel, lambda: _NOTHING.format(extreme.name))
    _warn_of_copy(tensor)
    return reduce(_row_of_all(extreme), tensor, None, False, tensor._dtype, key=key)


def _warn_of_copy(tensor: Tensor) -> None:
    """Warn of the contiguous copy that torch makes where it looks at all elements."""
    copied = not tensor._geometry.is_contiguous
    warn_of_narrow_complex(tensor._dtype, made=False, converted=copied)


def _of_all_into(extreme: Extreme, tensor: Tensor, out: Tensor) -> Tensor:
    own = tensor._dtype
    check_no_gradients(extreme.name, tensor, out)
    check(
        can_cast(own, out._dtype),
        lambda: (
            "Expected canCast( typeMetaToScalarType(self.dtype()),"
            " typeMetaToScalarType(out.dtype())) to be true, but got false.  (Could this error"
            " message be improved?  If so, please report an enhancement request to PyTorch.)"
        ),
    )
    check_place_of(out, tensor._geometry.device)
    resize_output(out, ())
    _warn_of_copy(tensor)
    check_kernel(f"{extreme.name}_all", _KINDS, own, tensor)
    if tensor._geometry.device is META:
        count_write(out)
        return out
    if tensor._geometry.numel:
        number = folded(extreme.last, tensor, tuple(range(tensor._geometry.rank)), own).item()
    else:
        number = _bound(own, least=extreme is MAX)
    # The number is filled in, and refused where it does not fit.
    write_elements(out, encode_scalar(number, out._dtype, Written.SCALAR_ZERO_DIM))
    count_write(out)
    return out


def _bound(dtype: dtype, *, least: bool) -> Any:
    """Return the number from which torch begins to look for a larger or a smaller one."""
    if dtype is BOOL:
        return not least
    if dtype.is_floating_point:
        return -inf if least else inf
    limits = iinfo(dtype)  # type: ignore[call-arg]  # its metaclass takes it
    return limits.min if least else limits.max


def _aminmax(
    tensor: Tensor,
    dim: int | None,
    keepdim: bool,
    out: tuple[Tensor, Tensor] | None = None,
) -> Any:
    """aminmax(input, *, dim=None, keepdim=False): return the smallest and the largest elements."""
    geometry, own = tensor._geometry, tensor._dtype
    if out is not None:
        check_no_gradients("aminmax", tensor, *out)
    if dim is None:
        check(
            geometry.numel,
            lambda: (
                "aminmax(): cannot compute aminmax over an empty dimension as the operation has no"
                " identity."
            ),
        )
    else:
        dim = view_shapes.wrap_dim(dim, geometry.rank)
        _check_not_empty("aminmax", geometry, dim)
    axes, shape = reduced_geometry(geometry, None if dim is None else (dim,), keepdim)
    _make_ready(out, (own, own), shape, tensor)
    if dim is None:
        _warn_of_copy(tensor)
    if dim is not None and not geometry.rank:
        check(not own.is_complex, lambda: f"aminmax not implemented for {spec_of(own).cpp_name}")
    if geometry.device is META:
        found = [None, None]
        if dim is None or geometry.rank:
            check_kernel("aminmax_cpu", _KINDS, own, tensor)
    elif dim is not None and not geometry.rank:
        found = [np.array(resolved_array(tensor)) for _ in range(2)]
    else:
        check_kernel("aminmax_cpu", _KINDS, own, tensor)
        computed = OPMATH_DTYPE.get(own, own)
        if not geometry.numel:
            found = [np.empty(shape.shape, resolved_array(tensor).dtype) for _ in range(2)]
        else:
            folds = [each.last if dim is None else each.fold for each in (MIN, MAX)]
            numbers = [folded(fold, tensor, axes, own) for fold in folds]
            found = [convert(each, computed, own) for each in numbers]
    return _pair(
        structseq.aminmax, structseq.aminmax_out, tensor, found, (own, own), shape, out,
        ("AminmaxBackward0", "AminmaxBackward0"),
    )  # fmt: skip


def _make_ready(out: Any, kinds: tuple[dtype, dtype], geometry: Geometry, source: Tensor) -> None:
    """Make the tensors that were given as ``out`` ready, or warn of those that are made."""
    before = source._geometry
    for index, kind in enumerate(kinds):
        if out is not None:
            prepare(out[index], kind, geometry)
        else:
            warn_of_narrow_complex(kind, made=True, converted=False)
    check_not_resized(source, before)


def _pair(
    made_type: Any,
    out_type: Any,
    source: Tensor,
    found: Any,
    kinds: tuple[dtype, dtype],
    geometry: Geometry,
    out: tuple[Tensor, Tensor] | None,
    nodes: tuple[str, str],
) -> Any:
    """Return two results under their names."""
    if out is not None:
        for each, raw, kind in zip(out, found, kinds, strict=True):
            finished(raw, geometry, kind, each)
        return out_type(out)
    results = [
        recorded(finished(raw, geometry, kind), source, node)
        for raw, kind, node in zip(found, kinds, nodes, strict=True)
    ]
    for index, result in enumerate(results):
        if result._autograd_meta is not None:
            result._autograd_meta.output_nr = index
    return made_type(results)


# Where they are


def _places(extreme: Extreme, raw: Any, dtype: dtype, axis: int | None) -> Any:
    """Return the index of the first of the largest or smallest elements along an axis; of NaN, if any."""
    computed = OPMATH_DTYPE.get(dtype, dtype)
    numbers = raw if computed is dtype else convert(raw, dtype, computed)
    return getattr(np, extreme.place)(numbers, axis)


def _along(
    extreme: Extreme,
    tensor: Tensor,
    dim: int,
    keepdim: bool,
    out: tuple[Tensor, Tensor] | None = None,
) -> Any:
    """max(input, dim, keepdim=False): return the largest elements along a dimension, and their indices."""
    name, geometry, own = extreme.name, tensor._geometry, tensor._dtype
    if out is not None:
        check_no_gradients(name, tensor, out[0])
    dim = view_shapes.wrap_dim(dim, geometry.rank)
    _check_not_empty(f"{name}()", geometry, dim)
    check(not own.is_complex, lambda: f"{name}(): does not support complex input")
    _, shape = reduced_geometry(geometry, (dim,), keepdim)
    _make_ready(out, (own, INT64), shape, tensor)
    raw = None if geometry.device is META else resolved_array(tensor)
    if raw is None:
        if geometry.numel and geometry.rank:
            check_kernel(f"{name}_cpu", _KINDS, own, tensor)
        found = None, None
    elif not geometry.numel:
        found = np.empty(shape.shape, raw.dtype), np.empty(shape.shape, np.int64)
    elif not geometry.rank:
        found = np.array(raw), np.zeros((), np.int64)
    else:
        check_kernel(f"{name}_cpu", _KINDS, own, tensor)
        for each in out or ():
            check_no_overlap(each, tensor)
        places = np.expand_dims(_places(extreme, raw, own, dim), dim)
        found = np.take_along_axis(raw, places, dim), places
    types = getattr(structseq, name), getattr(structseq, f"{name}_out")
    nodes = f"{extreme.node}Backward0", ""
    return _pair(*types, tensor, found, (own, INT64), shape, out, nodes)


def _index(
    extreme: Extreme,
    tensor: Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """argmax(input, dim=None, keepdim=False): return the indices of the largest elements."""
    name, geometry, own = extreme.place, tensor._geometry, tensor._dtype
    key = name, dim, keepdim
    if out is None and (found := planned(tensor, key)) is not None:
        return found
    check(own is not BOOL, lambda: f"{name}(): does not support bool input")
    check(not own.is_complex, lambda: f"{name}(): does not support complex input")
    if dim is not None:
        dim = view_shapes.wrap_dim(dim, geometry.rank)
        _check_not_empty(f"{name}()", geometry, dim)
    else:
        check(
            geometry.numel,
            lambda: f"{name}(): Expected reduction dim to be specified for input.numel() == 0.",
            IndexError,
        )
    _, shape = reduced_geometry(geometry, None if dim is None else (dim,), keepdim)
    if out is not None:
        prepare(out, INT64, shape)
        check_not_resized(tensor, geometry)
    if not geometry.numel and geometry.device is META:
        return finished(None, shape, INT64, out)
    if not geometry.numel or (dim is not None and geometry.rank and geometry.shape[dim] == 1):
        return finished(np.zeros(shape.shape, np.int64), shape, INT64, out)
    check_kernel(f"{name}_cpu", NUMBERS, own, tensor)
    if geometry.device is META:
        return finished(None, shape, INT64, out)
    whole = dim is None or not geometry.rank

    def work(raw: Any) -> Any:
        if whole:
            raw = raw.reshape(-1)
        return np.asarray(_places(extreme, raw, own, 0 if whole else dim))

    if out is None:
        keep(tensor, key, work, shape, INT64)
    return finished(work(resolved_array(tensor)), shape, INT64, out)


_TWO = "TensorList[2]"

for _extreme, _two, _word in ((MAX, maximum, "largest"), (MIN, minimum, "smallest")):
    install_operator(
        f"a{_extreme.name}",
        Overload("IntArrayRef[1]? dim={}, bool keepdim=False", partial(_values, _extreme)),
        doc=f"Return the {_word} elements along dimensions.",
    )
    install_operator(
        _extreme.name,
        Overload("", partial(_of_all, _extreme)),
        Overload("Tensor other", _two),
        Overload("int64_t dim, bool keepdim=False", partial(_along, _extreme), out_type=_TWO),
        doc=f"Return the {_word} element, or along a dimension, or the {_word} of two each.",
        bare=partial(_of_all, _extreme),
    )
    install_operator(
        _extreme.place,
        Overload("int64_t? dim=None, bool keepdim=False", partial(_index, _extreme)),
        bare=partial(_index, _extreme),
        doc=f"Return the indices of the {_word} elements.",
    )
install_operator(
    "aminmax",
    Overload("*, int64_t? dim=None, bool keepdim=False", _aminmax, out_type=_TWO),
    doc="Return the smallest and the largest elements.",
)
