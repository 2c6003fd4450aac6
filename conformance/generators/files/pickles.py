"""Pickles of any opcodes and arguments, for the unpickler that only loads weights.

A pickle builds tensors as those of torch.save do. Some of their arguments are replaced by others,
opcodes are put in, and the end is missing. The storages are those of a file by `archives.saved_by`.
"""

from random import Random
from struct import pack

STORED = {"Float": 3, "Long": 1, "Byte": 12, "BFloat16": 6, "ComplexFloat": 1, "Bool": 12}
"""Types of storages, and the number of elements that a record of 12 or 16 bytes has."""

_SMALL = (0, 1, 2, 3, 4, 5, 6)
_NUMBERS = (*_SMALL, -1, -6, 100, 2**31, 2**40, 2**62, 2**63 - 1, 2**63, 2**64, -(2**40))
_TEXTS = ("cpu", "a", "cuda:0", "storage", "meta", "torch.strided", "0", "", "\u00e4")
_DTYPES = ("float32", "int64", "uint8", "bool", "complex64", "float8_e4m3fn", "uint16", "complex32")
_ALLOWED = (
    ("collections", "OrderedDict"), ("collections", "Counter"), ("torch", "Size"),
    ("torch.serialization", "_get_layout"), ("torch", "device"), ("_codecs", "encode"),
    ("builtins", "set"), ("__builtin__", "complex"),
    ("torch._utils", "_rebuild_tensor"), ("torch._utils", "_rebuild_tensor_v3"),
    ("torch._tensor", "_rebuild_from_type_v2"), *(("torch", name) for name in _DTYPES),
)  # fmt: skip
_REFUSED = (
    ("os", "system"), ("posix", "system"), ("builtins", "eval"), ("__builtin__", "eval"),
    ("sys", "exit"), ("torch", "load"), ("torch.serialization", "load"), ("builtins", "getattr"),
    ("", ""), ("os.path", "join"), ("functools", "partial"), ("builtins", "object"),
    ("torch.hub", "load"), ("torch.nested._internal.nested_tensor", "NestedTensor"),
    ("torch.distributed.tensor", "DTensor"),
)  # fmt: skip
_OPCODES = (
    b"0", b"1", b"2", b"a", b"b", b"e", b"s", b"u", b"R", b"\x81", b"Q", b"(", b"t", b"\x85",
    b"\x86", b"\x87", b"i", b"o", b"P0\n", b"V\n", b"S'a'\n", b"I01\n", b"L1L\n", b"h\0", b"q\0",
    b"j\xff\0\0\0", b"r\xff\0\0\0", b"\x95" + bytes(8), b"\x8c\x01a", b"\x93", b"\x94", b"\x92",
    b"B\1\0\0\0a", b"\x8b\1\0\0\0a", b"\x8b\xff\xff\xff\xff", b"X\xff\xff\xff\xff", b"\x8a\xff",
    b"\x80\x05", b"\x82\x01", b"\xff",
)  # fmt: skip
"""Opcodes, with arguments if they need some; not all are those of the unpickler."""


def pickle_of(seed: int) -> bytes:
    """Return a pickle, as the seed has it."""
    return _Pickles(Random(seed)).pickle()


def _text(text: str) -> bytes:
    data = text.encode()
    return b"X" + pack("<I", len(data)) + data


def _number(number: int) -> bytes:
    if -(2**31) <= number < 2**31:
        return b"J" + pack("<i", number)
    size = number.bit_length() // 8 + 1
    return b"\x8a" + bytes([size]) + number.to_bytes(size, "little", signed=True)


def _name(module: str, name: str) -> bytes:
    return f"c{module}\n{name}\n".encode()


def _tuple(*items: bytes) -> bytes:
    return b"(" + b"".join(items) + b"t"


def _dict(*names: str, value: bytes = b"\x88") -> bytes:
    return b"}(" + b"".join(_text(name) + value for name in names) + b"u"


