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
    max,
    max_out,
    min,
    min_out,
    sort,
    sort_out,
)

__all__ = [
    "all_return_types", "aminmax", "aminmax_out", "cummax", "cummax_out", "cummin", "cummin_out",
    "frexp", "frexp_out", "max", "max_out", "min", "min_out", "sort", "sort_out",
]  # fmt: skip
