"""The specification's clauses, the public surface and code digests."""
