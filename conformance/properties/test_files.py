"""Files: torch.save, torch.load, and memory-mapped files."""

from functools import cache
from os import getpid
from pathlib import Path
from tempfile import gettempdir
from typing import Any

from hypothesis import strategies as st

from ..core.domain import Domain
from ..engine.decorators import exhaustive, sampled
from ..engine.probe import Probe
from ..generators.files.archives import OTHER_ARCHIVES, damages, rewritten, saved_by
from ..generators.files.objects import CONTAINERS, FORMATS, PAIRS
from ..generators.files.pickles import pickle_of
from ..generators.oracle_namespace import without_quantized

LOADS = {
    "weights": "torch.load(f)",
    "anything": "torch.load(f, weights_only=False)",
    "with pickle": "torch.load(f, pickle_module=pickle)",
    "cpu": "torch.load(f, 'cpu')",
    "device": "torch.load(f, torch.device('cpu'))",
    "dict": "torch.load(f, {'cpu': 'cpu', 'cuda:0': 'meta'})",
    "function": "torch.load(f, lambda storage, location: storage.clone())",
    "no function": "torch.load(f, lambda storage, location: None)",
    "meta": "torch.load(f, map_location='meta')",
    "dict to meta": "torch.load(f, {'cpu': 'meta'}, weights_only=False)",
    "device meta": "torch.load(f, torch.device('meta'))",
    **{
        location: f"torch.load(f, {location!r})"
        for location in ("cuda", "cuda:0", "mps", "hpu:1", "xpu", "mtia", "xla", "cpu:0", "nowhere")
    },
    "number": "torch.load(f, 3)",
    "function of a number": "torch.load(f, lambda storage, location: 3)",
    "bytes": "torch.load(f, b'cpu')",
    "mapped": "torch.load(p, mmap=True)",
    "mapped to meta": "torch.load(p, 'meta', mmap=True)",
    "by path": "torch.load(p)",
    "by file": "(lambda file: (torch.load(file), file.close())[0])(open(p, 'rb'))",
    "mapped object": "torch.load(f, mmap=True)",
}
"""The ways to load an object from the file ``f``, which has the path ``p``."""

_FILE = (
    "f = io.BytesIO()",
    "p = os.path.join(tempfile.gettempdir(), f'saved-{os.getpid()}')",
)


def _remove_file() -> None:
    """Remove the file of a program that ended with an error."""
    Path(gettempdir(), f"saved-{getpid()}").unlink(missing_ok=True)


_WRITE = "with open(p, 'wb') as file: file.write(f.getvalue())"
_REWIND = "position = f.seek(0)"
_QUESTIONS = (
    "c", "d", "c.requires_grad", "c._version", "vars(c)", "c.untyped_storage().resizable()",
    "c.untyped_storage().filename", "c.untyped_storage().is_shared()", "c.add_(1)", "d",
    "os.unlink(p)",
)  # fmt: skip
"""Questions about a pair of loaded tensors, which may share a storage."""


@exhaustive(lambda torch: Domain(dtype=without_quantized(torch), format=FORMATS))
def test_dtypes(ask: Probe, dtype: str, format: str) -> None:
    """A tensor of each dtype is saved and loaded, or refused, as by torch."""
    storage = "torch.UntypedStorage([1, 0, 1, 1, 0, 0, 1, 0] * 6)"
    ask(
        f"a = torch.empty(0, dtype=torch.{dtype}).set_({storage}, 1, (2,), (1,))",
        "f = io.BytesIO()",
        f"torch.save(a, f{FORMATS[format]})",
        "position = f.seek(0)",
        "c = torch.load(f, weights_only=False)",
        "c.untyped_storage()",
        question=2,
    )


def _pairs(pair: str) -> tuple[str, str]:
    first, second = PAIRS[pair]
    return f"a = {first}", f"b = {second}"


@exhaustive(lambda torch: Domain(pair=PAIRS, format=FORMATS, load=LOADS), one_in=8)
def test_round_trips(ask: Probe, pair: str, format: str, load: str) -> None:
    """Tensors that the subject saved are loaded with their geometry, storage and attributes."""
    ask(
        *_pairs(pair), *_FILE, f"torch.save((a, b), f{FORMATS[format]})", _WRITE, _REWIND,
        f"c, d = {LOADS[load]}", *_QUESTIONS, question=4,
    )  # fmt: skip
    _remove_file()


