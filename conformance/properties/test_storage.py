"""Storage: untyped storages, and tensors that share one."""

from hypothesis import strategies as st

from ..core.domain import Domain
from ..engine.decorators import exhaustive, sampled
from ..engine.probe import Probe
from ..generators import tensors

BYTES = st.lists(st.integers(-3, 300), max_size=6).map(repr)
KEYS = st.one_of(
    st.integers(-8, 8).map(str),
    st.tuples(st.integers(-8, 8), st.integers(-8, 8)).map(lambda pair: f"slice{pair}"),
    st.sampled_from(
        ("None", "'a'", "1.5", "True", "slice(0, 4, 2)", "slice(None)", "numpy.int8(1)", "()")
    ),
)
VALUES = st.sampled_from(("0", "255", "256", "-1", "1.5", "'a'", "None", "True", "numpy.int8(3)"))
CALLS = (
    "u[{key}]", "u.__setitem__({key}, {value})", "u.fill_({value})", "u.tolist()", "u.clone()",
    "u.copy_(v)", "u.copy_(u)", "u[0:2].fill_(9)", "u.nbytes()", "len(u)", "u.size()",
    "list(u)", "u.element_size()", "u.resizable()", "u.device", "u.is_cuda", "u.is_pinned()",
    "u.is_shared()", "u.new()", "u.untyped() is u", "bool(u)", "u == u", "u == v", "copy.copy(u)",
    "copy.deepcopy(u)", "u.resize_(3)", "u.resize_({value})", "u.get_device()", "u.cpu() is u",
    "torch.is_storage(u)", "u.type()", "pickle.loads(pickle.dumps(u))", "u.filename",
    "u.float()", "u.data_ptr() == u[0:1].data_ptr()", "u.byteswap(torch.int16)",
)  # fmt: skip


@sampled(calls=16, content=BYTES, other=BYTES, key=KEYS, value=VALUES)
def test_untyped(ask: Probe, content: str, other: str, key: str, value: str) -> None:
    """The construction, reads, writes and resizes of an untyped storage equal torch's."""
    ask(f"torch.UntypedStorage({other})")
    for call in CALLS:
        ask(
            f"u = torch.UntypedStorage({content})",
            f"v = torch.UntypedStorage({other})",
            call.format(key=key, value=value),
        )


SETS = (
    "x.set_()", "x.set_(y)", "x.set_(y.untyped_storage())",
    "x.set_(y.untyped_storage(), {n}, {sizes})",
    "x.set_(y.untyped_storage(), {n}, {sizes}, {sizes})", "x.set_(y, {n}, {sizes}, {sizes})",
    "x.resize_({sizes})", "x.resize_as_(y)", "x.untyped_storage().resize_({n})",
    "x.untyped_storage().fill_(1)", "x.untyped_storage() is x.view_as(x).untyped_storage()",
    "x.untyped_storage().copy_(y.untyped_storage())", "x.is_set_to(y)",
    "x.as_strided_({sizes}, {sizes})", "x.as_strided({sizes}, {sizes}, {n})", "x.storage_offset()",
    "x.data = y", "x.swapaxes_(0, -1)", "x.t_()", "x.transpose_(0, {n})", "x.unsqueeze_({n})",
    "x.squeeze_()", "x.squeeze_({n})",
)  # fmt: skip


@sampled(
    calls=16,
    first=tensors.tensors(max_rank=3),
    second=tensors.tensors(max_rank=3),
    sizes=st.lists(st.integers(-1, 4), max_size=3).map(repr),
    n=st.integers(-2, 12).map(str),
)
def test_sharing(
    ask: Probe, first: tensors.DrawnTensor, second: tensors.DrawnTensor, sizes: str, n: str
) -> None:
    """Tensors replace, resize and share storages as in torch, and errors change nothing."""
    for call in SETS:
        ask(
            f"x = {first.text}",
            f"y = {second.text}",
            "z = x.detach()",
            call.format(sizes=sizes, n=n),
        )


