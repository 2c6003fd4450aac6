"""Operators that choose elements: between bounds, by a condition, or by where they are not zero."""

from functools import partial
from typing import Any

from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._autograd.autograd_meta import count_write
from ..._autograd.tracking import check_writable
from ..._codegen.elementwise import chooser
from ..._codegen.loops import SMALL, compute
from ..._devices.device import META
from ..._dtypes.constants import BOOL, INT64, UINT8
from ..._dtypes.cpp_names import cpp_type
from ..._dtypes.scalars import scalar_dtype
from ..._dtypes.table import dtype, spec_of
from ..._geometry import broadcasting, strides
from ..._geometry.geometry import Geometry, strided
from ..._kernels import binary
from ..._kernels.elementwise import ByKind, ForDtype, WithNumbers
from ..._numerics.cast import numbers
from ..._numerics.encode_scalar import ScalarPath as WritingWay
from ..._numerics.encode_scalar import encode_scalar
from ..._runtime.errors import check
from ..._runtime.warnings import warn_once
from ..._tensor.data_access import raw_array, tensor_from_raw
from ..._tensor.factories import empty_tensor, number_of, resize_output
from ..._tensor.tensor import Tensor, new_tensor, record_grad_fn, set_geometry
from ..common.conj_neg_fallback import resolves_conj_neg, resolves_conj_neg_in_place
from ..common.copy import to_dtype
from ..common.device_checks import check_counts, check_writes_to, common_device
from ..common.memory_overlap import check_no_overlap
from ..common.out_argument import check_shape, warn_of_saved
from ..common.registration import Op, install
from ..common.result_type import result_type_of
from .binary import MAXIMUM, MINIMUM
from .binding import Overload, install_operator, run_of
from .iterator import Operator
from .plan import BOOLS, COMPLEX, FLOAT8, FLOATS, HALF_COMPLEX, NUMBERS, Pointwise, Result
from .scalar_args import OperatorCache, ScalarArg

# Between bounds.

_WITHIN = ByKind(binary.clamp, integer=binary.clamp_integers)

CLAMP = Operator(Pointwise("clamp", "clamp_cpu", NUMBERS, _WITHIN, "ClampBackward0"))
# Of the two bounds one may be missing; then the kernel is that of the larger, or the smaller, of two.
_CLAMP_BELOW = Operator(MAXIMUM.row._replace(name="clamp", node="ClampBackward0"))
_CLAMP_ABOVE = Operator(MINIMUM.row._replace(name="clamp", node="ClampBackward0"))
_CLAMP_MIN = Operator(MAXIMUM.row._replace(name="clamp_min", node="ClampMinBackward1"))
_CLAMP_MAX = Operator(MINIMUM.row._replace(name="clamp_max", node="ClampMaxBackward1"))


def _check_bounds(lower: Any, upper: Any) -> None:
    check(
        lower is not None or upper is not None,
        lambda: "torch.clamp: At least one of 'min' or 'max' must not be None",
    )


def _no_complex(dtype: dtype) -> None:
    check(
        not dtype.is_complex,
        lambda: "clamp is not supported for complex types",
        NotImplementedError,
    )


def _by_tensors(
    tensor: Tensor, lower: Tensor | None, upper: Tensor | None
) -> tuple[Operator, tuple[Tensor, ...]]:
    """Return what clamps to tensors, and its operands."""
    _check_bounds(lower, upper)
    _no_complex(tensor._dtype)
    if upper is None:
        return _CLAMP_BELOW, (tensor, lower)  # type: ignore[return-value]
    if lower is None:
        return _CLAMP_ABOVE, (tensor, upper)
    return CLAMP, (tensor, lower, upper)


def _clamp(tensor: Tensor, lower: Any, upper: Any, out: Tensor | None = None) -> Tensor:
    """clamp(input, min=None, max=None): return the elements, within bounds that are tensors."""
    operator, operands = _by_tensors(tensor, lower, upper)
    return operator(*operands) if out is None else operator.into(out, *operands)


