"""The exceptions that end a run, or a part of it."""


class CouldNotRun(Exception):
    """The suite could not run; the message is one line."""


class NoProgram(Exception):
    """A step is no Python: the suite asks nothing by it, as every library answers it alike."""
