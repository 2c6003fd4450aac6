"""Broadcasting and reshaping of sizes.  Each expected answer is torch's."""

from itertools import product
from math import prod
from typing import Any

import numpy
import pytest

import impl
from impl._geometry import broadcasting, strides
from impl._geometry.extents import Ints

HUGE = 2**40


def refused(message: str, function: Any, *args: Any, cls: type[Exception] = RuntimeError) -> None:
    with pytest.raises(cls) as caught:
        function(*args)
    assert type(caught.value) is cls
    assert str(caught.value) == message


# Reshaping


def test_broadcast() -> None:
    for function in (broadcasting.broadcast_pair, broadcasting.broadcast_shapes):
        assert function((2, 1), (3,)) == (2, 3)
        assert function((), (0,)) == function((0,), (1,)) == (0,)
        assert function((1, 3), (2, 1)) == function((2, 1), (1, 3)) == (2, 3)
    assert broadcasting.broadcast_shapes() == ()
    assert broadcasting.broadcast_shapes((4, 1, 1), [3, 1], (2,)) == (4, 3, 2)


@pytest.mark.parametrize(
    ("a", "b", "sizes", "dim"),
    [
        ((2,), (3,), (2, 3), 0),
        ((2, 1, 4), (3, 5), (4, 5), 2),
        ((3, 5), (2, 1, 4), (5, 4), 2),
        ((0,), (3,), (0, 3), 0),
        ((2, 3), (4, 5), (3, 5), 1),
    ],
)
def test_operators_cannot_broadcast(a: Ints, b: Ints, sizes: Ints, dim: int) -> None:
    refused(
        f"The size of tensor a ({sizes[0]}) must match the size of tensor b ({sizes[1]})"
        f" at non-singleton dimension {dim}",
        *(broadcasting.broadcast_pair, a, b),
    )


def test_shapes_cannot_broadcast() -> None:
    message = (
        "Attempting to broadcast a dimension of length {} at {}! Mismatching argument at index {}"
        " had {}; but expected shape should be broadcastable to {}"
    )

    def refuses(sizes: tuple[Any, ...], *values: Any) -> None:
        refused(message.format(*values), broadcasting.broadcast_shapes, *sizes)

    refuses(((2,), (3,), (1, 4)), 3, -1, 1, (3,), [1, 2])
    refuses(((2, 1), (1, 3), [4]), 4, -1, 2, [4], [2, 3])
    refuses(((3, 2), (4, 1)), 4, -2, 1, (4, 1), [3, 2])
    refuses(((3,), (-1,)), -1, -1, 1, (-1,), [3])
    negative = "Attempting to broadcast a dimension with negative length!"
    refused(negative, broadcasting.broadcast_shapes, (-1,), (3,), cls=ValueError)


def test_infer_size() -> None:
    assert broadcasting.infer_size((), 1) == ()
    assert broadcasting.infer_size((2, 3), 6) == (2, 3)
    assert broadcasting.infer_size((2, -1, 3), 12) == (2, 2, 3)
    assert broadcasting.infer_size((-1, 5), 0) == (0, 5)
    assert broadcasting.infer_size((2**32, 2**32), 0) == (
        2**32,
        2**32,
    )  # overflows, as in torch


@pytest.mark.parametrize(
    ("shape", "numel", "message"),
    [
        ((2, 3), 5, "shape '[2, 3]' is invalid for input of size 5"),
        ((), 6, "shape '[]' is invalid for input of size 6"),
        ((-1, 4), 6, "shape '[-1, 4]' is invalid for input of size 6"),
        ((-1, 0), 6, "shape '[-1, 0]' is invalid for input of size 6"),
        ((-1, 5, -1), 6, "only one dimension can be inferred"),
        ((-1, -2, -1), 6, "invalid shape dimension -2 at index 1 of shape [-1, -2, -1]"),
        (
            (0, -1),
            0,
            "cannot reshape tensor of 0 elements into shape [0, -1] because the unspecified"
            " dimension size -1 can be any value and is ambiguous",
        ),
    ],
)
def test_sizes_that_do_not_fit(shape: Ints, numel: int, message: str) -> None:
    refused(message, broadcasting.infer_size, shape, numel)


