"""Pairs of programs: with different results, with the same, and with an element nothing wrote."""


def _noted(note: str) -> str:
    error = "ValueError('x')"
    return f"[error.add_note({note!r}) or (_ for _ in ()).throw(error) for error in [{error}]]"


def _with(name: str, value: str) -> str:
    """Return the text of a tensor with one false attribute."""
    return f"type('T', (torch.Tensor,), {{'{name}': {value}, '__repr__': lambda self: 'T'}})([1.0])"


NAN, ZERO = "float('nan')", "0.0"

_SPARSE = "torch.sparse_coo_tensor({}, {}, (2, 2))"
_INDICES, _VALUES = "[[0, 1], [1, 0]]", "[1.0, 2.0]"
SPARSE = _SPARSE.format(_INDICES, _VALUES)


def _false_sparse(**answers: str) -> str:
    """Return the text of a tensor that claims to be sparse, with false attributes."""
    answers = {
        "_indices": "torch.zeros(1, 2)", "_values": "torch.ones(2)", "sparse_dim": "1",
        "dense_dim": "0", "_nnz": "2", "is_coalesced": "False", "stride": "(1,)", "__repr__": "'T'",
    } | answers  # fmt: skip
    methods = ", ".join(f"'{name}': lambda self: {answer}" for name, answer in answers.items())
    return f"type('T', (torch.Tensor,), {{'layout': torch.sparse_coo, {methods}}})([1.0])"


