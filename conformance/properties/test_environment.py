"""The environment: version numbers, threads, the precision of products, and absent devices."""

from hypothesis import strategies as st

from ..core.domain import Domain
from ..engine.decorators import exhaustive, sampled
from ..engine.probe import Probe

OPERATORS = ("<", "<=", ">", ">=", "==", "!=")

_NUMBERS = st.sampled_from(("0", "1", "2", "10", "01"))
_SEPARATORS = st.sampled_from(("", "-", ".", "_"))


def _suffix(*letters: str) -> st.SearchStrategy[str]:
    """Return a strategy for a suffix with a number, or for no suffix."""
    parts = (_SEPARATORS, st.sampled_from(letters), _SEPARATORS, st.just("") | _NUMBERS)
    return st.just("") | st.builds("{}{}{}{}".format, *parts)


VERSIONS = st.builds(
    "{}{}{}{}{}{}".format,
    st.sampled_from(("", "", "", "v", " ", "1!", "0!")),
    st.lists(_NUMBERS, min_size=1, max_size=4).map(".".join),
    _suffix("a", "alpha", "b", "beta", "c", "rc", "RC", "pre", "preview"),
    _suffix("post", "r", "rev") | st.just("-1"),
    _suffix("dev"),
    st.sampled_from(("", "", "+abc", "+1", "+1.a", "+A-1_x", "+", " ", "x")),
)
"""Strings that are version numbers, or almost."""

OTHERS = st.sampled_from(
    ("(1,)", "(1, 2)", "[1, 2, 0]", "(1, 'dev')", "()", "{1: 2}", "1", "1.2", "None", "b'1'")
)
"""What a version is compared with, beside strings."""


@sampled(left=VERSIONS, right=VERSIONS.map(repr) | OTHERS)
def test_versions(ask: Probe, left: str, right: str) -> None:
    """Version numbers are compared as torch compares them, with strings and with tuples."""
    made = f"v = torch.torch_version.TorchVersion({left!r})"
    ask(made, *(f"v {operator} {right}" for operator in OPERATORS), question=1)


VERSION_LOOKS = (
    "torch.__version__ > '1.10'", "torch.__version__ >= (2, 0)", "torch.__version__ < '2'",
    "torch.__version__ < 'parrot'", "isinstance(torch.__version__, str)",
    "type(torch.__version__) is torch.torch_version.TorchVersion",
    "torch.__version__ == torch.version.__version__", "type(torch.version.__version__).__name__",
    "torch.version.cuda", "torch.version.hip", "torch.version.debug",
    "torch.torch_version.TorchVersion", "hash(torch.torch_version.TorchVersion('1')) == hash('1')",
    "pickle.loads(pickle.dumps(torch.torch_version.TorchVersion('1.2')))",
    "torch.torch_version.TorchVersion()", "torch.torch_version.TorchVersion('1') + '2'",
    "len(torch.version.git_version)",
)  # fmt: skip
DEVICE_LOOKS = (
    *(
        f"torch.{module}.{call}"
        for module in ("cpu", "mps", "mtia", "xpu")
        for call in ("is_available()", "device_count()", "is_available(1)")
    ),
    *(f"torch.{module}.is_initialized()" for module in ("cpu", "mtia", "xpu")),
    "torch.cpu.current_device()", "torch.cpu.set_device('cpu')", "torch.cpu.synchronize()",
    "torch.mps.manual_seed(1)", "torch.mps.empty_cache()", "torch.mps.synchronize()",
    "torch.mtia.manual_seed(1)", "torch.mtia.manual_seed('a')", "torch.xpu.manual_seed(1)",
    "torch.xpu.manual_seed_all([])",
    "torch.xpu.empty_cache()", "torch.xpu.is_bf16_supported()", "torch.xpu.is_tf32_supported()",
    "type(torch.distributed.is_available())", "torch.distributed.is_initialized()",
    "torch.distributed.is_torchelastic_launched()",
    *(
        f"torch.get_device_module({argument}) is torch.{module}"
        for module, argument in (
            ("cpu", "'cpu'"), ("mps", "'mps:0'"), ("xpu", "torch.device('xpu')"), ("cuda", "'cuda'")
        )
    ),
    *(f"torch.get_device_module({argument})" for argument in ("'meta'", "'nonsense'", "3", "[]")),
)  # fmt: skip
LIBRARIES = ("cudnn", "cusparselt", "kleidiai", "mkl", "mkldnn", "mps", "nnpack", "openmp",
             "opt_einsum")  # fmt: skip
