"""Pairs of programs that differ in one element, which the first one wrote or did not write."""

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
