"""Calls on layouts and sparse tensors, as text."""

from .tensors import ALL_DTYPES

LAYOUTS = (
    "strided", "sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc", "jagged",
    "_mkldnn",
)  # fmt: skip
"""All layouts."""

OBJECTS = (
    "{}", "repr({})", "str({})", "format({})", "'{{:>20}}'.format({})", "type({}) is torch.layout",
    "isinstance({}, torch.layout)", "{} is {}", "{} == {}", "{} != {}", "hash({}) == hash({})",
    "{{{}: 1}}[{}]", "len({{{}, {}}})", "bool({})", "callable({})",
    *(f"{{}} {operator} {other}" for operator in ("==", "!=", "is", "<", "in")
      for other in (*(f"torch.{layout}" for layout in LAYOUTS), "1", "None", "'torch.strided'",
                    "torch.layout", "torch.float32", "[torch.strided]")),
    *(f"pickle.loads(pickle.dumps({{}}, {protocol})) is {{}}" for protocol in range(6)),
    "copy.copy({}) is {}", "copy.deepcopy({}) is {}", "copy.deepcopy([{}])", "{}.__reduce__()",
    "{}.__reduce_ex__(2)", "{}.nonsense", "{}.nonsense = 1", "del {}.nonsense", "{}.name",
    "{}.__name__", "{}.__dict__", "{}()", "{}(1)", "len({})", "{}[0]", "iter({})", "int({})",
    "{} + {}", "-{}", "{} | None", "[name for name in dir({}) if not name.startswith('_')]",
    "type({})()", "type({}).__name__", "setattr({}, '__class__', int)", "isinstance({}, int)",
)  # fmt: skip
"""Calls on a layout."""

CLASS = (
    "torch.layout", "torch.layout()", "torch.layout('strided')", "torch.layout(1)",
    "torch.layout.__name__", "torch.layout.__qualname__", "isinstance(torch.layout, type)",
    "issubclass(torch.layout, object)", "type('L', (torch.layout,), {})", "torch.layout.nonsense",
    "torch.layout.nonsense = 1", "torch.layout.__new__(torch.layout)",
    "copy.copy(torch.layout) is torch.layout",
    "pickle.loads(pickle.dumps(torch.layout)) is torch.layout",
    "[name for name in dir(torch.layout) if not name.startswith('_')]",
    "torch.layout == torch.layout", "torch.layout == torch.strided", "torch.sparse_coo.layout",
    "torch.ones(2).layout", "torch.ones(2).layout is torch.strided", "torch.ones(2, 3).t().layout",
    "torch.ones(()).layout", "torch.ones(0)[:0].layout", "torch.ones(2, dtype=torch.bool).layout",
    "torch.ones(2).to_sparse().layout", "torch.ones(2).to_sparse().layout is torch.sparse_coo",
    "torch.ones(2).to_sparse().to_dense().layout", "torch.ones(2).to_sparse().values().layout",
    "torch.ones(2).layout == torch.sparse_coo", "torch.ones(2).is_sparse",
    "torch.ones(2).to_sparse().is_sparse", "torch.ones(2).layout = torch.sparse_coo",
    "setattr(torch.ones(2), 'layout', torch.strided)", "delattr(torch.ones(2), 'layout')",
    "torch.ones(2).layout()", "torch.ones(2, layout=torch.strided).layout",
    "torch.ones(2, layout=None)", "torch.ones(2, layout='strided')",
    "torch.ones(2, layout=torch.layout)", "torch.Tensor.layout.__name__",
    "torch.zeros(2, layout=torch.float32)", "torch.zeros(2, layout=1)",
)  # fmt: skip
"""Calls on ``torch.layout``, and on the layouts of tensors."""

VALUES = tuple(dtype for dtype in ALL_DTYPES if dtype != "float8_e8m0fnu")
"""The dtypes of sparse tensors."""

