"""Interchange: tensors given to NumPy, DLPack, copy and pickle, and taken from them."""

from ...core.domain import Domain
from ...engine.decorators import exhaustive
from ...engine.probe import Probe
from ...generators.numpy_functions import FORMS, numpy_functions

PRODUCERS = {
    "dense": "torch.arange(6.0).view(2, 3)",
    "strided": "torch.arange(12.0).view(4, 3)[::2].t()",
    "offset": "torch.arange(12.0)[3:9]",
    "0-dim": "torch.tensor(3.5)",
    "empty": "torch.empty(0, 3)",
    "expanded": "torch.arange(3.0).expand(2, 3)",
    "bool": "torch.tensor([True, False])",
    "uint8": "torch.tensor([[1, 200], [0, 3]], dtype=torch.uint8)",
    "int64": "torch.tensor([1, -2, 0])",
    "uint16": "torch.tensor([1, 65535]).to(torch.uint16)",
    "half": "torch.tensor([0.0, 1.5], dtype=torch.float16)",
    "bfloat16": "torch.tensor([1.5, 2.0], dtype=torch.bfloat16)",
    "float4": "torch.zeros(2, dtype=torch.uint8).view(torch.float4_e2m1fn_x2)",
    "float8": "torch.tensor([1.5, 2.0]).to(torch.float8_e5m2)",
    "complex": "torch.tensor([1 + 2j, 0j])",
    "conjugated": "torch.tensor([1 + 2j, 3j]).conj()",
    "negated": "torch.tensor([1 + 2j, 3j]).conj().imag",
    "requires grad": "torch.ones(2, requires_grad=True)",
    "not a leaf": "torch.ones(2, requires_grad=True) * 2",
    "read-only": "torch.from_numpy(numpy.arange(3.0))",
    "meta": "torch.ones(2, device='meta')",
    "sparse": "torch.tensor([1.0, 0.0]).to_sparse()",
    "of another library": (
        "type('D', (), {'__dlpack__': lambda d, **keys: numpy.arange(3.0).__dlpack__(),"
        " '__dlpack_device__': lambda d: (1, 0), '__array__': lambda d, *a, **k: numpy.arange(3.0),"
        " '__repr__': lambda d: 'D'})()"
    ),
}

