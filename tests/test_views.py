"""Sizes, strides and offsets of views, as in torch 2.13.0."""

import re
from collections.abc import Callable

import pytest

import impl
from impl._geometry import (
    view_checks,
    view_dtypes,
    view_shapes,
    view_slices,
)
from impl._geometry.view_checks import View

MATRIX = (2, 3), (3, 1)
CUBE = (2, 3, 4), (12, 4, 1)
NUMBER = (), ()
EMPTY = (0, 3), (3, 1)
MOST, LEAST = 2**63 - 1, -(2**63)

VIEWS: list[tuple[View | None, View | None]] = [
    (view_shapes.view(*CUBE, (3, 8)), ((3, 8), (8, 1), 0)),
    (view_shapes.view(*CUBE, (-1,)), ((24,), (1,), 0)),
    (view_shapes.view((4, 6), (12, 1), (2, 2, 3, 2)), ((2, 2, 3, 2), (24, 12, 2, 1), 0)),
    (view_shapes.view((1, 1), (5, 5), ()), ((), (), 0)),
    (view_shapes.view((0, 3), (7, 9), (0, 3)), ((0, 3), (7, 9), 0)),
    (view_shapes.view((0, 3), (7, 9), (3, 0)), ((3, 0), (1, 1), 0)),
    (view_shapes.reshape(*CUBE, (6, 4)), ((6, 4), (4, 1), 0)),
    (view_shapes.reshape((3, 2), (1, 3), (2, 3)), None),
    (view_shapes.expand(*CUBE, (2, 2, 3, -1), "T"), ((2, 2, 3, 4), (0, 12, 4, 1), 0)),
    (view_shapes.expand(*CUBE, (1, 2, 3, 4), "T"), ((1, 2, 3, 4), (24, 12, 4, 1), 0)),
    (view_shapes.expand((1, 3), (3, 1), (0, 3), "T"), ((0, 3), (0, 1), 0)),
    (view_shapes.expand(*NUMBER, (3, 2), "T"), ((3, 2), (0, 0), 0)),
    (view_shapes.expand(*EMPTY, (-2, 0, 3), "T"), ((-2, 0, 3), (0, 3, 1), 0)),
    (view_shapes.transpose(*CUBE, 0, -1), ((4, 3, 2), (1, 4, 12), 0)),
    (view_shapes.transpose(*NUMBER, 0, -1), ((), (), 0)),
    (view_shapes.permute(*CUBE, (2, 0, -2)), ((4, 2, 3), (1, 12, 4), 0)),
    (view_shapes.movedim(*CUBE, 0, 2), ((3, 4, 2), (4, 1, 12), 0)),
    (view_shapes.movedim(*CUBE, (0, 1), (2, 0)), ((3, 4, 2), (4, 1, 12), 0)),
    (view_shapes.movedim(*NUMBER, 0, -1), ((), (), 0)),
    (view_shapes.numpy_t(*CUBE), ((4, 3, 2), (1, 4, 12), 0)),
    (view_shapes.t(*MATRIX), ((3, 2), (1, 3), 0)),
    (view_shapes.t((6,), (1,)), ((6,), (1,), 0)),
    (view_shapes.matrix_transpose(*CUBE, "mT"), ((2, 4, 3), (12, 1, 4), 0)),
    (view_shapes.matrix_transpose(*NUMBER, "adjoint"), ((), (), 0)),
    (view_shapes.matrix_h(*MATRIX), ((3, 2), (1, 3), 0)),
    (view_shapes.unsqueeze(*CUBE, 1), ((2, 1, 3, 4), (12, 12, 4, 1), 0)),
    (view_shapes.unsqueeze(*CUBE, -1), ((2, 3, 4, 1), (12, 4, 1, 1), 0)),
    (view_shapes.squeeze((1, 3, 1), (3, 1, 1)), ((3,), (1,), 0)),
    (view_shapes.squeeze((1, 3, 1), (3, 1, 1), -1), ((1, 3), (3, 1), 0)),
    (view_shapes.squeeze((1, 3, 1), (3, 1, 1), (0, 1)), ((3, 1), (1, 1), 0)),
    (view_shapes.squeeze(*NUMBER, 0), ((), (), 0)),
    (view_slices.narrow(*CUBE, 0, 2, 0), ((0, 3, 4), (12, 4, 1), 24)),
    (view_slices.narrow(*CUBE, 1, -2, 2), ((2, 2, 4), (12, 4, 1), 4)),
    (view_slices.select(*CUBE, 1, -1), ((2, 4), (12, 1), 8)),
    (view_slices.slice(*CUBE, 2, -9, 99, 3), ((2, 3, 2), (12, 4, 3), 0)),
    (view_slices.slice(*CUBE, 2, 3, 1), ((2, 3, 0), (12, 4, 1), 3)),
    (view_slices.slice(*CUBE, 1, None, -1), ((2, 2, 4), (12, 4, 1), 0)),
    (view_slices.slice(*CUBE, 2, MOST, LEAST, MOST), ((2, 3, 0), (12, 4, MOST), 4)),
    (view_slices.diagonal(*CUBE), ((4, 2), (1, 16), 0)),
    (view_slices.diagonal(*CUBE, -1), ((4, 1), (1, 16), 12)),
    (view_slices.diagonal(*CUBE, 0, 2, 0), ((3, 2), (4, 13), 0)),
    (view_slices.diagonal(*CUBE, LEAST), ((4, 0), (1, 16), 0)),
    (view_slices.unfold(*CUBE, 2, 2, 1), ((2, 3, 3, 2), (12, 4, 1, 1), 0)),
    (view_slices.unfold(*CUBE, 2, 0, 2), ((2, 3, 3, 0), (12, 4, 2, 1), 0)),
    (view_slices.unfold(*NUMBER, 0, 1, 5), ((1,), (1,), 0)),
]


