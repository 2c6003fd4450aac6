"""Numbers of elements and bytes of geometries.  Each expected answer is torch's."""

from typing import Any

import pytest

from impl._geometry import extents
from impl._geometry.extents import Ints

HUGE = 2**40


def refused(message: str, function: Any, *args: Any, cls: type[Exception] = RuntimeError) -> None:
    with pytest.raises(cls) as caught:
        function(*args)
    assert type(caught.value) is cls
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("shape", "count"),
    [((), 1), ((0,), 0), ((2, 3, 4), 24), ((0, HUGE, HUGE), 0), ((2**32, 2**31, 0), 0)],
)
def test_numel(shape: Ints, count: int) -> None:
    assert extents.numel(shape) == count


@pytest.mark.parametrize("shape", [(HUGE, HUGE), (2**32, 2**31), (2**32, 2**32, 0)])
def test_numel_overflows_before_an_empty_dimension(shape: Ints) -> None:
    refused("numel: integer multiplication overflow", extents.numel, shape)


def test_bytes() -> None:
    assert extents.contiguous_bytes((2, 3), 4) == 24
    assert extents.contiguous_bytes((0, HUGE, HUGE), 4) == 0
    assert extents.contiguous_bytes((2**63 - 1,), 1) == 2**63 - 1
    for shape in ((2**61,), (HUGE, HUGE), (HUGE, HUGE, 0)):
        message = f"Storage size calculation overflowed with sizes={[*shape]}"
        refused(message, extents.contiguous_bytes, shape, 4)


def test_strided_bytes() -> None:
    assert extents.strided_bytes((2, 3), (1, 4), 8) == 80
    assert extents.strided_bytes((2, 3), (1, 4), 8, 5) == 120
    assert extents.strided_bytes((4, 0), (2**62, 2**62), 8) == 0
    assert extents.strided_bytes((1, 2), (-5, 1), 1) == 2
    message = "Storage size calculation overflowed with sizes=[2, 2] and strides="
    refused(message + f"[{2**62}, {2**62}]", extents.strided_bytes, (2, 2), (2**62, 2**62), 1)
    refused(message + "[-1, 1]", extents.strided_bytes, (2, 2), (-1, 1), 1)


def test_storage_size() -> None:
    assert extents.storage_size((), (), 3) == 4
    assert extents.storage_size((2, 3), (0, 5), 1) == 12
    assert extents.storage_size((2, 0), (9, 9), 7) == 0


def test_negative_sizes() -> None:
    extents.check_nonnegative((0, 1))
    message = "Trying to create tensor with negative dimension -1: [2, -1, -2]"
    refused(message, extents.check_nonnegative, (2, -1, -2))


def test_settled_strides_are_not_negative() -> None:
    assert extents.replace_negative_strides((2, 3), (0, 7)) == (0, 7)
    assert extents.replace_negative_strides((0,), (-1,)) == (1,)
    assert extents.replace_negative_strides((0, 0, 0, 5, 0), (0, 4, -1, 2, 1)) == (0, 4, 10, 2, 1)
    refused(
        "Stride calculation overflowed",
        extents.replace_negative_strides,
        (0, HUGE, HUGE),
        (-1, HUGE, 1),
    )