CONSUMERS = (
    "numpy.asarray(x)", "numpy.array(x)", "numpy.asarray(x, dtype=numpy.float64)",
    "numpy.asarray(x, dtype=numpy.int8)", "numpy.asarray(x).flags.writeable",
    "numpy.shares_memory(numpy.asarray(x), x.numpy())", "numpy.ascontiguousarray(x)",
    "numpy.asarray([x, x])", "numpy.stack([x, x])", "x.numpy().strides", "x.numpy(force=True)",
    "x.__array__()", "x.__array__(numpy.float64)", "x.__array__(dtype=numpy.float32)",
    "x.__array_priority__", "x.__array_wrap__(numpy.ones(2))",
    "x.__array_wrap__(numpy.array(True))",
    "numpy.from_dlpack(x)", "numpy.from_dlpack(x).flags.writeable",
    "numpy.from_dlpack(x, copy=True).flags.writeable", "numpy.from_dlpack(x).strides",
    "torch.from_dlpack(x)", "torch.from_dlpack(x) is x", "torch.from_dlpack(numpy.asarray(x))",
    "torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(x))",
    "torch.from_dlpack(x.__dlpack__())", "[int(part) for part in x.__dlpack_device__()]",
    "type(x.__dlpack__(max_version=(1, 0))).__name__", "x.__dlpack__(stream=1)",
    "x.__dlpack__(copy=True) is None", "x.__dlpack__(dl_device=(1, 0)) is None",
    "torch.from_dlpack(x, copy=True)", "torch.from_dlpack(x, device='cpu')",
    "numpy.add(x, 1)", "numpy.add(x, x)", "numpy.multiply(2, x)", "numpy.negative(x)",
    "numpy.sqrt(x)", "numpy.exp(x)", "numpy.isnan(x)", "numpy.logical_not(x)",
    "numpy.greater(x, 1)", "numpy.equal(x, x)", "numpy.maximum(x, 2)", "numpy.bitwise_and(x, 1)",
    "numpy.add.reduce(x)", "numpy.sum(x)", "numpy.mean(x)",
    "numpy.prod(x)", "numpy.max(x)", "numpy.min(x)", "numpy.argmax(x)", "numpy.all(x)",
    "numpy.any(x)", "numpy.cumsum(x)", "numpy.transpose(x)", "numpy.reshape(x, -1)",
    "numpy.squeeze(x)", "numpy.ravel(x)", "numpy.where(x)", "numpy.nonzero(x)", "numpy.round(x)",
    "numpy.clip(x, 0, 1)", "numpy.concatenate([x, x])", "numpy.ndim(x)", "numpy.shape(x)",
    "numpy.float32(2) * x", "x * numpy.float32(2)", "numpy.ones(2) + x",
    "x + numpy.ones(2)", "numpy.ones(2) == x", "x == numpy.ones(2)", "numpy.int8(3) - x",
    "x - numpy.int8(3)", "numpy.float64(1.5) < x", "numpy.bool_(True) == x", "x[numpy.int64(0)]",
    "x[numpy.array([0])]", "x[numpy.array(True)]", "numpy.arange(5)[x]",
    "torch.tensor(numpy.asarray(x))",
    "torch.as_tensor(numpy.asarray(x))", "torch.asarray(x)", "torch.asarray(x, copy=True)",
    "torch.asarray(numpy.asarray(x), dtype=torch.float64)", "torch.from_numpy(numpy.asarray(x))",
    "torch.tensor([x, x])", "torch.tensor(x)", "torch.as_tensor(x, dtype=torch.float64)",
    "torch.frombuffer(numpy.asarray(x), dtype=torch.uint8)", "memoryview(x)",
    "bytes(x.numpy())", "bytearray(x)", "list(x)", "tuple(x)", "x.tolist()", "float(x)", "int(x)",
    "complex(x)", "bool(x)", "operator.index(x)", "range(3)[x]", "math.floor(x)", "round(x)",
    "format(x)", "format(x, '.2f')", "f'{x!r:>5}'", "'%s' % x", "hash(x) == hash(x)",
    "x in [x]", "sum(x)", "max(x)", "sorted(x)", "divmod(x, 2)", "pow(x, 2)", "abs(x)",
    "operator.concat(x, x)", "operator.iconcat(x, x)", "operator.countOf(x, 2)",
    "copy.copy(x)", "copy.deepcopy(x)", "copy.copy(x).untyped_storage().nbytes()",
    "copy.deepcopy(x).untyped_storage().nbytes()", "[*copy.deepcopy([x, x])]",
    "(lambda c: c[0] is c[1])(copy.deepcopy([x, x]))",
    "(lambda c: c[0].add_(1) is c[1])(copy.deepcopy([x, x.view(-1)]))",
    "copy.deepcopy(x.untyped_storage()).nbytes()", "copy.deepcopy({'a': x, 'b': [x.detach()]})",
    *(f"pickle.loads(pickle.dumps(x, {protocol}))" for protocol in range(6)),
    "pickle.loads(pickle.dumps([x, x, x.detach()]))",
    "pickle.loads(pickle.dumps(x)).untyped_storage().nbytes()",
    "pickle.loads(pickle.dumps(x)).stride()", "x.__reduce_ex__(2)[0].__name__",
    "pickle.loads(pickle.dumps(x.untyped_storage())).nbytes()", "x.data_ptr() == 0",
    "x.untyped_storage().tolist()", "x.storage().tolist()", "x.storage().dtype",
)  # fmt: skip


@exhaustive(lambda torch: Domain(producer=PRODUCERS, consumer=CONSUMERS), parts=2, one_in=3)
def test_tensors(ask: Probe, producer: str, consumer: str) -> None:
    """Each consumer of tensors accepts, shares, copies or refuses them as torch's."""
    ask(f"x = {PRODUCERS[producer]}", consumer, "x", question=1)


ARRAYS = {
    "float32": "torch.tensor([[3.0, -1.0, 2.5], [0.0, 2.5, -4.0]])",
    "int64": "torch.tensor([2, 0, 1, 2])",
    "bool": "torch.tensor([[True, False], [True, True]])",
    "complex64": "torch.tensor([1 + 2j, -2.0, 0.5j])",
    "0-dim": "torch.tensor(1.5)",
    "empty": "torch.zeros(0, 2)",
    "meta": "torch.ones(2, device='meta')",
}


