"""What torch's convolutions refuse, in its order (Convolution.cpp, ConvUtils.h)."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from ... import (
    Tensor,
    float32,
    get_num_threads,
    int8,
    int16,
    int32,
    int64,
    uint8,
)
from ..._arrays.cpu_capability import one_dnn_takes
from ..._ops.common.type_strings import type_string
from ..._runtime.errors import check
from ..._tensor.sparse_missing import could_not_run
from .common import FLOATS, cpp_name

_INTEGERS = (uint8, int8, int16, int32, int64)
_ONE_DNN = " or input should be a MKLDNN tensor and {} is a dense tensor"


class Params(NamedTuple):
    """The numbers of a convolution; a list of one counts for all spatial dimensions."""

    stride: Sequence[int]
    padding: Sequence[int]
    dilation: Sequence[int]
    groups: int

    def expanded(self, rank: int) -> "Params":
        """Return the numbers with one for each spatial dimension."""
        lists: list[list[int]] = []
        for name, values in zip(self._fields[:3], self[:3], strict=True):
            check(
                len(values) in (1, rank),
                lambda name=name, values=values: (  # type: ignore[misc]
                    f"expected {name} to be a single integer value or a list of {rank} values to"
                    f" match the convolution dimensions, but got {name}={[*values]}"
                ),
            )
            lists.append([*values] * (rank if len(values) == 1 else 1))
        stride, padding, dilation = lists
        return Params(stride, padding, dilation, self.groups)


def shape_of(tensor: Tensor) -> list[int]:
    """Return a shape with two spatial dimensions for one, as torch's kernels have (view4d)."""
    shape = [*tensor.shape]
    return shape if len(shape) > 3 else [*shape[:2], 1, *shape[2:]]


def check_dense(tensor: Tensor, name: str) -> None:
    """Raise if a tensor is sparse, which has no memory format."""
    words = "".join(word.capitalize() for word in name.removesuffix("_format").split("_"))
    check(not tensor.is_sparse, lambda: f"unsupported memory format option {words}")


def check_shapes(input: Tensor, weight: Tensor, bias: Tensor | None, params: Params) -> None:
    """Raise if the shapes and numbers are not those of a convolution (check_shape_forward)."""
    groups, shape = params.groups, [*weight.shape]
    for values, least, text in (
        (params.padding, 0, "negative padding is not supported"),
        (params.stride, 1, "non-positive stride is not supported"),
        (params.dilation, 0, "dilation should be greater than zero"),
    ):
        check(min(values) >= least, lambda text=text: text)  # type: ignore[misc]
    check_rank(input, weight, space=" ")
    given = f"Given groups={groups}, "
    check(
        shape[0] >= groups,
        lambda: (
            f"{given}expected weight to be at least {groups} at dimension 0, but got weight of size"
            f" {shape} instead"
        ),
    )
    check(
        shape[0] % groups == 0,
        lambda: (
            f"{given}expected weight to be divisible by {groups} at dimension 0, but got weight of"
            f" size [{shape}] instead"
        ),
    )
    check(
        input.size(1) == shape[1] * groups,
        lambda: (
            f"{given}weight of size {shape}, expected input{[*input.shape]} to have"
            f" {shape[1] * groups} channels, but got {input.size(1)} channels instead"
        ),
    )
    check(
        bias is None or (bias.dim() == 1 and bias.size(0) == shape[0]),
        lambda: (
            f"Given weight of size {shape}, expected bias to be 1-dimensional with {shape[0]}"
            f" elements, but got bias of size {[*bias.shape]} instead"  # type: ignore[union-attr]
        ),
    )
    outer = [n + 2 * pad for n, pad in zip(input.shape[2:], params.padding, strict=True)]
    inner = [step * (n - 1) + 1 for n, step in zip(shape[2:], params.dilation, strict=True)]
    check_kernel_fits(outer, inner)


def check_rank(input: Tensor, weight: Tensor, *, space: str) -> None:
    """Raise if the input has another number of dimensions than the weight."""
    rank = weight.dim()
    check(
        rank == input.dim(),
        lambda: (
            f"Expected {rank}-dimensional input for {rank}-dimensional weight{space}"
            f"{[*weight.shape]}, but got {input.dim()}-dimensional input of size"
            f" {[*input.shape]} instead"
        ),
    )


