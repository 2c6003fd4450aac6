"""Print what `impl/_runtime/export_table.py` has to be: which module makes which of impl's late names."""

import runpy
import sys
from importlib import import_module
from pathlib import Path
from textwrap import wrap

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from impl._runtime.lazy_exports import MEMBERS_BY_CLASS, PUBLIC  # noqa: E402

WIDTH = 100
Contents = dict[str, dict[str, list[str]]]


def contents() -> Contents:
    """Load the modules one by one, from the first, and note what each makes: of a class, or public ("")."""
    seen: dict[tuple[str, str], object] = {}
    homes: dict[tuple[str, str], str] = {}
    order = runpy.run_path(str(ROOT / "tests" / "test_import_order.py"))
    for module in order["bottom_up"](order["IMPL"]):
        if not module.startswith("impl._"):
            continue  # torch's own modules export what these make
        import_module(module.removesuffix(".__init__"))
        for owner, made in {"": PUBLIC, **MEMBERS_BY_CLASS}.items():
            for name, value in made.items():
                if seen.get((owner, name)) is not value:
                    seen[owner, name] = value
                    homes[owner, name] = module.removeprefix("impl.")
    found: Contents = {}
    for (owner, name), home in sorted(homes.items()):
        found.setdefault(owner, {}).setdefault(home, []).append(name)
    return found


def rows(homes: dict[str, list[str]], indent: str) -> list[str]:
    """Write what modules make, a row for each."""
    lines = []
    for home, names in sorted(homes.items()):
        text = " ".join(names)
        short = f'{indent}"{home}": "{text}",'
        if len(short) <= WIDTH:
            lines.append(short)
            continue
        # Quotes and a space before the words take three places.
        room = WIDTH - len(indent) - 4
        parts = [text] if len(text) + 2 <= room else wrap(text, room - 3, break_on_hyphens=False)
        lines.append(f'{indent}"{home}": (')
        lines += [f'{indent}    "{" " * (place > 0)}{part}"' for place, part in enumerate(parts)]
        lines.append(f"{indent}),")
    return lines


def written(found: Contents) -> str:
    """Write the module."""
    lines = [
        '"""Which module makes what, so that it is loaded when it is first asked for.',
        "",
        "Written by ``python tests/stubs/write.py``, which loads them all.",
        '"""',
        "",
        "PUBLIC = {",
        *rows(found.pop(""), "    "),
        "}",
        '"""The names that modules put into `lazy_exports.PUBLIC`."""',
        "",
        "MEMBERS = {",
    ]
    for owner, homes in sorted(found.items()):
        lines += [f'    "{owner}": {{', *rows(homes, "        "), "    },"]
    return "\n".join([*lines, "}", '"""The attributes of classes."""', ""])


if __name__ == "__main__":
    print(written(contents()), end="")
