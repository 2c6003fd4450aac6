"""The exception that ends a run before any result."""


class CouldNotRun(Exception):
    """The suite could not run; the message is one line."""
