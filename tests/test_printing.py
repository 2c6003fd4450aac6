"""The printing of tensors, on a stand-in with the attributes that printing reads."""

from math import inf, nan
from typing import Any, NoReturn

import pytest

import impl as torch
from impl._tensor.printing import (
    format_tensor,
    set_printoptions,
    tensor_text,
)

from .printed_tensor import (
    Derived,
    DerivedParameter,
    Parameter,
    SameName,
    Tensor,
    counting,
    on,
    options_are_restored,  # noqa: F401
)

INTEGERS_AND_FLOATS = [
    ([1, 2], torch.int64, "tensor([1, 2])"),
    ([1, -20], torch.int8, "tensor([  1, -20], dtype=torch.int8)"),
    ([2**64 - 1], torch.uint64, "tensor([18446744073709551615], dtype=torch.uint64)"),
    ([True, False], torch.bool, "tensor([ True, False])"),
    (5, torch.int64, "tensor(5)"),
    (1.5, torch.float32, "tensor(1.5000)"),
    (-0.0, torch.float32, "tensor(-0.)"),
    ([1.0, -0.0, 2.0], torch.float32, "tensor([1., -0., 2.])"),
    ([1.0, nan, -inf], torch.float32, "tensor([1., nan, -inf])"),
    ([100.0, nan], torch.float32, "tensor([100.,  nan])"),
    ([nan, inf, 0.0], torch.float32, "tensor([nan, inf, 0.])"),
    ([1.5, nan, -2.25], torch.float32, "tensor([ 1.5000,     nan, -2.2500])"),
    ([1.5, -0.0], torch.float32, "tensor([1.5000, -0.0000])"),
    ([0.1], torch.float64, "tensor([0.1000], dtype=torch.float64)"),
    ([0.5], torch.bfloat16, "tensor([0.5000], dtype=torch.bfloat16)"),
]
SCIENTIFIC = [
    ([1.0, 1000.0], "tensor([   1., 1000.])"),
    ([1.0, 1001.0], "tensor([1.0000e+00, 1.0010e+03])"),
    ([1.0e8], "tensor([100000000.])"),
    ([100000008.0], "tensor([1.0000e+08])"),
    ([1.0001e-4], "tensor([0.0001])"),
    ([9.99e-5], "tensor([9.9900e-05])"),
    ([9.99e-5, 0.0, inf], "tensor([9.9900e-05, 0.0000e+00,        inf])"),
    ([1.0, 0.0], "tensor([1., 0.])"),
    ([-1e300, 5e-324], "tensor([-1.0000e+300,  4.9407e-324])"),
]
COMPLEX = [
    ([1 + 2j, 3.5 - 4j], "tensor([1.0000+2.j, 3.5000-4.j])"),
    (1 - 2j, "tensor(1.-2.j)"),
    (complex(nan, nan), "tensor(nan+nanj)"),
    (complex(0.0, -0.0), "tensor(0.-0.j)"),
    ([complex(10, 100), complex(-1, -1)], "tensor([10.+100.j, -1.-1.j])"),
    ([complex(1, 1e9), complex(nan, -inf)], "tensor([1.+1.0000e+09j, nan-infj])"),
]


@pytest.mark.parametrize(("values", "dtype", "text"), INTEGERS_AND_FLOATS)
def test_integers_and_floats(values: Any, dtype: Any, text: str) -> None:
    assert repr(Tensor(values, dtype)) == text


@pytest.mark.parametrize(("values", "text"), SCIENTIFIC)
def test_the_numbers_choose_the_notation(values: Any, text: str) -> None:
    torch.set_default_dtype(torch.float64)
    assert repr(Tensor(values, torch.float64)) == text


@pytest.mark.parametrize(("values", "text"), COMPLEX)
def test_both_parts_of_complex_numbers_are_formatted(values: Any, text: str) -> None:
    assert repr(Tensor(values, torch.complex64)) == text


