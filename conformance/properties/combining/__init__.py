"""Properties of operators that combine elements: reductions, selections, orders and products."""
