"""The timed statements: one row per call, with the ceiling of its ratio.

A row's setup and statement are run with ``torch`` bound to either library.
"""

from typing import NamedTuple


class Row(NamedTuple):
    """A timed statement.  The rows of a group share a ceiling of their geometric mean."""

    group: str
    statement: str
    ceiling: float = 1.0
    setup: str = "pass"


DTYPES = "a, b, c = torch.float32, torch.int32, torch.complex64"
LIMITS = "f, i = torch.finfo(torch.float32), torch.iinfo(torch.int32)"
FIELDS = "; ".join(
    f"f.{name}"
    for name in ("bits", "dtype", "eps", "max", "min", "resolution", "smallest_normal", "tiny")
)

X = "x = torch.arange(6.0).reshape(2, 3); n = torch.ones(1, 2, 3, 4)"

SMALL = {
    "torch.empty(2, 3)": 2.0,
    "torch.ones(2, 3)": 2.5,
    "torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])": 2.0,
    "torch.empty_permuted((2, 3), (1, 0))": 2.0,
    "x.view(3, 2)": 1.5,
    "x.permute(1, 0)": 1.5,
    "x.t()": 1.5,
    "x[0]": 1.5,
    "x.clone()": 2.0,
    "x.contiguous()": 3.0,
    "x.t().contiguous()": 2.5,
    "repr(x)": 0.5,
    "x.is_contiguous()": 2.5,
    "x.dim_order()": 0.5,
    "x.stride()": 2.0,
    "x.shape": 1.5,
}
"""Ceilings of calls on small tensors that should on average cost no more than in torch."""

OTHER_TENSOR_CALLS = {
    "x[0, 1]": 2.0,
    "x[:, 1:]": 3.0,
    "n.is_contiguous(memory_format=torch.channels_last)": 3.0,
    "x.reshape(3, 2)": 3.0,
    "x.unsqueeze(0)": 1.5,
    "x.tolist()": 6.0,
    "x.to(torch.float64)": 1.5,
    "x.fill_(1.0)": 6.0,
    "torch.cat([x, x])": 15.0,
    "torch.zeros(2, 3, dtype=torch.int64)": 5.0,
}
"""Ceilings of other calls on small tensors, which keep their cost from growing."""

CAST = (
    "float32", "float64", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "int32", "int64",
    "uint8", "bool",
)  # fmt: skip
PAIRS = [(CAST[i], CAST[(i + step) % len(CAST)]) for step in (1, 4) for i in range(len(CAST))]
"""Sources and targets: each dtype is twice a source and twice a target."""


def casts(group: str, numbers: str, ceiling: float) -> tuple[Row, ...]:
    """Return the rows that cast numbers from and to each dtype."""
    return tuple(
        Row(group, f"{source}.to({target})", ceiling,
            f"{source} = torch.{numbers}.to(torch.{source}); {target} = torch.{target}")
        for source, target in PAIRS
    )  # fmt: skip


SMALL_OPERANDS = (
    "a = torch.arange(6.0).reshape(2, 3); i = torch.arange(6).reshape(2, 3);"
    " b = a.to(torch.bfloat16);"
    " c = torch.ones(2, 3, 4, 4).contiguous(memory_format=torch.channels_last)"
)
SMALL_ARITHMETIC = ("a + a", "a * i", "a + 1", "a + b", "a.add_(1)", "a == a", "c + c", "a.sum()")

PLANNED_OPERANDS = (
    "x = torch.arange(64.0); m = x.reshape(8, 8) % 7; i = torch.arange(64).reshape(8, 8) * 5 % 8"
)
PLANNED_CALLS = (
    "torch.view_copy(x, (8, 8))", "torch.split_copy(x, 8)", "torch.select_scatter(m, m[0], 0, 1)",
    "torch.tril(m)", "torch.diag_embed(m)", "torch.flip(m, (0,))", "torch.hstack([x, x])",
    "torch.block_diag(m, m)", "torch.combinations(m[0])", "torch.vander(m[0])",
    "torch.clamp(x, 2, 5)", "torch.where(m > 3, m, m)", "m.gather(1, i)", "x.take(i)",
    "torch.take_along_dim(m, i, 1)", "torch.searchsorted(x, m)", "m.topk(3)", "m.sort()",
    "torch.quantile(x, 0.5)", "torch.histc(x)", "torch.logsumexp(m, 1)", "torch.trapezoid(x)",
    "m.sum(1)", "m.cumsum(1)", "torch.zeros_like(m)", "torch.permute(m, (1, 0))",
)  # fmt: skip
"""Calls of 64 elements whose kinds are known after the first one."""

