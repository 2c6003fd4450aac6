"""Random number streams and generators."""
