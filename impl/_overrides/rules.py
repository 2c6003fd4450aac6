"""What torch's functions and methods in Python dispatch to, and pass on.

Each rule is a function with the parameters of torch's own, which returns the relevant arguments,
and the arguments and keywords that it passes to ``handle_torch_function`` (torch/functional.py and
torch/_tensor.py).
"""

from collections.abc import Callable
from typing import Any

from .._tensor.tensor import Tensor

Rule = Callable[..., tuple[Any, tuple[Any, ...], dict[str, Any]]]


def _all(*tensors: Any) -> Any:
    return tensors, tensors, {}


def _alone(self: Any) -> Any:
    return (self,), (self,), {}


def _with_argument(self: Any, argument: Any) -> Any:
    return (self,), (self, argument), {}


def _special(self: Any, *args: Any, **kwargs: Any) -> Any:
    return (self, *args), (self, *args), kwargs


def _unique(
    input: Any, sorted: Any = True, return_inverse: Any = False, return_counts: Any = False,
    dim: Any = None,
) -> Any:  # fmt: skip
    return (input,), (input,), {
        "sorted": sorted, "return_inverse": return_inverse, "return_counts": return_counts,
        "dim": dim,
    }  # fmt: skip


def _unique_consecutive(
    input: Any, return_inverse: Any = False, return_counts: Any = False, dim: Any = None
) -> Any:
    return (input,), (input,), {
        "return_inverse": return_inverse, "return_counts": return_counts, "dim": dim
    }  # fmt: skip


def _einsum(*args: Any) -> Any:
    if len(args) < 2:
        return (), args, {}
    if not isinstance(args[0], Tensor):
        equation, operands = args[0], args[1:]
    else:
        equation, operands = _equation_of_lists(args), args[:-1:2] if len(args) % 2 else args[::2]
    if len(operands) == 1 and isinstance(operands[0], list | tuple):
        return _einsum(equation, *operands[0])
    return operands, (equation, *operands), {}


def _equation_of_lists(args: tuple[Any, ...]) -> str:
    """Return the equation of operands followed by lists of subscripts."""
    lists = [*args[1::2]]
    text = ",".join(map(_letters, lists))
    return f"{text}->{_letters(args[-1])}" if len(args) % 2 else text


def _letters(subscripts: Any) -> str:
    letters = []
    for each in subscripts:
        if each is Ellipsis:
            letters.append("...")
        else:
            letters.append(chr(ord("A") + each) if each < 26 else chr(ord("a") + each - 26))
    return "".join(letters)


def _norm(
    input: Any, p: Any = "fro", dim: Any = None, keepdim: Any = False, out: Any = None,
    dtype: Any = None,
) -> Any:  # fmt: skip
    return (input,), (input,), {"p": p, "dim": dim, "keepdim": keepdim, "out": out, "dtype": dtype}


FUNCTIONS: dict[str, Rule] = {
    "atleast_1d": _all,
    "atleast_2d": _all,
    "atleast_3d": _all,
    "block_diag": _all,
    "broadcast_tensors": _all,
    "cartesian_prod": _all,
    "cdist": lambda x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary": (
        (x1, x2), (x1, x2), {"p": p, "compute_mode": compute_mode}
    ),
    "chain_matmul": lambda *matrices, out=None: (matrices, matrices, {}),
    "einsum": _einsum,
    "meshgrid": lambda *tensors, indexing=None: (tensors, tensors, {"indexing": indexing}),
    "norm": _norm,
    "split": lambda tensor, split_size_or_sections, dim=0: (
        (tensor,), (tensor, split_size_or_sections), {"dim": dim}
    ),
    "tensordot": lambda a, b, dims=2, out=None: ((a, b), (a, b), {"dims": dims, "out": out}),
    "unique": _unique,
    "unique_consecutive": _unique_consecutive,
    "unravel_index": lambda indices, shape: ((indices,), (indices,), {"shape": shape}),
}  # fmt: skip

PARSED_ALONE = frozenset({"is_contiguous", "is_pinned", "numpy", "pin_memory", "size", "stride"})
"""The methods of C whose module parses their arguments."""

TAKE_LISTS = frozenset({"atleast_1d", "atleast_2d", "atleast_3d", "meshgrid"})
"""The functions in Python that pass a list of tensors to a function of C of the same name."""

