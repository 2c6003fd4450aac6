"""torch.nn.functional: linear functions and embeddings."""

from collections.abc import Callable
from math import prod
from typing import Any

from ... import Tensor, addmm, arange, int32, int64, matmul, no_grad
from ..._argparser.parser import Parser
from ..._ops.common.type_strings import type_string
from ..._runtime.errors import check
from .common import with_grad_fn

_parse_linear = Parser("linear(Tensor input, Tensor weight, Tensor? bias=None)")


def linear(*args: Any, **kwargs: Any) -> Tensor:
    """linear(input, weight, bias=None): return ``input @ weight.T + bias`` (Linear.cpp)."""
    input, weight, bias = _parse_linear(args, kwargs)
    rank = input.dim()
    check(
        rank and weight.dim(),
        lambda: (
            f"both arguments to linear need to be at least 1D, but they are {rank}D and"
            f" {weight.dim()}D"
        ),
    )
    if bias is None:
        return matmul(input, weight.t())
    if rank == 2:
        return addmm(bias, input, weight.t())
    if bias.dim() == 1 and weight.dim() == 2 and input.is_contiguous():
        *outer, size = input.shape
        flat = addmm(bias, input.reshape(prod(outer), size), weight.t())
        return flat.view(*outer, flat.size(1))
    product = matmul(input, weight.t())
    # Biases on meta and sparse ones count as subclasses (TensorSubclassLikeUtils.h).
    return product.add(bias) if bias.is_meta or bias.is_sparse else product.add_(bias)


def padding_index(padding_idx: int | None, size: Callable[[], int]) -> int | None:
    """Return the index of the vector of padding, counted from the start."""
    if padding_idx is None:
        return None
    is_outside = False
    if padding_idx > 0:
        is_outside = padding_idx >= size()
    elif padding_idx < 0:
        is_outside = padding_idx < -size()
    if is_outside:
        raise AssertionError("Padding_idx must be within num_embeddings")
    return size() + padding_idx if padding_idx < 0 else padding_idx


_parse_embedding = Parser(
    "embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1,"
    " bool scale_grad_by_freq=False, bool sparse=False)"
)


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """Return the rows of ``weight`` at the indices in ``input`` (Embedding.cpp)."""
    padding = padding_index(padding_idx, lambda: weight.size(0))
    padding = -1 if padding is None else padding
    if max_norm is not None:
        input = input.contiguous()
        raise NotImplementedError("impl does not renormalize the rows of an embedding (max_norm)")
    options = padding, scale_grad_by_freq, sparse
    weight, indices, *_ = _parse_embedding((weight, input, *options), {})
    is_on_meta = weight.is_meta or indices.is_meta
    if weight.dim() != 2:
        if is_on_meta:  # torch/_decomp/decompositions.py
            raise AssertionError(f"'weight' must be 2-D, got {weight.dim()}-D")
        raise RuntimeError("'weight' must be 2-D")
    check(
        indices.dtype in (int64, int32),
        lambda: (
            "Expected tensor for argument #1 'indices' to have one of the following scalar types:"
            " Long, Int; but got "
            + (
                f"{indices.dtype} instead"
                if is_on_meta
                else f"{type_string(indices)} instead (while checking arguments for embedding)"
            )
        ),
    )
    with no_grad():
        rows = weight.index_select(0, indices.reshape(-1))
        result = rows if indices.dim() == 1 else rows.view(*indices.shape, weight.size(1))
    return with_grad_fn(result, (weight,), "EmbeddingBackward0")


_parse_one_hot = Parser("one_hot(Tensor input, int64_t num_classes=-1)")


def one_hot(*args: Any, **kwargs: Any) -> Tensor:
    """one_hot(input, num_classes=-1): return a row of zeros and a one for each index.

    By default there are as many classes as the largest index needs (Onehot.cpp).
    """
    indices, classes = _parse_one_hot(args, kwargs)
    check(
        indices.dtype is int64,
        lambda: "one_hot is only applicable to index tensor of type LongTensor.",
    )
    if indices.is_meta:
        if classes == -1:
            indices.max().item()
        arange(classes, device=indices.device)  # raises for negative numbers
        return indices.new_empty([*indices.shape, classes])  # type: ignore[no-any-return]
    if not indices.numel():
        check(classes > 0, lambda: "Can not infer total number of classes from empty tensor.")
        return indices.new_empty([*indices.shape, classes])  # type: ignore[no-any-return]
    least, largest = (int(x) for x in indices.aminmax())
    check(least >= 0, lambda: "Class values must be non-negative.")
    if classes == -1:
        classes = largest + 1
    check(classes > largest, lambda: "Class values must be smaller than num_classes.")
    result: Tensor = indices.new_empty([*indices.shape, classes]).zero_()
    return result.scatter_(-1, indices.unsqueeze(-1), 1)