CALLS = (
    "i, v", "i, v, (3, 4)", "i, v, [3, 4]", "i, v, torch.Size([3, 4])", "i, v, size=(3, 4)",
    "indices=i, values=v, size=(3, 4)", "indices=i, values=v", "values=v, indices=i", "size=(3, 4)",
    "(3, 4)", "[3, 4]", "3, 4", "()", "(0,)", "i.tolist(), v.tolist(), (3, 4)", "i.tolist(), v",
    "i, v.tolist(), (3, 4)", "i.numpy(), v, (3, 4)", "i.int(), v, (3, 4)", "i.float(), v, (3, 4)",
    "i.bool(), v, (3, 4)", "i.to(torch.uint8), v", "i.half(), v",
    "i.to(torch.complex64), v, (3, 4)", "i, v, (3, 4), check_invariants=True",
    "i, v, (3, 4), check_invariants=False", "i, v, (3, 4), check_invariants=None",
    "i, v, check_invariants=True", "i, v, (3, 4), is_coalesced=True",
    "i, v, (3, 4), is_coalesced=False", "i, v, (3, 4), is_coalesced=None",
    "i, v, is_coalesced=True", "i, v, (3, 4), is_coalesced=True, check_invariants=True",
    "i[:, [1, 3, 0]], v[:3], (3, 4), is_coalesced=True, check_invariants=True",
    "i[:, [1, 3, 0]], v[:3], (3, 4), is_coalesced=True", "i, v, (3, 4), device='cpu'",
    "i, v, (3, 4), device='cpu:0'", "i, v, (3, 4), device=torch.device('cpu')",
    "i, v, (3, 4), device=None", "i, v, (3, 4), device='nope'", "i, v, (3, 4), requires_grad=True",
    "i, v, requires_grad=True", "(3, 4), requires_grad=True", "i, v, (3, 4), requires_grad=False",
    "i, v, (3, 4), requires_grad=1", "i, v, (3, 4), pin_memory=False",
    "i, v, (3, 4), layout=torch.sparse_coo", "i, v, (3, 4), nonsense=1",
    "i, v, (3, 4), torch.float64", "i, v, (3, 4), None", "", "i", "i, 1", "None, v", "i, None",
    "i, v, (3,)", "i, v, (3, 4, 5)", "i, v, ()", "i, v, (3, -4)", "i, v, (3, 4.0)", "i, v, None",
    "i, v, 3", "i, v, 'a'", "i, v[:3], (3, 4)", "i, v[:3]", "i[:, :2], v, (3, 4)", "i[0], v, (3,)",
    "i[0], v", "i[:1], v, (3,)", "i[:1], v", "i[:0], v, ()", "i[:0], v", "i[:0], v[:1], ()",
    "i[:, :0], v[:0], (3, 4)", "i[:, :0], v[:0]", "i[:, :1], v[:1], (3, 4)",
    "i[:, :0], v[:0], (0, 4)", "i.t(), v, (3, 4)", "i[None], v, (3, 4)", "i, v[None], (3, 4)",
    "i, v[:, None], (3, 4)", "i, v[:, None], (3, 4, 1)", "i, v[:, None]",
    "i, v[:, None].expand(4, 2), (3, 4, 2)", "i, v[:, None], (3, 4, 2)",
    "i[:1], v[:, None, None], (3, 1, 1)", "i, v[0], (3, 4)", "i, 1.5, (3, 4)", "[[0, 1]], 1.5",
    "[[0]], 1.5, (1,)", "i - 1, v", "-i, v", "i, v, (2, 2)", "i, v, (2, 2), check_invariants=True",
    "-i, v, (3, 4), check_invariants=True", "-i, v, (3, 4), check_invariants=False",
    "i, v, (3, 3), check_invariants=True", "[[0.5, 1.9]], [1.0, 2.0]",
    "[[True, False]], [1.0, 2.0]", "[[0, 1], [1]], [1.0, 2.0]", "[['a']], [1.0]", "[[0]], ['a']",
    "[[2**70]], [1.0]", "[], []", "[[]], []", "[[], []], [], (3, 4)", "[0], [1]", "0, 1",
    "[[0, 1]], [[1.0, 2.0], [3.0, 4.0]]", "[[0, 1]], [1, 2.5]", "[[0, 1]], [1, 2j]",
    "[[0, 1]], [True, False]", "[[0, 1]], [True, 2]", "[[0, 1]], [1, 2], (2**40,)",
    "[[2**40]], [1]", "(2**40, 2**20)", "(2**40, 2**40)", "((3, 4),)", "(3.5,)", "('a',)",
    "i, v.clone().requires_grad_(v.is_floating_point()), (3, 4)",
    "i, v.numpy() if v.dtype is torch.float32 else v, (3, 4)", "i, v, (3, 4), dtype='float32'",
    "i, v, (3, 4), dtype=None",
)  # fmt: skip
"""Arguments of ``sparse_coo_tensor``; ``i`` are unsorted indices with one duplicate."""