LIBRARY_LOOKS = (
    # Whether a library is there is up to the build.
    *(f"type(torch.backends.{name}.is_available())" for name in LIBRARIES),
    "torch.backends.cpu.get_cpu_capability()", "torch.backends.cpu.get_cpu_capability(1)",
    "torch.set_flush_denormal(False)",
    "torch.backends.mps.is_built() >= torch.backends.mps.is_available()",
    "torch.backends.cuda.is_built() >= torch.cuda.is_available()",
    "torch.backends.mps.is_macos_or_newer(13, 1)", "torch.backends.mps.is_macos13_or_newer()",
    "torch.backends.cudnn.version()", "torch.backends.cusparselt.version()",
    "torch.backends.cusparselt.get_max_alg_id()", "torch.backends.opt_einsum.get_opt_einsum()",
    "torch.backends.opt_einsum.enabled", "torch.backends.opt_einsum.strategy",
    *(
        f"torch.backends.cudnn.{name}"
        for name in ("enabled", "benchmark", "deterministic", "allow_tf32")
    ),
    "torch.backends.mkldnn.enabled", "torch.backends.mkldnn.deterministic",
    *(
        f"setattr(torch.backends.{name}, {value})"
        for name in (
            "cudnn, 'enabled'", "cudnn, 'benchmark'", "cudnn, 'deterministic'",
            "cudnn, 'allow_tf32'", "mkldnn, 'enabled'", "mkldnn, 'deterministic'",
            "cuda.matmul, 'allow_tf32'", "cuda.matmul, 'nonsense'",
        )
        for value in ("1", "'a'", "None")
    ),
    "torch.backends.cuda.matmul.nonsense",
)  # fmt: skip
TYPE_LOOKS = (
    *(
        f"isinstance({value}, torch.types.{name})"
        for name in ("Number", "Device", "_Number", "_device", "_dtype", "_layout", "Storage")
        for value in ("1", "1j", "'cpu'", "None", "torch.device('cpu')", "torch.float32")
    ),
    "torch.types.FileLike", "torch.types._size.__args__[1:]", "torch.types._int",
    "torch.types.Storage().nbytes()", "torch.types.Storage().element_size()",
)  # fmt: skip
LOOKS = (*VERSION_LOOKS, *DEVICE_LOOKS, *LIBRARY_LOOKS, *TYPE_LOOKS)


@exhaustive(lambda torch: Domain(look=LOOKS))
def test_answers(ask: Probe, look: str) -> None:
    """Versions, absent devices and libraries, and their flags, give torch's answers and errors."""
    ask(look)


NUMBERS = (
    "0", "-1", "1.0", "'a'", "True", "None", "", "1, 2", "n=1", "2, n=1", "2**31", "2**40", "2**70",
    "-2**63", "torch.tensor(2)", "numpy.float64(2)", "[]",
)  # fmt: skip
WRONG_CALLS = (
    *(f"torch.set_num_threads({number})" for number in NUMBERS),
    *(f"torch.set_num_interop_threads({number})" for number in NUMBERS),
    *(
        f"torch.set_flush_denormal({mode})"
        for mode in ("1", "'a'", "None", "", "mode=True", "torch.tensor(True)")
    ),
    *(
        f"torch.set_float32_matmul_precision({name})"
        for name in ("'low'", "'Highest'", "'high\\0'", "''", "1", "None", "", "b'high'")
    ),
    *(
        f"torch.get_{name}({argument})"
        for name in ("num_threads", "num_interop_threads", "float32_matmul_precision")
        for argument in ("1", "a=1")
    ),
)


@exhaustive(lambda torch: Domain(call=WRONG_CALLS))
def test_wrong_settings(ask: Probe, call: str) -> None:
    """A setting of the process that is wrong raises torch's error, or warns, and changes none."""
    before = "before = torch.get_num_threads(), torch.get_float32_matmul_precision()"
    after = "before == (torch.get_num_threads(), torch.get_float32_matmul_precision())"
    ask(before, call, after, question=1)