@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        ([2.0**-127], "[0.]"),
        ([2.0**-127, 1.0], "[0., 1.]"),
        ([2.0**-126], "[1.1755e-38]"),
        ([nan, 1.0], "[   nan, 1.0000]"),
        ([2.0**-126, nan], "[0.0000,    nan]"),
    ],
)
def test_float8_e8m0fnu_takes_its_smallest_for_zero_and_nan_for_finite(
    values: Any, numbers: str
) -> None:
    text = repr(Tensor(values, torch.float8_e8m0fnu))
    assert text == f"tensor({numbers}, dtype=torch.float8_e8m0fnu)"


def test_float4_shows_its_bytes() -> None:
    text = "tensor([  0., 255.], dtype=torch.float4_e2m1fn_x2)"
    assert repr(Tensor([0, 255], torch.float4_e2m1fn_x2)) == text


class Numberless(Tensor):
    def __getitem__(self, index: Any) -> "Numberless":
        return self

    def reshape(self, *shape: int) -> "Numberless":
        return self

    def item(self) -> NoReturn:
        raise NotImplementedError("no number")


@pytest.mark.parametrize(
    ("values", "dtype"),
    [([1], torch.bits8), ([[1]], torch.uint4), (1, torch.int7), (1, torch.float4_e2m1fn_x2)],
)
@pytest.mark.parametrize("threshold", [0, 1000])
def test_dtypes_without_numbers_fail_as_item_does(values: Any, dtype: Any, threshold: int) -> None:
    set_printoptions(threshold=threshold)
    with pytest.raises(NotImplementedError, match="no number"):
        repr(Numberless(values, dtype))


def test_dimensions_are_set_apart() -> None:
    assert repr(counting(2, 2)) == "tensor([[0, 1],\n        [2, 3]])"
    assert repr(counting(2, 1, 2)) == "tensor([[[0, 1]],\n\n        [[2, 3]]])"
    assert repr(counting(2, 1, 1, 1)) == "tensor([[[[0]]],\n\n\n        [[[1]]]])"


def test_rows_are_wrapped() -> None:
    set_printoptions(linewidth=20)
    assert repr(counting(6)) == "tensor([0, 1, 2, 3,\n        4, 5])"
    assert repr(counting(1, 5)) == "tensor([[0, 1, 2, 3,\n         4]])"
    set_printoptions(linewidth=-1)
    assert repr(counting(2)) == "tensor([0,\n        1])"
    assert repr(Tensor(7, torch.int8)) == "tensor(7,\n       dtype=torch.int8)"


def test_summaries() -> None:
    assert repr(counting(1000)).count(",") == 999
    assert repr(counting(1001)) == "tensor([   0,    1,    2,  ...,  998,  999, 1000])"
    set_printoptions(edgeitems=1, threshold=3)
    assert repr(counting(2, 3)) == "tensor([[0,  ..., 2],\n        [3,  ..., 5]])"
    assert repr(counting(3, 2)) == "tensor([[0, 1],\n        ...,\n        [4, 5]])"
    assert repr(counting(3, 1, 2)) == "tensor([[[0, 1]],\n\n        ...,\n\n        [[4, 5]]])"
    set_printoptions(edgeitems=True, threshold=2.5)
    assert repr(counting(3)) == "tensor([0,  ..., 2])"


def test_only_what_is_shown_decides_and_is_read() -> None:
    values = [0.5] * 1_000_000
    values[500] = 1e20
    Tensor.read = 0
    text = "tensor([0.5000, 0.5000, 0.5000,  ..., 0.5000, 0.5000, 0.5000])"
    assert repr(Tensor(values)) == text
    assert Tensor.read == 6


def test_without_edges_the_size_is_shown() -> None:
    set_printoptions(edgeitems=0)
    assert repr(counting(2)) == "tensor([0, 1], size=(2,))"
    assert repr(Tensor(1.0)) == "tensor(1., size=())"
    set_printoptions(edgeitems=0, threshold=0)
    assert repr(counting(2, 2)) == "tensor([...], size=(2, 2))"
    assert repr(Tensor(1.0)) == "tensor(1., size=())"