@exhaustive(lambda torch: Domain(pair=PAIRS, container=CONTAINERS, format=FORMATS), one_in=6)
def test_containers(ask: Probe, pair: str, container: str, format: str) -> None:
    """Containers, numbers, strings and objects of torch are saved and loaded as by torch."""
    ask(
        *_pairs(pair), "f = io.BytesIO()", f"torch.save({container}, f{FORMATS[format]})", _REWIND,
        "torch.load(f)", _REWIND, "torch.load(f, weights_only=False)", question=3,
    )  # fmt: skip


_SETTING = (
    "def with_setting(function, value, former, call):\n"
    "    function(value)\n"
    "    try:\n"
    "        return call()\n"
    "    finally:\n"
    "        function(former)"
)
"""A function for calls under a setting, which no part of a program may leave behind."""

_OPCODES = (
    "[(op.name, 'key' if isinstance(arg, str) and arg.isdigit() else arg)"
    " for step in range(4) for op, arg, _ in pickletools.genops(f)]"
)
"""The opcodes of a legacy file; the keys of its storages are identifiers of one process."""

_BY_BYTES = {name: text for name, text in FORMATS.items() if name != "protocol 4"}
"""Protocol 4 writes a string once if one object stands for it, which no program shows."""


@exhaustive(
    lambda torch: Domain(
        object=(*PAIRS, *CONTAINERS), format=_BY_BYTES, options=("plain", "without checksums")
    ),
    one_in=2,
)
def test_bytes(ask: Probe, object: str, format: str, options: str) -> None:
    """A file has torch's bytes, so that torch reads it.

    A legacy file has torch's opcodes.
    """
    pair, saved = (object, "(a, b)") if object in PAIRS else ("views", object)
    save = f"torch.save({saved}, f{_BY_BYTES[format]})"
    if options != "plain":
        setting = "torch.serialization.set_crc32_options"
        save = f"with_setting({setting}, False, True, lambda: {save})"
    ask(
        *_pairs(pair), "f = io.BytesIO()", _SETTING, save, _REWIND,
        _OPCODES if format == "legacy" else "f.getvalue()", question=4,
    )  # fmt: skip


@cache
def _file(torch: Any, pair: str) -> bytes:
    return saved_by(torch, pair)


_READABLE = [name for name in PAIRS if name != "other dtype"]


@exhaustive(lambda torch: Domain(pair=_READABLE, load=LOADS), one_in=2)
def test_interchange(ask: Probe, pair: str, load: str) -> None:
    """The subject loads what torch saved, with its geometry, storages and attributes."""
    data = _file(ask.session.oracle.root, pair).hex()
    ask(
        f"f = io.BytesIO(bytes.fromhex('{data}'))", *_FILE[1:], _WRITE, f"c, d = {LOADS[load]}",
        *_QUESTIONS, question=3,
    )  # fmt: skip
    _remove_file()


@exhaustive(
    lambda torch: Domain(
        pair=("views", "apart", "conjugated", "uint16", "empty"),  # no indices in wrong order
        archive=OTHER_ARCHIVES,
        load=("weights", "anything", "mapped", "function"),  # torch crashes if it swaps on meta
        default=("None", "BIG", "LITTLE", "NATIVE"),
    ),
    one_in=4,
)
def test_other_archives(ask: Probe, pair: str, archive: str, load: str, default: str) -> None:
    """Archives of other programs, versions and byte orders are loaded, or refused, as by torch."""
    data = rewritten(_file(ask.session.oracle.root, pair), **OTHER_ARCHIVES[archive])
    orders = "torch.serialization.LoadEndianness"
    value = default if default == "None" else f"{orders}.{default}"
    ask(
        f"f = io.BytesIO(bytes.fromhex('{data.hex()}'))", *_FILE[1:], _WRITE,
        _SETTING,
        f"with_setting(torch.serialization.set_default_load_endianness, {value}, None,"
        f" lambda: {LOADS[load]})",
        "os.unlink(p)", question=4,
    )  # fmt: skip
    _remove_file()


_WITHOUT_PATH = (
    "def attempt(call):\n"
    "    try:\n"
    "        return call()\n"
    "    except (AttributeError, ModuleNotFoundError) as error:\n"
    "        return type(error).__name__, str(error).partition(' from ')[0].rstrip('>')"
)
"""A function for calls whose errors have the path of the package."""