@pytest.mark.parametrize(("view", "expected"), VIEWS)
def test_views(view: View | None, expected: View | None) -> None:
    assert view == expected


def test_dimensions() -> None:
    assert [view_shapes.wrap_dim(dim, 2) for dim in (-2, -1, 0, 1)] == [0, 1, 0, 1]
    assert view_shapes.wrap_dim(-1, 0) == view_shapes.wrap_dim(0, 0) == 0
    assert view_shapes.wrap_dims((-1, 0, 2), 3) == (2, 0, 2)
    assert view_shapes.distinct_dims((-1, 0), 3) == (2, 0)


def test_sizes_for_reshape_and_view() -> None:
    assert view_shapes.flatten((2, 3, 4), 1, -1) == (2, 12)
    assert view_shapes.flatten((), 0, -1) == (1,)
    assert view_shapes.flatten((2, 3), 1, 1) is None
    assert view_shapes.unflatten((2, 12), 1, (3, -1)) == (2, 3, 4)
    assert view_shapes.unflatten((0, 3), 0, (5, -1)) == (5, 0, 3)


def parts(pieces: list[View], dim: int) -> list[tuple[int, int]]:
    return [(shape[dim], offset) for shape, _, offset in pieces]


def test_parts() -> None:
    assert view_slices.split(*CUBE, 3, 2) == [
        ((2, 3, 3), (12, 4, 1), 0),
        ((2, 3, 1), (12, 4, 1), 3),
    ]
    assert parts(view_slices.split(*CUBE, MOST, 2), 2) == [(4, 0)]
    assert parts(view_slices.split(*EMPTY, 0), 0) == [(0, 0)]
    assert parts(view_slices.split(*CUBE, (1, 3, 0), -1), 2) == [(1, 0), (3, 1), (0, 4)]
    assert view_slices.split(*EMPTY, ()) == []
    assert parts(view_slices.chunk(*CUBE, 3, 2), 2) == [(2, 0), (2, 2)]
    assert parts(view_slices.chunk(*EMPTY, 3), 0) == [(0, 0)] * 3
    assert view_slices.unbind(*MATRIX, 1) == [((2,), (3,), 0), ((2,), (3,), 1), ((2,), (3,), 2)]
    assert view_slices.unbind(*EMPTY) == []


