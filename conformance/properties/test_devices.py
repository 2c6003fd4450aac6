"""Devices: torch.device, its strings and comparisons, the default device and accelerators."""

import re
from typing import Any

from ..core.domain import Domain
from ..engine.decorators import exhaustive
from ..engine.probe import Probe
from ..generators import settings


def _named_types(torch: Any) -> list[str]:
    """Return the device types that the error message for an unknown one lists."""
    message = ""
    try:
        torch.device("nonsense")
    except RuntimeError as error:
        message = str(error)
    pattern = r"Expected one of (.*) device type at start of device string: \w+"
    match = re.fullmatch(pattern, message)
    assert match is not None, message
    return match[1].split(", ")


ODD_TYPES = (
    "", " ", "CPU", "Cuda", "gpu", "cpu ", " cpu", "cpu0", "c", "_", "cpu_", "kuda", "ĉpu", "1",
    "-", "cu-da", "metal", "vitis", "cpu\\n", "cpu\\0",
)  # fmt: skip
"""Strings that name no device type, at least in most builds."""

TAILS = (
    "", ":0", ":1", ":2", ":7", ":9", ":10", ":63", ":99", ":100", ":126", ":127", ":128", ":129",
    ":254", ":255", ":256", ":257", ":383", ":384", ":511", ":512", ":32767", ":32768", ":65407",
    ":65408", ":65534", ":65535", ":65536", ":65791", ":2147483647", ":2147483648", ":4294967295",
    ":4294967296", ":9223372036854775807", ":9223372036854775808", ":99999999999999999999", ":00",
    ":01", ":007", ":-1", ":-0", ":+1", ":1.0", ":1e3", ":0x1", ":1_0", ":", "::", "::0", ":0:",
    ":0:0", ":0:1", ": 0", ":0 ", " :0", ":x", ":1x", ":x1", ":cpu", ":None", ":True", ":²", ":٣",
    ":0\\n", "\\n:0", ":0\\0", "\\0", ";0", ",0", "/0", ".0", "0", "[0]", "(0)", ":0,1", "+0", "-0",
)  # fmt: skip
"""Suffixes of a device type."""

LOOKS = (
    "{}",
    "str({})",
    "{}.type",
    "{}.index",
    "hash({})",
    "{}.__reduce__()[1]",
    "pickle.loads(pickle.dumps({})) == {}",
)


@exhaustive(
    lambda torch: Domain(kind=[*_named_types(torch), *ODD_TYPES], tail=TAILS),
    parts=4,
    grid_step=2,
)
def test_strings(ask: Probe, kind: str, tail: str) -> None:
    """A device string of each type, with any suffix, is parsed or rejected as in torch."""
    text = f"'{kind}{tail}'"
    ask(f"d = torch.device({text})", *(look.format(*["d"] * 2) for look in LOOKS), question=0)


FIRST = (
    "'cpu'", "'cuda'", "'meta'", "'mps'", "'cuda:1'", "'cpu:0'", "'xpu:3'", "b'cpu'", "b'cuda:1'",
    "'nope'", "''", "0", "1", "-1", "True", "False", "2**31", "2**63", "-2**63 - 1", "1.0", "None",
    "[]", "('cpu',)", "torch.device('cpu')", "torch.device('cuda', 1)", "torch.float32",
    "numpy.int64(1)", "numpy.float64(1)", "numpy.str_('cpu')", "torch.tensor(1)",
    "type('S', (str,), {})('cpu')", "object()", "int",
)  # fmt: skip
SECOND = (
    "", "0", "1", "-1", "-2", "127", "128", "255", "256", "65535", "2**31 - 1", "2**31",
    "2**63 - 1", "2**63", "-2**63", "True", "False", "None", "1.0", "'0'", "[]",
    "torch.device('cpu')", "numpy.int64(1)", "numpy.float64(1)", "torch.tensor(1)", "index=0",
    "index=None", "index=-1", "index='0'", "type='cpu'", "device='cpu'", "0, 0", "0, index=0",
    "nonsense=1",
)  # fmt: skip


