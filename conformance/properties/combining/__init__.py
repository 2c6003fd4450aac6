"""Properties of operators that combine elements: reductions, selections, products, searches."""