@exhaustive(
    lambda torch: Domain(
        asked=("x.untyped_storage()", "x.untyped_storage().resizable()",
               "x.untyped_storage().nbytes()", "x.resize_(1)", "x.resize_(100)",
               "x.untyped_storage().resize_(100)", "x.fill_(3)", "x.is_pinned()",
               "x.is_shared()", "x.data_ptr() == 0"),
        maker=("torch.from_numpy(numpy.arange(6.0))", "torch.zeros(0)", "torch.zeros(2, 3)",
               "torch.zeros(2)[1:]", "torch.as_tensor(numpy.arange(3)[::2], device='cpu')",
               "torch.frombuffer(bytearray(8), dtype=torch.int16)", "torch.zeros(1).expand(3)"),
    )
)  # fmt: skip
def test_owners(ask: Probe, asked: str, maker: str) -> None:
    """A storage can be resized if it owns its memory, as in torch."""
    ask(f"x = {maker}", asked, "x.shape", question=1)


USES = (
    "x[0]", "x[-1, 1]", "x[2**49:2**49 + 2]", "x[:: 2**48]", "x[[0, 5]]", "x[[2**50 - 1, -1], 1:]",
    "x[1:3, [0, 2]]", "x[:1][[True]]", "x[0, x[0] > 1]", "x.select(0, 2**49)", "x[2**50]",
    "x.narrow(0, 3, 2)", "x[..., :0].shape", "x.t()[:, 7]", "x.unfold(1, 2, 1)[9]",
    "x.diagonal()", "x.split(2**49)[1].shape", "x.chunk(4)[3].shape", "len(x.tensor_split(3))",
    "x.reshape(2**49, 2, 3)[5]", "x.view(2**45, 32, 3)[5, 6]", "x.flatten(0, 0)[4]",
    "x.view(-1, 1, 3)[2]", "x.unsqueeze(0)[0, 1]", "x.movedim(0, 1)[0, :2]", "x.shape",
    "x.stride()", "x.numel()", "x.nbytes", "x.is_contiguous()", "x.storage_offset()", "len(x)",
    "x.dim_order()", "x.untyped_storage().nbytes()", "x.view(torch.uint8)[:2]", "x.real[:2]",
    "repr(x)", "str(x[:, 0])", "x.is_set_to(x)", "x.detach()[:2]",
    "torch.equal(x.view(torch.int8), x.view(torch.int8))", "x.data[1]", "x.clone()",
    "x.contiguous()", "x + 1", "x.to(torch.int16)", "x.flatten()",
    "torch.cat([x, x])", "torch.stack([x, x])",
    "x.expand(2, -1, 3)[1, 5]", "x.broadcast_to(2, 2**50, 3)[1, 5]", "x.numpy()[5]",
    "x.__dlpack_device__() is None", "torch.from_dlpack(x)[3]", "copy.copy(x)[1]",
    "copy.deepcopy(x)[1]", "pickle.loads(pickle.dumps(x))[1]", "x.new_empty(2).shape",
    "torch.empty_like(x)",
)  # fmt: skip
"""Uses of a tensor of which few elements are read."""

WRITES = (
    "x.index_put_((torch.tensor([0, 2]),), x[0].clone())",
    "x.index_put_((torch.tensor([0, 2**49, 0]),), x[0].clone(), accumulate=True)",
    "x.index_put_((torch.tensor([-1]), torch.tensor([1])), x[0, 2].clone(), accumulate=True)",
    "x.index_put_((torch.tensor([2**50]),), x[0].clone())",
    "operator.setitem(x, [3, 4], x[0].clone())", "operator.setitem(x, (5, [0, 2]), 1)",
    "operator.setitem(x, (slice(0, 2), [1]), 1)", "operator.setitem(x, 7, 1)",
    "operator.setitem(x, slice(2, 4), x[1].clone())", "x[2].fill_(1)", "x[9].zero_()",
    "x[2].add_(x[3].clone())", "x[4].copy_(x[3] + x[3])", "x[1:2].masked_fill_(x[0] > 0, 1)",
    "x.resize_(3)", "x.t_()", "x.unsqueeze_(0)", "x.set_(x.untyped_storage(), 1, (2,), (1,))",
    "x.as_strided_((2,), (1,), 1)",
)  # fmt: skip
"""Writes to few elements of a tensor, and changes of its geometry."""

_FEW = "b = torch.tensor([1, 0, 2]).to(torch.{dtype})"
_MANY = "(lambda x: {use})(b.expand(2**50, 3))"