@exhaustive(lambda torch: Domain(first=FIRST, second=SECOND), parts=2)
def test_arguments(ask: Probe, first: str, second: str) -> None:
    """Any arguments of the constructor create torch's device or raise its error."""
    ask(f"torch.device({first}{second and ', '}{second})")
    keyword, is_keyword, _ = second.partition("=")
    for name in ("type", "device"):
        if not second or (is_keyword and keyword.isidentifier() and keyword != name):
            ask(f"torch.device({name}={first}{second and ', '}{second})")


CLASS_CALLS = (
    "torch.device()", "torch.device(index=0)", "torch.device(*['cpu', 0])", "torch.device",
    "torch.device.__name__", "torch.device.__qualname__", "isinstance(torch.device, type)",
    "type('D', (torch.device,), {})", "torch.device.nonsense",
    "setattr(torch.device, 'nonsense', 1)",
    "pickle.loads(pickle.dumps(torch.device)) is torch.device",
    "copy.deepcopy(torch.device) is torch.device",
    "[name for name in dir(torch.device) if not name.startswith('_')]",
    "issubclass(torch.device, str)",
)  # fmt: skip


@exhaustive(lambda torch: Domain(text=CLASS_CALLS))
def test_class(ask: Probe, text: str) -> None:
    """The attributes and the misuses of the class torch.device equal torch's."""
    ask(text)


SOME = (
    "torch.device('cpu')", "torch.device('cpu', 0)", "torch.device('cpu:1')",
    "torch.device('cuda')", "torch.device('cuda:0')", "torch.device('cuda:1')",
    "torch.device('cuda:127')", "torch.device('cuda:128')", "torch.device('cuda:255')",
    "torch.device('cuda:256')", "torch.device('meta')", "torch.device('meta:0')",
    "torch.device('mps:0')", "torch.device('xla:1')", "torch.device('hip')",
)  # fmt: skip
FOREIGN = (
    "'cpu'",
    "'cuda:0'",
    "0",
    "None",
    "torch.device",
    "torch.float32",
    "b'cpu'",
    "('cpu', 0)",
)


@exhaustive(
    lambda torch: Domain(
        operator=("==", "!=", "<", "<=", ">", ">=", "in"), left=SOME, right=[*SOME, *FOREIGN]
    )
)
def test_comparisons(ask: Probe, operator: str, left: str, right: str) -> None:
    """Devices are equal only if type and index are equal: cuda is not cuda:0."""
    if operator == "in":
        ask(f"{left} in {{{right}: 1}}", f"{right} in {{{left}: 1}}", f"len({{{left}, {right}}})",
            question=0)  # fmt: skip
        return
    ask(f"{left} {operator} {right}")
    if right in FOREIGN:
        ask(f"{right} {operator} {left}")


MISUSES = (
    "copy.copy({}) == {}", "copy.deepcopy({}) == {}",
    *(f"pickle.loads(pickle.dumps({{}}, {protocol})) == {{}}" for protocol in range(6)), "repr({})",
    "format({})", "'{{:>20}}'.format({})", "'%s' % {}", "bool({})", "callable({})",
    "isinstance({}, torch.device)", "type({}) is torch.device",
    "[name for name in dir({}) if not name.startswith('_')]", "{}.nonsense", "{}.type = 'cpu'",
    "{}.index = 0", "{}.nonsense = 0", "del {}.index", "setattr({}, 'type', 1)",
    "delattr({}, 'nonsense')", "{}.type()", "{}.__dict__", "len({})", "iter({})", "{}[0]",
    "int({})", "operator.index({})", "{} + {}", "-{}", "{} | None", "1 in {}", "{}.__reduce__(1)",
    "{}.__enter__(1)", "{}(1)", "{}()", "{}(lambda: 1)", "{}(lambda: 1)()", "{}(len)('ab')",
    "{}(1, 2)",
)  # fmt: skip


@exhaustive(lambda torch: Domain(misuse=MISUSES, of=SOME[:6]))
def test_objects(ask: Probe, misuse: str, of: str) -> None:
    """A device copies, pickles and prints as torch's; invalid operations raise its errors."""
    use = misuse.replace("{}", "d").replace("{{", "{").replace("}}", "}")
    ask(f"d = {of}", use, "d", question=1)


