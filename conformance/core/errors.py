"""The one error that ends a run before it can say anything about the subject."""


class CouldNotRun(Exception):
    """The suite could not run; the message says why in one line."""