LOOKS = (
    "x", "x.indices()", "x.values()", "x._indices()", "x._values()", "x._indices() is x._indices()",
    "x.coalesce()", "x.coalesce() is x", "x.is_coalesced()", "x._coalesced_(True)",
    "x._coalesced_(False)", "x._coalesced_()", "x.sparse_dim()", "x.dense_dim()", "x._nnz()",
    "x.to_dense()", "x.to_sparse()", "x.to_sparse() is x", "x.to_sparse(1)",
    "x.to_sparse(x.sparse_dim())", "x.to_sparse(layout=torch.sparse_coo)", "x.clone()",
    "x.clone().coalesce()", "x.detach()", "x.detach().requires_grad_()", "x.neg()", "-x",
    "torch.neg(x)", "x.layout", "x.is_sparse", "x.is_sparse_csr", "x.shape", "x.size()",
    "x.size(0)", "x.size(-1)", "x.dim()", "x.ndim", "x.numel()", "x.dtype", "x.device",
    "x.requires_grad", "x.is_leaf", "x.grad_fn is None", "x._version", "x.type()",
    "x.is_floating_point()", "x.is_complex()", "repr(x)", "str(x)", "f'{x}'", "len(x)",
    "x.element_size()", "x.nbytes", "x.itemsize", "x.is_contiguous()", "x.stride()", "x.stride(0)",
    "x.storage_offset()", "x.data_ptr()", "x.untyped_storage()", "x.storage()", "x.view(8)",
    "x.view(12)", "x.view(-1)", "x.view(x.shape)", "x.view(torch.int32)", "x.view(torch.float32)",
    "x.as_strided((2,), (1,))", "x.as_strided((2,), (1,), 0)", "x.reshape(-1)", "x.reshape(12)",
    "x.reshape(x.shape)", "x.flatten()", "x.expand(x.shape)", "x.expand(2, 3, 4)", "x.contiguous()",
    "x.contiguous() is x", "x.numpy()", "x.tolist()", "x.item()", "bool(x)", "x.is_conj()",
    "x.is_neg()", "x.indices().layout", "x.coalesce().indices()", "x.coalesce().values()",
    "x.coalesce().coalesce()", "x.coalesce().is_coalesced()", "x.clone().is_coalesced()",
    "x.requires_grad_()", "x.requires_grad_(False)", "copy.copy(x)", "copy.deepcopy(x)",
    "x.is_same_size(x)", "x.T", "x.t()", "x.data", "x.get_device()", "x.is_cpu", "x.indices(1)",
    "x.to_sparse('a')", "x.to_dense(1)", "x.sparse_dim(1)", "x._nnz(1)", "x.coalesce(1)",
    "torch.is_tensor(x)", "x.squeeze()", "x.squeeze(0)", "x.narrow(0, 0, 1)", "x.split(1)",
    "x.chunk(2)", "x[0:1]", "x[0]", "x[...]", "x[None]", "x[torch.tensor([0])]", "x.eq(x)",
    "x == x", "x.gt(0)", "x > 0", "x.mean()", "torch.ones_like(x)",
)  # fmt: skip
"""Calls on a sparse tensor ``x``."""

FORMS = (
    "x.to(x.dtype) is x", "x.to(x.dtype)", "x.to(torch.float64)", "x.to(dtype=torch.int32)",
    "x.to(torch.float64, copy=True)", "x.to(x.dtype, copy=True)", "x.to(x.dtype, copy=True) is x",
    "x.to('cpu') is x", "x.to('cpu')", "x.to('cpu', torch.float64)",
    "x.to(device='cpu', dtype=torch.int8, non_blocking=True)",
    "x.to(torch.ones(1, dtype=torch.int16))", "x.to(y)", "y.to(x)",
    "x.to(torch.float64, memory_format=torch.contiguous_format)",
    "x.to(x.dtype, memory_format=torch.contiguous_format)",
    "x.to(torch.float64, memory_format=torch.preserve_format)",
    "x.to(memory_format=torch.channels_last)", "x.to(memory_format=torch.contiguous_format)",
    "x.to()", "x.to('nope')", "x.half()", "x.bfloat16()", "x.float()", "x.float() is x",
    "x.double()", "x.int()", "x.long()", "x.short()", "x.char()", "x.byte()", "x.bool()",
    "x.cfloat()", "x.cdouble()", "x.type()", "x.type(torch.float64)", "x.type(torch.float32)",
    "x.type('torch.DoubleTensor')", "x.type('torch.sparse.DoubleTensor')",
    "x.type('torch.sparse.IntTensor')", "x.type(torch.DoubleTensor)", "x.type_as(x)",
    "x.type_as(y)", "y.type_as(x)", "x.cpu()", "x.cpu() is x", "x.to_dense()",
    "x.to_dense(torch.float64)", "x.to_dense(dtype=torch.float64)", "x.to_dense(dtype=torch.int32)",
    "x.to_dense(dtype=x.dtype)", "x.to_dense(x.dtype)", "x.to_dense(dtype=None)",
    "x.to_dense(masked_grad=False)", "x.to_dense(dtype='float32')", "y.to_dense()",
    "y.to_dense() is y", "y.to_dense(dtype=torch.float64)",
    "x.clone(memory_format=torch.contiguous_format)",
    "x.clone(memory_format=torch.preserve_format)",
    "x.contiguous(memory_format=torch.channels_last)", "x.requires_grad_().to(torch.float64)",
    "x.requires_grad_().to_dense()", "x.copy_(x)", "x.copy_(x.coalesce())", "x.copy_(y)",
    "y.copy_(x)", "x.to_sparse(dtype=torch.float64)",
)  # fmt: skip
"""Conversions of a sparse tensor ``x`` and a dense tensor ``y``."""

