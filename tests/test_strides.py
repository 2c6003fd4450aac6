"""Strides and memory formats.  Each expected answer is torch's."""

from functools import reduce
from itertools import permutations, product
from typing import Any

import pytest

from impl._geometry import broadcasting, strides
from impl._geometry.extents import Ints
from impl._geometry.strides import Geometry

HUGE = 2**40


def refused(message: str, function: Any, *args: Any, cls: type[Exception] = RuntimeError) -> None:
    with pytest.raises(cls) as caught:
        function(*args)
    assert type(caught.value) is cls
    assert str(caught.value) == message


# Dense formats


@pytest.mark.parametrize(
    ("shape", "expected"),
    [((), ()), ((3,), (1,)), ((0,), (1,)), ((2, 3, 4), (12, 4, 1)), ((2, 0, 4), (4, 4, 1))],
)
def test_contiguous(shape: Ints, expected: Ints) -> None:
    assert strides.contiguous(shape) == expected


def test_strides_overflow_where_nothing_is_stored() -> None:
    for shape in ((0, HUGE, HUGE), (HUGE, 0, HUGE, HUGE)):
        refused("Stride calculation overflowed", strides.contiguous, shape)
    refused("Stride calculation overflowed", strides.channels_last, (0, HUGE, HUGE))


def test_channels_last() -> None:
    assert strides.channels_last((2, 3, 4, 5)) == (60, 1, 15, 3)
    assert strides.channels_last((2, 0, 3, 0)) == (0, 1, 0, 0)
    assert strides.channels_last_3d((2, 3, 4, 5, 6)) == (360, 1, 90, 18, 3)
    refused(
        "required rank 4 tensor to use channels_last format", strides.channels_last, (2, 3, 4, 5, 6)
    )
    refused("required rank 5 tensor to use channels_last_3d format", strides.channels_last_3d, (2,))


def test_permuted() -> None:
    assert strides.permuted((), ()) == ()
    assert strides.permuted((2, 3, 4), (1, 2, 0)) == (1, 8, 2)
    assert strides.permuted((2, 0, 4), (1, 2, 0)) == (1, 8, 2)
    assert strides.permuted((2, 0, 4), (2, 0, 1)) == (1, 1, 2)


def test_permuted_refuses_in_this_order() -> None:
    def refuses(shape: Ints, layout: Ints, message: str) -> None:
        refused(message, strides.permuted, shape, layout)

    length = (
        "Number of dimensions in size does not match the length of the physical_layout;"
        " i.e. len(size) = 2 is not equal to len(physical_layout) = 1"
    )
    out_of_range = (
        "Dimension out of range (expected to be between 0 and 1, but got {} at index {}).  NB:"
        " negative dims not currently supported; file an issue if you want it."
    )
    refuses((2, -3), (0,), length)
    refuses((2, 3), (1, -1), out_of_range.format(-1, 1))
    refuses((2, 3), (2, 2), out_of_range.format(2, 0))
    refuses((2, -3), (0, 0), "Duplicate dim not allowed")
    # The result is the physical shape.
    negative = "Trying to create tensor with negative dimension -1: [4, 5, -1]"
    refuses((-1, 5, 4), (2, 1, 0), negative)
    physical = [0, HUGE, HUGE, 2]
    refuses((2, HUGE, HUGE, 0), (3, 2, 1, 0), "Stride calculation overflowed")
    overflowed = f"Storage size calculation overflowed with sizes={physical[::-1]}"
    refuses((0, HUGE, HUGE, 2), (3, 2, 1, 0), overflowed)
    refuses((HUGE, 2**32, 0), (0, 2, 1), "numel: integer multiplication overflow")


def test_permuted_counts_bytes() -> None:
    assert strides.permuted((2**62,), (0,)) == (1,)
    message = f"Storage size calculation overflowed with sizes=[{2**62}]"
    refused(message, strides.permuted, (2**62,), (0,), 4)