@resolves_conj_neg_in_place
def _clamp_(tensor: Tensor, lower: Any, upper: Any) -> Tensor:
    check_writable(tensor)
    warn_of_saved(tensor, CLAMP.row.node, lower, upper)
    operator, operands = _by_tensors(tensor, lower, upper)
    return operator.change(*operands)


def _clamping(name: str, lower: Any, upper: Any) -> Operator:
    """Return the operator that clamps to numbers."""
    given = tuple(ScalarArg(each) for each in (lower, upper) if each is not None)
    bounds = tuple(each.value for each in given)
    compute: ForDtype | WithNumbers
    dtypes = NUMBERS
    which = "_min" * (upper is None) + "_max" * (lower is None)
    if any(each != each for each in bounds):
        # Filled, which takes no kernel.
        compute, given, dtypes = ForDtype(_not_a_number), (), FLOATS | FLOAT8
    else:
        one = (MINIMUM if lower is None else MAXIMUM).row.compute
        compute = WithNumbers(_WITHIN if len(given) == 2 else one, given)

    return Operator(
        Pointwise(
            name,
            f"clamp{which}_scalar_cpu",
            dtypes,
            compute,
            _NODES[name],
            result=Result.SAME,
            numbers=given,
            check=partial(_check_real, bounds),
        )
    )


_NODES = {
    "clamp": "ClampBackward1",
    "clamp_min": "ClampMinBackward0",
    "clamp_max": "ClampMaxBackward0",
}
_CLAMPING = OperatorCache(_clamping)


def _not_a_number(dtype: dtype, array: Any) -> Any:
    return np.full_like(array, np.nan)


def _check_real(numbers: tuple[Any, ...], common: dtype) -> None:
    """Refuse complex bounds of floats: torch asks whether a bound is NaN as a double."""
    check(
        not any(isinstance(each, complex) and each.imag for each in numbers),
        lambda: "value cannot be converted to type double without overflow",
    )


def _promoted(tensor: Tensor, bounds: list[Any], in_place: bool) -> dtype:
    """Return the dtype of a tensor within bounds; floats keep theirs, whatever the bounds are."""
    own = tensor._dtype
    if own.is_floating_point:
        return own
    dtype = result_type_of((tensor, *bounds))
    check(
        dtype is own or not in_place,
        lambda: (
            f"result type {spec_of(dtype).cpp_name} can't be cast to the desired output type"
            f" {cpp_type(own)}"
        ),
    )
    _no_complex(dtype)
    return dtype


def _by_numbers(
    name: str, tensor: Tensor, lower: Any, upper: Any, in_place: bool = False
) -> tuple[Operator, Tensor]:
    """Return what clamps to numbers, and its operand."""
    _check_bounds(lower, upper)
    _no_complex(tensor._dtype)
    bounds = [number_of(each) for each in (lower, upper) if each is not None]
    if name != "clamp":
        _no_complex(scalar_dtype(bounds[0]))
    kind = _promoted(tensor, bounds, in_place)
    return _CLAMPING(name, lower, upper), to_dtype(tensor, kind, False, None)


def _clamp_numbers(name: str, lower_first: bool | None = None) -> tuple[Any, Any]:
    """Return what clamps to numbers, and what does so in place."""

    def ordered(bounds: tuple[Any, ...]) -> tuple[Any, Any]:
        if lower_first is None:
            return bounds
        return (bounds[0], None) if lower_first else (None, bounds[0])

    def run(tensor: Tensor, *bounds: Any, out: Tensor | None = None) -> Tensor:
        operator, source = _by_numbers(name, tensor, *ordered(bounds), in_place=out is tensor)
        return operator(source) if out is None else operator.into(out, source)

    def change(tensor: Tensor, *bounds: Any) -> Tensor:
        check_writable(tensor)
        warn_of_saved(tensor, _NODES[name])
        operator, _ = _by_numbers(name, tensor, *ordered(bounds), in_place=True)
        return operator.change(tensor)

    return resolves_conj_neg(run, name), resolves_conj_neg_in_place(change)


for _name in ("clamp", "clip"):
    _run, _change = _clamp_numbers("clamp")
    install_operator(
        _name,
        Overload("Tensor? min=None, Tensor? max=None", resolves_conj_neg(_clamp, "clamp"), _clamp_),
        Overload("Scalar? min=None, Scalar? max=None", _run, _change),
        doc="Return the elements, or the bound beyond which they lie.",
        in_place_function=True,
    )