class _Pickles:
    """Draws opcodes from a stream of random numbers."""

    def __init__(self, random: Random) -> None:
        self._random, self._one = random, random.choice
        self._numbers: tuple[int, ...] = _NUMBERS

    def _is(self, probability: float) -> bool:
        return self._random.random() < probability

    def pickle(self) -> bytes:
        """Return a pickle."""
        value = self._one((self._tensor, self._tensor, self._call, self._any))()
        if self._is(0.1):
            value += self._any() + self._one(_OPCODES)
        if self._is(0.1):
            place = self._random.randrange(len(value) + 1)
            value = value[:place] + self._one(_OPCODES) + value[place + self._one((0, 1)) :]
        start = self._one((*(b"\x80\x02",) * 9, b"\x80\x04", b"", b"\x80"))
        return start + value + self._one((*(b".",) * 12, b"", b"..", b".x"))

    def _any(self, depth: int = 0) -> bytes:
        makers = (
            self._constant, self._integer, self._sizes, self._global, self._storage,
            *((self._collection, self._call) if depth < 2 else ()),
        )  # fmt: skip
        value: bytes = self._one(makers)(depth + 1)
        return value

    def _or_any(self, value: bytes, probability: float = 0.06) -> bytes:
        return self._any(2) if self._is(probability) else value

    def _constant(self, _: int = 0) -> bytes:
        texts = map(_text, _TEXTS)
        numbers = (b"G" + pack(">d", number) for number in (0.0, 1.5, float("nan"), 1e300))
        return self._one((b"N", b"\x88", b"\x89", b"U\3abc", *texts, *numbers))

    def _integer(self, _: int = 0) -> bytes:
        return _number(self._one(_SMALL if self._is(0.8) else self._numbers))

    def _sizes(self, _: int = 0) -> bytes:
        return _tuple(*(self._integer() for _ in range(self._one((0, 1, 2)))))

    def _of_rank(self, rank: int) -> bytes:
        return self._or_any(_tuple(*(self._integer() for _ in range(rank))))

    def _global(self, _: int = 0) -> bytes:
        if self._is(0.3):
            return _name("torch", self._one([*STORED]) + "Storage")
        return _name(*self._one(_ALLOWED if self._is(0.8) else _REFUSED))

    def _collection(self, depth: int = 0) -> bytes:
        items = b"".join(self._any(depth + 1) for _ in range(self._one((0, 1, 2))))
        return self._one((b"](" + items + b"e", b"(" + items + b"t", b"\x8f", b"}", b"]"))

    def _storage(self, _: int = 0) -> bytes:
        kind = self._one([*STORED])
        # On meta, torch has storages of negative sizes.
        # A call with a storage for its arguments makes a tuple of its size, which has to fail soon.
        counts = [number for number in _NUMBERS if 0 <= number < 2**31 or number >= 2**40]
        count = _number(STORED[kind] if self._is(0.8) else self._one(counts))
        items = [
            self._or_any(item, 0.02)
            for item in (
                _text("storage"), _name("torch", f"{kind}Storage"), _text(self._one("00001")),
                _text(self._one((*("cpu",) * 9, "meta", "cuda:0", "nowhere"))),
            )
        ]  # fmt: skip
        items.append(self._constant() if self._is(0.02) else count)
        return _tuple(*items[: self._one((4, *(5,) * 30))]) + b"Q"

    def _tensor(self, depth: int = 0) -> bytes:
        rank = self._one((0, 1, 1, 2))
        storage, offset = self._or_any(self._storage()), self._or_any(self._integer())
        laid = storage, offset, self._of_rank(rank), self._of_rank(rank)
        gradient = self._or_any(self._one((b"\x88", *(b"\x89",) * 3)))
        hooks = _name("collections", "OrderedDict") + b")R"
        names = self._one((("conj",), ("neg",), ("conj", "neg"), ("a",)))
        metadata = self._or_any(_dict(*names, value=self._one((b"\x88", b"\x89", b"N", b"K\2"))))
        dtype = self._or_any(_name("torch", self._one(_DTYPES)))
        more = (metadata,) if self._is(0.3) else ()
        calls = {
            "_rebuild_tensor": laid,
            "_rebuild_tensor_v2": (*laid, gradient, hooks, *more),
            "_rebuild_tensor_v3": (*laid, gradient, hooks, dtype, *more),
            "_rebuild_meta_tensor_no_storage": (dtype, *laid[2:], gradient),
        }
        name = self._one([*calls])
        made = _name("torch._utils", name) + _tuple(*self._some(calls[name])) + b"R"
        state = self._one((b"N", b"}", _dict("a"), _tuple(b"N", _dict("a"))))
        function, cls = _name("torch._utils", "_rebuild_tensor_v2"), _name("torch", "Tensor")
        arguments = function, cls, _tuple(*calls["_rebuild_tensor_v2"]), self._or_any(state)
        with_state = _name("torch._tensor", "_rebuild_from_type_v2") + _tuple(*arguments) + b"R"
        layout = _name("torch.serialization", "_get_layout") + _tuple(_text("torch.sparse_coo"))
        if depth or self._is(0.7):
            return self._one((made, made, with_state))
        # Torch checks negative sizes of indices late.
        self._numbers = _SMALL
        parts = self._tensor(1), self._tensor(1), self._sizes(), gradient
        self._numbers = _NUMBERS
        data = self._or_any(_tuple(*parts[: self._one((3, 4, 4))]))
        return _name("torch._utils", "_rebuild_sparse_tensor") + _tuple(layout + b"R", data) + b"R"

    def _some(self, arguments: tuple[bytes, ...]) -> tuple[bytes, ...]:
        if self._is(0.04):
            return arguments[:-1]
        return (*arguments, self._any(2)) if self._is(0.03) else arguments

    def _call(self, depth: int = 0) -> bytes:
        arguments = _tuple(*(self._any(2) for _ in range(self._one((0, 1, 1, 2)))))
        made = self._one(
            (
                self._tensor(1) + self._one((b"", _tuple(self._storage(), self._integer()) + b"b")),
                self._global() + self._or_any(arguments) + b"R",
                self._global() + self._or_any(arguments) + b"\x81",
                self._any(2) + self._any(2) + self._one((b"R", b"\x81", *_OPCODES[3:8])),
            )
        )
        if self._is(0.2):
            state = _tuple(self._storage(), self._integer(), self._sizes(), self._sizes())
            made += self._one((state, b"N", b"}", _dict("a"), self._any(2))) + b"b"
        return made
