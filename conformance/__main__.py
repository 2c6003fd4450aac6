"""The entry of the command line ``python -m conformance``; see `conformance.cli.commands`."""

import sys


def main() -> int:
    """Run a command and return its exit status; it is 2 if a package is missing."""
    try:
        from .cli import commands
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "conformance":
            raise
        install = 'python -m pip install -e ".[suite,oracle]"'
        print(f"conformance: {error.name!r} is not installed; run {install}", file=sys.stderr)
        return 2
    return commands.main()


if __name__ == "__main__":
    sys.exit(main())