@pytest.mark.parametrize(
    ("shape", "stride", "contiguous", "last", "dense"),
    [
        ((), (), True, False, True),
        ((1,), (7,), True, False, True),
        ((2,), (0,), False, False, False),
        ((2, 3), (3, 1), True, False, True),
        ((2, 3), (1, 2), False, False, True),
        ((2, 3), (6, 2), False, False, False),
        ((2, 3), (1, 1), False, False, False),
        ((0, 3), (5, 9), True, False, True),
        ((2, 3, 1, 1), (3, 1, 3, 3), True, True, True),
        ((2, 1, 4, 5), (20, 1, 5, 1), True, True, True),
        ((2, 3, 4, 5), (60, 1, 15, 3), False, True, True),
        ((2, 3, 4, 5), (120, 1, 15, 3), False, False, False),
        ((0, 3, 2, 1), (6, 2, 1, 1), True, False, True),
        ((2, 3, 4, 5, 6), (360, 1, 90, 18, 3), False, False, True),
    ],
)
def test_formats(shape: Ints, stride: Ints, contiguous: bool, last: bool, dense: bool) -> None:
    assert strides.is_contiguous(shape, stride) is contiguous
    assert strides.is_channels_last(shape, stride) is last
    assert strides.is_non_overlapping_and_dense(shape, stride) is dense


def test_is_channels_last_3d() -> None:
    assert strides.is_channels_last_3d((2, 3, 4, 5, 6), (360, 1, 90, 18, 3))
    assert not strides.is_channels_last_3d((2, 3, 4, 5, 6), (360, 120, 30, 6, 1))
    assert not strides.is_channels_last_3d((2, 3, 4, 5), (60, 1, 15, 3))


@pytest.mark.parametrize(
    ("shape", "stride", "name"),
    [
        ((2, 3, 4, 5), (60, 1, 15, 3), "channels_last"),
        ((2, 3, 4, 5), (120, 2, 30, 6), "channels_last"),
        ((2, 3, 4, 5), (60, 20, 5, 1), "contiguous_format"),
        ((2, 3, 1, 1), (3, 1, 3, 3), "channels_last"),
        ((2, 3, 1, 1), (3, 1, 1, 1), "contiguous_format"),
        ((2, 1, 1, 1), (1, 1, 1, 1), "contiguous_format"),
        ((1, 2, 2, 2), (1, 1, 4, 2), "contiguous_format"),
        ((2, 3, 0, 1), (3, 1, 3, 3), "contiguous_format"),
        ((2, 3, 4, 5), (0, 0, 0, 0), "contiguous_format"),
        ((2, 3, 4, 5, 6), (360, 1, 90, 18, 3), "channels_last_3d"),
        ((2, 3), (1, 2), "contiguous_format"),
    ],
)
def test_suggested_format(shape: Ints, stride: Ints, name: str) -> None:
    assert strides.suggested_format(shape, stride) == name


# Dimension order


@pytest.mark.parametrize(
    ("shape", "stride", "expected"),
    [
        ((2, 3), (1, 2), (1, 2)),  # dense: kept
        ((2, 3, 1), (3, 1, 9), (3, 1, 9)),
        ((0, 3), (5, 9), (5, 9)),
        ((3,), (2,), (1,)),  # gaps: closed
        ((2, 3, 4), (1, 16, 4), (1, 8, 2)),
        ((2, 3, 4, 5), (120, 1, 15, 3), (60, 1, 15, 3)),
        ((2, 3), (0, 0), (3, 1)),  # expanded: contiguous (#158022)
        ((2, 3), (1, 0), (3, 1)),
        ((3, 2), (1, 1), (2, 1)),  # overlapping: the smaller one inside
        ((2, 3), (1, 1), (1, 2)),
    ],
)
def test_like(shape: Ints, stride: Ints, expected: Ints) -> None:
    assert strides.like(shape, stride) == expected


NUMBER: Geometry = ((), ())


def in_format(shape: Ints, layout: Ints) -> Geometry:
    return shape, strides.permuted(shape, layout)


NCHW, NHWC = in_format((2, 3, 4, 5), (0, 1, 2, 3)), in_format((2, 3, 4, 5), (0, 2, 3, 1))
WIDE: Geometry = ((2, 3, 4, 5), (120, 40, 10, 2))


