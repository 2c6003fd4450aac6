"""Elements in another order or place: sort, flip, roll, diagonals, triangles, complex parts."""
