"""Arguments for the types of the oracle's schemas, as source text."""

_NUMBERS = "1.0, -2.0, 0.5, 3.0, 0.0, 2.5, -1.5, 4.0, 1.0, 2.0, -0.5, 6.0"
FLOATS = f"torch.tensor([{_NUMBERS}])"
INTEGERS = "torch.tensor([1, 2, 0, 3, 5, 100, 2, 1, 4, 7, 1, 2])"
COMPLEX = "torch.tensor([1 + 2j, -2, 0.5j, 3, 0, 2.5 - 1j, -1.5j, 4, 1 - 1j, 2, -0.5, 6j])"
"""Elements whose sums and products are exact. Each tensor has more than its view shows."""

_OTHER_ELEMENTS = {
    _NUMBERS: "2.0, 1.0, -0.5, 4.0, 0.5, -1.0, 3.0, 1.5, -2.0, 2.0, 1.0, 0.25",
    "[1, 2, 0, 3, 5, 100, 2, 1, 4, 7, 1, 2]": "[2, 1, 3, 1, 4, 7, 2, 5, 1, 2, 3, 6]",
    "[1 + 2j, -2, 0.5j, 3, 0, ": "[2, 1 - 1j, 4, -0.5j, 1 + 1j, ",
}

_VIEW = ".as_strided((2, 3), (3, 1))"


def _of(dtype: str) -> str:
    return f"{FLOATS}.to({dtype}){_VIEW}"


DEFAULTS = {
    "Tensor": (
        f"{FLOATS}{_VIEW}",
        f"({INTEGERS} > 1){_VIEW}",
        "torch.tensor([1, 0])",
        "torch.tensor([[1, 0, 1]])",
        "torch.tensor(1)",
        "torch.tensor([0.5, 0.0])",
        f"{FLOATS}.as_strided((3, 2), (2, 1))",
        f"{COMPLEX}{_VIEW}",
        "torch.sparse_coo_tensor([[0, 1]], [1.0, 2.0], (3,), is_coalesced=True)",
        f"{FLOATS}.as_strided((2, 2, 2), (4, 2, 1))",
        "torch.tensor(0.5)",
        _of("torch.float64"),
    ),
    "number": ("2",),
    "int": ("1", "0", "2", "4"),
    "float": ("0.5",),
    "complex": ("1j",),
    "bool": ("True",),
    "str": ("'floor'", "'add'", "'prod'", "'ij'", "'ij, ik -> jk'", "'cpu'"),
    "ScalarType": ("torch.float64",),
    "Layout": ("torch.strided",),
    "Device": ("'cpu'",),
    "MemoryFormat": ("torch.contiguous_format",),
    "List[int]": ("[2, 3]", "[0, 1]", "[1, 1]", "[0]", "[-1]", "[3, 2]"),
    "List[Tensor]": (
        "[x, x]",
        "[torch.tensor([1, 0])]",
        "*[x, x]",
        "*[torch.tensor([1, 0])] * 2",
        "*[torch.ones(2, 2), torch.tensor([[1.0, 2.0], [-1.0, 0.5]])]",
    ),
    "List[Optional[Tensor]]": ("[torch.tensor([1, 0])]",),
    "List[float]": ("[0.5, 2.0]",),
    "List[bool]": ("[True, False]",),
    "List[complex]": ("[1j, 2.0]",),
    "List[str]": ("['a', '']",),
    "Storage": (f"{FLOATS}.untyped_storage()",),
    "Generator": ("torch.Generator().manual_seed(3)",),
}
"""The arguments by type, of which the first that the oracle accepts is the default."""

_VECTOR = "torch.tensor([0.5, -1.0])"
_MATRIX = "torch.tensor([[1.0, -2.0], [0.5, 3.0]])"
_BATCH = f"{FLOATS}.as_strided((2, 2, 2), (4, 2, 1))"

OPERANDS = (
    (_VECTOR, _MATRIX, _VECTOR),
    (_MATRIX, _MATRIX, _MATRIX),
    (_MATRIX, _BATCH, _BATCH),
    (_BATCH, _BATCH, _BATCH),
    (_BATCH, _BATCH),
)
"""Tensors of shapes and dtypes that belong together, for calls that refuse all of `DEFAULTS`."""

DENSE_OPERANDS = ((_MATRIX, _VECTOR), (_MATRIX, _VECTOR, _VECTOR))
"""The same for calls that take of all `DEFAULTS` only a dense and a sparse tensor."""

DTYPES = (
    f"({INTEGERS} > 1){_VIEW}",
    f"{INTEGERS}.to(torch.uint8){_VIEW}",
    f"{INTEGERS}{_VIEW}",
    _of("torch.float16"),
    _of("torch.bfloat16"),
    _of("torch.float64"),
    f"{COMPLEX}{_VIEW}",
)
"""Tensors of the same shape by dtype."""

