"""The names of the kernels that sparse tensors lack, which torch's errors show.

An operator without a row lacks the kernel of its own name.  A row has the name, or names by the
first argument after the tensor: a "Tensor", a "number", or another object, "".
"""

from typing import Any

from .._devices.device import META, device
from .._geometry.layout import layout, mkldnn, sparse_coo
from .._runtime.errors import check
from .tensor import Tensor

_ALIASES = {
    "not_equal": "ne", "greater": "gt", "greater_equal": "ge", "less": "lt", "less_equal": "le",
    "arctan2": "atan2", "clip": "clamp", "arccos": "acos", "arccosh": "acosh", "arcsin": "asin",
    "arcsinh": "asinh", "arctan": "atan", "arctanh": "atanh", "absolute": "abs", "fix": "trunc",
    "negative": "neg", "multiply": "mul", "subtract": "sub", "divide": "div",
    "true_divide": "div", "concat": "cat", "concatenate": "cat",
}  # fmt: skip
"""Other names of operators, also with an underscore at the end."""

_OUTS = {
    "copysign.Tensor": "copysign.out", "xlogy.Tensor": "xlogy.OutTensor", "prod": "prod.out",
    "prod.dim_int": "prod.int_out", "max": "max.unary_out", "max.dim": "max.dim_max",
    "min": "min.unary_out", "min.dim": "min.dim_min", "sum.dim_IntList": "sum.IntList_out",
    "mean.dim": "mean.out", "div.Tensor": "div.out", "div.Tensor_mode": "div.out_mode",
    "mul.Tensor": "mul.out", "sub.Tensor": "sub.out", "sort.stable": "sort.values_stable",
    "topk": "topk.values", "kthvalue.values": "kthvalue.values",
    "histogram.bins_tensor": "histogram.bins_tensor_out",
    "histogram.bin_ct": "histogram.bin_ct_out", "median.dim_values": "median.dim_values",
    "nanmedian.dim_values": "nanmedian.dim_values", "_linalg_det": "_linalg_det.result",
    "_linalg_slogdet": "_linalg_slogdet.sign", "linalg_inv_ex": "linalg_inv_ex.inverse",
    "_linalg_svd": "_linalg_svd.U", "_linalg_eigh": "_linalg_eigh.eigenvalues",
    "linalg_cholesky_ex": "linalg_cholesky_ex.L", "_linalg_solve_ex": "_linalg_solve_ex.result",
}  # fmt: skip
"""The kernels for ``out=`` that are named otherwise."""

_ROWS: tuple[tuple[str, str | dict[str, str]], ...] = (
    ("eq ne gt ge lt le fill_", {"Tensor": "{}.Tensor", "": "{}.Scalar"}),
    ("bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift", "{}.Tensor"),
    ("copysign fmod xlogy", "{}.Tensor"),
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
    ("sort argsort msort", "sort.stable"),
    ("kthvalue", "{}.values"),
    ("median nanmedian", {"number": "{}.dim_values", "": "{}"}),
    ("searchsorted", {"Tensor": "{}.Tensor", "": "{}.Scalar"}),
    ("frexp", "frexp.Tensor_out"),
    ("count_nonzero", "{}.dim_IntList"),
    ("histogram", {"Tensor": "{}.bins_tensor", "": "{}.bin_ct"}),
    ("argwhere", "nonzero"),
    ("fill_diagonal_", "as_strided"),
    ("unflatten", "view"),
    ("index_put index_put_", "_index_put_impl_"),
    ("randint_like", "random_.from"),
    ("rand_like", "uniform_"),
    ("randn_like", "normal_"),
    ("cross", "linalg_cross"),
    ("softmax log_softmax", "_{}"),
    ("det linalg_det", "_linalg_det"),
    ("slogdet linalg_slogdet", "_linalg_slogdet"),
    ("inverse linalg_inv", "linalg_inv_ex"),
    ("linalg_solve", "_linalg_solve_ex"),
    ("linalg_eigh linalg_svd", "_{}"),
    ("linalg_svdvals", "_linalg_svd"),
    ("linalg_eigvalsh", "_linalg_eigh"),
    ("linalg_cholesky", "linalg_cholesky_ex"),
)
"""Operators, also with an underscore at the end, and the names of their kernels."""