SUFFIXES = [
    (Tensor([]), "tensor([])"),
    (Tensor([], torch.int64), "tensor([], dtype=torch.int64)"),
    (Tensor([[], []]), "tensor([], size=(2, 0))"),
    (Tensor([1.0], requires_grad=True), "tensor([1.], requires_grad=True)"),
    (Tensor([1.0], device=on("cuda", 1)), "tensor([1.], device='cuda:1')"),
    (Tensor([1.0], device=on("meta")), "tensor(..., device='meta', size=(1,))"),
    (Tensor([], device=on("meta")), "tensor(..., device='meta', size=(0,))"),
    (
        Tensor(1, torch.int64, device=on("meta")),
        "tensor(..., device='meta', size=(), dtype=torch.int64)",
    ),
    (Parameter([1.0], requires_grad=True), "tensor([1.], requires_grad=True)"),
    (Derived([[1.0], [2.0]]), "Derived([[1.],\n         [2.]])"),
    (SameName([1.0]), "Tensor([1.])"),
    (DerivedParameter([1.0]), "Parameter(DerivedParameter([1.]))"),
    (Derived([1.0], _is_param=True), "Parameter(Derived([1.]))"),
]


@pytest.mark.parametrize(("tensor", "text"), SUFFIXES)
def test_what_the_numbers_do_not_tell(tensor: Tensor, text: str) -> None:
    assert repr(tensor) == text


def test_suffixes_are_wrapped() -> None:
    tensor = Tensor([1.0], torch.float64, requires_grad=True)
    # The first line has 33 characters with its comma; torch counts 34.
    set_printoptions(linewidth=34)
    assert repr(tensor).startswith("tensor([1.], dtype=torch.float64,\n")
    set_printoptions(linewidth=33)
    assert repr(tensor) == ("tensor([1.],\n       dtype=torch.float64,\n       requires_grad=True)")


def test_contents_take_the_place_of_the_numbers() -> None:
    half = Tensor([1.0], torch.float16)
    assert tensor_text(half, contents="x") == "tensor(x, dtype=torch.float16)"
    assert tensor_text(Tensor([1], torch.bits8), contents="") == "tensor(, dtype=torch.bits8)"
    assert tensor_text(Tensor([[]]), contents="x") == "tensor(x, size=(1, 0))"
    meta = Tensor([1.0], device=on("meta"))
    assert tensor_text(meta, contents="") == "tensor(, device='meta', size=(1,))"


@pytest.mark.parametrize(
    ("default", "printed"),
    [
        ("float32", {"float16", "float64", "complex32", "complex128"}),
        ("float64", {"float16", "float32", "complex32", "complex64"}),
        ("float16", {"float32", "float64", "complex32", "complex128"}),
    ],
)
def test_the_default_dtype_is_not_shown(default: str, printed: set[str]) -> None:
    torch.set_default_dtype(getattr(torch, default))
    names = {"float16", "float32", "float64", "complex32", "complex64", "complex128", "bool"}
    tensors = {name: Tensor([1.0], getattr(torch, name)) for name in names}
    assert {name for name, tensor in tensors.items() if "dtype=" in repr(tensor)} == printed


class MulBackward0:
    pass


class CppFunction:
    def name(self) -> str:
        return "torch::autograd::Own"


class Rebased(Tensor):
    __module__ = "elsewhere"
    grad_fn = property(lambda self: self.fail(), lambda self, value: None)

    def fail(self) -> NoReturn:
        raise RuntimeError("a view was written to")


def test_grad_fn_is_named() -> None:
    for grad_fn, name in ((MulBackward0(), "MulBackward0"), (CppFunction(), "Own")):
        tensor = Tensor([1.0], grad_fn=grad_fn, requires_grad=True)
        assert repr(tensor) == f"tensor([1.], grad_fn=<{name}>)"
    assert repr(Rebased([1.0], requires_grad=True)) == "Rebased([1.], grad_fn=<Invalid>)"


