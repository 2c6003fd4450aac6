"""torch.linalg: norms and products of vectors and matrices.

As in torch the module has no ``__all__``: an asterisk imports all its names.
"""
# ruff: noqa: F401

from .._ops.linalg.norms import matrix_norm, norm
from .._ops.linalg.products import (
    cross,
    diagonal,
    matmul,
    matrix_power,
    multi_dot,
    vander,
    vecdot,
)
from .._ops.linalg.singular_values import LinAlgError
from .._ops.linalg.vector_norm import vector_norm