_NAMES = {name: row for names, row in _ROWS for name in names.split()}

_SHIFTS = "bitwise_left_shift_", "bitwise_right_shift_"


def missing_kernel(name: str, operands: tuple[Any, ...]) -> str:
    """Return the name of the kernel that an operator lacks for some operands."""
    if name in ("masked_fill_", "lerp", "lerp_"):
        return f"{name}.{'Tensor' if isinstance(operands[2], Tensor) else 'Scalar'}"
    if name == "index_fill_":
        return f"{name}.int_{'Tensor' if isinstance(operands[3], Tensor) else 'Scalar'}"
    if name == "random_":
        bounds = [value for value in operands[1:3] if isinstance(value, int)]
        return f"random_{('', '.to', '.from')[len(bounds)]}"
    if name in ("remainder", "remainder_"):
        return f"{name}.{'Tensor' if isinstance(operands[0], Tensor) else 'Scalar_Tensor'}"
    if name == "where":
        return "nonzero" if len(operands) == 1 else "where.self"
    if name == "isin":
        kinds = ["Tensor" if isinstance(x, Tensor) else "Scalar" for x in operands[:2]]
        return f"isin.{'_'.join(kinds)}"
    if name == "normal":
        kinds = ["Tensor" if isinstance(x, Tensor) else "float" for x in operands[:2]]
        return f"normal.{'_'.join(kinds)}"
    if name == "bucketize":
        return f"bucketize.{'Tensor' if isinstance(operands[0], Tensor) else 'Scalar'}"
    if name in ("scatter", "scatter_"):
        return f"{name}.{scatter_overload(operands)}"
    if name in ("scatter_reduce", "scatter_reduce_"):
        return f"{name}.two"
    if name in _SHIFTS and not isinstance(operands[1], Tensor):
        return f"{name[:-1]}.Tensor_out"
    base = name.removesuffix("_")
    mark = name[len(base) :]
    base = alias_of(base)
    row = _NAMES.get(base + mark) or _NAMES.get(base, "{}")
    if isinstance(row, dict):
        given = (value for value in operands[1:3] if value is not None)
        row = row.get(_kind(next(given, None))) or row[""]
    return row.format(base + mark, base=base)


def scatter_overload(operands: tuple[Any, ...]) -> str:
    """Return the name of the overload of scatter for operands."""
    words = ("value" * (not isinstance(operands[3], Tensor)), "reduce" * (len(operands) > 4))
    return "_".join(filter(None, words)) or "src"


def alias_of(name: str) -> str:
    """Return the name by which torch calls an operator without an underscore at the end."""
    return _ALIASES.get(name, name)


def out_kernel(kernel: str) -> str:
    """Return the name of the kernel for ``out=`` beside a kernel.

    >>> out_kernel("sin"), out_kernel("gt.Scalar"), out_kernel("abs.out"), out_kernel("max.dim")
    ('sin.out', 'gt.Scalar_out', 'abs.out', 'max.dim_max')
    """
    if kernel.endswith((".out", "_out")):
        return kernel
    return _OUTS.get(kernel) or kernel + ("_out" if "." in kernel else ".out")


def _kind(value: Any) -> str:
    if isinstance(value, Tensor):
        return "Tensor"
    return "number" if isinstance(value, int | float | complex) else ""


def sparse_backend(device: device, layout: layout = sparse_coo) -> str:
    """Return torch's backend of the tensors of a layout, sparse or _mkldnn, on a device."""
    check(
        layout is not mkldnn or device is not META,
        lambda: "Unsupported device type for mkldnn layout: meta",
        NotImplementedError,
    )
    prefix = {sparse_coo: "Sparse", mkldnn: "Mkldnn"}.get(layout, "SparseCsr")
    return f"{prefix}{'Meta' if device is META else 'CPU'}"


def could_not_run(kernel: str, backend: str) -> NotImplementedError:
    """Return torch's error for a missing kernel, without the list of its build's kernels."""
    return NotImplementedError(
        f"Could not run 'aten::{kernel}' with arguments from the '{backend}' backend. This could"
        " be because the operator doesn't exist for this backend, or was omitted during the"
        " selective/custom build process (if using custom build). If you are a Facebook employee"
        " using PyTorch on mobile, please visit https://fburl.com/ptmfixes for possible"
        " resolutions."
    )
