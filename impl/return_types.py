"""torch.return_types: the structseq types of functions with several results."""

from ._tensor.structseq import (
    all_return_types,
    aminmax,
    aminmax_out,
    cummax,
    cummax_out,
    cummin,
    cummin_out,
    frexp,
    frexp_out,
    histogram,
    histogram_out,
    kthvalue,
    kthvalue_out,
    max,
    max_out,
    median,
    median_out,
    min,
    min_out,
    mode,
    mode_out,
    nanmedian,
    nanmedian_out,
    sort,
    sort_out,
    topk,
    topk_out,
)

__all__ = [
    "all_return_types", "aminmax", "aminmax_out", "cummax", "cummax_out", "cummin", "cummin_out",
    "frexp", "frexp_out", "histogram", "histogram_out", "kthvalue", "kthvalue_out", "max",
    "max_out", "median", "median_out", "min", "min_out", "mode", "mode_out", "nanmedian",
    "nanmedian_out", "sort", "sort_out", "topk", "topk_out",
]  # fmt: skip