def test_as_strided() -> None:
    room = {"storage_bytes": 96, "itemsize": 4, "current_offset": 12}
    assert view_dtypes.as_strided((2, 2), (1, 1), None, **room) == ((2, 2), (1, 1), 12)
    assert view_dtypes.as_strided((4, 4), (5, 1), 5, **room) == ((4, 4), (5, 1), 5)
    assert view_dtypes.as_strided((0, -4), (5, 1), 600, **room) == ((0, -4), (5, 1), 600)
    assert view_dtypes.as_strided((MOST,), (0,), 0, **room) == ((MOST,), (0,), 0)
    for size, stride, offset, message in [
        ((2, 2), (1,), 0, "mismatch in length of strides and shape"),
        ((2, 2), (1, -1), -1,
         "as_strided: Negative strides are not supported at the moment, got strides: [1, -1]"),
        ((-2, 2), (1, 1), -1, "Tensor: invalid storage offset -1"),
        ((4, 4), (5, 1), 6,
         "setStorage: sizes [4, 4], strides [5, 1], storage offset 6, and itemsize 4 requiring a "
         "storage size of 100 are out of bounds for storage of size 96"),
        ((2, -2), (1, 1), 0,
         "Storage size calculation overflowed with sizes=[2, -2] and strides=[1, 1]"),
        ((), (), MOST, "Storage size calculation overflowed with sizes=[]"),
        ((2**62, 2), (0, 0), 0, "numel: integer multiplication overflow"),
        ((2**62, 4, 0), (0, 0, 0), 0, "numel: integer multiplication overflow"),
        ((-1, 1), (0, 0), 0, "numel: integer multiplication overflow"),
    ]:  # fmt: skip
        with pytest.raises(RuntimeError, match=whole(message)):
            view_dtypes.as_strided(size, stride, offset, **room)


def whole(message: str) -> str:
    return f"^{re.escape(message)}$"


RANGE = "Dimension out of range (expected to be in range of [-3, 2], but got {})"
RANGE_0 = "Dimension out of range (expected to be in range of [-1, 0], but got {})"
NO_VIEW = (
    "view size is not compatible with input tensor's size and stride (at least one dimension "
    "spans across two contiguous subspaces). Use .reshape(...) instead."
)


def on_cpu(function: Callable[..., object], *args: object) -> object:
    try:
        return function(*args)
    except view_checks.DeviceError as error:
        raise error.of(is_meta=False) from None