MODES = (
    "torch.device('cpu:1').__enter__()", "torch.device('cuda:2').__enter__()",
    "torch.device('cpu').__exit__(None, None, None)", "torch.set_default_device('cpu:3')",
    "torch.set_default_device(None)",
)  # fmt: skip


@exhaustive(
    lambda torch: Domain(first=MODES, second=MODES, third=MODES, fourth=MODES, fifth=MODES), parts=2
)
def test_modes(ask: Probe, *steps: str) -> None:
    """Default devices that are set and entered in any order nest as in torch."""
    each = (part for step in steps for part in (step, "torch.get_default_device()"))
    ask(*each, "torch.ones(1)", question=-3)


THREAD = "t = __import__('threading').Thread(target=lambda: seen.append({})); t.start(); t.join()"
CONTEXTS = (
    "with torch.device('cuda'): y = torch.ones(2, device='cpu')",
    "with torch.device('cpu:1') as d: seen.append(torch.get_default_device())",
    "with torch.device('cuda:1'):\n  with torch.device('cpu:2'):"
    " seen.append(torch.get_default_device())\n  seen.append(torch.get_default_device())",
    "with torch.device('cuda'): seen.append(torch.ones(2))",
    "with torch.device('nope'): seen.append(1)", "with torch.device('cpu:1'): seen.append(1 / 0)",
    "with torch.device('cpu:1'): torch.set_default_device('cpu:2')",
    "with torch.device('cpu:1'): torch.set_default_device(None);"
    " seen.append(torch.get_default_device())",
    "with torch.device('cpu:1'), torch.device('cuda:3'): seen.append(torch.get_default_device())",
    "d = torch.device('cpu:4')\nwith d:\n  with d: seen.append(torch.get_default_device())"
    "\n  seen.append(torch.get_default_device())",
    "with torch.device('cuda:1'): " + THREAD.format("torch.get_default_device()"),
    THREAD.format("torch.get_default_device()"),
    THREAD.format("torch.set_default_device('cuda:7')"),
    THREAD.format("[torch.set_default_device('cuda:7'), torch.get_default_device()]"),
    THREAD.format("torch.get_default_dtype()"),
    THREAD.format("torch.set_default_dtype(torch.float64)")
    + "; seen.append(torch.get_default_dtype())",
    "@torch.device('cpu')\ndef f(): pass", "torch.set_default_device(torch.device('cpu', 1))",
    "torch.set_default_device(device='cpu:1')", "torch.set_default_device()",
    "torch.set_default_device('cpu', 'cpu')", "torch.set_default_device('nope')",
    "torch.set_default_device(1)", "torch.set_default_device(1.5)",
    "torch.set_default_device(b'cpu:1')", "torch.set_default_device('mkldnn')",
    "torch.get_default_device(1)", "torch.get_default_device(x=1)",
    "torch.device('cpu').__exit__()", "torch.device('cpu').__exit__(1, 2, 3)",
    *(
        f"torch.set_default_device('{device}'); seen.append(torch.get_default_device())"
        for device in ("cuda", "xpu", "mps", "mps:0", "hpu", "lazy", "privateuseone")
    ),
)  # fmt: skip


@exhaustive(lambda torch: Domain(before=("None", "'cpu:9'", "'cuda:9'"), program=CONTEXTS))
def test_contexts(ask: Probe, before: str, program: str) -> None:
    """A default device lasts for its context in its thread; the default dtype is per process."""
    ask(*settings.default_device(before), "seen = []", program, "str(seen)",
        "torch.get_default_device()", question=-3)  # fmt: skip


