"""The names of the kernels that sparse tensors lack, which torch's errors show.

An operator without a row lacks the kernel of its own name.  A row has the name, or names by the
first argument after the tensor: a "Tensor", a "number", or another object, "".
"""

from typing import Any

from .tensor import Tensor

_ALIASES = {
    "not_equal": "ne", "greater": "gt", "greater_equal": "ge", "less": "lt", "less_equal": "le",
    "arctan2": "atan2", "clip": "clamp", "arccos": "acos", "arccosh": "acosh",
}  # fmt: skip
"""Other names of operators, also with an underscore at the end."""

_ROWS: tuple[tuple[str, str | dict[str, str]], ...] = (
    ("eq ne gt ge lt le fill_", {"Tensor": "{}.Tensor", "": "{}.Scalar"}),
    ("bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift", "{}.Tensor"),
    ("copysign fmod remainder xlogy", "{}.Tensor"),
    ("clamp clamp_min clamp_max", {"number": "{}", "": "{}.Tensor"}),
    ("float_power_", {"Tensor": "pow_.Tensor", "": "pow_.Scalar"}),
    ("bernoulli_", {"Tensor": "{}.Tensor", "": "{}.float"}),
    ("logical_and logical_or logical_xor logical_not", "{base}.out"),
    ("std var std_mean var_mean", "{}.correction"),
    ("max min", {"Tensor": "{}imum", "number": "{}.dim", "": "{}"}),
    ("prod", {"number": "{}.dim_int", "": "{}"}),
    ("ones_like full_like", "fill_.Scalar"),
    ("isclose allclose", "eq.Tensor"),
    ("ldexp", "pow.Scalar"),
    ("count_nonzero", "{}.dim_IntList"),
    ("argwhere", "nonzero"),
    ("where", "where.self"),
    ("unflatten", "view"),
    ("new_empty_strided", "empty_strided"),
    ("index_put_", "_index_put_impl_"),
    ("randint_like", "random_.from"),
    ("rand_like", "uniform_"),
    ("randn_like", "normal_"),
)
"""Operators, also with an underscore at the end, and the names of their kernels."""

_NAMES = {name: row for names, row in _ROWS for name in names.split()}

_SHIFTS = "bitwise_left_shift_", "bitwise_right_shift_"


def missing_kernel(name: str, operands: tuple[Any, ...]) -> str:
    """Return the name of the kernel that an operator lacks for some operands."""
    if name in ("masked_fill_", "lerp", "lerp_"):
        return f"{name}.{'Tensor' if isinstance(operands[2], Tensor) else 'Scalar'}"
    if name == "random_":
        bounds = [value for value in operands[1:3] if isinstance(value, int)]
        return f"random_{('', '.to', '.from')[len(bounds)]}"
    if name in _SHIFTS and not isinstance(operands[1], Tensor):
        return f"{name[:-1]}.Tensor_out"
    base = name.removesuffix("_")
    mark = name[len(base) :]
    base = _ALIASES.get(base, base)
    row = _NAMES.get(base + mark) or _NAMES.get(base, "{}")
    if isinstance(row, dict):
        given = (value for value in operands[1:3] if value is not None)
        row = row.get(_kind(next(given, None))) or row[""]
    return row.format(base + mark, base=base)


def _kind(value: Any) -> str:
    if isinstance(value, Tensor):
        return "Tensor"
    return "number" if isinstance(value, int | float | complex) else ""