ERRORS: list[tuple[Callable[[], object], str, str]] = [
    (lambda: view_shapes.wrap_dim(5, 3), "IndexError", RANGE.format(5)),
    (lambda: view_shapes.wrap_dim(LEAST, 3), "IndexError", RANGE.format(LEAST)),
    (lambda: view_shapes.wrap_dim(1, 0), "IndexError", RANGE_0.format(1)),
    (lambda: view_shapes.distinct_dims((0, -3), 3), "RuntimeError",
     "dim 0 appears multiple times in the list of dims"),
    (lambda: view_shapes.distinct_dims((), 65), "RuntimeError",
     "only tensors with up to 64 dims are supported"),
    (lambda: view_shapes.view((3, 2), (1, 3), (6,)), "RuntimeError", NO_VIEW),
    (lambda: view_shapes.view((0,), (1,), (2**32, 2**32, 0)), "RuntimeError",
     "numel: integer multiplication overflow"),
    (lambda: view_shapes.view((0,), (1,), (0, 2, 2**62 - 1, 6)), "RuntimeError",
     "Stride calculation overflowed"),
    (lambda: view_shapes.reshape((2, 2), (6, 3), (MOST - 1, MOST - 1)), "RuntimeError", NO_VIEW),
    (lambda: view_shapes.flatten((2, 3, 4), 2, 1), "RuntimeError",
     "flatten() has invalid args: start_dim cannot come after end_dim"),
    (lambda: view_shapes.unflatten((2, 3, 4), 2, ()), "RuntimeError",
     "unflatten: sizes must be non-empty"),
    (lambda: view_shapes.unflatten((2, 3, 4), 7, ()), "IndexError",
     "Dimension out of range (expected to be in range of [-3, 2], but got 7)"),
    (lambda: view_shapes.unflatten((2, 3, 4), -1, (2, 3)), "RuntimeError",
     "unflatten: Provided sizes [2, 3] don't multiply up to the size of dim 2 (4) in the input "
     "tensor"),
    (lambda: view_shapes.unflatten((4,), 0, (-1, -1)), "RuntimeError",
     "unflatten got an unexpected error:\nonly one dimension can be inferred"),
    (lambda: view_shapes.unflatten((), -1, (1,)), "RuntimeError",
     "unflatten got an unexpected error:\nDimension specified as 0 but tensor has no dimensions"),
    (lambda: view_shapes.expand(*CUBE, (3, 4), "torch.FloatTensor"), "RuntimeError",
     "expand(torch.FloatTensor{[2, 3, 4]}, size=[3, 4]): the number of sizes provided (2) must "
     "be greater or equal to the number of dimensions in the tensor (3)"),
    (lambda: view_shapes.expand(*CUBE, (-1, 2, 3, 4), "T"), "RuntimeError",
     "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension 0"),
    (lambda: view_shapes.expand(*CUBE, (9, 3, 5), "T"), "RuntimeError",
     "The expanded size of the tensor (5) must match the existing size (4) at non-singleton "
     "dimension 2.  Target sizes: [9, 3, 5].  Tensor sizes: [2, 3, 4]"),
    (lambda: view_shapes.expand(*NUMBER, (-1,), "T"), "RuntimeError",
     "numel: integer multiplication overflow"),
    (lambda: view_shapes.permute(*CUBE, (0, 1)), "RuntimeError",
     "permute(sparse_coo): number of dimensions in the tensor input does not match the length of "
     "the desired ordering of dimensions i.e. input.dim() = 3 is not equal to len(dims) = 2"),
    (lambda: view_shapes.permute(*CUBE, (0, 1, -2)), "RuntimeError",
     "permute(): duplicate dims are not allowed."),
    (lambda: view_shapes.movedim(*CUBE, (0, 1), 1), "RuntimeError",
     "movedim: Invalid source or destination dims: source ([0, 1] dims) should contain the same "
     "number of dims as destination ([1] dims)"),
    (lambda: view_shapes.movedim(*CUBE, (0, -3), (2, 0)), "RuntimeError",
     "movedim: repeated dim in `source` ([0, -3])"),
    (lambda: view_shapes.movedim(*CUBE, (0, 1), (2, -1)), "RuntimeError",
     "movedim: repeated dim in `destination` ([2, -1])"),
    (lambda: view_shapes.t(*CUBE), "RuntimeError",
     "t() expects a tensor with <= 2 dimensions, but self is 3D"),
    (lambda: view_shapes.matrix_transpose((3,), (1,), "mT"), "RuntimeError",
     "tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor."),
    (lambda: view_shapes.matrix_transpose((3,), (1,), "adjoint"), "RuntimeError",
     "tensor.adjoint() is only supported on matrices or batches of matrices. Got 1-D tensor."),
    (lambda: view_shapes.matrix_h((3,), (1,)), "RuntimeError",
     "tensor.H is only supported on matrices (2-D tensors). Got 1-D tensor."),
    (lambda: view_shapes.matrix_h(*CUBE), "RuntimeError",
     "tensor.H is only supported on matrices (2-D tensors). Got 3-D tensor. For batches of "
     "matrices, consider using tensor.mH"),
    (lambda: view_slices.narrow(*NUMBER, 4, 0, -1), "RuntimeError",
     "narrow() cannot be applied to a 0-dim tensor."),
    (lambda: view_slices.narrow(*CUBE, 5, 0, -1), "RuntimeError",
     "narrow(): length must be non-negative."),
    (lambda: view_slices.narrow(*CUBE, 0, 3, 9), "IndexError",
     "start out of range (expected to be in range of [-2, 2], but got 3)"),
    (lambda: view_slices.narrow(*CUBE, 0, -1, MOST), "RuntimeError",
     "start (1) + length (9223372036854775807) exceeds dimension size (2)."),
    (lambda: view_slices.select(*NUMBER, 7, 0), "IndexError",
     "select() cannot be applied to a 0-dim tensor."),
    (lambda: view_slices.select(*CUBE, -2, LEAST), "IndexError",
     "select(): index -9223372036854775808 out of range for tensor of size [2, 3, 4] at "
     "dimension 1"),
    (lambda: view_slices.slice(*NUMBER, 7), "IndexError",
     "slice() cannot be applied to a 0-dim tensor."),
    (lambda: view_slices.slice(*CUBE, 0, 0, 1, 0), "RuntimeError", "slice step must be positive"),
    (lambda: on_cpu(view_slices.slice, *CUBE, 2, 1, None, MOST), "RuntimeError",
     "Storage size calculation overflowed with sizes=[2, 3, -1] and strides=[12, 4, "
     "9223372036854775807]"),
    (lambda: view_slices.slice((MOST,), (0,), 0, None, None, 2), "RuntimeError",
     "numel: integer multiplication overflow"),
    (lambda: view_slices.slice((3,), (3,), 0, None, None, 2**62 - 1), "RuntimeError",
     "IntArrayRef contains an int that cannot be represented as a SymInt: -4611686018427387907"),
    (lambda: view_slices.diagonal(*CUBE, 0, 0, -3), "RuntimeError",
     "diagonal dimensions cannot be identical 0, -3"),
    (lambda: view_slices.unfold(*CUBE, -1, 5, 0), "RuntimeError",
     "maximum size for tensor at dimension 2 is 4 but size is 5"),
    (lambda: view_slices.unfold(*CUBE, 2, -1, 0), "RuntimeError", "size is -1 but must be >= 0"),
    (lambda: view_slices.unfold(*CUBE, 2, 2, 0), "RuntimeError", "step is 0 but must be > 0"),
    (lambda: view_slices.unfold((MOST,), (0,), 0, 2, 1), "RuntimeError",
     "numel: integer multiplication overflow"),
    (lambda: view_slices.split(*NUMBER, -1, 9), "RuntimeError",
     "split expects at least a 1-dimensional tensor"),
    (lambda: view_slices.split(*CUBE, -1, 9), "RuntimeError",
     "split expects split_size be non-negative, but got split_size=-1"),
    (lambda: view_slices.split(*CUBE, 0, 9), "IndexError", RANGE.format(9)),
    (lambda: view_slices.split(*CUBE, 0), "RuntimeError",
     "split_size can only be 0 if dimension size is 0, but got dimension size of 2"),
    (lambda: view_slices.split(*CUBE, (5, -1), 2), "RuntimeError",
     "split_with_sizes expects split_sizes have only non-negative entries, but got "
     "split_sizes=[5, -1]"),
    (lambda: view_slices.split(*CUBE, (1, 4), -1), "RuntimeError",
     "split_with_sizes expects split_sizes to sum exactly to 4 (input tensor's size at dimension "
     "-1), but got split_sizes=[1, 4]"),
    (lambda: view_slices.chunk(*NUMBER, 0, 9), "RuntimeError",
     "chunk expects at least a 1-dimensional tensor"),
    (lambda: view_slices.chunk(*CUBE, 0, 9), "RuntimeError",
     "chunk expects `chunks` to be greater than 0, got: 0"),
    (lambda: view_slices.chunk(*CUBE, MOST), "RuntimeError",
     "split expects split_size be non-negative, but got split_size=-1"),
    (lambda: view_slices.unbind(*NUMBER, -1), "IndexError",
     "Dimension specified as 0 but tensor has no dimensions"),
    (lambda: view_slices.unbind(*NUMBER, 3), "IndexError", RANGE_0.format(3)),
]  # fmt: skip