SHAPES = (
    "torch.tensor(1.5)",
    "torch.tensor(2)",
    "torch.tensor(-1.5, dtype=torch.float64)",
    "torch.tensor(0.5 + 1j)",
    "torch.zeros(0)",
    "torch.zeros(0, 3)",
    "torch.zeros(2, 0, 3)",
    "torch.tensor([0.5, -1.0, 2.0])",
    f"{FLOATS}.as_strided((2, 1), (1, 1))",
    f"{FLOATS}.as_strided((1, 3), (3, 1))",
    f"{FLOATS}.as_strided((4,), (1,))",
    f"{FLOATS}.as_strided((2, 3), (1, 2))",
    f"{FLOATS}.as_strided((2, 3), (0, 1))",
    f"{FLOATS}.as_strided((2, 3), (6, 2), 1)",
    f"{FLOATS}.as_strided((2, 1, 3), (3, 3, 1))",
    f"{FLOATS}.as_strided((1, 2, 2, 3), (12, 1, 6, 2))",
    f"{FLOATS}.requires_grad_(){_VIEW}",
    f"{COMPLEX}{_VIEW}.conj()",
)
"""Tensors by shape, strides and state of autograd."""

PAIRS = (
    (f"{FLOATS}.as_strided((5, 1), (1, 1))", f"{FLOATS}.as_strided((1, 5), (5, 1))"),
    (f"{COMPLEX}.as_strided((5, 1), (1, 1))",
     f"{COMPLEX}.as_strided((1, 5), (5, 1))"),
    (f"{FLOATS}.as_strided((3,), (1,))", f"{FLOATS}.as_strided((2, 1), (3, 1))"),
    (f"{INTEGERS}{_VIEW}", "torch.tensor(2.5)"),
    ("torch.tensor(2.5, dtype=torch.float64)", f"{_of('torch.float16')}"),
    (_of("torch.bfloat16"), _of("torch.float16")),
    (f"{INTEGERS}.to(torch.uint8){_VIEW}", f"{INTEGERS}.to(torch.int8){_VIEW}"),
    ("torch.zeros(0, 1)", "torch.zeros(1, 2)"),
)  # fmt: skip
"""Operands for two adjacent tensors: broadcast in every position, and of mixed dtypes."""

SUBCLASS = "type('F', (float,), {'__repr__': lambda self: '2'})(3)"
"""A number whose text is that of another number."""

INDEX = "type('I', (), {'__index__': lambda self: 1, '__repr__': lambda self: 'one'})()"
"""An object that Python takes for the number one where it needs an index."""

OF_C_CLASS = "__import__('collections').OrderedDict()"
"""An object of a class of C whose name in messages has its module."""

_ANY = ("None", "'a'", "1.5", "[]")

