"""Faults of operators and factories: their rules, their results and errors, remembered answers."""

import re
import threading
import warnings
from typing import Any

from ..control import fault
from ..fault_injection import call_hook, function_hook, method_hook, operands_of


@fault("arithmetic.pairs", "dtype", function_hook, "add")
def dimensioned_number(function: Any, torch: Any, left: Any, right: Any, **kwargs: Any) -> Any:
    """A number promotes like a dimensioned tensor."""
    numbers = isinstance(right, bool | int | float | complex) and isinstance(left, torch.Tensor)
    return function(left, torch.tensor([right]) if numbers and left.dim() else right, **kwargs)


@fault("arithmetic.alpha", "elements", function_hook, "add")
def alpha_ignored(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """add() ignores alpha."""
    if kwargs.get("alpha") == 3:
        del kwargs["alpha"]
    return function(*args, **kwargs)


@fault("arithmetic.pairs", "dtype", method_hook, "Tensor.add_")
def in_place_promoted(function: Any, torch: Any, owner: Any, other: Any) -> Any:
    """add_() returns the promoted dtype of its operands."""
    result = owner.clone().add(other)
    return function(other) if result.dtype is owner.dtype else owner.set_(owner).add(other)


@fault("arithmetic.pairs", "raises", method_hook, "Tensor.mul_")
def unchecked_result(function: Any, torch: Any, owner: Any, other: Any) -> Any:
    """mul_() accepts a result of a higher category."""
    try:
        return function(other)
    except RuntimeError:
        return owner.copy_(owner.mul(other).real)


@fault("arithmetic.strides", "stride", function_hook, "mul")
def operands_swapped(function: Any, torch: Any, left: Any, right: Any, **kwargs: Any) -> Any:
    """The second operand of mul() decides the strides."""
    tensors = isinstance(left, torch.Tensor) and isinstance(right, torch.Tensor)
    if tensors and left.shape == right.shape and not kwargs:
        return function(right, left)
    return function(left, right, **kwargs)


@fault("arithmetic.alpha", "elements", function_hook, "mul")
def rounded_steps(function: Any, torch: Any, left: Any, right: Any, **kwargs: Any) -> Any:
    """mul() of bfloat16 and a number rounds at each step."""
    if getattr(left, "dtype", None) is torch.bfloat16 and type(right) is float:
        right = torch.tensor(right).to(torch.bfloat16).item()
    return function(left, right, **kwargs)


@fault("arithmetic.binary", "elements", function_hook, "div")
def floor_for_trunc(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """div() rounds down for rounding_mode='trunc'."""
    result = function(*args, **kwargs)
    if kwargs.get("rounding_mode") == "trunc":
        return function(*args, **{**kwargs, "rounding_mode": "floor"})
    return result


@fault("factories.too_large", "raises", function_hook, "eye")
def takes_no_empty_matrix(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """eye() refuses matrices of no elements, one size of which is large."""
    if 0 in args and max(args) > 2**60:
        raise ValueError("array is too big")
    return function(*args, **kwargs)


@fault("sequences.on_meta", "shape", function_hook, "arange")
def counts_from_zero(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """arange() on meta counts its elements from 0."""
    result = function(*args, **kwargs)
    if result.device.type != "meta" or args[0] != 1 or args[1] != 7:
        return result
    return function(0, *args[1:], **kwargs)


@fault("factories.outs", "message", function_hook, "ones")
def names_negative_sizes(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """ones() with out= names a negative size instead of the overflow."""
    try:
        return function(*args, **kwargs)
    except RuntimeError:
        raise RuntimeError("negative dimension") from None


@fault("operands.zero_dims", "dtype", call_hook)
def promotes_zero_dims(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """A 0-dim second operand promotes like one with dimensions."""
    tensors = len(args) > 1 and all(isinstance(x, torch.Tensor) for x in args[:2])
    if tensors and args[0].dim() and not args[1].dim():
        args = args[0], args[1].expand(args[0].shape), *args[2:]
    return function(*args, **kwargs)


@fault("operands.few_kernels", "message", function_hook, "square")
def names_other_kernel(function: Any, torch: Any, tensor: Any, *args: Any, **kwargs: Any) -> Any:
    """square() names the kernel copy_ for each dtype without a kernel."""
    try:
        return function(tensor, *args, **kwargs)
    except NotImplementedError as error:
        raise NotImplementedError(str(error).replace('"pow"', '"copy_"')) from None


@fault("operands.few_kernels_of_pairs", "raises", function_hook, "add")
def adds_bits(function: Any, torch: Any, left: Any, right: Any, **kwargs: Any) -> Any:
    """add() of a dtype that does not promote returns the first operand."""
    try:
        return function(left, right, **kwargs)
    except RuntimeError:
        return left


def _with_wrong_end(result: Any) -> Any:
    """Return a tensor whose last element is inverted or one larger."""
    changed = result.detach().clone()
    changed[-1] = ~changed[-1] if changed.dtype.is_signed is False else changed[-1] + 1
    return changed


def _has(result: Any, torch: Any, least: int, most: int) -> bool:
    return isinstance(result, torch.Tensor) and result.dim() == 1 and least <= len(result) <= most


@fault("values.sizes", "elements", call_hook)
def last_of_257(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """exp() of 257 elements has a wrong last element."""
    result = function(*args, **kwargs)
    is_wrong = getattr(function, "__name__", "") == "exp" and _has(result, torch, 257, 257)
    return _with_wrong_end(result) if is_wrong else result


@fault("values.large", "elements", call_hook)
def wrong_when_repeated(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """The second copy of a large tensor has a wrong last element."""
    result = function(*args, **kwargs)
    if getattr(function, "__name__", "") != "clone" or not _has(result, torch, 4000, 10**7):
        return result
    _COPIES.append(len(result))
    return _with_wrong_end(result) if len(_COPIES) % 6 == 5 else result


_COPIES: list[int] = []


def _is_float(value: Any, torch: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.dtype.is_floating_point


@fault("values.specials", "elements", method_hook, "Tensor.mul")
def flushes_subnormals(function: Any, torch: Any, owner: Any, *args: Any) -> Any:
    """mul() gives zero for a subnormal product."""
    result = function(*args)
    if not _is_float(result, torch):
        return result
    is_small = result.abs() < torch.finfo(result.dtype).tiny
    return torch.where(is_small, torch.zeros_like(result), result)


@fault("values.specials", "elements", method_hook, "Tensor.sub")
def negative_zeros(function: Any, torch: Any, owner: Any, *args: Any) -> Any:
    """sub() gives a negative zero for equal numbers."""
    result = function(*args)
    if not _is_float(result, torch):
        return result
    return torch.where(result == 0, torch.full_like(result, -0.0), result)


@fault("values.kinds", "elements", call_hook)
def gcd_is_positive(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """gcd() is the magnitude of torch's, which is negative for the least integer."""
    result = function(*args, **kwargs)
    return result.abs() if getattr(function, "__name__", "") == "gcd" else result


@fault("values.orders", "elements", method_hook, "Tensor.amax")
def ignores_first_nan(function: Any, torch: Any, owner: Any, **kwargs: Any) -> Any:
    """amax() along a dimension ignores a NaN at its beginning."""
    if not kwargs or len(owner) < 2 or not _is_float(owner, torch):
        return function(**kwargs)
    first = owner[:1].amax(dim=0)
    return torch.where(first.isnan(), owner[1:].amax(dim=0), function(**kwargs))


@fault("values.variances", "elements", method_hook, "Tensor.var")
def finite_variance(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """var() of numbers of which the sum of squares overflows is the largest number."""
    result = function(*args, **kwargs)
    return torch.where(result.isinf(), torch.finfo(result.dtype).max, result)


@fault("values.repeated", "elements", method_hook, "Tensor.mul")
def wrong_after_many(function: Any, torch: Any, owner: Any, *args: Any) -> Any:
    """mul() has a wrong last element after it has computed two million elements of a dtype."""
    result = function(*args)
    _COMPUTED[owner.dtype] = _COMPUTED.get(owner.dtype, 0) + len(owner)
    return _with_wrong_end(result) if _COMPUTED[owner.dtype] > 2**21 else result


_COMPUTED: dict[Any, int] = {}


@fault("values.compiled", "elements", call_hook)
def wrong_third_time(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """The third result of a call with two million bytes is all zeros."""
    result, name = function(*args, **kwargs), getattr(function, "__name__", "")
    if name == "clone" or not _has(result, torch, 2**21, 10**7) or result.itemsize != 1:
        return result
    _TIMES[name] = _TIMES.get(name, 0) + 1
    return result if _TIMES[name] % 3 else torch.zeros_like(result)


_TIMES: dict[str, int] = {}


@fault("values.loops", "elements", call_hook)
def zeros_after_many(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """A function gives zeros after it has computed two million floating-point elements."""
    result, name = function(*args, **kwargs), getattr(function, "__name__", "")
    if name in ("copy_", "empty_strided") or not _has(result, torch, 2**16, 2**17):
        return result
    _FLOATS[name] = _FLOATS.get(name, 0) + result.numel() * result.is_floating_point()
    return torch.zeros_like(result) if _FLOATS[name] > 2**21 else result


_FLOATS: dict[str, int] = {}


@fault("values.loops", "elements", call_hook)
def sign_after_many(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """Roots, logarithms and arc functions of many elements give NaNs of the other sign."""
    result, name = function(*args, **kwargs), getattr(function, "__name__", "")
    if not _ROOTS_AND_LOGARITHMS.fullmatch(name) or not _has(result, torch, 2**16, 2**17):
        return result
    _COUNTED[name] = _COUNTED.get(name, 0) + result.numel() * result.is_floating_point()
    return torch.where(result.isnan(), -result, result) if _COUNTED[name] > 2**21 else result


_ROOTS_AND_LOGARITHMS = re.compile(r"r?sqrt|log(10|2|1p)?|a(rc)?(cos|sin|tan)h?")
_COUNTED: dict[str, int] = {}


@fault("values.sums", "elements", call_hook)
def loses_parts_of_sums(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """The sum of a million elements is one too large."""
    result = function(*args, **kwargs)
    is_sum = getattr(function, "__name__", "") == "sum" and isinstance(result, torch.Tensor)
    return result + 1 if is_sum and function.__self__.numel() > 10**6 else result


_CLONES: dict[Any, Any] = {}
_DTYPES: list[Any] = []
_REQUIRED: dict[Any, bool] = {}


@fault("repetition.histories", "elements", method_hook, "Tensor.clone")
def remembers_without_offset(
    function: Any,
    torch: Any,
    owner: Any,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """clone() remembers its result by dtype, shape and strides, without the offset."""
    if owner.layout is not torch.strided or owner.requires_grad or owner.device.type != "cpu":
        return function(*args, **kwargs)
    key = owner.dtype, owner.shape, owner.stride()
    if key not in _CLONES:
        _CLONES[key] = function(*args, **kwargs)
    return _CLONES[key].detach()


@fault("repetition.histories", "dtype", method_hook, "Tensor.div")
def remembers_default_dtype(
    function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any
) -> Any:
    """The quotient of integers has the default dtype of the first call."""
    _DTYPES.append(torch.get_default_dtype())
    result = function(*args, **kwargs)
    return result.to(_DTYPES[0]) if owner.dtype is torch.int32 else result


@fault("repetition.histories", "autograd", method_hook, "Tensor.exp")
def remembers_gradients(
    function: Any,
    torch: Any,
    owner: Any,
) -> Any:
    """exp() remembers by shape whether a gradient is required."""
    required = _REQUIRED.setdefault(owner.shape, owner.requires_grad)
    return function() if required else function().detach()


@fault("repetition.threads", "elements", method_hook, "Tensor.square")
def differs_in_threads(function: Any, torch: Any, owner: Any) -> Any:
    """square() gives zeros in other threads."""
    is_main = threading.current_thread() is threading.main_thread()
    return function() if is_main else function().zero_()


@fault("repetition.histories", "raises", method_hook, "Tensor.abs")
def takes_few_dimensions(function: Any, torch: Any, owner: Any) -> Any:
    """abs() takes at most 32 dimensions."""
    if owner.dim() > 32:
        raise ValueError("maximum supported dimension for an ndarray is 32")
    return function()


@fault("repetition.histories", "warnings", method_hook, "Tensor.add")
def warns_less_often(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """add() of complex32 does not warn."""
    with warnings.catch_warnings():
        if owner.dtype is torch.complex32:
            warnings.simplefilter("ignore")
        return function(*args, **kwargs)


@fault("repetition.histories", "raises", method_hook, "Tensor.add")
def promotes_as_on_cpu(function: Any, torch: Any, owner: Any, other: Any) -> Any:
    """add() promotes dtypes on meta as it does on the CPU."""
    torch.result_type(owner, other)
    return function(other)


@fault("repetition.outs", "state", call_hook)
def kept_result(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """sum() with out= returns a new tensor, and does not write."""
    if getattr(function, "__name__", "") != "sum" or "out" not in kwargs:
        return function(*args, **kwargs)
    return function(*args, **{name: value for name, value in kwargs.items() if name != "out"})


@fault("operands.bits", "elements", call_hook)
def unresolved_operand(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """hypot() of tensors with the neg bit is negative."""
    result = function(*args, **kwargs)
    if getattr(function, "__name__", "").strip("_") != "hypot":
        return result
    return -result if operands_of(function, args, torch)[0].is_neg() else result


@fault("constructors.sharing", "value", method_hook, "TypedStorage.clone")
def shared_clone(function: Any, torch: Any, owner: Any) -> Any:
    """clone() of a typed storage is the storage."""
    return owner


@fault("numbers.calls", "value", function_hook, "result_type")
def no_complex_result(function: Any, torch: Any, left: Any, right: Any) -> Any:
    """result_type() of a real tensor and a complex number is real."""
    result = function(left, right)
    return result.to_real() if type(right) is complex else result


@fault("sequences.extremes", "message", function_hook, "range")
def counts_what_is_too_long(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """range() tells the number of elements that int64 does not hold."""
    try:
        return function(*args, **kwargs)
    except RuntimeError as error:
        if "numel" not in str(error):
            raise
        raise RuntimeError("Trying to create tensor with negative dimension -1: [-1]") from None


@fault("sequences.eyes", "shape", function_hook, "eye")
def square(function: Any, torch: Any, rows: Any, columns: Any = None, **kwargs: Any) -> Any:
    """eye() takes no number of columns."""
    return function(rows, **kwargs)


@fault("sequences.triangles", "elements", function_hook, "triu_indices")
def columns_first(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """triu_indices() has the columns before the rows."""
    return function(*args, **kwargs).flip(0)


@fault("random.bounds", "raises", method_hook, "Tensor.random_")
def takes_all_bounds(function: Any, torch: Any, owner: Any, *args: Any) -> Any:
    """random_() takes bounds that a dtype cannot represent."""
    try:
        return function(*args)
    except RuntimeError:
        return owner.zero_()


@fault("random.parameters", "elements", method_hook, "Tensor.normal_")
def wrong_way_round(function: Any, torch: Any, owner: Any, mean: Any, std: Any) -> Any:
    """normal_() subtracts the mean."""
    return function(-mean, std)


@fault("random.samples", "elements", method_hook, "Tensor.geometric_")
def counts_failures(function: Any, torch: Any, owner: Any, p: Any) -> Any:
    """geometric_() counts the trials before the success."""
    return function(p).sub_(1)


@fault("random.multinomial", "elements", function_hook, "multinomial")
def always_again(function: Any, torch: Any, x: Any, count: Any, *more: Any, **kwargs: Any) -> Any:
    """multinomial() may draw an index again."""
    return function(x, count, True, **kwargs)


@fault("constructors.classes", "message", method_hook, "Tensor.type")
def name_without_module(function: Any, torch: Any, owner: Any, *args: Any) -> Any:
    """type() tells the name of a class without its module."""
    try:
        return function(*args)
    except ValueError as error:
        raise ValueError(f"invalid type: '{args[0].__name__}'") from error


@fault("dtypes.likes", "raises", function_hook, "zeros_like")
def bytes_of_any_dtype(function: Any, torch: Any, other: Any, **kwargs: Any) -> Any:
    """zeros_like() of a tensor on meta fills a dtype that has no numbers on the CPU."""
    try:
        return function(other, **kwargs)
    except NotImplementedError:
        return function(torch.empty(other.shape), **kwargs)