for _name, _bound, _operator in (
    ("clamp_min", "min", _CLAMP_MIN),
    ("clamp_max", "max", _CLAMP_MAX),
):
    _run, _change = _clamp_numbers(_name, _bound == "min")
    install_operator(
        _name,
        Overload(f"Tensor {_bound}", run_of(_operator), _operator.change),
        Overload(f"Scalar {_bound}", _run, _change),
        doc=f"Return the elements, or the {_bound}imum where they lie beyond it.",
        in_place_function=True,
    )


# By a condition.

_BYTE_CONDITION = (
    "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a"
    " future version of PyTorch. Use a boolean condition instead. (Triggered internally at"
    " /__w/pytorch/pytorch/aten/src/ATen/native/TensorCompare.cpp:621.)"
)


@partial(resolves_conj_neg, name="where")
def _where(condition: Tensor, left: Tensor, right: Tensor, out: Tensor | None = None) -> Tensor:
    """where(condition, input, other): return elements of one tensor or the other.

    Nothing is promoted but the two, and that beforehand (where_self_out in
    ATen/native/TensorCompare.cpp).
    """
    dtype = result_type_of((left, right))
    check(
        out is None or out._dtype is dtype,
        lambda: (
            f"Expected out type to be {spec_of(dtype).cpp_name} but got {spec_of(out._dtype).cpp_name}"  # type: ignore[union-attr]
        ),
    )
    where = common_device((condition, left, right))
    if out is not None:
        check_writes_to(out, where)
    made = empty_tensor((0,), dtype, where) if out is None else out
    left, right = (to_dtype(each, dtype, False, None) for each in (left, right))
    if condition._dtype is UINT8:
        warn_once(_BYTE_CONDITION)
        condition = to_dtype(condition, BOOL, False, None)
    check(
        condition._dtype is BOOL,
        lambda: (
            "where expected condition to be a boolean tensor, but got a tensor with dtype"
            f" {spec_of(condition._dtype).cpp_name}"
        ),
    )
    operands = condition, left, right
    check_no_overlap(made, *operands)
    shape = broadcasting.broadcast_pair(condition._geometry.shape, left._geometry.shape)
    shape = broadcasting.broadcast_pair(shape, right._geometry.shape)
    geometry = _result_geometry(shape, operands)
    if any(each is out for each in operands):
        check_shape(made, shape)
    if made._geometry.shape != shape:
        resize_output(made, shape)
        set_geometry(made, geometry)
    if where is META:
        if out is None:
            return record_grad_fn(made, (left, right), "WhereBackward0")
        count_write(out)
        return out
    chosen = raw_array(made) if out is None else np.empty(shape, numpy_storage_dtype(dtype))
    kernel = chooser(dtype.itemsize) if chosen.size > SMALL else None
    compute(kernel, _choose_codes, chosen, *map(raw_array, operands))
    if out is None:
        return record_grad_fn(made, (left, right), "WhereBackward0")
    raw_array(made)[...] = chosen
    count_write(out)
    return out


def _choose_codes(out: Any, condition: Any, left: Any, right: Any) -> None:
    out[...] = np.where(condition, left, right)


def _result_geometry(shape: tuple[int, ...], operands: tuple[Tensor, ...]) -> Geometry:
    seen = tuple((each._geometry.shape, each._geometry.stride) for each in operands)
    return strided(shape, strides.elementwise(shape, seen))


def _number(value: Any, dtype: dtype) -> Tensor:
    """Make a 0-dim tensor of a number, as torch's scalar_tensor() does."""
    result = empty_tensor((), dtype)
    raw_array(result)[...] = encode_scalar(number_of(value), dtype, WritingWay.SCALAR_TENSOR)
    return result


def _where_number(condition: Tensor, left: Tensor, right: Any) -> Tensor:
    dtype = result_type_of((left, right))
    made = _number(right, dtype)
    return _where(condition, to_dtype(left, dtype, False, None), made)  # type: ignore[no-any-return]


