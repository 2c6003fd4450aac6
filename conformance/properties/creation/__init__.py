"""Properties of the functions that create tensors."""