PRODUCT_OPERANDS = (
    "m = torch.ones(2, 3); n = torch.ones(3, 2); v = torch.ones(3); w = torch.ones(2);"
    " s = torch.ones(8, 8); b = torch.ones(8, 16, 16); c = torch.ones(2, 4, 16, 16)"
)
SMALL_PRODUCTS = (
    "torch.mm(m, n)", "m @ n", "torch.mv(m, v)", "torch.dot(v, v)", "torch.vdot(v, v)",
    "torch.bmm(b, b)", "torch.matmul(c, b[0])", "torch.outer(w, v)", "torch.inner(m, v)",
    "torch.kron(m, n)", "torch.tensordot(m, n, 1)", "torch.addmm(w, m, n)",
    "torch.addmv(w, m, v)", "torch.addr(m, w, v)", "torch.baddbmm(b, b, b)",
    "torch.addbmm(b[0], b, b)", "w.addmv_(m, v, beta=0)", "torch.mm(s, s, out=torch.empty(8, 8))",
)  # fmt: skip
"""Products of small tensors."""

PRODUCTS = (
    ("f @ f", "f = torch.ones(512, 512)"),
    ("b @ b", "b = torch.ones(256, 256, dtype=torch.bfloat16)"),
    ("h @ h", "h = torch.ones(256, 256, dtype=torch.float16)"),
    ("i @ i", "i = torch.ones(128, 128, dtype=torch.int64)"),
    ("c @ c", "c = torch.ones(128, 128, dtype=torch.complex64)"),
)
"""Products of large matrices, and their operands."""

FLOATS = "a = torch.arange(-2e6, 2e6) * 1.375"
SQUARE = "a = torch.arange(-2e6, 2e6).reshape(2000, 2000)"
ARITHMETIC = (
    ("a + a", FLOATS),
    ("b + b", "b = torch.arange(-2e6, 2e6).to(torch.bfloat16)"),
    ("h + h", "h = (torch.arange(-2e6, 2e6) * 0.01).to(torch.float16)"),
    ("i + i", "i = torch.arange(4_000_000, dtype=torch.int32)"),
    ("a + i", f"{FLOATS}; i = torch.arange(4_000_000, dtype=torch.int32)"),
    ("a + a.t()", SQUARE),
    ("a + row", f"{SQUARE}; row = a[0].clone()"),
    ("a * column", f"{SQUARE}; column = a[:, :1].clone()"),
    ("a + 1", FLOATS),
    ("a.add_(1)", FLOATS),
)
"""Statements on 4 million elements, and their operands."""

DEVICE = "d = torch.device('cpu', 1); e = torch.device('cuda'); x = torch.ones(2)"
DEVICE_CALLS = (
    "torch.device('cuda:0')", "torch.device('cuda', 1)", "torch.device(d)", "d == e", "hash(d)",
    "repr(d)", "x.device", "with d: pass", "with d: torch.empty(0)",
    "torch.set_default_device(d); torch.set_default_device(None)", "torch.get_default_device()",
    "torch.ones(2, device='cpu')",
)  # fmt: skip
"""Creation and comparison of devices, and the default device."""

ON_META = (
    "x = torch.ones(2, 3, device='meta'); y = torch.ones(3, dtype=torch.bfloat16, device='meta')"
)
META_ARITHMETIC = ("x + x", "x * 2.5", "x * y", "(x + 1).view(6) * 2")
META_VIEWS = ("x.view(6)", "x.t()", "x[0]")
"""Views of tensors without memory."""

SPARSE = (
    "torch.sparse.check_sparse_tensor_invariants.disable();"
    " n = torch.arange(1_000_000); i = torch.stack([n * 7919 % 3001, n * 104729 % 2999]);"
    " s = torch.sparse_coo_tensor(i, torch.ones(1_000_000), (3001, 2999)); c = s.coalesce()"
)
SPARSE_CALLS = ("s.coalesce()", "s.to_dense()", "s + s", "c * c", "c + c", "s.t()", "s.sum(0)")
"""Operators on a sparse tensor with a million values."""