CONSTRUCTORS = (
    "torch.empty(0)", "torch.empty((0, 2), dtype=torch.int8)",
    "torch.empty_permuted((0, 2), (1, 0))", "torch.empty_strided((0,), (1,))", "torch.zeros(2)",
    "torch.ones(2, 3)", "torch.zeros((), dtype=torch.bool)", "torch.full((2,), 7)",
    "torch.arange(3)", "torch.arange(0, 1, 0.5)", "torch.range(0, 3)", "torch.linspace(0, 1, 3)",
    "torch.logspace(0, 1, 3)", "torch.eye(2)", "torch.rand(0)", "torch.randn(0)",
    "torch.randint(3, (0,))", "torch.randperm(1)", "torch.tensor([1, 2])", "torch.tensor(1.5)",
    "torch.tensor(torch.Tensor(2).zero_())", "torch.as_tensor([1])",
    "torch.as_tensor(numpy.ones(2))", "torch.as_tensor(torch.Tensor([1]))", "torch.asarray([1])",
    "torch.asarray(numpy.ones(2))", "torch.asarray(torch.Tensor([1]))", "torch.scalar_tensor(2)",
    "torch.Tensor([1, 2])", "torch.Tensor(0)", "torch.FloatTensor([1])",
    "torch.from_numpy(numpy.ones(2))", "torch.frombuffer(bytearray(4), dtype=torch.int8)",
    "torch.ones_like(x)", "torch.zeros_like(x)", "torch.full_like(x, 1)", "torch.empty_like(x[:0])",
    "torch.rand_like(x[:0])", "x.new_ones(2)", "x.new_tensor([1])", "x.new_empty(0)", "x + 1",
    "x.to(torch.int8)", "x.clone()", "x.sum()", "torch.stack([x, x])", "torch.cat([x, x])",
    "x.cpu()", "torch.where(x > 0, 1, 2)", "torch.add(x, torch.tensor(1))", "torch.ones(2, out=x)",
    "torch.arange(2, out=x)", "torch.normal(0.0, 1.0, (0,))", "torch.UntypedStorage(2)",
    "torch.result_type(x, 1)", "torch.eye('a')", "torch.arange()", "torch.linspace(0)",
    "torch.tensor()", "torch.asarray()", "torch.full(2)", "torch.rand(2, names=None)",
    "torch.eye(3, names=None)", "x.dim_order(ambiguity_check=True)",
    "torch.Tensor([[1]]).dim_order(ambiguity_check=True)", "x.dim_order(ambiguity_check=1)",
    "torch.zeros('a')", "torch.ones(2, nonsense=1)", "torch.empty(-1)", "torch.tensor('a')",
    "torch.full((2,), 2**70)", "torch.arange(2**70)", "torch.eye(-1)",
    "torch.tensor([300], dtype=torch.uint8)", "torch.linspace(0, 2**70, 2, dtype=torch.int64)",
    "torch.scalar_tensor(2**70)", "torch.full_like(x, 2**70)", "x.new_full((1,), 2**70)",
    "torch.device('mkldnn')", "torch.zeros(2, dtype=torch.complex32)",
    "x.new_zeros(2, dtype=torch.complex32)", "torch.add(x, x, out=torch.Tensor(1))",
    "torch.frombuffer(b'1234', dtype=torch.int8)", "torch.from_numpy(numpy.broadcast_to(1.5, 2))",
    "torch.asarray(numpy.broadcast_to(1.5, 2))", "x.T.T", "torch.Tensor([[[1]]]).T", "x.nonzero()",
    "x.to(torch.complex32)", "torch.tensor(1j).to(torch.float32)",
    "x.copy_(torch.Tensor(2).zero_() * 1j)", "torch.set_default_tensor_type(torch.FloatTensor)",
    "torch.FloatStorage(2)", "torch.randint(2**70, (1,))", "torch.Generator()",
)  # fmt: skip
IN_OTHER_BUILDS = (
    "mps", "xla:1", "lazy", "hip:0", "ipu", "ipu:1", "vulkan", "fpga", "maia:1", "ve", "mkldnn",
    "opengl:0", "opencl", "ideep", "privateuseone:1", "mtia:0",
)  # fmt: skip
"""Devices with memory only in some builds of torch."""

KEYWORDS = (
    "", "device=None", "device='cpu'", "device='cpu:1'", "device='cuda'", "device='cuda:0'",
    "device='xpu'", "device='hpu:1'", "device=0",
    *(f"device='{device}'" for device in IN_OTHER_BUILDS),
)  # fmt: skip
DEFAULTS = (
    "None", "'cpu'", "'cpu:2'", "'cuda'", "'cuda:1'", "'xpu'", "'hpu'", "'privateuseone:0'",
    "'mtia'", *(f"'{device}'" for device in IN_OTHER_BUILDS),
)  # fmt: skip