# Programs of the oracle whose results the comparator tells apart.
APART = {
    "NaN and zero": (NAN, ZERO),
    "NaN and None": (NAN, "None"),
    "NaN and its negative": (NAN, f"-{NAN}"),
    "zero and negative zero": (ZERO, "-0.0"),
    "imaginary zeros": ("complex(0.0, 0.0)", "complex(0.0, -0.0)"),
    "neighbouring floats": ("1.0", "1.0000000000000002"),
    "int and bool": ("1", "True"),
    "int and float": ("1", "1.0"),
    "int and its text": ("1", "'1'"),
    "text and bytes": ("'a'", "b'a'"),
    "tuple and list": ("(1,)", "[1]"),
    "inside a tuple": ("(1, 2)", "(1, 2.0)"),
    "longer list": ("[1]", "[1, 1]"),
    "order of a dict": ("{1: 1, 2: 2}", "{2: 2, 1: 1}"),
    "dtypes": ("torch.float32", "torch.float64"),
    "dtype and its name": ("torch.float32", "'torch.float32'"),
    "dtype and class": ("torch.float32", "torch.dtype"),
    "value and error": ("1", "1 / 0"),
    "classes of errors": ("{}['a']", "[]['a']"),
    "classes of errors that say the same": ("{}[1]", "exec('raise ValueError(1)')"),
    "error and its base": (
        "iter([]).throw",
        "operator.itemgetter(0)([])",
    ),
    "messages": ("int('a')", "int('b')"),
    "spaces in a message": ("int('a')", "int('a ')"),
    "arguments of an error": (
        "(_ for _ in ()).throw(ValueError('(1,)'))",
        "(_ for _ in ()).throw(ValueError((1,)))",
    ),
    "warning and silence": ("operator.call(__import__('warnings').warn, 'a')", "None"),
    "warnings": (
        "operator.call(__import__('warnings').warn, 'a')",
        "operator.call(__import__('warnings').warn, 'b')",
    ),
    "notes of an error": (_noted("one"), _noted("two")),
    "something that equals all": (
        "type('Equal', (), {'__eq__': lambda self, other: True, '__repr__': lambda self: '1'})()",
        "1",
    ),
    "classes that print alike": (
        "type('A', (), {'__repr__': lambda self: 'x'})()",
        "type('B', (), {'__repr__': lambda self: 'x'})()",
    ),
    "what they print": (
        "type('A', (), {'__repr__': lambda self: 'x'})()",
        "type('A', (), {'__repr__': lambda self: 'y'})()",
    ),
    "dtypes of tensors": (_with("dtype", "torch.int32"), _with("dtype", "torch.float32")),
    "shapes": ("torch.zeros(2, 3)[:, :0]", "torch.zeros(3, 2)[:0]"),
    "strides": ("torch.zeros(4).as_strided((1,), (1,))", "torch.zeros(4).as_strided((1,), (2,))"),
    "offsets": ("torch.zeros(4)[0:2]", "torch.zeros(4)[1:3]"),
    "elements": ("torch.zeros(2)", "torch.zeros(2).neg()"),
    "elements alike in print": ("torch.tensor(1.00001)", "torch.tensor(1.00002)"),
    "devices": (_with("device", "'cpu'"), _with("device", "'cpu:1'")),
    "layouts": (_with("layout", "torch.strided"), _with("layout", "torch.jagged")),
    "gradients": (_with("requires_grad", "True"), _with("requires_grad", "False")),
    "conjugate bits": (
        "torch.zeros(2, dtype=torch.complex64)",
        "torch.zeros(2, dtype=torch.complex64).conj()",
    ),
    "negative bits": (_with("is_neg", "lambda self: True"), _with("is_neg", "lambda self: False")),
    "sparse and dense": (SPARSE, "torch.tensor([[0.0, 1.0], [2.0, 0.0]])"),
    "dtypes of values": (
        _false_sparse(_values="torch.ones(2)"),
        _false_sparse(_values="torch.ones(2).view(torch.int32)"),
    ),
    "shapes of values": (
        _false_sparse(_values="torch.ones(2, 1)"),
        _false_sparse(_values="torch.ones(1, 2)"),
    ),
    "values": (SPARSE, _SPARSE.format(_INDICES, "[1.0, 3.0]")),
    "values alike in print": (SPARSE, _SPARSE.format(_INDICES, "[1.0, 2.00001]")),
    "order of values": (SPARSE, _SPARSE.format("[[1, 0], [0, 1]]", "[2.0, 1.0]")),
    "indices": (SPARSE, _SPARSE.format("[[0, 1], [1, 1]]", _VALUES)),
    "dtypes of indices": (
        _false_sparse(_indices="torch.zeros(2, 2).view(torch.int32)"),
        _false_sparse(_indices="torch.zeros(2, 2)"),
    ),
    "strides of indices": (SPARSE, _SPARSE.format(f"torch.tensor({_INDICES}).t()", _VALUES)),
    "strides of values": (SPARSE, _SPARSE.format(_INDICES, "torch.tensor([1.0, 0.0, 2.0])[::2]")),
    "strides of a sparse tensor": (
        _false_sparse(stride="(0, 0)"),
        _false_sparse(stride="(2, 1)"),
    ),
    "coalesced or not": (SPARSE, f"{SPARSE}.coalesce()"),
    "coalesced variables": (f"x = {SPARSE}; None", f"x = {SPARSE}.coalesce(); None"),
    "coalesced in a list": (f"[{SPARSE}]", f"[{SPARSE}.coalesce()]"),
    "coalesced by a failure": (
        f"x = {SPARSE}; (x._coalesced_(True), x.view(4))",
        f"x = {SPARSE}; (x, x.view(4))",
    ),
    "numbers of values": (_false_sparse(_nnz="2"), _false_sparse(_nnz="3")),
    "sparse dimensions": (_false_sparse(sparse_dim="2"), _false_sparse(sparse_dim="1")),
    "dense dimensions": (_false_sparse(dense_dim="0"), _false_sparse(dense_dim="1")),
    "values that are shared": (f"x = {SPARSE}; x.detach()", f"x = {SPARSE}; x.clone()"),
    "values of a dense tensor": (
        f"x = torch.ones(2); {_SPARSE.format(_INDICES, 'x')}",
        f"x = torch.ones(2); {_SPARSE.format(_INDICES, 'x.clone()')}",
    ),
    "sizes of storages": ("torch.zeros(3)[:2]", "torch.zeros(2)[:2]"),
    "a view and a copy": ("x = torch.zeros(2); x.detach()", "x = torch.zeros(2); x.clone()"),
    "itself and a view": ("x = torch.zeros(2); x", "x = torch.zeros(2); x.detach()"),
    "state of a variable": ("x = torch.zeros(2); None", "x = torch.ones(2); None"),
    "what a failure leaves": (
        "x = torch.zeros(2); (x.fill_(1), x.view(5))",
        "x = torch.zeros(2); (x, x.view(5))",
    ),
    "lists of tensors": ("[torch.zeros(2)]", "[torch.ones(2)]"),
    "storages": ("torch.UntypedStorage([1])", "torch.UntypedStorage([2])"),
    "arrays": ("numpy.zeros(2)", "numpy.zeros(2, dtype='float32')"),
    "sizes and tuples": ("torch.Size([2])", "(2,)"),
    "numpy and python": ("numpy.float64(1)", "1.0"),
    "devices of one name": ("torch.device('cpu')", "torch.device('cpu', 0)"),
    "subclass of int": ("type('int', (int,), {})(1)", "1"),
}

# Programs of the oracle whose results are alike.
ALIKE = {
    "NaN and NaN": (NAN, NAN),
    "equal numbers": ("0.5", "1 / 2"),
    "aliases": ("torch.float", "torch.float32"),
    "equal errors": ("int('a')", "int('a')"),
    "equal sparse tensors": (SPARSE, SPARSE),
    "equal containers": ("[(1, None)]", "[(1, None)]"),
}


