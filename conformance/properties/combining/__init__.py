"""Properties of operators that combine elements: reductions, selections and products."""