METHODS: dict[str, Rule] = {
    **dict.fromkeys(
        (
            "__dir__", "__dlpack_device__", "__len__", "__reversed__", "dim_order", "is_shared",
            "share_memory_", "storage", "storage_type",
        ),
        _alone,
    ),
    **dict.fromkeys(
        ("__deepcopy__", "__format__", "__reduce_ex__", "__setstate__"), _with_argument
    ),
    **dict.fromkeys(
        (
            "__floordiv__", "__ipow__", "__pow__", "__rdiv__", "__rfloordiv__", "__rlshift__",
            "__rmatmul__", "__rmod__", "__rpow__", "__rrshift__", "__rsub__",
        ),
        _special,
    ),
    "__array__": lambda self, dtype=None: ((self,), (self,), {"dtype": dtype}),
    "__array_wrap__": lambda self, array: ((self,), (self,), {"array": array}),
    "__contains__": _with_argument,
    "__dlpack__": lambda self, *, stream=-1, max_version=None, dl_device=None, copy=None: (
        (self,), (self,),
        {"stream": stream, "max_version": max_version, "dl_device": dl_device, "copy": copy},
    ),
    "__repr__": lambda self, *, tensor_contents=None: (
        (self,), (self,), {"tensor_contents": tensor_contents}
    ),
    "norm": lambda self, p="fro", dim=None, keepdim=False, dtype=None: (
        (self,), (self,), {"p": p, "dim": dim, "keepdim": keepdim, "dtype": dtype}
    ),
    "register_hook": _with_argument,
    "resize": lambda self, *sizes: ((self,), (self, *sizes), {}),
    "resize_as": lambda self, tensor: ((self, tensor), (self, tensor), {}),
    "split": lambda self, split_size, dim=0: ((self,), (self, split_size), {"dim": dim}),
    "unflatten": lambda self, dim, sizes: ((self,), (self, dim, sizes), {}),
    "unique": _unique,
    "unique_consecutive": _unique_consecutive,
}  # fmt: skip

NOT_OVERRIDABLE = frozenset({
    "__class__", "__delitem__", "__getstate__", "__hash__", "__init__", "__iter__", "__new__",
    "__str__", "__torch_function__", "_make_subclass", "_typed_storage", "as_subclass", "set_",
    "range",
    "is_tensor", "is_storage", "typename", "from_numpy", "frombuffer", "from_dlpack", "to_dlpack",
    "broadcast_shapes", "__delattr__", "__setattr__", "__getattribute__",
})  # fmt: skip
"""Functions and methods of torch that no ``__torch_function__`` gets."""

SPECIAL_PARSERS = {
    "__add__": "add", "__radd__": "add", "__iadd__": "add_", "__sub__": "sub", "__isub__": "sub_",
    "__mul__": "mul", "__rmul__": "mul", "__imul__": "mul_", "__truediv__": "div",
    "__itruediv__": "div_", "__div__": "div", "__idiv__": "div_",
    "__ifloordiv__": "floor_divide_", "__mod__": "remainder", "__imod__": "remainder_",
    "__matmul__": "matmul", "__rand__": "bitwise_and", "__ror__": "bitwise_or",
    "__rxor__": "bitwise_xor", "__eq__": "eq", "__ne__": "ne", "__lt__": "lt", "__le__": "le",
    "__gt__": "gt", "__ge__": "ge",
}  # fmt: skip
"""The special methods with the parser and the name of another method."""

OWN_NAMES = {
    f"__{inplace}{short}__": f"bitwise_{long}{'_' * bool(inplace)}"
    for short, long in (
        ("and", "and"), ("or", "or"), ("xor", "xor"), ("lshift", "left_shift"),
        ("rshift", "right_shift"),
    )
    for inplace in ("", "i")
}  # fmt: skip
"""The special methods with the parser of another method, but a name of their own."""

ALIASES = {
    "nelement": "numel", "ndimension": "dim", "__abs__": "abs", "__neg__": "neg",
    "__pos__": "positive", "to_sparse_coo": "to_sparse",
}  # fmt: skip
"""Methods of torch that are others under another name."""


def is_special(name: str) -> bool:
    """Return whether a method in Python returns NotImplemented for a TypeError."""
    return METHODS.get(name) is _special