def check_kernel_fits(outer: list[int], inner: list[int]) -> None:
    """Raise if the padded input is smaller than the kernel with its gaps."""

    def text(sizes: list[int]) -> str:
        return " x ".join(map(str, sizes))

    check(
        all(size >= kernel for size, kernel in zip(outer, inner, strict=True)),
        lambda: (
            f"Calculated padded input size per channel: ({text(outer)}). Kernel size:"
            f" ({text(inner)}). Kernel size can't be greater than actual input size"
        ),
    )


def check_kernel(
    input: Tensor, weight: Tensor, bias: Tensor | None, params: Params, name: str
) -> None:
    """Raise if the kernel that torch selects has no such dtypes or sizes."""
    kernel = shape_of(weight)[2:]
    if input.is_meta:
        raise NotImplementedError(
            "convolution_overrideable not implemented. You are likely triggering this with tensor"
            " backend other than CPU/CUDA/MKLDNN, if this is intended, please use"
            " TORCH_LIBRARY_IMPL to override this function "
        )
    if runs_in_one_dnn(input, weight, params):
        check_same_types(input, weight, bias, one_dnn=True)
        check_dense(input, name)
        check(0 not in params.dilation, lambda: "non-positive dilation is not supported")
        check(
            all(kernel),
            lambda: (
                "could not create a primitive descriptor for the convolution forward propagation"
                " primitive. Run workload with environment variable ONEDNN_VERBOSE=all to get"
                " additional diagnostic information."
            ),
        )
        return
    dtype, is_dilated = input.dtype, any(step != 1 for step in params.dilation)
    if len(kernel) == 3 and not is_dilated and (input.is_sparse or weight.is_sparse):
        raise could_not_run("slow_conv3d_forward", "SparseCPU")
    check_dense(input, name)
    check_dense(weight, name)
    text, function = _kernel_text(kernel, is_dilated)
    check(all(kernel), lambda: f"kernel size should be greater than zero, but got{text}")
    check(
        0 not in params.dilation,
        lambda: (
            "dilation should be greater than zero, but got"
            f" {[1] * (len(kernel) - len(params.dilation)) + [*params.dilation]}"
        ),
    )
    if dtype not in FLOATS and dtype not in ((int64,) if is_dilated else _INTEGERS):
        raise NotImplementedError(f"\"{function}\" not implemented for '{cpp_name(input.dtype)}'")
    if weight.dtype is not dtype:
        raise RuntimeError(
            f"expected scalar type {cpp_name(input.dtype)} but found {cpp_name(weight.dtype)}"
        )


def _kernel_text(kernel: list[int], is_dilated: bool) -> tuple[str, str]:
    """Return the size of a kernel in the words of torch's function, and that function's name."""
    if is_dilated:
        return f" {kernel}", "slow_conv_dilated<>"
    if len(kernel) == 3:
        return f": {' x '.join(map(str, kernel))} (TxHxW)", "compute_columns3d"
    return f" kernel_height: {kernel[0]} kernel_width: {kernel[1]}", "slow_conv2d_cpu"


def runs_in_one_dnn(input: Tensor, weight: Tensor, params: Params) -> bool:
    """Return whether torch lets oneDNN convolve (use_mkldnn), which small tensors do not pay."""
    if input.dtype is not float32:
        return one_dnn_takes(str(input.dtype).removeprefix("torch."))
    is_single = weight.shape[-2:] == (1, 1) and {*params.stride, *params.dilation} == {1}
    if is_single and input.size(0) < 16 and get_num_threads() == 1:
        return False
    is_large = input.numel() > 20480 or all(size > 3 for size in weight.shape[-2:])
    return params.groups > 1 or input.size(0) > 1 or is_large


def check_same_types(input: Any, weight: Any, bias: Any, *, one_dnn: bool) -> None:
    """Raise if a parameter has another dtype, layout or device than the input."""
    for name, other in (("weight", weight), ("bias", bias)):
        if other is not None and type_string(other) != type_string(input):
            raise RuntimeError(
                f"Input type ({type_string(input)}) and {name} type ({type_string(other)}) should"
                f" be the same{_ONE_DNN.format(name) if one_dnn else ''}"
            )