@exhaustive(
    lambda torch: Domain(damage=damages(_file(torch, "apart")), weights_only=("True", "False")),
    parts=2,
    one_in=3,
)
def test_damaged(ask: Probe, damage: str, weights_only: str) -> None:
    """A damaged file raises torch's error, and otherwise is loaded as by torch."""
    data = _file(ask.session.oracle.root, "apart").hex()
    load = f"torch.load(io.BytesIO({damage}), weights_only={weights_only})"
    if weights_only == "True":
        ask(f"d = bytes.fromhex('{data}')", load)
    else:
        ask(f"d = bytes.fromhex('{data}')", _WITHOUT_PATH, f"attempt(lambda: {load})")


_WITHOUT_ADDRESSES = (
    "def attempt(call):\n"
    "    names = torch.__name__ + '.', 'torch.'\n"
    "    parts = r'0x[0-9a-f]+|[\\w.]+\\.(?=_rebuild|set_)|(?<=got )<class \\S+'\n"
    "    parts += r'|\\nException raised.*|\"$'\n"
    "    text = lambda x: re.sub(parts, '', str(x), flags=re.DOTALL).replace(*names)\n"
    "    try:\n"
    "        with warnings.catch_warnings():\n"
    "            warnings.filterwarnings('ignore', 'Defining your `__torch_function__`')\n"
    "            value = call()\n"
    "    except Exception as error:\n"
    "        return type(error).__name__, text(error)\n"
    "    return value if isinstance(value, torch.Tensor) else text(repr(value))"
)
"""A function for calls whose answers have addresses, frames, and the names of modules.

Torch compares the function that a pickle calls with all classes that it allows, of which it warns.
"""


@sampled(seed=st.integers(0, 2**48))
def test_pickles(ask: Probe, seed: int) -> None:
    """A pickle of any opcodes and arguments is loaded or refused as by torch; nothing else runs."""
    archive = _file(ask.session.oracle.root, "apart")
    for index in range(_PICKLES):
        data = rewritten(archive, data_pkl=pickle_of(_PICKLES * seed + index))
        load = ("torch.load(f)", "torch.load(f, 'meta')", "torch.load(f, {})")[index % 3]
        file = f"f = io.BytesIO(bytes.fromhex('{data.hex()}'))"
        ask("import re, warnings", _WITHOUT_ADDRESSES, file, f"attempt(lambda: {load})")


_PICKLES = 8
"""How many pickles are made for each drawn seed."""


GLOBALS = (
    "print", "len", "int", "eval", "os.system", "os.getcwd", "pickle.loads", "operator.add",
    "collections.deque([1])", "collections.defaultdict(int, x=1)", "collections.OrderedDict",
    "fractions.Fraction(1, 2)", "decimal.Decimal('1.5')", "slice(1, 2)", "range(3)", "...",
    "frozenset([1])", "numpy.arange(3)", "numpy.float32(1)", "numpy.dtype('int8')",
    "torch.finfo", "torch.Generator().device", "torch.channels_last",
    "type('Other', (), {})()", "iter([])", "os", "inspect.Parameter.empty",
    "torch.serialization.LoadEndianness.BIG", "[print, len, torch.Size([1]), os.system]",
    "torch.ones(1).as_subclass(type('Other', (torch.Tensor,), {}))", "complex(1, 2)", "2**3000",
)  # fmt: skip
"""Objects that a file names by their modules, or that cannot be saved."""

_READS = {
    "weights": "torch.load(f)",
    "anything": "torch.load(f, weights_only=False)",
    "names": "sorted(torch.serialization.get_unsafe_globals_in_checkpoint(f))",
    "allowed": "load_with(torch.serialization.safe_globals([collections.deque, range, slice, int,"
    " frozenset, fractions.Fraction, eval, collections.defaultdict, os.system]))",
    "renamed": "load_with(torch.serialization.safe_globals([(len, 'builtins.print'),"
    " (list, 'builtins.frozenset')]))",
    "number": "load_with(torch.serialization.safe_globals([3]))",
    "triple": "load_with(torch.serialization.safe_globals([(len, 'x', 'y')]))",
    "pair of numbers": "load_with(torch.serialization.safe_globals([(len, 3)]))",
}

_LOAD_WITH = "def load_with(context):\n    with context:\n        return torch.load(f)"


@exhaustive(lambda torch: Domain(object=GLOBALS, read=_READS, format=("zip", "legacy")), one_in=2)
def test_globals(ask: Probe, object: str, read: str, format: str) -> None:
    """Only globals that are allowed are loaded, and others raise torch's error with its advice."""
    ask(
        "f = io.BytesIO()", f"torch.save({object}, f{FORMATS[format]})", "position = f.seek(0)",
        _LOAD_WITH, _READS[read], "eval in torch.serialization.get_safe_globals()", question=4,
    )  # fmt: skip


