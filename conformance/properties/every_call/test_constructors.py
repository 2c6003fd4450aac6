"""Constructors: sparse tensors of every kind with every check; sequences up to the limits."""

from ...core.domain import Domain
from ...engine.decorators import exhaustive
from ...engine.probe import Probe

INDICES = (
    "[[0, 1], [1, 0]]", "[[1, 1], [0, 0]]", "[[1, 0], [1, 1]]", "[[0, 0], [1, 0]]",
    "[[0, 0, 0], [0, 1, 1]]", "[[0, 2], [0, 0]]", "[[0, -1], [0, 0]]", "[[0], [1]]", "[[0, 1]]",
    "[[1, 1]]", "[[], []]", "[[]]", "[0, 1]", "[[0.0, 1.0]]", "torch.tensor([[0, 1]]).int()",
    "torch.tensor([[1, 9, 1], [0, 9, 0]])[:, ::2]", "torch.zeros(0, 1, dtype=torch.int64)",
    "torch.zeros(0, 2, dtype=torch.int64)", "torch.tensor([[0, 1]], device='meta')",
)  # fmt: skip
VALUES = (
    "[1.0, 2.0]", "[1, 2, 3]", "[True]", "[[1.0, 2.0], [3.0, 4.0]]", "5.0",
    "torch.zeros(2, 0)", "torch.ones(2, requires_grad=True)", "torch.ones(1).to_sparse()",
)  # fmt: skip
SIZES = ("", ", (2, 2)", ", (3,)", ", (2, 2, 2)", ", (0, 2)", ", ()", ", (2, -1)")
FLAGS = {
    f"{coalesced} {checked}": ", ".join(
        ("", *(f"is_coalesced={coalesced}",) * (coalesced != "unset"),
         *(f"check_invariants={checked}",) * (checked != "unset"))
    )
    for coalesced in ("unset", "True", "False")
    for checked in ("unset", "True", "False")
}  # fmt: skip


@exhaustive(lambda torch: Domain(indices=INDICES, flags=FLAGS), parts=2, one_in=2)
def test_sparse(ask: Probe, indices: str, flags: str) -> None:
    """Indices, values and sizes make the sparse tensor, or the error, that they make in torch."""
    calls = [
        f"torch.sparse_coo_tensor({indices}, {values}{size}{FLAGS[flags]})"
        for values in VALUES
        for size in SIZES
    ]
    ask(*calls, question=0)


STEPS = (
    "1", "3", "0.1", "1.5", "-0.3", "7e-3", "100", "300", "2**15", "2**31 - 1", "2**53 + 1",
    "2**62", "2**63", "65504.0", "1e5", "3e38", "5e38", "1e300", "1.7e308", "1e-40", "5e-324",
    "math.inf", "math.nan", "True", "1j", "torch.tensor(2)", "torch.tensor(0.7)",
)  # fmt: skip
SEQUENCES = (
    "torch.arange(0, 3 * {s}, {s}, dtype={d})", "torch.arange({s}, 4 * {s}, {s}, dtype={d})",
    "torch.arange({s}, -3 * {s}, -{s}, dtype={d})", "torch.arange(0, {s}, {s} / 2, dtype={d})",
    "torch.arange(-{s}, {s}, 1.7e308, dtype={d})", "torch.arange({s}, {s}, 1, dtype={d})",
    "torch.arange({s}, {s} + 3, dtype={d})", "torch.arange(0, 2, {s}, dtype={d})",
    "torch.range({s}, {s} + 2, 1, dtype={d})", "torch.linspace({s}, -{s}, 5, dtype={d})",
    "torch.linspace(0, {s}, 4, dtype={d})", "torch.linspace({s}, 1, 1, dtype={d})",
    "torch.logspace(0, {s}, 3, dtype={d})", "torch.logspace(1, 2, 3, {s}, dtype={d})",
    "torch.full((2,), {s}, dtype={d})", "torch.full((2,), -{s}, dtype={d})",
    "torch.scalar_tensor({s}, dtype={d})", "torch.zeros(2, dtype={d}).fill_({s})",
    "torch.zeros(2, dtype={d}).add_({s})",
    "torch.zeros(2, dtype={d}).masked_fill(torch.ones(2) > 0, {s})",
)  # fmt: skip
_DTYPES = ("None", *(f"torch.{name}" for name in (
    "float32", "float64", "float16", "bfloat16", "int64", "int8", "uint8", "bool", "complex64",
)))  # fmt: skip


@exhaustive(lambda torch: Domain(step=STEPS, dtype=_DTYPES), parts=2)
def test_sequences(ask: Probe, step: str, dtype: str) -> None:
    """Sequences and filled tensors of every dtype are torch's up to the limits of the dtype."""
    calls = (call.format(s=f"({step})" if "*" in step else step, d=dtype) for call in SEQUENCES)
    ask(*calls, question=0)


BUFFERS = (
    "torch.frombuffer({buffer}, dtype={d}, count={count}, offset={offset})",
    "torch.UntypedStorage.from_buffer({buffer}, 'little', {count}, {offset}, {d})",
    "torch.UntypedStorage.from_buffer({buffer}, 'big', {count}, {offset}, {d})",
)  # fmt: skip


@exhaustive(
    lambda torch: Domain(
        dtype=("torch.uint8", "torch.int16", "torch.float32", "torch.bool"),
        size=map(str, range(7)),
        call=BUFFERS,
    )
)
def test_buffers(ask: Probe, dtype: str, size: str, call: str) -> None:
    """Each part of a buffer gives the elements, or the error, that it gives in torch."""
    buffer = f"bytearray(range({size}))"
    parts = [(offset, count) for offset in range(-1, 8) for count in range(-1, 4)]
    calls = (call.format(buffer=buffer, d=dtype, count=c, offset=o) for o, c in parts)
    ask(*calls, question=0)