PRECISION_STEPS = (
    *(
        f"torch.set_float32_matmul_precision({name!r})"
        for name in ("highest", "high", "medium", "low")
    ),
    *(f"setattr(torch.backends.cuda.matmul, 'allow_tf32', {value})" for value in (True, False)),
    "torch.get_float32_matmul_precision()",
    "torch.backends.cuda.matmul.allow_tf32",
)


@sampled(steps=st.lists(st.sampled_from(PRECISION_STEPS), min_size=2, max_size=8))
def test_precision(ask: Probe, steps: list[str]) -> None:
    """The precision of float32 products, and the flag for CUDA, follow each other as in torch."""
    reads = "torch.backends.cuda.matmul.allow_tf32", "torch.get_float32_matmul_precision()"
    # The last step is for the programs that follow.
    ask(*steps, *reads, "torch.set_float32_matmul_precision('highest')", question=0)


SETTINGS = (
    "torch.get_num_threads()", "torch.set_num_threads(1)", "torch.get_num_threads()",
    "torch.set_num_threads(numpy.int64(3))", "torch.get_num_threads()",
    "torch.set_num_threads(200)", "torch.get_num_threads()",
    "(torch.arange(300000.0) + 1).sum()", "torch.set_num_interop_threads(3)",
    "torch.get_num_interop_threads()", "torch.set_num_interop_threads(3)",
    "torch.set_num_interop_threads(0)",
)  # fmt: skip
"""Calls in a new process, which cannot undo them."""

_IN_PROCESS = (
    "import sys; sys.path[:] = {{sys.path!r}}; import numpy; import {{torch.__name__}} as torch\n"
    "for call in {calls!r}:\n"
    "    try: print(eval(call))\n"
    "    except Exception as error: print(type(error).__name__, error)"
)


@exhaustive(
    lambda torch: Domain(variable=("OMP_NUM_THREADS", "MKL_NUM_THREADS")), starts_processes=True
)
def test_new_processes(ask: Probe, variable: str) -> None:
    """A variable sets the number of threads of a process, and calls set and read the numbers."""
    program = f"import os, subprocess, sys; program = f{_IN_PROCESS.format(calls=SETTINGS)!r}"
    ask(
        program,
        "subprocess.run([sys.executable, '-c', program], capture_output=True, text=True,"
        f" env={{**os.environ, {variable!r}: '1'}}).stdout",
    )


WARN_ONCE = (
    "torch.ones(2, dtype=torch.complex64).to(torch.int32)", "torch.ones(2, 3, 4).T",
    "torch.empty(2, dtype=torch.complex32)", "torch.frombuffer(b'abcd', dtype=torch.int8)",
    "torch.meshgrid(torch.ones(2), torch.ones(2))", "torch.sub(torch.ones(2), 1, torch.ones(2))",
    "torch.where(torch.ones(2, dtype=torch.uint8), 1, 2)", "torch.chain_matmul(torch.ones(2, 2))",
    "torch.add(torch.ones(2), 1, torch.ones(2))", "torch.ones(1).std()",
)  # fmt: skip
"""Calls that warn once in a process, and at last one that always warns."""

_COUNTS = (
    "import sys; sys.path[:] = {{sys.path!r}}; import warnings, {{torch.__name__}} as torch\n"
    "for call in {calls!r}:\n"
    "    counts = []\n"
    "    for always in {settings!r}:\n"
    "        torch.set_warn_always(always)\n"
    "        with warnings.catch_warnings(record=True) as caught:\n"
    "            warnings.simplefilter('always'); eval(call)\n"
    "        counts.append(len(caught))\n"
    "    print(call, counts)"
)


@exhaustive(
    lambda torch: Domain(
        settings=("True, False, False", "False, True, False", "False, False", "True, True, False")
    ),
    starts_processes=True,
)
def test_warnings_once(ask: Probe, settings: str) -> None:
    """A warning that is given once per process is given so after those that are always given."""
    program = _COUNTS.format(calls=WARN_ONCE, settings=eval(settings))
    ask(
        f"import os, subprocess, sys; program = f{program!r}",
        "subprocess.run([sys.executable, '-c', program], capture_output=True, text=True,"
        " env=dict(os.environ)).stdout",
    )