@exhaustive(
    lambda torch: Domain(
        use=(*USES, *(f"({write}, None)[1]" for write in WRITES)),
        dtype=("int8", "float32", "bfloat16", "bool", "complex64"),
    )
)
def test_virtual(ask: Probe, use: str, dtype: str) -> None:
    """A tensor with more elements than memory is used as in torch where few of them are needed.

    What a call allocates grows with its result and its indices, and not with the tensor.
    """
    ask(_FEW.format(dtype=dtype), _MANY.format(use=use))


_EACH_FIRST = """\
import os, sys, warnings
sys.path[:] = {path!r}
import {name} as torch, numpy, copy, pickle
s, u = torch.ones(2)._typed_storage(), torch.ones(2).untyped_storage()
for use in {uses!r}:
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        continue
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        try:
            exec(compile("\\n\\n" + use, "USER", "exec"))
        except Exception as error:
            print(type(error).__name__, str(error).splitlines()[0])
    for each in shown:
        line = each.lineno if each.filename == "USER" else "elsewhere"
        print(each.category.__name__, line, each.message)
    print(use, flush=True)
    os._exit(0)
"""
"""A program that makes each use in a process of its own, and prints the warnings and errors."""

FIRST_USES = (
    "torch.ones(2).storage()", "torch.FloatStorage(3)", "torch.FloatStorage([1.0])",
    "torch.FloatStorage()", "torch.TypedStorage(3)", "torch.TypedStorage([1, 2])",
    "torch.TypedStorage(wrap_storage=u, dtype=torch.float64)", "torch.DoubleStorage(u)",
    "torch.FloatStorage(wrap_storage=u)", "torch.FloatStorage.dtype", "torch.FloatStorage.__name__",
    "isinstance(s, torch.FloatStorage)", "isinstance(1, torch.LongStorage)",
    "issubclass(torch.FloatStorage, torch.TypedStorage)", "torch.is_storage(s)",
    "torch.FloatStorage.from_buffer(b'12345678', 'little')", "torch.tensor(s)",
    "torch.FloatTensor(s)", "torch.ones(2).set_(s)", "torch.as_tensor(s)",
    *(f"s.{name}" for name in (
        "device", "is_cuda", "is_sparse", "is_hpu", "dtype", "filename", "__class__", "nbytes",
    )),
    *(f"s.{name}()" for name in (
        "size", "nbytes", "element_size", "data_ptr", "get_device", "tolist", "clone", "cpu",
        "float", "double", "half", "bool", "long", "int", "short", "char", "byte", "bfloat16",
        "complex_float", "complex_double", "float8_e5m2", "untyped", "is_shared", "is_pinned",
        "share_memory_", "type", "pickle_storage_type", "hpu", "cuda", "pin_memory", "_size",
        "__sizeof__", "__len__", "__iter__", "__reduce__",
    )),
    "s[0]", "s[0] = 2", "s[:1]", "s[5]", "s.fill_(3)", "s.copy_(s)", "s.resize_(1)", "s == s",
    "len(s)", "repr(s)", "str(s)", "copy.copy(s)", "copy.deepcopy(s)", "pickle.dumps(s)",
    "numpy.asarray(s)", "list(s)", "s.type('torch.DoubleStorage')", "s.to('cpu')",
    "s.to(device='meta')", "s.type(torch.LongStorage)", "bool(s)", "hash(s) == 1", "1.0 in s",
    "s.type(torch.FloatStorage); s.size()", "s[0]; s[0]", "u.fill_(0)", "u[0]", "copy.copy(u)",
    "torch.set_default_tensor_type(torch.FloatTensor)", "torch.FloatTensor(2)", "u.float()",
)  # fmt: skip
"""Uses of the typed storage ``s`` and the untyped ``u``; torch warns of the first one only."""


@exhaustive(lambda torch: Domain(uses=["each"]), starts_processes=True)
def test_first_uses(ask: Probe, uses: str) -> None:
    """The first use of typed storages warns, or not, and shows the line that torch's shows."""
    program = _EACH_FIRST.replace("{uses!r}", repr(FIRST_USES))
    fill = "program = " + repr(program) + ".format(path=sys.path, name=torch.__name__)"
    run = "subprocess.run([sys.executable, '-c', program], capture_output=True, text=True)"
    ask(f"import subprocess, sys; {fill}", f"{run}.stdout.splitlines()")