@pytest.mark.parametrize(
    ("shape", "stride", "new_shape", "expected"),
    [
        ((), (), (1, 1), (1, 1)),
        ((2, 6), (6, 1), (3, 4), (4, 1)),
        ((2, 6), (6, 1), (12,), (1,)),
        ((2, 3), (1, 2), (6,), None),
        ((2, 3), (1, 2), (2, 1, 3), (1, 6, 2)),
        ((2, 3), (6, 2), (6,), (2,)),
        ((4, 3), (1, 4), (2, 2, 3), (2, 1, 4)),
        ((3, 1), (1, 9), (3,), (1,)),
        ((1,), (5,), (), ()),
        ((2, 3), (0, 0), (3, 2), (0, 0)),
        ((1, 4), (1, 2), (1, 4), (8, 2)),  # the same shape, but not the same strides
        ((2, 0), (7, 7), (2, 0), (7, 7)),
        ((2, 0), (7, 7), (0, 3, 2), (6, 2, 1)),
        ((0,), (1,), (0, HUGE, HUGE), (0, HUGE, 1)),
    ],
)
def test_reshape_stride(shape: Ints, stride: Ints, new_shape: Ints, expected: Ints | None) -> None:
    assert broadcasting.reshape_stride(shape, stride, new_shape) == expected


def test_contiguous_is_reshaped_to_contiguous() -> None:
    alike = [shape for shape in product((1, 2, 3, 4, 6), repeat=3) if prod(shape) == 12]
    for shape, new_shape in product(alike, repeat=2):
        result = broadcasting.reshape_stride(shape, strides.contiguous(shape), new_shape)
        assert result == strides.contiguous(new_shape)


# Overlap


def test_has_internal_overlap() -> None:
    assert broadcasting.has_internal_overlap((2, 3), (1, 2)) == "no"
    assert broadcasting.has_internal_overlap((1, 3), (0, 1)) == "no"
    assert broadcasting.has_internal_overlap((2, 3), (0, 1)) == "yes"
    assert broadcasting.has_internal_overlap((2, 3), (6, 2)) == "too hard"


def test_overlaps() -> None:
    rows, columns, gaps = ((2, 3), (3, 1)), ((2, 3), (1, 2)), ((2, 3), (6, 2))
    assert broadcasting.overlaps((*rows, 0, 4), (*rows, 0, 4)) == "full"
    assert broadcasting.overlaps((*rows, 0, 4), (*columns, 0, 4)) == "partial"
    assert broadcasting.overlaps((*rows, 0, 4), (*rows, 5, 4)) == "partial"
    assert broadcasting.overlaps((*rows, 0, 4), (*rows, 6, 4)) == "no"
    assert broadcasting.overlaps((*rows, 12, 1), (*rows, 3, 4)) == "partial"
    assert broadcasting.overlaps((*rows, 6, 1), (*rows, 3, 4)) == "no"
    assert broadcasting.overlaps((*rows, 0, 4), (*gaps, 0, 4)) == "too hard"
    assert broadcasting.overlaps((*gaps, 0, 4), ((0,), (1,), 0, 4)) == "no"


def test_sizes_that_are_compared_to_no_bool_are_refused() -> None:
    for shapes in (([numpy.int64(1)], [2, 3]), ([2, 3], [numpy.int64(3)])):
        with pytest.raises(AssertionError, match=r"Expected bool, got <class 'numpy.bool"):
            impl.broadcast_shapes(*shapes)
    with pytest.raises(AssertionError, match=r"Expected bool, got <class 'torch.Tensor'>"):
        impl.broadcast_shapes([impl.tensor(1)], [2])
    with pytest.raises(TypeError, match="takes an iterable of 'int'"):
        impl.broadcast_shapes([2.0, 3], [1])
