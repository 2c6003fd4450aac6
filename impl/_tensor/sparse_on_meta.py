"""The operators with a kernel for sparse tensors on the CPU, but with none for those on meta."""

from typing import Any

from .._runtime.errors import check
from .allocation import warn_if_complex32
from .sparse_missing import alias_of
from .tensor import Tensor

_KERNELS = {
    "abs": "abs.out", "deg2rad": "mul.out", "rad2deg": "mul.out",
    "nan_to_num": "nan_to_num.out", "mul": "mul{}.Tensor", "sub": "sub{}.Tensor",
    "rsub": "sub.Tensor", "floor_divide": "floor_divide{}", "cat": "cat",
    "index_select": "index_select", "narrow_copy": "narrow_copy", "mm": "mm", "bmm": "bmm",
    "addmm": "addmm{}",
}  # fmt: skip
"""The names of the kernels; braces stand for the underscore of the in-place form."""


def kernel_on_meta(name: str, operands: tuple[Any, ...], applied: frozenset[str]) -> str:
    """Return the name of the kernel that an operator lacks on meta alone, or an empty string.

    ``applied`` are the operators that apply to the values of a tensor.
    """
    base = name.removesuffix("_")
    mark = name[len(base) :]
    base = alias_of(base)
    if base == "div":
        mode = "_mode" if any(isinstance(x, str) for x in operands) else ""
        return f"div{mark}.Tensor{mode}"
    if base == "cat" and any(map(_is_tensor, operands[1:])):
        return "cat.out"
    if base in ("pow", "square"):
        return _power(mark, operands)
    if base == "round" and any(isinstance(x, int) for x in operands[1:]):
        return f"round{mark}.decimals"
    if name == "isinf":
        raise NotImplementedError("nyi isinf for SparseMeta")
    if name == "rsub" and isinstance(operands[1], Tensor):
        return "rsub.Tensor"
    if name == "where" and len(operands) > 1 and not all(map(_is_tensor, operands)):
        # Torch makes a tensor of a number, which has the layout of the other one.
        others = [x for x in operands[1:] if isinstance(x, Tensor)]
        return "where.self" if any(not x._geometry.is_sparse for x in others) else "fill_.Scalar"
    if base == "sum":
        return "sum.dim_IntList" if len(operands) > 2 else ""
    if name == "floor_divide_":
        return "floor_divide_.Tensor"
    if base in _KERNELS:
        return _KERNELS[base].format(mark)
    return base + mark if base in applied or base == "neg" else ""


def check_applied(name: str, tensor: Tensor, out: Tensor | None) -> None:
    """Do what an operator that applies to values does before it calls the kernel it lacks.

    It makes the result, which may be complex32, and raises for complex numbers.
    """
    base = alias_of(name.removesuffix("_"))
    dtype = tensor._dtype
    if out is None and base == name and base in _MAKE_RESULT:
        warn_if_complex32(dtype, 3)
    check(
        base not in _REAL or not dtype.is_complex,
        lambda: f"{base} is not supported for complex tensors.",
    )
    check(
        base != "abs" or base == alias_of(name) or not dtype.is_complex,
        lambda: "In-place abs is not supported for complex tensors.",
    )


_REAL = frozenset({"deg2rad", "rad2deg"})
_MAKE_RESULT = _REAL | {"nan_to_num"}


def _is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor)


def _power(mark: str, operands: tuple[Any, ...]) -> str:
    base, exponent = operands[0], operands[1] if len(operands) > 1 else 2
    kinds = ["Tensor" if _is_tensor(x) else "Scalar" for x in (base, exponent)]
    if mark:
        return f"pow_.{kinds[1]}"
    return "pow.Scalar" if kinds[0] == "Scalar" else f"pow.Tensor_{kinds[1]}"
