"""Properties of operators that combine elements: reductions, products, searches, new orders."""
