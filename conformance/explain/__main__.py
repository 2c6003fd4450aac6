"""Explains one program in a process of its own, which the subject may end: see `conformance.explain.command`."""

import sys

from .command import answer_into

if __name__ == "__main__":
    answer_into(*sys.argv[1:])
