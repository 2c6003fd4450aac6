"""Legacy tensor types, typed storage classes and their casts."""