@pytest.mark.parametrize(
    ("operands", "expected"),
    [
        ((NUMBER, NUMBER), ()),
        ((NCHW,), NCHW[1]),
        ((NHWC,), NHWC[1]),
        ((WIDE,), NCHW[1]),
        ((NCHW, NHWC), NCHW[1]),  # the first operand decides (#181488)
        ((NHWC, NCHW), NHWC[1]),
        ((NUMBER, NHWC), NHWC[1]),
        ((((5,), (1,)), NHWC), NHWC[1]),
        ((((2, 1, 4, 5), (20, 20, 5, 1)), NHWC), (60, 1, 15, 3)),
        ((((2, 3), (1, 2)), ((2, 3), (1, 2))), (1, 2)),
        ((((2, 3), (1, 2)), ((3,), (1,))), (1, 2)),
        ((((2, 1), (1, 1)), ((1, 3), (3, 1))), (3, 1)),
        ((((4,), (1,)), ((1, 4), (1, 1))), (1, 1)),
        # One channel: the fast path with itself, the dimension order with a number (#68430).
        ((((16, 1, 4, 4), (16, 1, 4, 1)),) * 2, (16, 16, 4, 1)),
        ((((16, 1, 4, 4), (16, 1, 4, 1)), NUMBER), (16, 1, 4, 1)),
        ((((2, 3, 1, 1), (3, 1, 3, 3)),), (3, 1, 1, 1)),
        # Empty operands of different shapes with another dimension order.
        ((((2, 0, 3), (1, 6, 2)),), (3, 3, 1)),
        ((((2, 0, 3), (1, 6, 2)), NUMBER), (1, 6, 2)),
        ((((2, 0, 3), (6, 1, 2)), NUMBER), (0, 1, 0)),
        ((((2, 3, 0), (0, 0, 1)), NUMBER), (3, 1, 1)),
    ],
)
def test_elementwise(operands: tuple[Geometry, ...], expected: Ints) -> None:
    shape = reduce(broadcasting.broadcast_pair, (sizes for sizes, _ in operands))
    assert strides.elementwise(shape, operands) == expected


def test_elementwise_keeps_each_dense_order() -> None:
    for shape in product((2, 3), repeat=4):
        for layout in permutations(range(4)):
            dense = in_format(shape, layout)
            assert strides.elementwise(shape, (dense,)) == dense[1]
            assert strides.elementwise(shape, (dense, NUMBER)) == dense[1]
            gaps = (shape, tuple(2 * step for step in dense[1]))
            assert strides.elementwise(shape, (gaps, dense)) == dense[1] == strides.like(*gaps)


def test_expand_stride() -> None:
    assert strides.expand_stride((2, 3, 4), (3, 1), (1, 5)) == (0, 1, 0)
    assert strides.expand_stride((1, 1, 3), (3,), (2,)) == (6, 6, 2)
    assert strides.expand_stride((1, 2), (), ()) == (0, 0)


def test_dim_order() -> None:
    for layout in permutations(range(4)):
        assert strides.dim_order(*in_format((2, 3, 4, 5), layout), True) == layout
    assert strides.dim_order((), (), True) == ()
    assert strides.dim_order((4,), (7,), True) == (0,)
    assert strides.dim_order((1, 2), (1, 1)) == (0, 1)
    assert strides.dim_order((2, 2), (0, 0)) == (0, 1)
    assert strides.dim_order((1, 2, 3, 4), (24, 12, 4, 1), ("contiguous_format",)) == (0, 1, 2, 3)


@pytest.mark.parametrize(
    ("shape", "stride", "ambiguity_check"),
    [
        ((1, 2), (2, 1), True),
        ((1, 2), (2, 1), ()),
        ((2, 2), (1, 1), True),
        ((2, 1, 4, 5), (20, 1, 5, 1), ("channels_last", "contiguous_format")),
        ((2, 1, 4, 5), (20, 20, 5, 1), ("channels_last_3d",)),
    ],
)
def test_dim_order_is_not_unique(shape: Ints, stride: Ints, ambiguity_check: Any) -> None:
    refused(
        "The tensor does not have unique dim order, or cannot map to exact one of the given memory"
        " formats.",
        *(strides.dim_order, shape, stride, ambiguity_check),
    )


def test_dim_order_is_ambiguous_for_one_channel() -> None:
    one_channel = (2, 1, 4, 5), (20, 1, 5, 1)
    message = "The tensor does not have unique dim order."
    refused(message, strides.dim_order, *one_channel, ("channels_last",))