def test_an_error_of_meta_has_other_words() -> None:
    for call, message in (
        (lambda: view_slices.slice(*CUBE, 2, 1, None, MOST),
         "numel: integer multiplication overflow"),
        (lambda: view_shapes.unsqueeze((0, 2), (1, 2**62), 1),
         "as_strided: Negative strides are not supported at the moment, got strides: "
         "[1, -9223372036854775808, 4611686018427387904]"),
    ):  # fmt: skip
        with pytest.raises(view_checks.DeviceError) as caught:
            call()
        assert str(caught.value.of(is_meta=True)) == message
        assert str(caught.value.of(is_meta=False)) != message


@pytest.mark.parametrize(("call", "cls", "message"), ERRORS)
def test_errors(call: Callable[[], object], cls: str, message: str) -> None:
    with pytest.raises((RuntimeError, IndexError), match=whole(message)) as caught:
        call()
    assert caught.type.__name__ == cls


def test_warnings_name_what_to_use_instead() -> None:
    assert view_shapes.T_WARNING.startswith(
        "The use of `x.T` on tensors of dimension other than 2 to"
    )
    assert view_shapes.T_WARNING.endswith("native/TensorShape.cpp:4314.)")
    assert view_shapes.ZERO_DIM_WARNINGS["adjoint"].startswith(
        "adjoint() is deprecated on 0-D tensors."
    )
    assert sorted(view_shapes.ZERO_DIM_WARNINGS) == ["H", "T", "adjoint", "mH", "mT"]


