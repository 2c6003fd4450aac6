"""The order of keywords in error messages.  The tests of callers check the messages."""

import pytest

from impl._argparser.error_messages import in_hash_order


@pytest.mark.parametrize(
    ("names", "listed"),
    [
        ("", ""),
        ("abcdefghijklm", "mljgfieckhbda"),
        # The hash table has grown once, from 13 buckets to 29.
        ("abcdefghijklmnopqrstuvwxyz", "yxzwtvsrqoabuphndkcifgejlm"),
    ],
)
def test_short_names_in_hash_order(names: str, listed: str) -> None:
    assert "".join(in_hash_order(names)) == listed


def test_long_names_in_hash_order() -> None:
    names = [
        "dim",
        "keepdim",
        "dtype",
        "out",
        "alpha",
        "foo",
        "bar",
        "memory_format",
        "requires_grad_and_more",
        "é",
    ]
    listed = [
        "é",
        "requires_grad_and_more",
        "memory_format",
        "foo",
        "alpha",
        "out",
        "dtype",
        "keepdim",
        "bar",
        "dim",
    ]
    assert in_hash_order(names) == listed