ROWS = (
    *(Row("tensors", statement, ceiling, X) for statement, ceiling in SMALL.items()),
    *(Row("other tensors", text, ceiling, X) for text, ceiling in OTHER_TENSOR_CALLS.items()),
    *casts("casts", "arange(-128.0, 128.0, 2**-14)", 2.5),
    *casts("small casts", "arange(6.0).reshape(2, 3)", 2.5),
    *(Row("small arithmetic", statement, 3.0, SMALL_OPERANDS) for statement in SMALL_ARITHMETIC),
    *(Row("arithmetic", statement, 3.0, setup) for statement, setup in ARITHMETIC),
    *(Row("planned calls", statement, 12.0, PLANNED_OPERANDS) for statement in PLANNED_CALLS),
    *(Row("small products", statement, 6.0, PRODUCT_OPERANDS) for statement in SMALL_PRODUCTS),
    *(Row("products", statement, 4.0, setup) for statement, setup in PRODUCTS),
    *(Row("meta", statement, 0.04, ON_META) for statement in META_ARITHMETIC),
    *(Row("views on meta", statement, 1.0, ON_META) for statement in META_VIEWS),
    *(Row("sparse", statement, 3.0, SPARSE) for statement in SPARSE_CALLS),
    *(Row("devices", statement, 3.0, DEVICE) for statement in DEVICE_CALLS),
    Row("metadata", "torch.promote_types(a, b)", setup=DTYPES),
    Row("metadata", "torch.promote_types(float, a)", setup=DTYPES),
    Row("metadata", "torch.can_cast(a, b)", setup=DTYPES),
    Row("metadata", "torch.result_type(1, 2.5)"),
    Row("metadata", "torch.result_type(True, 1j)"),
    Row("metadata", "torch.finfo(a)", setup=DTYPES),
    Row("metadata", "torch.iinfo(b)", setup=DTYPES),
    Row("metadata", FIELDS, setup=LIMITS),
    Row("metadata", "i.bits; i.dtype; i.max; i.min", setup=LIMITS),
    Row("metadata", "a.itemsize", setup=DTYPES),
    Row("metadata", "a.is_floating_point", setup=DTYPES),
    Row("metadata", "a.is_complex", setup=DTYPES),
    Row("metadata", "a.is_signed", setup=DTYPES),
    Row("metadata", "a.abbr", setup=DTYPES),
    Row("metadata", "torch.float32"),
    # The rows below compare Python with trivial C functions; *args parameters
    # give wrong calls torch's messages.
    Row("others", "torch.get_default_dtype()", ceiling=1.5),
    Row("others", "torch.set_default_dtype(a)", ceiling=1.5, setup=DTYPES),
    Row("others", "a.to_real()", ceiling=3.0, setup=DTYPES),
    Row("others", "a.to_complex()", ceiling=3.0, setup=DTYPES),
    Row("others", "repr(a)", ceiling=2.0, setup=DTYPES),
    Row("others", "a == b", ceiling=1.2, setup=DTYPES),
    Row("others", "hash(a)", ceiling=1.2, setup=DTYPES),
    Row("others", "repr(f)", ceiling=1.5, setup=LIMITS),
    Row("others", "repr(i)", ceiling=1.5, setup=LIMITS),
    Row("others", "f == f", ceiling=6.0, setup=LIMITS),
)

GROUPS = {
    "tensors": 1.0,
    "other tensors": 3.0,
    "casts": 1.0,
    "small casts": 1.0,
    "small arithmetic": 1.0,
    "arithmetic": 1.0,
    "planned calls": 3.0,
    "small products": 2.5,
    "products": 3.0,
    "meta": 0.04,
    "views on meta": 1.0,
    "devices": 1.0,
    "sparse": 3.0,
    "metadata": 0.5,
    "others": 1.5,
}
"""The ceiling of the geometric mean of the ratios of each group."""

IMPORT_CEILING = 0.01
"""The ceiling of impl's import time as a fraction of torch's."""