def _where_number_first(condition: Tensor, left: Any, right: Tensor) -> Tensor:
    dtype = result_type_of((right, left))
    made = _number(left, dtype)
    return _where(condition, made, to_dtype(right, dtype, False, None))  # type: ignore[no-any-return]


def _where_numbers(condition: Tensor, left: Any, right: Any) -> Tensor:
    dtype = result_type_of((left, right))
    second = _number(right, dtype)
    return _where(condition, _number(left, dtype), second)  # type: ignore[no-any-return]


_WHERE = (
    Overload(
        "", lambda condition: _nonzero_of_each(condition), input="Tensor condition", out=False
    ),
    Overload("Tensor input, Tensor other", _where, input="Tensor condition"),
    Overload("Scalar self, Tensor other", _where_number_first, input="Tensor condition", out=False),
    Overload("Tensor input, Scalar other", _where_number, input="Tensor condition", out=False),
    Overload("Scalar self, Scalar other", _where_numbers, input="Tensor condition", out=False),
)
install_operator(
    "where",
    *_WHERE,
    doc="Return elements of one tensor where a condition holds, and else of another.",
    method=False,
)
install(
    Op(
        "where",
        {
            "Tensor condition, Tensor other": lambda left, condition, right: _where(
                condition, left, right
            ),
            "Tensor condition, Scalar other": lambda left, condition, right: _where_number(
                condition, left, right
            ),
        },
        function=False,
    )
)


# By where they are not zero.

_COUNTED = BOOLS | NUMBERS | COMPLEX | HALF_COMPLEX


@resolves_conj_neg
def _nonzero(tensor: Tensor, out: Tensor | None = None) -> Tensor:
    """nonzero(input): return the indices of elements that are not zero, each a row.

    In memory the columns come one after the other (#46224).
    """
    check(
        out is None or out._dtype is INT64,
        lambda: (
            "nonzero: Expected out tensor to have scalar type Long but got scalar type"
            f"{spec_of(out._dtype).cpp_name}"  # type: ignore[union-attr]
        ),
    )
    if out is not None:
        check_no_overlap(out, tensor)
    check(
        tensor._dtype in _COUNTED,
        lambda: f"\"nonzero_count_cpu\" not implemented for '{spec_of(tensor._dtype).cpp_name}'",
        NotImplementedError,
    )
    check_counts(tensor)
    array = numbers(raw_array(tensor), tensor._dtype)
    rank = tensor._geometry.rank
    found = np.stack(array.nonzero()) if rank else np.empty((0, int(array != 0)), np.int64)
    count = found.shape[1]
    geometry = strided((count, rank), (1, count))
    if out is None:
        device = tensor._geometry.device
        columns = tensor_from_raw(np.ascontiguousarray(found, np.int64), INT64, device)
        return new_tensor(columns._storage, geometry, 0, INT64)
    check_writes_to(out, tensor._geometry.device)
    if out._geometry.shape != geometry.shape:
        resize_output(out, geometry.shape)
        set_geometry(out, geometry)
    raw_array(out)[...] = found.T
    count_write(out)
    return out


def _nonzero_of_each(tensor: Tensor) -> tuple[Tensor, ...]:
    """Return the indices of elements that are not zero, for each dimension; a number has one."""
    if not tensor._geometry.rank:
        tensor = tensor.unsqueeze(0)  # type: ignore[attr-defined]
    return _nonzero(tensor).unbind(1)  # type: ignore[no-any-return]


def _nonzero_as(tensor: Tensor, as_tuple: bool, out: Tensor | None = None) -> Any:
    check(
        out is None or not as_tuple,
        lambda: "nonzero does not support the out kwarg when as_tuple is True",
    )
    return _nonzero_of_each(tensor) if as_tuple else _nonzero(tensor, out=out)


install_operator(
    "nonzero",
    Overload("*, bool as_tuple=False", _nonzero_as),
    doc="Return the indices of elements that are not zero.",
    method=False,
)
install(Op("nonzero", {"": _nonzero, "*, bool as_tuple": _nonzero_as}, function=False))
install(Op("argwhere", {"": _nonzero}))