class Sparse(Tensor):
    __module__ = "elsewhere"

    def __init__(self, layout: str, parts: dict[str, Tensor], **attributes: Any) -> None:
        super().__init__([[0.0, 2.0], [0.0, 0.0]], torch.float64, layout=layout, **attributes)
        for name, part in parts.items():
            setattr(self, name, lambda part=part: part)

    def _nnz(self) -> int:
        return 1


def test_sparse_tensors_show_their_parts() -> None:
    parts = {"_indices": Tensor([[0], [1]], torch.int64), "_values": Tensor([2.0])}
    assert repr(Sparse("torch.sparse_coo", parts)) == (
        "Sparse(indices=tensor([[0],\n"
        "                       [1]]),\n"
        "       values=tensor([2.]),\n"
        "       size=(2, 2), nnz=1, dtype=torch.float64, layout=torch.sparse_coo)"
    )
    parts = {
        "crow_indices": Tensor([0, 1, 1], torch.int64),
        "col_indices": Tensor([1], torch.int64),
        "values": Tensor([]),
    }
    assert repr(Sparse("torch.sparse_csr", parts)) == (
        "Sparse(crow_indices=tensor([0, 1, 1]),\n"
        "       col_indices=tensor([1]),\n"
        "       values=tensor([], size=(0,)), size=(2, 2), nnz=1, dtype=torch.float64,\n"
        "       layout=torch.sparse_csr)"
    )
    assert repr(Sparse("torch.sparse_csr", parts, device=on("meta"))) == (
        "Sparse(crow_indices=tensor(..., size=(3,)),\n"
        "       col_indices=tensor(..., size=(1,)),\n"
        "       values=tensor(..., size=(0,)), device='meta', size=(2, 2),\n"
        "       dtype=torch.float64, layout=torch.sparse_csr)"
    )


class Quantized(Tensor):
    __module__ = "impl"
    is_quantized = True

    def qscheme(self) -> str:
        return self.scheme  # type: ignore[attr-defined,no-any-return]

    def q_scale(self) -> float:
        return 0.5

    def q_zero_point(self) -> int:
        return 3

    def q_per_channel_scales(self) -> Tensor:
        return Tensor([0.5])

    def q_per_channel_zero_points(self) -> Tensor:
        return Tensor([3], torch.int64)

    def q_per_channel_axis(self) -> int:
        return 0

    def dequantize(self) -> Tensor:
        return Tensor(self.values)


def test_quantized_tensors_show_their_scheme() -> None:
    set_printoptions(linewidth=200)
    assert repr(Quantized([1.5], torch.qint8, scheme="torch.per_tensor_affine")) == (
        "Quantized([1.5000], size=(1,), dtype=torch.qint8,"
        " quantization_scheme=torch.per_tensor_affine, scale=0.5, zero_point=3)"
    )
    assert repr(Quantized([1.5], torch.qint8, scheme="torch.per_channel_affine")) == (
        "Quantized([1.5000], size=(1,), dtype=torch.qint8,"
        " quantization_scheme=torch.per_channel_affine, scale=tensor([0.5000]),"
        " zero_point=tensor([3]), axis=0)"
    )


def test_numbers_are_formatted_and_other_tensors_are_not() -> None:
    assert format_tensor(Tensor(2.5), ".3f") == "2.500"
    assert format_tensor(Tensor(2.5), "") == "2.5"
    assert format_tensor(Tensor([2.5]), "") == "tensor([2.5000])"
    assert format_tensor(Tensor(2.5, device=on("meta")), "").startswith("tensor(...")
    assert format_tensor(Parameter(2.5), "") == "tensor(2.5000)"
    with pytest.raises(TypeError, match=r"^unsupported format string passed to Tensor\.__format__"):
        format_tensor(Tensor([2.5]), ".3f")
    for tensor in (Tensor(2.5), Tensor([2.5])):
        with pytest.raises(TypeError, match=r"^__format__\(\) argument must be str, not int"):
            format_tensor(tensor, 5)