_MAPPINGS = {
    "tensor": "torch.from_file(p{0})",
    "storage": "torch.UntypedStorage.from_file(p{0})",
    "typed storage": "torch.FloatStorage.from_file(p{0})",
    "base class": "torch.storage.TypedStorage.from_file(p{0})",
}
_MAPPED = (
    "", ", False", ", False, 3", ", False, 0", ", False, 10", ", False, 11", ", False, 41",
    ", False, -1", ", True", ", True, 3", ", True, 0", ", True, 12", ", True, -1", ", None, 3",
    ", 1, 2", ", 'x', 2", ", False, 2.5", ", False, True", ", False, None", ", False, 2, 2",
    ", False, 2**40", ", False, 2**63", ", shared=True, size=3", ", shared=False, nbytes=3",
    ", size=3", ", nbytes=4", ", size=3, dtype=torch.int16", ", size=3, dtype=torch.complex64",
    ", size=3, device='meta'", ", size=3, device='cuda'", ", size=3, device='cpu'",
    ", size=3, layout=torch.sparse_coo", ", size=3, pin_memory=True", ", size=3, dtype='x'",
    ", size=3, requires_grad=True", ", size=3, dtype=torch.int8, requires_grad=True", ", other=3",
)  # fmt: skip

_TRY = (
    "def attempt(call):\n"
    "    try:\n"
    "        return call()\n"
    "    except NotImplementedError:\n"
    "        raise\n"
    "    except (RuntimeError, TypeError, ValueError) as error:\n"
    "        return type(error).__name__, str(error).replace(p, 'PATH')"
)
"""A function for calls whose errors have the path of a temporary file."""

_AFTER = (
    "c", "hasattr(c, 'fill_') and c.fill_(1)", "open(p, 'rb').read() if os.path.exists(p) else 0",
    "getattr(c, 'filename', None) == p", "hasattr(c, 'is_shared') and c.is_shared()",
    "hasattr(c, 'untyped_storage') and c.untyped_storage().filename == p",
    "hasattr(c, 'resizable') and c.resizable()",
    "os.path.exists(p) and os.unlink(p)",
)  # fmt: skip


@exhaustive(
    lambda torch: Domain(
        maker=_MAPPINGS, arguments=_MAPPED, file=("there", "missing", "in a missing folder")
    ),
    one_in=2,
)
def test_mapped(ask: Probe, maker: str, arguments: str, file: str) -> None:
    """from_file() maps a file, shares writes with it if asked to, or raises torch's error."""
    write = "with open(p, 'wb') as file: file.write(bytes(range(40)))"
    ask(
        "p = os.path.join(tempfile.gettempdir(), f'mapped-{os.getpid()}')"
        + (" + '/file'" if "folder" in file else ""),
        _TRY, *([write] if file == "there" else []),
        f"c = attempt(lambda: {_MAPPINGS[maker].format(arguments)})",
        *_AFTER, question=3 if file == "there" else 2,
    )  # fmt: skip