OTHERS = {
    "Tensor": (
        OF_C_CLASS, "None", "1", "2.5", "'a'", "[1.0, 2.0]", "torch.float32", "True", "1j",
        "numpy.float32(2.5)", "numpy.array([1.0, 2.0])", "torch.nn.Parameter(torch.ones(2, 3))",
    ),
    "number": (
        "0", "-1", "True", "2.5", "1j", "300", "2**63", "math.inf", "math.nan", "torch.tensor(3)",
        "torch.tensor([3.0])", "None", "'a'", "-1000", "-(2**63) - 1", "1e20", "2**64", SUBCLASS,
        "torch.tensor(True)", "torch.tensor(2.5)", "torch.tensor(2.5 + 1j)",
        "numpy.float32(2.5)", "numpy.int64(3)", "numpy.bool_(True)", "numpy.complex64(2)",
    ),
    "int": (
        "0", "1", "-1", "2", "3", "-7", "True", "1.5", "2**62", "2**63", "torch.tensor(1)",
        "torch.tensor([1, 2])", "None", "'a'", "[1]", "torch.tensor(True)", "torch.tensor(2.0)",
        "torch.tensor([1])", "numpy.int64(1)", "numpy.bool_(True)", "numpy.float64(1)",
        "numpy.array(1)", INDEX,
    ),
    "float": (
        "0", "2", "True", "-1.0", "0.25", "math.inf", "math.nan", "1j", "None", "'a'",
        "2**64", "torch.tensor(0.5)", "torch.tensor(1)", "torch.tensor([0.5])",
        "numpy.float32(0.5)", "numpy.int64(1)", "numpy.bool_(True)", INDEX,
    ),
    "complex": ("2", "None", "0.5", "torch.tensor(1j)", "numpy.complex64(1j)", "'a'"),
    "bool": (
        "True", "False", "None", "1", "'a'", "torch.tensor(True)", "torch.tensor(1)", "0", "1.5",
        "numpy.bool_(True)", "numpy.int64(1)", "[]",
    ),
    "str": (
        OF_C_CLASS, "'trunc'", "'floor'", "'a'", "1", "None", "'multiply'", "'sum'", "'mean'",
        "'amax'", "'amin'", "'prod'", "numpy.str_('sum')", "b'sum'",
    ),
    "ScalarType": (
        "torch.bool", "torch.uint8", "torch.int64", "torch.float16", "torch.float32",
        "torch.bfloat16", "torch.complex64", "float", "None", "'float32'", "1",
        "int", "bool", "complex", "numpy.float32", "str", "torch.complex32", "torch.float8_e5m2",
        "torch.uint16",
    ),
    "Layout": ("torch.strided", "torch.sparse_coo", "None", "'strided'", "1"),
    "Device": (
        "'cpu'", "torch.device('cpu', 0)", "'meta'", "'nope'", "None", "1.5", "0", "'cpu:1'",
        "torch.device('meta', 0)", "b'cpu'", "'cuda'", "True",
    ),
    "MemoryFormat": (
        "torch.contiguous_format", "torch.preserve_format", "torch.channels_last", "None", "1",
        "torch.channels_last_3d", "torch.strided",
    ),
    "List[int]": (
        "[0]", "(1,)", "[-1]", "[1, 0]", "[]", "[0, 0]", "[3, 2]", "[6]", "[-1, 2]", "[5]",
        "[-7, 1]", "1", "[True]", "[1.5]", "['a']", "torch.tensor([1])", "torch.Size([2, 1])",
        "None", "'a'", "[2**63]", "[torch.tensor(1)]", "[torch.tensor(True)]",
        "[torch.tensor(1.0)]", "[numpy.int64(1)]", "numpy.array([1])", "[1, None]", "[1, 'a']",
        "range(1)", "True", "torch.tensor(1)", "numpy.int64(1)", f"[{INDEX}]", "[[1]]", "1.0",
    ),
    "List[Tensor]": (
        "(x, x)", "[x]", "[]", "x", "[x, None]", "[x, 1]", "[x, x.int()]", "None",
        "torch.tensor(1.0)", "[torch.tensor(1.0)]", "iter([x])", "{0: x}", "[numpy.ones(2)]",
    ),
    "List[Optional[Tensor]]": (
        "[None, torch.tensor([1, 0])]", "[torch.tensor([[True, False, True]] * 2)]", "[]", "[1]",
        "(torch.tensor(1), torch.tensor([0, 2]))", "torch.tensor([0])", "None",
    ),
    "Storage": ("torch.UntypedStorage(8)", "torch.tensor([1])", "None"),
    "Generator": ("torch.Generator().manual_seed(4)", "None", "1"),
}  # fmt: skip
"""The other arguments by type, wrong ones among them. A type without a row has `_ANY`."""

DEFAULT_OUTS = tuple(
    f"torch.zeros(0, dtype={dtype})"
    for dtype in (
        "torch.float32",
        "torch.int64",
        "torch.bool",
        "torch.float64",
        "torch.complex64",
        "torch.int32",
    )
)
OUTS = (
    "torch.zeros(0)",
    "torch.zeros(2, 3)",
    "torch.zeros(0, dtype=torch.int64)",
    "torch.zeros(0, dtype=torch.bool)",
    "torch.zeros(0, dtype=torch.float64)",
    "torch.zeros(0, dtype=torch.bfloat16)",
    "torch.zeros(0, dtype=torch.complex64)",
    "torch.empty(0, dtype=torch.bits8)",
    "torch.empty(0, dtype=torch.float4_e2m1fn_x2)",
    "torch.zeros(2, 3, dtype=torch.float64)",
    "torch.ones(4, 4)",
    "torch.ones(3, 2).t()",
    "torch.ones(1, 3).expand(2, 3)",
    "torch.ones(2, 3, requires_grad=True)",
    "torch.zeros(2, 3, dtype=torch.complex64).conj()",
    "torch.zeros(2, 3, dtype=torch.complex64).conj().imag",
    "x",
    "x.as_strided((2, 3), (3, 1), 1)",
)
"""Tensors for ``out=``: right ones, of another dtype or shape, lazy, expanded, overlaps."""

ALIASES = ("x", "x.as_strided((2, 3), (3, 1), 1)")
"""Tensors that share elements with the first one."""

NOT_OUTS = ("None", "3", "[1.0]", "'a'", "(x,)", "(x, x)", "torch.float32")
"""Other values for ``out=``."""


def defaults(type_name: str) -> tuple[str, ...]:
    """Return the arguments of a type among which the default is chosen."""
    return DEFAULTS.get(type_name, ("None",))


def others(type_name: str) -> tuple[str, ...]:
    """Return the arguments of a type that calls have, beside tensors."""
    return OTHERS.get(type_name, _ANY)


def with_other_elements(text: str) -> str:
    """Return the text of a tensor with other elements, of which none is zero."""
    for elements, other in _OTHER_ELEMENTS.items():
        text = text.replace(elements, other)
    return text