@exhaustive(
    lambda torch: Domain(producer=ARRAYS, function=numpy_functions(torch), form=FORMS),
    parts=2,
    one_in=3,
)
def test_numpy_functions(ask: Probe, producer: str, function: str, form: str) -> None:
    """Each of NumPy's functions calls a tensor's method, converts it or raises as with torch's."""
    ask(f"x = {ARRAYS[producer]}", form.format(function), "x", question=1)


OWNERS = {
    "numpy.arange(6.0)": (
        "torch.from_numpy(a)", "torch.as_tensor(a)", "torch.asarray(a)", "torch.from_dlpack(a)",
        "torch.frombuffer(a, dtype=torch.float64)", "torch.tensor(a)", "torch.from_numpy(a[1:])",
    ),
    "type('B', (bytearray,), {})(48)": (
        "torch.frombuffer(a, dtype=torch.float64)", "torch.asarray(a, dtype=torch.float64)",
        "torch.UntypedStorage.from_buffer(a, 'native', torch.float64)",
        "torch.frombuffer(a, dtype=torch.float64, offset=8)",
    ),
    "torch.arange(6.0)": (
        "a.numpy()", "numpy.asarray(a)", "a.__dlpack__()", "torch.from_dlpack(a)", "a.view(2, 3)",
        "a.untyped_storage()", "numpy.asarray(memoryview(a.numpy()))", "a.detach()",
        "torch.as_tensor(a)", "numpy.from_dlpack(a)", "torch.empty(0).set_(a)",
        "a.view(2, 3)._base", "a.T", "iter(a)",
    ),
    "torch.arange(6.0).untyped_storage()": (
        "torch.empty(0).set_(a)", "torch.tensor(a)", "torch.TypedStorage(wrap_storage=a,"
        " dtype=torch.float32, _internal=True)", "a.clone()",
    ),
}  # fmt: skip
"""Objects that own memory, and what shares it or copies it."""

_LIFETIME = """def read():
    a = {owner}
    owner = __import__('weakref').ref(a)
    x = {user}
    {then}
    del a
    others = [numpy.zeros(6) for _ in range(9)]
    return owner() is not None, x"""


@exhaustive(
    lambda torch: Domain(
        pair=[f"{user} of {owner}" for owner, users in OWNERS.items() for user in users],
        then=("pass", "x = x[1:]", "x = x + x", "x = [x][0]", "x = copy.copy(x)"),
    )
)
def test_lifetimes(ask: Probe, pair: str, then: str) -> None:
    """What shares memory keeps its owner alive as long as in torch, and what copies it does not."""
    user, _, owner = pair.partition(" of ")
    ask(_LIFETIME.format(owner=owner, user=user, then=then), "read()", question=1)


SINGLETONS = (
    "torch.float32", "torch.int64", "torch.bfloat16", "torch.float8_e4m3fn", "torch.uint1",
    "torch.strided", "torch.sparse_coo", "torch.contiguous_format", "torch.channels_last",
    "torch.channels_last_3d", "torch.preserve_format", "torch.device('cpu')",
    "torch.device('cuda', 1)", "torch.device('meta')", "torch.Size([2, 3])", "torch.Size([])",
    "torch.finfo(torch.float16)", "torch.iinfo(torch.int8)", "torch.Tensor", "torch.FloatTensor",
    "torch.UntypedStorage", "torch.FloatStorage",
)  # fmt: skip

ROUND_TRIPS = (
    *(f"pickle.loads(pickle.dumps(v, {protocol}))" for protocol in range(6)), "copy.copy(v)",
    "copy.deepcopy(v)", "v == copy.deepcopy(v)", "hash(v) == hash(copy.copy(v))",
    "{v: 1}[v]", "str(v) == repr(v)",
)  # fmt: skip


@exhaustive(lambda torch: Domain(value=SINGLETONS, use=ROUND_TRIPS))
def test_values(ask: Probe, value: str, use: str) -> None:
    """Dtypes, layouts, devices, sizes, classes and functions are copied and pickled as torch's."""
    ask(f"v = {value}", use)
