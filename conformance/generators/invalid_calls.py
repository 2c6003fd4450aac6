"""Calls that torch rejects: wrong types, ranks, dimensions, sizes and keywords."""

DIMS = (
    "7", "-8", "1.5", "'0'", "None", "2**63", "-2**63", "2**63 - 1", "(0, 0)", "torch.ones(2)",
    "[1.5]",
)  # fmt: skip
TAKE_A_DIM = (
    "x.unsqueeze({})", "x.squeeze({})", "x.select({}, 0)", "x.narrow({}, 0, 1)", "x.unbind({})",
    "x.chunk(2, {})", "x.split(1, {})", "x.transpose({}, 0)", "x.size({})", "x.stride({})",
    "x.flatten({}, -1)", "x.unflatten({}, (1, 2))", "x.movedim({}, 0)", "x.diagonal(0, {}, 1)",
    "x.unfold({}, 1, 1)", "x.unsqueeze_({})", "torch.cat([x, x], {})", "torch.stack([x, x], {})",
)  # fmt: skip
SIZES = (
    "(2, -3)", "(-1, -1)", "(2**62, 4)", "(2**40, 2**10)", "(1.5,)", "'ab'", "None", "(5,)",
    "((1,),)", "(None,)", "{1: 2}", "(2, '3')", "(torch.ones(2),)",
)  # fmt: skip
TAKE_A_SIZE = (
    "x.view({})", "x.reshape({})", "x.expand({})", "x.permute({})", "x.new_empty({})",
    "x.new_zeros({})", "x.new_ones({})", "x.new_full({}, 1)", "x.resize_({})",
    "x.as_strided({}, (1,))", "torch.zeros({})", "torch.ones({})", "torch.full({}, 1)",
    "torch.empty_strided({}, (1, 1))", "torch.empty_permuted({}, (0, 1))",
    "torch.broadcast_to(x, {})",
)  # fmt: skip
KEYWORDS = (
    "dim0=1", "dims=(0, 1), dim=1", "memory_format=torch.channels_last", "memory_format=1",
    "dtype='float32'", "dtype=1", "layout='strided'", "device='nope'", "device='cuda'",
    "device=1.5", "requires_grad=1", "pin_memory='no'", "out=1", "size=(2,)", "input=x", "x=1",
    "self=x",
)  # fmt: skip
TAKE_KEYWORDS = (
    "x.clone({})", "x.contiguous({})", "x.t({})", "x.view(6, {})", "x.permute(0, 1, {})",
    "torch.empty(2, {})", "torch.zeros(2, {})", "torch.empty_like(x, {})", "x.new_empty(2, {})",
    "x.to({})", "torch.empty_permuted((2, 3), (0, 1), {})", "x.is_contiguous({})",
)  # fmt: skip
OTHERS = (
    "x[7]", "x[0, 7]", "x[0, 0, 0]", "x['a']", "x[1.5]", "x[::-1]", "x[::0]", "x['a':]",
    "x[0:1:-2]", "x[7] = 1", "x[0] = 'a'", "x[0] = None", "x[0] = torch.ones(5)",
    "x[:, 0] = torch.ones(3, 3)", "x[0] = 1j", "x[0, 0, 0] = 1", "x[::-1] = 1", "x.shape = 1",
    "x.dtype = torch.int8", "x.device = 'cpu'", "x.T = x", "x.requires_grad = 1", "x.nothing",
    "x()", "x.fill_('a')", "x.fill_(None)", "x.fill_(torch.ones(2))", "x.fill_(1j)", "x.fill_()",
    "x.copy_(torch.ones(5))", "x.copy_([1])", "x.copy_(torch.ones(2, 2, 3))", "x.copy_()",
    "x.item()", "bool(x)", "int(x)", "float(x)", "complex(x)", "len(x[0, 0])", "list(x[0, 0])",
    "x.__index__()", "x.view(7)", "x.view(-2)", "x.t().view(6)", "x.view(torch.float64)",
    "x[:, :1].view(torch.complex64)", "x.imag", "torch.view_as_real(x)", "torch.view_as_complex(x)",
    "x.unflatten(0, (3, 3))", "x.unflatten(0, ())", "x.narrow(0, 0, 5)", "x.narrow(0, 5, 1)",
    "x.narrow(0, 0, -1)", "x.select(0, 2)", "x.select(0, -3)", "x.chunk(0)", "x.chunk(-1)",
    "x.split(0)", "x.split(-1)", "x.split([1, 2])", "x.split([3, -1])", "x.unfold(0, 3, 1)",
    "x.unfold(0, 1, 0)", "x.unfold(0, -1, 1)", "x.permute(0)", "x.permute(0, 0)", "x.permute(0, 5)",
    "x.transpose(0)", "x.movedim((0,), (0, 1))", "x.movedim((0, 0), (0, 1))", "x.expand(2)",
    "x.expand(2, 4)", "x.expand(-1, 2, 3)", "x.expand_as(torch.ones(2))",
    "x.as_strided((2,), (1, 1))", "x.as_strided((9,), (1,))", "x.as_strided((2,), (-1,))",
    "x.as_strided((2,), (1,), -1)", "x.as_strided((2,), (1,), 5)", "x.set_(1)",
    "x.set_(torch.ones(2).int())", "x.set_(x.untyped_storage(), -1, (1,), (1,))",
    "x.set_(x.untyped_storage(), 0, (2,), (1, 1))", "x.resize_(2**62)", "x.resize_(-1)",
    "x.resize_as_(1)", "x.untyped_storage()[99]", "x.untyped_storage()['a']",
    "x.untyped_storage().resize_(-1)", "x.untyped_storage().fill_('a')",
    "x.untyped_storage().copy_(torch.UntypedStorage(3))", "torch.UntypedStorage(-1)",
    "torch.UntypedStorage('a')", "torch.UntypedStorage([1.5])", "torch.UntypedStorage(2**62)",
    "torch.cat([])", "torch.cat(x)", "torch.cat([x, 1])", "torch.cat([x, torch.ones(2)])",
    "torch.cat([x, torch.ones(3, 3)], 1)", "torch.cat([torch.ones(()), torch.ones(())])",
    "torch.cat([x, x], out=torch.ones(2, dtype=torch.int8))", "torch.stack([])",
    "torch.stack([x, torch.ones(2)])", "torch.empty(2**40)", "torch.empty(2**62)",
    "torch.empty(2**62, 4)", "torch.empty(-1)", "torch.empty()",
    "torch.empty(2, layout=torch.float32)", "torch.empty(2, pin_memory=True)",
    "torch.empty((2, 2), memory_format=torch.channels_last)",
    "torch.empty(2, memory_format=torch.preserve_format)",
    "torch.empty(2, out=x, dtype=torch.int8)", "torch.full((2,), 'a')",
    "torch.full((2,), 300, dtype=torch.uint8)", "torch.full()",
    "torch.full((2,), 1j, dtype=torch.float32)", "torch.full(2, 3)", "torch.zeros(-1)",
    "torch.ones(2, dtype=torch.int8, requires_grad=True)", "torch.empty_strided((2, 3), (1,))",
    "torch.empty_strided((2,), (-1,))", "torch.empty_strided((2**40,), (2**40,))",
    "torch.empty_permuted((2, 3), (0,))", "torch.empty_permuted((2, 3), (0, 0))",
    "torch.empty_permuted((2, 3), (0, 2))", "torch.empty_permuted((2, 3), (-1, 0))",
    "torch.empty_permuted((2, -3), (1, 0))", "torch.empty_permuted((2**40, 2**40), (0, 1))",
    "torch.arange()", "torch.arange(0, 5, 0)", "torch.arange(0, 5, -1)", "torch.arange('a')",
    "torch.arange(float('inf'))", "torch.linspace(0, 1)", "torch.linspace(0, 1, -1)",
    "torch.eye(-1)", "torch.eye('a')", "torch.tensor()", "torch.tensor('a')",
    "torch.tensor([[1], [1, 2]])", "torch.tensor(None)", "torch.tensor({1})",
    "torch.tensor(300, dtype=torch.uint8)", "torch.tensor(1, 2)", "torch.tensor([1, 'a'])",
    "torch.tensor(1j, dtype=torch.float32)", "torch.from_numpy(1)",
    "torch.from_numpy(numpy.array(['a']))", "torch.from_numpy(numpy.arange(4)[::-1])",
    "torch.frombuffer(b'', dtype=torch.int8)", "torch.frombuffer(bytearray(3), dtype=torch.int16)",
    "torch.frombuffer(1, dtype=torch.int8)", "x.bfloat16().numpy()",
    "x.clone().requires_grad_().numpy()", "x.int().requires_grad_()", "x.retain_grad()",
    "x.dim_order(ambiguity_check=1)", "x.dim_order(1)", "x.dim_order(ambiguity_check=[1])",
    "torch.ones(1, 2).dim_order(ambiguity_check=True)", "torch.Size([1.5])", "torch.Size(3)",
    "torch.Size(['a'])", "x.shape + [1]", "x.shape.nothing",
    "torch.broadcast_tensors(x, torch.ones(4))", "torch.broadcast_shapes((2,), (3,))",
    "torch.broadcast_shapes((-1,), (2,))", "torch.is_tensor()", "torch.result_type(x)",
    "torch.result_type(x, 'a')", "torch.use_deterministic_algorithms(1)", "torch.device('nope')",
    "torch.device('cuda:x')", "torch.device(-1)", "torch.set_printoptions(1, 2, 3, 4, 5, 6, 7)",
)  # fmt: skip

_PRODUCTS = ((TAKE_A_DIM, DIMS), (TAKE_A_SIZE, SIZES), (TAKE_KEYWORDS, KEYWORDS))
_FILLED = (
    call.format(argument)
    for calls, arguments in _PRODUCTS
    for call in calls
    for argument in arguments
)
CALLS = [*dict.fromkeys((*_FILLED, *OTHERS))]
"""All calls, without duplicates."""
