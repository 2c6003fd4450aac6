"""The process in which `command.check` looks at a subject, which may end it."""

import sys

from .command import look_into

if __name__ == "__main__":
    look_into(*sys.argv[1:])
