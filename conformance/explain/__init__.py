"""The command ``explain``: the results of both libraries, and the rules behind the oracle's."""
