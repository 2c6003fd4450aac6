"""The process of one explanation, which a subject may end; see `conformance.explain.command`."""

import sys

from .command import answer_into

if __name__ == "__main__":
    answer_into(*sys.argv[1:])