def _with(constructor: str, keyword: str) -> str:
    without = "torch.result_type", "torch.device", "x +"
    if not keyword or constructor.startswith(without) or not constructor.endswith(")"):
        return constructor
    comma = "" if constructor.endswith("()") else ", "
    return f"{constructor[:-1]}{comma}{keyword})"


@exhaustive(lambda torch: Domain(constructor=CONSTRUCTORS, keyword=KEYWORDS), parts=2)
def test_keywords(ask: Probe, constructor: str, keyword: str) -> None:
    """A function with device= uses that device or raises torch's error for it."""
    ask("x = torch.Tensor([1, 2])", _with(constructor, keyword))


@exhaustive(
    lambda torch: Domain(default=DEFAULTS, constructor=CONSTRUCTORS, keyword=KEYWORDS[:4]),
    parts=2,
    one_in=4,
)
def test_defaults(ask: Probe, default: str, constructor: str, keyword: str) -> None:
    """The default device applies to the same functions as in torch, unless device= is given."""
    call = _with(constructor, keyword)
    ask("x = torch.Tensor([1, 2])", *settings.default_device(default), call)


ON_META = (
    "x", "x.t()", "x[0]", "x[:, 1:]", "x[None, ..., 0]", "x.view(-1)", "x.reshape(3, 2)",
    "x.expand(4, 2, 3)", "x.as_strided((2, 2), (1, 2), 1)", "x.unsqueeze(0)", "x.flatten()",
    "x.split(1)", "x.unbind()", "x.detach()", "x.clone()", "x.contiguous()", "x.t().contiguous()",
    "x.to(torch.float64)", "x.to('meta') is x", "x.to('meta:0') is x", "x.to('cpu')", "x.cpu()",
    "x.to('cuda')", "c.to('meta')", "c.to(device='meta', dtype=torch.int8)", "x.to(c)", "x.type()",
    "x.device", "x.is_meta", "x.is_cpu", "x.get_device()", "x.data_ptr()", "x.is_pinned()",
    "x.is_contiguous()", "x.storage_offset()", "x.untyped_storage()",
    "x.untyped_storage().nbytes()", "x.untyped_storage().device", "x.untyped_storage()[0]",
    "x.untyped_storage().data_ptr()", "x.storage()", "x.nbytes", "x.element_size()", "x.tolist()",
    "x.numpy()", "x[0, 0].item()", "x.item()", "bool(x[0, 0])", "int(x[0, 0])", "float(x[0, 0])",
    "complex(x[0, 0])", "len(x)", "list(x)", "repr(x)", "str(x[0])", "f'{x[0, 0]}'",
    "x.__dlpack__()", "x.nonzero()", "x[x == x]", "x.equal(x)", "torch.allclose(x, x)", "x + 1",
    "x + x", "x + x.t().t()", "1 + x", "x * 2.5", "x - x[0]", "x / x", "x // 2", "x ** 2", "x == x",
    "x < 1", "x + torch.ones(())", "torch.ones(()) + x", "x + c", "c + x", "x * torch.ones(3)",
    "torch.ones(3) * x", "c + torch.ones((), device='meta')", "torch.ones((), device='meta') + c",
    "x.add_(1)", "x.mul_(x)", "x.fill_(3)", "x.zero_()", "x.copy_(c)", "c.copy_(x)",
    "x.copy_(x[0])", "torch.add(x, x, out=torch.empty(0, dtype=x.dtype, device='meta'))",
    "torch.add(x, x, out=c.to(x.dtype))", "torch.add(c, c, out=x)", "x.abs()", "x.neg()",
    "torch.exp(x)", "torch.sqrt(x)", "x.isnan()", "torch.where(x == x, x, x)",
    "torch.where(x == x, 1, 2)", "torch.clamp(x, 0, 1)", "torch.maximum(x, x)",
    "x.masked_fill(x == x, 1)", "x.sum()", "x.sum(0)", "x.sum(1, keepdim=True)",
    "x.sum(dtype=torch.float64)", "x.prod()", "x.mean()", "x.amax(0)", "x.max(0)", "x.max()",
    "x.argmax()", "x.argmin(1)", "x.any()", "x.all(0)", "x.cumsum(0)", "x.count_nonzero()",
    "torch.cat([x, x])", "torch.cat([x, x], 1)", "torch.stack([x, x])",
    "torch.cat([x, c.to(x.dtype)])", "torch.stack([c.to(x.dtype), x])", "torch.ones_like(x)",
    "torch.zeros_like(x.t())", "torch.full_like(x, 1)", "torch.empty_like(x, device='cpu').device",
    "torch.ones_like(c, device='meta')", "torch.rand_like(x)", "x.new_ones(2)",
    "x.new_zeros((2, 3), device='cpu')", "x.new_empty_strided((2,), (3,))", "x.new_tensor([1])",
    "torch.empty((2, 3), device='meta', memory_format=torch.contiguous_format)",
    "torch.empty_strided((2,), (3,), device='meta')",
    "torch.empty_permuted((2, 3), (1, 0), device='meta')", "torch.full((2,), 1, device='meta')",
    "torch.arange(3, device='meta')", "torch.arange(0, 1, 0.25, device='meta')",
    "torch.linspace(0, 1, 3, device='meta')", "torch.eye(2, device='meta')",
    "torch.rand(2, device='meta')", "torch.randn(2, device='meta')",
    "torch.randint(3, (2,), device='meta')", "torch.randperm(3, device='meta')",
    "torch.tensor([1, 2], device='meta')", "torch.tensor(1.5, device='meta')", "torch.tensor(x)",
    "torch.as_tensor(c, device='meta')", "torch.asarray(x)",
    "torch.scalar_tensor(1, device='meta')",
    "torch.empty((2**40, 2**20), device='meta', dtype=torch.int8)",
    "torch.zeros(-1, device='meta')", "torch.UntypedStorage(3, device='meta')", "x.resize_(100)",
    "x.set_()", "x.requires_grad_()", "x.transpose_(0, 1)", "x.random_()", "x.uniform_()",
    "torch.result_type(x, 1.5)", "torch.promote_types(x.dtype, torch.int8)", "copy.copy(x)",
    "copy.deepcopy(x)", "x[0].__setitem__(0, 1)", "x.__setitem__(0, x[1])",
    "x.__setitem__(0, c[1])", "c.__setitem__(0, x[1])", "x[[0, 1]]", "x[torch.tensor([1, 0])]",
)  # fmt: skip