DENSE = {
    "of its shape": "torch.arange(12.0).reshape(3, 4)",
    "transposed": "torch.arange(12.0).reshape(4, 3).t()",
    "a row": "torch.tensor([1.0, 2.0, 3.0, 4.0])",
    "a column": "torch.tensor([[1.0], [2.0], [3.0]])", "one": "torch.tensor([2.0])",
    "0-dim": "torch.tensor(2.0)", "0-dim of another dtype": "torch.tensor(2, dtype=torch.float64)",
    "0-dim integer": "torch.tensor(3)", "0-dim complex": "torch.tensor(2j)",
    "other": "torch.ones(5)", "larger": "torch.ones(2, 3, 4)",
    "hybrid's": "torch.arange(6.0).reshape(3, 2)",
    "float64": "torch.ones(3, 4, dtype=torch.float64)",
    "int64": "torch.ones(3, 4, dtype=torch.int64)", "bool": "torch.ones(3, 4, dtype=torch.bool)",
    "bfloat16": "torch.ones(3, 4, dtype=torch.bfloat16)",
    "complex64": "torch.ones(3, 4, dtype=torch.complex64)",
    "grad": "torch.ones(3, 4, requires_grad=True)", "empty": "torch.ones(0, 4)",
    "3-dim": "torch.arange(12.0).reshape(2, 3, 2)", "1-dim": "torch.arange(3.0)",
    "conjugate": "(torch.arange(12).reshape(3, 4) * (1 - 2j)).conj()",
    "conjugate row": "torch.tensor([1j, -2, 3 - 1j, 0]).conj()",
    "conjugate expanded": "torch.tensor([1 - 2j]).conj().expand(3, 4)",
    "negative": "(torch.arange(12).reshape(3, 4) * 1j).conj().imag",
}  # fmt: skip
"""Dense operands of binary operators with a sparse tensor."""

BOTH_WAYS = (
    "x + y", "y + x", "x - y", "y - x", "x * y", "y * x", "x.add_(y)", "y.add_(x)", "x.sub_(y)",
    "y.sub_(x)", "x.mul_(y)", "y.mul_(x)", "torch.add(y, x, alpha=2)", "torch.sub(y, x, alpha=2)",
)  # fmt: skip
"""Binary operators on two tensors of which either may be dense."""

TOGETHER = (
    "x + y", "x - y", "x * y", "operator.iadd(x, y)", "operator.isub(x, y)", "operator.imul(x, y)",
    "torch.add(x, y, alpha=2)", "x.sub(y, alpha=3)",
)  # fmt: skip
"""Binary operators on two sparse tensors."""

NUMBERS = (
    "2", "0", "-1", "2.5", "True", "2j", "numpy.float64(2)", "numpy.int64(2)", "float('nan')",
    "2**70", "'2'", "None", "[2]",
)  # fmt: skip
WITH_NUMBERS = (
    "x * {}", "{} * x", "x.mul({})", "torch.mul(x, {})", "x.mul_({})", "operator.imul(x, {})",
    "x + {}", "{} + x", "x - {}", "{} - x", "x.add_({})", "x.sub_({})", "torch.add(x, x, alpha={})",
    "x.add(x, alpha={})", "x.add_(x, alpha={})", "x.sub(x, alpha={})",
    "torch.add(x.to_dense(), x, alpha={})", "x * torch.tensor({})", "torch.tensor({}) * x",
    "x + torch.tensor({})", "x.mul_(torch.tensor({}))", "torch.add({}, x)", "torch.sub({}, x)",
    "torch.rsub(x, {})", "torch.mul({}, x)", "torch.add({}, x, alpha=2)",
)  # fmt: skip
"""Binary operators on a sparse tensor ``x`` and a number."""

