"""Print the text of `impl/_runtime/export_table.py`: the modules of lazily resolved names."""

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
    """Return class ("" for public names) -> module -> names, by importing the modules in order."""
    known: dict[tuple[str, str], object] = {}
    modules: dict[tuple[str, str], str] = {}
    order = runpy.run_path(str(ROOT / "tests" / "test_import_order.py"))
    for module in order["bottom_up"](order["IMPL"]):
        if not module.startswith("impl._"):
            continue  # public modules only re-export
        import_module(module.removesuffix(".__init__"))
        for owner, members in {"": PUBLIC, **MEMBERS_BY_CLASS}.items():
            for name, value in members.items():
                if known.get((owner, name)) is not value:
                    known[owner, name] = value
                    modules[owner, name] = module.removeprefix("impl.")
    table: Contents = {}
    for (owner, name), module in sorted(modules.items()):
        table.setdefault(owner, {}).setdefault(module, []).append(name)
    return table


def rows(modules: dict[str, list[str]], indent: str) -> list[str]:
    """Return the lines of a table, one row per module."""
    lines = []
    for module, names in sorted(modules.items()):
        text = " ".join(names)
        short = f'{indent}"{module}": "{text}",'
        if len(short) <= WIDTH:
            lines.append(short)
            continue
        # Quotes and a space before the names take three columns.
        room = WIDTH - len(indent) - 4
        parts = [text] if len(text) + 2 <= room else wrap(text, room - 3, break_on_hyphens=False)
        lines.append(f'{indent}"{module}": (')
        lines += [f'{indent}    "{" " * (index > 0)}{part}"' for index, part in enumerate(parts)]
        lines.append(f"{indent}),")
    return lines


def module_text(table: Contents) -> str:
    """Return the text of the module."""
    lines = [
        '"""The modules of lazily resolved names, written by ``python tests/stubs/write.py``."""',
        "",
        "PUBLIC = {",
        *rows(table.pop(""), "    "),
        "}",
        '"""Module -> the names that it adds to `lazy_exports.PUBLIC`."""',
        "",
        "MEMBERS = {",
    ]
    for owner, modules in sorted(table.items()):
        lines += [f'    "{owner}": {{', *rows(modules, "        "), "    },"]
    return "\n".join(
        [*lines, "}", '"""Class -> module -> the class members that it defines."""', ""]
    )


if __name__ == "__main__":
    print(module_text(contents()), end="")
