"""The command ``python -m clients``, which writes a table of tests that pass with torch and impl.

Exit status: 0 if the table was written, also where tests fail; 1 if no test passes with torch.
"""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

from .packages import PACKAGES, Package
from .programs import run_programs
from .report import Outcome, markdown
from .running import run_package


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all tests on both sides, and write the document; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m clients", description=__doc__)
    parser.add_argument("--only", action="append", choices=[p.name for p in PACKAGES], default=[])
    parser.add_argument("--output", type=Path, default=Path("docs/clients.md"))
    options = parser.parse_args(arguments)
    chosen: list[Package] = [p for p in PACKAGES if not options.only or p.name in options.only]
    outcomes: list[Outcome] = []
    with tempfile.TemporaryDirectory(prefix="clients-") as folder:
        for package in chosen:
            print(f"{package.name} ...", flush=True)
            outcomes.append(run_package(package, Path(folder, package.name)))
    if not options.only:
        outcomes.append(run_programs(Path("docs/programs")))
    text = markdown(outcomes)
    options.output.write_text(text, encoding="utf-8")
    print(text)
    return 0 if any(outcome.passed("torch") for outcome in outcomes) else 1


if __name__ == "__main__":
    raise SystemExit(main())