SOURCES = {
    "storage": "torch.UntypedStorage([1, 2, 3, 4])",
    "typed storage": "torch.FloatStorage([1.0, 2.0])",
    "bytes": "bytearray(b'abcdefgh')",
    "no bytes": "b''",
    "memory": "memoryview(bytearray(b'abcdefgh'))",
    "array": "numpy.array([1.0, 2.0, 3.0])",
    "transposed array": "numpy.ones((3, 2)).T",
    "reversed array": "numpy.array([1.0, 2.0, 3.0])[::-1]",
    "array of another order": "numpy.array([1.0, 2.0], dtype='>f8')",
    "read-only array": "numpy.broadcast_to(numpy.ones(2), (2,)).copy()",
    "matrix": "numpy.asmatrix(numpy.ones((2, 2)))",
    "list": "[1.0, 2.0]",
    "list of arrays": "[numpy.ones(2), numpy.zeros(2)]",
    "tensor": "torch.tensor([1.0, 2.0])",
    "0-dim tensor": "torch.tensor(1.0)",
    "part": "torch.tensor([1.0, 2.0, 3.0, 4.0])[1:3]",
    "conj": "torch.tensor([1j, 2.0]).conj()",
    "gradient": "torch.tensor([1.0, 2.0], requires_grad=True)",
}
MAKERS = (
    "torch.tensor(s)", "torch.as_tensor(s)", "torch.asarray(s)", "torch.asarray(s, copy=True)",
    "torch.asarray(s, copy=False)", "torch.tensor(s, pin_memory=True)",
    "torch.ones(1).new_tensor(s, pin_memory=True)", "torch.asarray(s, dtype=torch.float64)",
    "torch.from_numpy(s)",
    "torch.frombuffer(s, dtype=torch.uint8)", "torch.Tensor(s)", "torch.FloatTensor(s)",
    "torch.DoubleTensor(s)", "torch.tensor(s, dtype=torch.float32)", "torch.as_tensor(s).numpy()",
    "torch.as_tensor(s, dtype=torch.float64)", "torch.ones(1).new_tensor(s)",
    "torch.ones(1).new(s)",
    "torch.from_dlpack(s)", "torch.UntypedStorage(s)", "torch.FloatStorage(s)", "s.clone()",
    "copy.copy(s)", "copy.deepcopy(s)", "s.cpu()", "s.type(torch.float64)", "s.data", "s.detach()",
    "s.float()", "s.double()", "s.to(torch.float32)", "s.untyped()", "s[:1]", "s.numpy()",
    "numpy.asarray(s)", "torch.ones(2).set_(s)", "torch.ones(2).untyped_storage().copy_(s)",
    "pickle.loads(pickle.dumps(s))", "s.untyped_storage()", "s.byteswap('f')", "s.new()",
)  # fmt: skip
"""Ways to make an object of another one, by a copy or in the same memory."""

_WRITES = {
    "source": ("s[...] = 9", "y"),
    "first of source": ("s[0] = 9", "y"),
    "result": ("y.fill_(7)", "s"),
    "first of result": ("y[0] = 7", "s"),
}
_ENDS_PROCESS = "torch.from_dlpack(s) of reversed array"
"""The negative stride raises in a destructor (fromDLPackImpl in ATen/DLConvertor.cpp)."""

_MADE = {
    f"{maker} of {source}": (f"s = {text}", f"y = {maker}")
    for source, text in SOURCES.items()
    for maker in MAKERS
}


@exhaustive(
    lambda torch: Domain(made=[made for made in _MADE if made != _ENDS_PROCESS], write=_WRITES),
    parts=4, one_in=2,
)  # fmt: skip
def test_sharing(ask: Probe, made: str, write: str) -> None:
    """What is made of an object has its own memory, or shares that of the object, as in torch."""
    change, look = _WRITES[write]
    shown = f"{look}.tolist() if hasattr({look}, 'tolist') else list({look})"
    ask(*_MADE[made], change, shown, question=(1, 2, 3))


_CLASSES = (
    "int", "type(None)", "type", "__import__('collections').OrderedDict",
    "__import__('collections').Counter", "__import__('functools').partial",
    "__import__('decimal').Decimal", "__import__('datetime').date", "__import__('re').Pattern",
    "__import__('array').array", "numpy.ndarray", "numpy.float32", "type('A', (), {})",
    "type('a.b', (), {})", "torch.device", "torch.Size", "torch.Generator", "torch.UntypedStorage",
    "torch.FloatStorage", "torch.finfo", "torch.return_types.max",
)  # fmt: skip
_TAKES_CLASS = (
    "x.type({})", "x.to({})", "x.new({})", "torch.tensor({})", "torch.tensor([{}])",
    "x.to(dtype={})", "torch.zeros(2, dtype={})", "torch.zeros({})", "x + {}", "x[{}]",
    "x.as_subclass({})", "torch.can_cast({0}, {0})", "torch.device({})", "x.type_as({})",
    "torch.set_default_tensor_type({})",
)  # fmt: skip


@exhaustive(lambda torch: Domain(call=_TAKES_CLASS, cls=_CLASSES))
def test_classes(ask: Probe, call: str, cls: str) -> None:
    """Each call takes or refuses classes of Python, C and the library, and names them as torch."""
    ask("x = torch.ones(2)", call.format(cls))