def test_elements_of_another_size() -> None:
    assert view_dtypes.view_dtype((2, 4), (4, 1), 2, 4, 8, "Float", "Double") == (
        (2, 2),
        (2, 1),
        1,
    )
    assert view_dtypes.view_dtype((2, 2), (0, 1), 1, 4, 2, "Float", "Short") == (
        (2, 4),
        (0, 1),
        2,
    )
    assert view_dtypes.view_dtype((), (), 1, 4, 4, "Float", "Int") == ((), (), 1)
    ending = " to view Float as Double (different element sizes)"
    for shape, stride, offset, message in [
        ((), (), 0, f"self.dim() cannot be 0{ending}"),
        ((2, 3), (3, 2), 1, f"self.size(-1) must be divisible by 2{ending}, but got 3"),
        ((2, 2), (3, 2), 1, f"self.storage_offset() must be divisible by 2{ending}, but got 1"),
        ((2, 2), (3, 2), 0, f"self.stride(-1) must be 1{ending}, but got 2"),
        ((1, 2), (3, 1), 0, f"self.stride(0) must be divisible by 2{ending}, but got 3"),
    ]:
        with pytest.raises(RuntimeError, match=whole(message)):
            view_dtypes.view_dtype(shape, stride, offset, 4, 8, "Float", "Double")
    with pytest.raises(RuntimeError, match=r"^self.stride\(-1\) must be 1 to view Float as Char"):
        view_dtypes.view_dtype((2,), (2,), 0, 4, 1, "Float", "Char")


def test_complex_and_real() -> None:
    assert view_dtypes.view_as_real((3, 2), (1, 3), 5, is_complex=True) == (
        (3, 2, 2),
        (2, 6, 1),
        10,
    )
    assert view_dtypes.view_as_complex((3, 2), (4, 1), 6, "Half") == ((3,), (2,), 3)
    assert view_dtypes.view_as_complex((1, 2), (3, 1), 0, "Float") == ((1,), (1,), 0)
    with pytest.raises(RuntimeError, match=r"^view_as_real is only supported for complex tensors$"):
        view_dtypes.view_as_real((), (), 0, is_complex=False, is_conj=True)
    with pytest.raises(RuntimeError, match=r"^view_as_real doesn't work on unresolved conj"):
        view_dtypes.view_as_real((), (), 0, is_complex=True, is_conj=True)
    for shape, stride, offset, dtype, message in [
        ((), (), 0, "Long",
         "view_as_complex is only supported for half, float and double tensors, but got a tensor "
         "of scalar type: Long"),
        ((), (), 0, "Float", "Input tensor must have one or more dimensions"),
        ((3,), (2,), 1, "Float", "Tensor must have a last dimension of size 2"),
        ((2,), (2,), 1, "Float", "Tensor must have a last dimension with stride 1"),
        ((0, 2), (3, 1), 1, "Float",
         "Tensor must have a stride divisible by 2 for all but last dimension"),
        ((1, 2), (3, 1), 1, "Float", "Tensor must have a storage_offset divisible by 2"),
    ]:  # fmt: skip
        with pytest.raises(RuntimeError, match=whole(message)):
            view_dtypes.view_as_complex(shape, stride, offset, dtype)


def test_parts_of_an_empty_dimension_that_no_vector_holds() -> None:
    x = impl.zeros(0)
    for call in (impl.chunk, impl.unsafe_chunk):
        with pytest.raises(RuntimeError, match="std::vector larger than max_size"):
            call(x, 2**62)
        assert len(call(x, 3)) == 3