@exhaustive(
    lambda torch: Domain(
        dtype=("float32", "int64", "bool", "complex64", "bfloat16", "uint8"), call=ON_META
    )
)
def test_meta(ask: Probe, dtype: str, call: str) -> None:
    """Operations on meta tensors equal torch's, also the errors for missing elements."""
    ask(
        "c = torch.Tensor([[1, 2, 3], [4, 5, 6]])",
        f"x = torch.ones(2, 3, dtype=torch.{dtype}, device='meta')",
        call,
    )


ACCELERATORS = (
    "torch.cuda.is_available()", "torch.cuda.device_count()", "torch.cuda.current_device()",
    "torch.cuda.set_device(0)", "torch.cuda.set_device('cuda:0')", "torch.cuda.set_device(-1)",
    "torch.cuda.set_device('cpu')", "torch.cuda.set_device('nope')", "torch.cuda.set_device(None)",
    "torch.cuda.device('cuda:1').idx", "torch.cuda.device('cpu')", "torch.cuda.device(None).idx",
    "torch.cuda.device(-1).idx", "torch.cuda.device(0).__enter__()",
    "torch.cuda.device(-1).__enter__()", "torch.cuda.device_of(torch.ones(1)).idx",
    "torch.cuda.synchronize()", "torch.cuda.synchronize(0)", "torch.cuda.get_device_name()",
    "torch.cuda.get_device_name(0)", "torch.cuda.get_device_properties(0)",
    "torch.cuda.memory_allocated()", "torch.cuda.memory_allocated(0)",
    "torch.cuda.memory_allocated('cpu')", "torch.cuda.max_memory_allocated()",
    "torch.cuda.memory_reserved()", "torch.cuda.mem_get_info()", "torch.cuda.mem_get_info(0)",
    "torch.cuda.empty_cache()", "torch.cuda.is_initialized()", "torch.cuda.init()",
    "torch.cuda.FloatTensor(2)", "torch.cuda.FloatTensor.dtype",
    "isinstance(torch.ones(2), torch.cuda.FloatTensor)", "torch.cuda.is_bf16_supported()",
    "torch.accelerator.is_available()", "torch.accelerator.device_count()",
    "torch.accelerator.current_accelerator()",
    "torch.accelerator.current_accelerator(check_available=True)",
    "torch.accelerator.current_device_index()", "torch.accelerator.set_device_index('cuda:0')",
    "torch.accelerator.set_device_index('cpu')", "torch.accelerator.synchronize()",
    "torch.accelerator.synchronize(0)", "torch.accelerator.device_index(0).__enter__()",
    "torch.accelerator.memory_allocated()", "torch.accelerator.empty_cache()",
    "torch.accelerator.max_memory_allocated()", "torch.accelerator.get_memory_info()",
    "torch.accelerator.is_available(1)", "torch.cuda.is_available(1)", "torch.cuda.manual_seed(1)",
    "torch.cuda.manual_seed_all(1)", "torch.cuda.manual_seed('x')", "torch.cuda.FloatTensor([1])",
    "torch.cuda.FloatTensor.is_cuda", "torch.cuda.set_device(1.5)", "torch.cuda.device('nope')",
    "torch.cuda.device(None).__enter__()", "torch.accelerator.set_device_index('meta')",
    "torch.accelerator.set_device_index(None)", "torch.accelerator.memory_allocated('cuda:0')",
    "torch.accelerator.memory_allocated(0)", "torch.accelerator.get_memory_info(0)",
    "torch.accelerator.reset_peak_memory_stats()", "torch.ones(2).cuda()", "torch.ones(2).cuda(0)",
    "torch.ones(2).pin_memory()", "torch.ones(2).pin_memory('cuda')", "torch.ones(2).is_pinned()",
    "torch.ones(2).is_pinned('cuda')", "torch.ones(2, device='meta').pin_memory()",
    "torch.empty(2, pin_memory=True)", "torch.ones(2, device='meta', pin_memory=True)",
    "torch.tensor([2], device='meta', pin_memory=True)", "torch.tensor([2], pin_memory=True)",
    "torch.ones(2).untyped_storage().cuda()", "torch.ones(2).untyped_storage().cpu() is None",
    "torch.ones(2).untyped_storage().is_shared()",
    "[int(each) for each in torch.ones(2).__dlpack_device__()]",
    "torch.ones(2, device='meta').__dlpack_device__()",
    "torch.ones(2).set_(torch.ones(2, device='meta'))", "torch.ones(2, device='meta').new([1, 2])",
    "torch.ones(4).tensor_split(torch.ones(1, device='meta').long())",
    "hasattr(torch.ones(2), '__cuda_array_interface__')",
)  # fmt: skip


