"""The order in which torch lists keywords; its words are tested with those who say them."""

import pytest

from impl._argparser.error_messages import in_hash_order


@pytest.mark.parametrize(
    ("given", "listed"),
    [
        ("", ""),
        ("abcdefghijklm", "mljgfieckhbda"),
        # The table has grown once: from 13 places to 29.
        ("abcdefghijklmnopqrstuvwxyz", "yxzwtvsrqoabuphndkcifgejlm"),
    ],
)
def test_short_names_in_hash_order(given: str, listed: str) -> None:
    assert "".join(in_hash_order(given)) == listed


def test_long_names_in_hash_order() -> None:
    given = [
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
    assert in_hash_order(given) == listed