ARGUMENTS = (
    "torch.save()", "torch.save(a)", "torch.save(a, 3)", "torch.save(a, b'path')",
    "torch.save(a, None)", "torch.save(a, io.StringIO())", "torch.save(a, '')",
    "torch.save(a, '.pt')", "torch.save(a, '/missing/folder/file.pt')", "torch.save(a, '/')",
    "torch.save(a, io.BytesIO(), None)", "torch.save(a, io.BytesIO(), pickle, 2, True, False, 1)",
    "torch.save(a, f=io.BytesIO(), pickle_protocol=7)",
    "torch.save(a, f=io.BytesIO(), pickle_protocol='x')", "torch.save(a, io.BytesIO(), other=1)",
    "torch.save(a, type('W', (), {'write': 3})())",
    "torch.save(a, type('W', (), {'write': lambda self, data: 1})())",
    "torch.save([a, os], f)", "torch.load()", "torch.load(3)",
    "torch.load(None)", "torch.load(io.StringIO('x'))", "torch.load(io.BytesIO())",
    "torch.load('/missing/file.pt')", "torch.load('/')", "torch.load(f, pickle_module=copy)",
    "torch.load('/missing/file.safetensors')", "torch.load(f, 'cpu', pickle, weights_only=True)",
    "torch.load(f, encoding='latin1')", "torch.load(f, other=1)",
    "torch.load(f, other=1, weights_only=False)", "torch.load(f, mmap=True)", "torch.load(f)",
    "torch.load(f, weights_only=0)", "torch.load(f, None, None, True)",
    "torch.load(type('R', (), {'read': f.read, 'readline': f.readline})())",
    "torch.load(type('R', (), {'read': f.read, 'readline': f.readline, 'seek': f.seek,"
    " 'tell': f.tell})())",
    "torch.serialization.location_tag(a)", "torch.serialization.location_tag(a.untyped_storage())",
    "torch.serialization.location_tag(3)",
    "torch.serialization.location_tag(torch.ones(1, device='meta'))",
    "torch.serialization.default_restore_location(a.untyped_storage(), 'cpu')",
    "torch.serialization.default_restore_location(a.untyped_storage(), 'meta')",
    "torch.serialization.default_restore_location(a.untyped_storage(), 'cuda:1')",
    "torch.serialization.default_restore_location(a.untyped_storage(), 'nowhere')",
    "torch.serialization.default_restore_location(a.untyped_storage(), 3)",
    "torch.serialization.validate_cuda_device('cuda')",
    "torch.serialization.validate_hpu_device('hpu')",
    "torch.serialization.normalize_storage_type(torch.FloatStorage)",
    "torch.serialization.normalize_storage_type(torch.UntypedStorage)",
    "torch.serialization.storage_to_tensor_type(a._typed_storage())",
    "torch.serialization.StorageType('HalfStorage').dtype",
    "str(torch.serialization.StorageType('BoolStorage'))",
    "torch.serialization.StorageType('OtherStorage')",
    "torch.serialization.set_default_load_endianness('big')",
    "torch.serialization.set_default_mmap_options(7)",
    "torch.serialization.get_default_mmap_options()", "torch.serialization.get_crc32_options()",
    "torch.serialization.get_default_load_endianness()",
    "[*torch.serialization.LoadEndianness]", "torch.serialization.add_safe_globals(3)",
    "torch.serialization.check_module_version_greater_or_equal(numpy, (1, 0))",
    "torch.serialization.check_module_version_greater_or_equal(numpy, (99, 0))",
    "torch.serialization.check_module_version_greater_or_equal(numpy, 3)",
    "torch.serialization.register_package(99, len)", "torch.serialization.register_package()",
    "torch.serialization.register_package(1, 2, 3, 4)",
    "torch.serialization.register_package(numpy.random.default_rng().random(),"
    " tagger=lambda storage: None, deserializer=lambda storage, location: None)",
    "torch.serialization.get_unsafe_globals_in_checkpoint(f)",
    "torch.serialization.get_unsafe_globals_in_checkpoint(io.BytesIO(b'x'))",
    "torch.serialization.skip_data(3).materialize_fake_tensors",
    "(lambda: (torch.load(f).shape, f.seek(0))[0])()",
)  # fmt: skip
"""Calls with right and wrong arguments, beside those of the other properties."""


@exhaustive(lambda torch: Domain(call=ARGUMENTS, saved=("a", "[a, {'x': 1}]", "print")))
def test_arguments(ask: Probe, call: str, saved: str) -> None:
    """The functions of files take and refuse arguments as torch's do."""
    ask(
        "a = torch.arange(3.0)", "f = io.BytesIO()", f"torch.save({saved}, f)",
        "position = f.seek(0)", call, "f.tell()", question=4,
    )  # fmt: skip


SKIPS = (
    "torch.save(a, g)", "torch.load(f).shape", "torch.load(f, 'meta')",
    "torch.load(p, mmap=True).shape", "torch.save(a, g, _use_new_zipfile_serialization=False)",
    "torch.save(torch.ones(2, device='meta'), g)", "torch.load(f, weights_only=False).shape",
)  # fmt: skip


@exhaustive(lambda torch: Domain(call=SKIPS))
def test_skipped_data(ask: Probe, call: str) -> None:
    """skip_data() leaves space for elements when they are saved, and does not load them."""
    ask(
        "a = torch.arange(5.0)", *_FILE, "g = io.BytesIO()", "torch.save(a, f)", _WRITE, _REWIND,
        "def skipping(call):\n    with torch.serialization.skip_data():\n        return call()",
        f"skipping(lambda: {call})", "g.getvalue()", "os.unlink(p)", question=8,
    )  # fmt: skip
