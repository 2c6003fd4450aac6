"""Products of matrices and vectors: mm, bmm, mv, dot, matmul, their sums with a tensor, and kin."""