@exhaustive(lambda torch: Domain(call=ACCELERATORS))
def test_accelerators(ask: Probe, call: str) -> None:
    """torch.cuda, torch.accelerator and pinned memory report devices or errors as torch does."""
    ask(call)


_PINS = (
    "torch.ones(2).pin_memory({})", "torch.ones(2).is_pinned({})",
    "torch.ones(2).untyped_storage().pin_memory({})",
    "torch.ones(2).untyped_storage().is_pinned({})", "torch.FloatStorage(2).pin_memory({})",
    "torch.FloatStorage(2).is_pinned({})", "torch.ones(2, device='meta').pin_memory({})",
    "torch.ones(2, device='meta').is_pinned({})", "torch.ones(2).to_sparse().pin_memory({})",
    "torch.ones(2).to_sparse().is_pinned({})",
)  # fmt: skip
_TYPES = (
    "cpu", "cuda", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "maia", "xla",
    "lazy", "vulkan", "mps", "meta", "hpu", "mtia", "privateuseone", "xpu", "ipu", "nope",
)  # fmt: skip


@exhaustive(
    lambda torch: Domain(
        call=_PINS, device=("", "None", "1", *(f"'{name}'" for name in _TYPES),
                            *(f"torch.device('{name}', 0)" for name in ("cpu", "cuda", "meta"))),
    )
)  # fmt: skip
def test_pinning(ask: Probe, call: str, device: str) -> None:
    """Pinned memory is refused for every device, with torch's message."""
    ask(call.format(device))