_SET = "x.untyped_storage().__setitem__({}, 7)"
_GROWN = "x = torch.arange(3.0); x.resize_(5)"
_PARTLY = "x = torch.empty(4); x[1] = 2.0"
_LONG = "x = torch.arange({}.0); x.resize_({})"
_LATE = "x = torch.ones(2).set_(torch.arange(2.0).untyped_storage(), 1, (3,))"
_ONE, _TWO = "torch.ones(2)", "torch.full((2,), 2.0)"


def _changed(program: str, byte: int, last: str) -> tuple[str, str]:
    """Return a program that ends with a step, and the same with another byte in a storage."""
    return f"{program}; {last}", f"{program}; {_SET.format(byte)}; {last}"


# A program of the oracle, and one with a change in an element that the oracle wrote.
WRITTEN = {
    "an element before a resize": _changed(_GROWN, 5, "x"),
    "a variable before a resize": _changed(_GROWN, 5, "None"),
    "one element of empty": _changed(_PARTLY, 6, "x"),
    "an element of a view": _changed(_PARTLY, 6, "x[::2], x[1:2]"),
    "a number": _changed(_PARTLY, 7, "x[1].item()"),
    "a number in a list": _changed(_PARTLY, 7, "x.tolist()"),
    "the text of a number": _changed(_PARTLY, 6, "str(x[1])"),
    "an array": _changed(_PARTLY, 6, "x.numpy()"),
    "a storage": _changed(_PARTLY, 6, "x.untyped_storage()"),
    "the bytes of a storage": _changed(_PARTLY, 6, "x.untyped_storage().tolist()"),
    "a result of what was written": _changed(_PARTLY, 6, "x[1:2] + 1"),
    "a storage that set_ enlarges": _changed(_LATE, 6, "x"),
    "an element of many": _changed(_LONG.format(70, 80), 9, "x"),
    "an element of very many": _changed(_LONG.format(5000, 5001), 9, "x"),
    "a number beside an unwritten tensor": ("[torch.empty(2), 1.0]", "[torch.empty(2), 2.0]"),
    "data of a constructor": ("torch.Tensor([1, 2, 3])", "torch.Tensor([3, 2, 1])"),
    "data of new": ("torch.ones(1).new([1, 2])", "torch.ones(1).new([2, 1])"),
    "a filled tensor": (f"torch.empty(2).copy_({_ONE})", f"torch.empty(2).copy_({_TWO})"),
    "the shape of empty": ("torch.empty(3, 1)", "torch.empty(3)"),
    "the dtype of empty": ("torch.empty(2)", "torch.empty(2, dtype=torch.int32)"),
    "the values of a sparse tensor": (
        "torch.sparse_coo_tensor([[0, 1]], torch.empty(2).copy_(torch.ones(2)), (2,))",
        "torch.sparse_coo_tensor([[0, 1]], torch.empty(2).copy_(torch.zeros(2)), (2,))",
    ),
}
# The same with a change in an element that nothing wrote.
UNWRITTEN = {
    "an element after a resize": _changed(_GROWN, 13, "x"),
    "a variable after a resize": _changed(_GROWN, 13, "None"),
    "the others of empty": _changed(_PARTLY, 3, "x"),
    "a view of the others": _changed(_PARTLY, 11, "x[::2]"),
    "an undefined number": _changed(_PARTLY, 2, "x[0].item()"),
    "an undefined number in a list": _changed(_PARTLY, 2, "x.tolist()"),
    "the text of an undefined number": _changed(_PARTLY, 3, "str(x[0])"),
    "an undefined element of an array": _changed(_PARTLY, 2, "x.numpy()"),
    "an undefined byte": _changed(_PARTLY, 2, "x.untyped_storage()"),
    "an undefined byte in a list": _changed(_PARTLY, 2, "x.untyped_storage().tolist()"),
    "a sum with an undefined element": _changed(_PARTLY, 10, "x.sum()"),
    "beyond the storage that set_ enlarges": _changed(_LATE, 9, "x"),
    "one after many": _changed(_LONG.format(70, 80), 283, "x"),
    "one after very many": _changed(_LONG.format(5000, 5001), 20001, "x"),
    "integers": _changed("x = torch.empty(3, dtype=torch.int64)", 3, "x"),
    "booleans": _changed("x = torch.empty(3, dtype=torch.bool)", 1, "x.any()"),
    "undefined values of a sparse tensor": _changed(
        "x = torch.empty(2)", 3, "torch.sparse_coo_tensor([[0, 1]], x, (2,))"
    ),
}