WITH_ITSELF = (
    "x + x", "x - x", "x * x", "x.add_(x)", "x.sub_(x)", "x.mul_(x)", "x + x.coalesce()",
    "x.coalesce() + x", "x * x.coalesce()", "x.coalesce() * x", "x.coalesce() * x.coalesce()",
    "x + x.clone()", "x + x.neg()", "x.detach().add_(x)", "x + x.to_dense()", "x.to_dense() + x",
    "x * x.to_dense()", "torch.add(x)", "torch.add(x, x, 2)", "torch.mul(x)", "torch.add(x, 'a')",
    "torch.add(x, x, alpha='a')", "torch.add(x, x, beta=1)", "x.add(other=x)",
    "torch.mul(input=x, other=x)", "torch.add(x, x, out=torch.sparse_coo_tensor(x.shape))",
    "torch.mul(x, x, out=torch.sparse_coo_tensor(x.shape))", "x.multiply(x)", "x.subtract(x)",
    "x.zero_()",
)  # fmt: skip
"""Binary operators on a sparse tensor ``x`` and itself."""

_EXPONENTS = ("2", "0", "0.5", "-1", "3.0", "1j", "True", "torch.tensor(2)", "x")
_DIVISORS = (
    "2", "-0.7", "0", "True", "2j", "torch.tensor(2)", "torch.tensor(2.0, dtype=torch.float64)",
    "torch.tensor([2.0])", "x", "numpy.float64(2)",
)  # fmt: skip
_ROUNDING = ("floor", "trunc")
WITH_PARAMETERS = (
    *(f"x ** {exponent}" for exponent in _EXPONENTS), "torch.pow(2, x)", "x.square()",
    *(f"torch.pow(x, {exponent}, out=torch.sparse_coo_tensor((1,)))" for exponent in ("2", "0")),
    "torch.pow(x, 2, out=torch.zeros(1))", "torch.pow(x, 2, out=x)",
    *(f"x / {divisor}" for divisor in _DIVISORS), *(f"x // {divisor}" for divisor in _DIVISORS),
    *(f"torch.div(x, {divisor}, rounding_mode='{mode}')"
      for divisor in _DIVISORS for mode in _ROUNDING),
    "torch.div(x, 2, rounding_mode=None)", "torch.div(x, 2, out=torch.sparse_coo_tensor((1,)))",
    "torch.div(x, 2, out=x)", "torch.div(x, 2, out=torch.zeros(1))", "2 / x", "2 // x",
    "torch.div(x, 2, rounding_mode='floor', out=torch.sparse_coo_tensor((1,)))",
    "torch.floor_divide(x, 2, out=torch.sparse_coo_tensor((1,)))", "torch.div(x, 2, out=3)",
    "torch.round(x, decimals=1)", "torch.nan_to_num(x, 1.0, 2.0, -3.0)", "torch.logit(x, 0.1)",
    "torch.asarray(x, copy=True)", "torch.asarray(x)", "torch.asarray(x, dtype=torch.float64)",
    "x[numpy.int64(0)]", "x[numpy.int64(0), numpy.int64(1)]", "x[torch.tensor(0)]", "x[-1]",
    "torch.any(x)", "x.any(0)", "x.all()", "x.is_contiguous()", "x.contiguous()", "+x", "~x",
    "x.is_contiguous(memory_format=torch.channels_last)", "x % 2", "x.isclose(x)", "x.clamp(0)",
    "x.contiguous(memory_format=torch.preserve_format)", "x.conj()", "x.real", "x.imag",
    "x.resolve_conj()", "x.resolve_neg()", "x.conj_physical()", "torch.is_nonzero(x)", "bool(x)",
)  # fmt: skip
"""Operators on a sparse tensor ``x`` with parameters."""

IN_PLACE = (
    *(f"x.{name}_({divisor})" for name in ("div", "floor_divide") for divisor in _DIVISORS),
    *(f"x.div_(2, rounding_mode='{mode}')" for mode in _ROUNDING), "operator.itruediv(x, 2)",
    "operator.ifloordiv(x, 2)", "operator.ipow(x, 2)", "x.pow_(2)", "x.divide_(2)",
    "x.true_divide_(2)", "x.nan_to_num_(1.0, 2.0, -3.0)", "torch.nan_to_num_(x)",
    "x.round_(decimals=1)", "torch.abs_(x)", "x.clone().div_(2)", "x.clone().abs_()",
    "x.clone().neg_()", "x.fill_(1)", "x.clamp_(0)", "x.remainder_(2)",
)  # fmt: skip
"""In-place operators on a sparse tensor ``x``."""
