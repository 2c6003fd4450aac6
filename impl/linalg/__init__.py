"""torch.linalg: norms, products, decompositions and solutions of equations.

As in torch the module has no ``__all__``: an asterisk imports all its names.
"""
# ruff: noqa: F401

from .._ops.linalg.decompositions import cholesky, eigh, eigvalsh, qr, svd, svdvals
from .._ops.linalg.eigenvalues import eig, eigvals
from .._ops.linalg.errors import LinAlgError
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
from .._ops.linalg.pseudoinverse import matrix_rank, pinv
from .._ops.linalg.solvers import det, inv, slogdet, solve
from .._ops.linalg.vector_norm import vector_norm
