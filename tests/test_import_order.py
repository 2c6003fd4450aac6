"""The import order of the packages.

``Sources``: dotted name of a module -> its text.  The name of a package's own file is
``package.__init__``.  Each checker returns a line for each offence.
"""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
Sources = Mapping[str, str]

IMPL_ORDER = [
    "impl._runtime",
    "impl._dtypes",
    "impl._argparser",
    "impl._arrays",
    "impl._codegen",
    "impl._devices",
    "impl._numerics",
    "impl._geometry",
    "impl._autograd",
    "impl._kernels",
    "impl._storage",
    "impl._tensor",
    "impl._random",
    "impl._ops.common",
    "impl._ops.views",
    "impl._ops.creation",
    "impl._ops.elementwise",
    "impl._ops.reduction",
    "impl._ops.arrangement",
    "impl._ops.indexing",
    "impl._ops.scatter",
    "impl._ops.products",
    "impl._ops.linalg",
    "impl._ops.searching",
    "impl._ops.methods",
    "impl._ops.random",
    "impl._ops.sparse",
    "impl._legacy",
    "impl._testing",
    "impl._accelerators",
    "impl._serialization",
    "impl._overrides",
    "impl",
]
"""The packages of impl: a module imports only from its own package and those before it."""

CONFORMANCE_ORDER = [
    "conformance.adapter",
    "conformance.core",
    "conformance.spec",
    "conformance.rules",
    "conformance.generators",
    "conformance.libraries",
    "conformance.observation",
    "conformance.comparison",
    "conformance.recording",
    "conformance.engine",
    "conformance.properties",
    "conformance.report",
    "conformance.controls",
    "conformance.explain",
    "conformance.scheduling",
    "conformance.check",
    "conformance.sweep",
    "conformance.cli",
    "conformance.adapters",
    "conformance",
]
"""The packages of conformance, in the same order."""

PURE = {
    "conformance.core.formatting", "conformance.core.differences", "conformance.core.selection",
}  # fmt: skip
"""The modules of the suite that every module of reports may import."""

MAY_BE_IMPORTED_BY_REPORTS = {
    "conformance.report.files": {"conformance.core.errors"},
    "conformance.report.baseline": {"conformance.core.errors"},
    "conformance.report.matrix.model": {"conformance.core.errors"},
}
"""Further modules of the suite that the modules of reports may import."""


class Import(NamedTuple):
    """One import: the importing module, the imported module, and the position."""

    module: str
    target: str
    line: int
    inside_function: bool

    def __str__(self) -> str:
        return f"{self.module}:{self.line} imports {self.target}"


def sources_of(folder: str) -> dict[str, str]:
    """Return the sources of a folder of the repository."""
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts): path.read_text(encoding="utf-8")
        for path in sorted((ROOT / folder).rglob("*.py"))
    }


def imports(sources: Sources) -> Iterator[Import]:
    """Yield all imports of all modules."""
    for module, text in sources.items():
        tree = ast.parse(text)
        inner = {
            node
            for function in ast.walk(tree)
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
            for node in ast.walk(function)
        }
        for node in ast.walk(tree):
            for target in targets(node, module, sources):
                yield Import(module, target, node.lineno, node in inner)


def targets(node: ast.AST, module: str, sources: Sources) -> Iterator[str]:
    """Yield the modules that a statement imports, as named in ``sources`` if they are there."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield module_name(alias.name, sources)
    elif isinstance(node, ast.ImportFrom):
        above = module.split(".")[: -node.level or None] if node.level else []
        base = ".".join([*above, *filter(None, [node.module])])
        for alias in node.names:
            inside = module_name(f"{base}.{alias.name}", sources)
            yield inside if inside in sources else module_name(base, sources)


def module_name(name: str, sources: Sources) -> str:
    """Return the name of a module in ``sources``."""
    return f"{name}.__init__" if f"{name}.__init__" in sources else name


def package_of(module: str, order: Sequence[str]) -> str:
    """Return the package in ``order`` that a module belongs to."""
    name = module.removesuffix(".__init__")
    inside = [package for package in order if name == package or name.startswith(f"{package}.")]
    return max(inside, key=len, default="")


def upward_imports(sources: Sources, order: Sequence[str]) -> list[str]:
    """Return the imports from packages later in ``order``, by statement or by string."""
    rank = {package: index for index, package in enumerate(order)}
    rank[""] = len(order)
    return [
        str(statement)
        for statement in (*imports(sources), *imports_by_string(sources))
        if statement.target in sources
        and rank[package_of(statement.target, order)] > rank[package_of(statement.module, order)]
    ]


def imports_by_string(sources: Sources) -> Iterator[Import]:
    """Yield the strings that name a module: absolute, or relative to PACKAGE or __name__."""
    for module, text in sources.items():
        if module in WRITTEN:
            continue
        tree = ast.parse(text)
        labels = {
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).endswith("__module__")
        }
        for node in ast.walk(tree):
            name = named_module(node, module) if node not in labels else ""
            if (target := module_name(name, sources)) in sources:
                yield Import(module, target, node.lineno, inside_function=False)


def named_module(node: ast.AST, module: str) -> str:
    """Return the dotted name in a string, or an empty string."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and "." in node.value:
        return node.value
    if not isinstance(node, ast.JoinedStr) or len(node.values) != 2:
        return ""
    base, rest = node.values
    if not (isinstance(base, ast.FormattedValue) and isinstance(rest, ast.Constant)):
        return ""
    package = module.removesuffix(".__init__")
    bases = {
        "PACKAGE": module.partition(".")[0],
        "__name__": package,
        "__package__": package if module.endswith(".__init__") else package.rpartition(".")[0],
    }
    return bases.get(ast.unparse(base.value), "") + str(rest.value)


WRITTEN = ("impl._runtime.export_table", "impl._runtime.lazy_exports", "impl.__init__")
"""The modules that locate public names and the names of old pickles.  They name all others."""


def crowded(sources: Sources, most: int) -> list[str]:
    """Return the packages with more than ``most`` files, without ``__init__``."""
    files = Counter(
        module.rpartition(".")[0] for module in sources if not module.endswith(".__init__")
    )
    return [f"{package} has {count} files" for package, count in files.items() if count > most]


def cycles(sources: Sources) -> list[str]:
    """Return a line with a cycle of imports, if there is one."""
    try:
        bottom_up(sources)
    except CycleError as error:
        return [" <- ".join(error.args[1])]
    return []


def bottom_up(sources: Sources) -> list[str]:
    """Return all modules in topological order, imported modules first."""
    graph: dict[str, set[str]] = {module: set() for module in sources}
    for statement in imports(sources):
        if statement.target in sources:
            graph[statement.module].add(statement.target)
    # Importing a module imports its package first.
    for module, needed in graph.items():
        package = module.removesuffix(".__init__").rpartition(".")[0]
        package_imports = graph.get(f"{package}.__init__", set()) if "." in package else set()
        needed |= {name for name in package_imports if not name.startswith(package)}
    return [*TopologicalSorter(graph).static_order()]


def inner_imports(sources: Sources) -> list[str]:
    """Return the imports inside functions."""
    return [str(statement) for statement in imports(sources) if statement.inside_function]


def imports_of_package(sources: Sources, package: str) -> list[str]:
    """Return the imports of a package and its modules."""
    return [
        str(statement)
        for statement in imports(sources)
        if statement.target.split(".")[0] == package
    ]


def impure_reports(sources: Sources) -> list[str]:
    """Return the imports that the modules of reports may not have."""
    return [
        str(statement)
        for statement in imports(sources)
        if statement.module.startswith("conformance.report.")
        and statement.target.split(".")[0] in ("conformance", "pytest", "_pytest", "hypothesis")
        and not statement.target.startswith("conformance.report.")
        and statement.target not in PURE
        and statement.target not in MAY_BE_IMPORTED_BY_REPORTS.get(statement.module, ())
    ]


IMPL, CONFORMANCE, TESTS = map(sources_of, ("impl", "conformance", "tests"))


BOTH = pytest.mark.parametrize(
    ("sources", "order"),
    [(IMPL, IMPL_ORDER), (CONFORMANCE, CONFORMANCE_ORDER)],
    ids=["impl", "conformance"],
)


@BOTH
def test_imports_come_from_packages_above(sources: Sources, order: Sequence[str]) -> None:
    assert upward_imports(sources, order) == []
    assert [package for package in order if f"{package}.__init__" not in sources] == []


@BOTH
def test_there_are_no_cycles(sources: Sources, order: Sequence[str]) -> None:
    assert cycles(sources) == []


@BOTH
def test_packages_are_small_and_shallow(sources: Sources, order: Sequence[str]) -> None:
    assert crowded(sources, 20) == []
    assert [module for module in sources if module.count(".") > 3] == []


def test_only_torch_s_modules_stand_in_impl() -> None:
    assert {
        module.split(".")[1] for module in IMPL if module.split(".")[1][0] != "_"
    } == PUBLIC_MODULES
    assert "impl._C" in IMPL  # torch's, too


PUBLIC_MODULES = {
    "accelerator", "autograd", "backends", "cpu", "cuda", "distributed", "fft", "linalg", "mps",
    "mtia", "nn", "overrides", "random", "return_types", "serialization", "sparse", "storage",
    "testing", "torch_version", "types", "utils", "version", "xpu",
}  # fmt: skip
"""The public modules of impl; all others begin with an underscore."""


def test_impl_imports_on_top() -> None:
    assert inner_imports(IMPL) == []


@pytest.mark.parametrize("sources", [IMPL, TESTS], ids=["impl", "tests"])
def test_torch_is_not_imported(sources: Sources) -> None:
    assert sources
    assert imports_of_package(sources, "torch") == []


def test_only_the_oracle_and_adapters_import_torch() -> None:
    without = {
        name: text
        for name, text in CONFORMANCE.items()
        if name != "conformance.libraries.oracle" and not name.startswith("conformance.adapters.")
    }
    assert imports_of_package(without, "torch") == []
    assert imports_of_package(CONFORMANCE, "torch") != []


def test_conformance_does_not_import_impl() -> None:
    assert imports_of_package(CONFORMANCE, "impl") == []


def test_reports_are_functions_of_data() -> None:
    assert any(module.startswith("conformance.report.") for module in CONFORMANCE)
    assert impure_reports(CONFORMANCE) == []


EMPTY = dict.fromkeys(("p.__init__", "p.a.__init__", "p.a.one", "p.a.two", "p.b.c.one", "p.d"), "")
EMPTY_ORDER = ["p.a", "p.b.c", "p"]


@pytest.mark.parametrize(
    ("module", "text", "offence"),
    [
        ("p.a.one", "from ..b.c.one import x", "p.a.one:1 imports p.b.c.one"),
        ("p.a.one", "from ..b.c import one", "p.a.one:1 imports p.b.c.one"),
        ("p.a.one", "from .. import d", "p.a.one:1 imports p.d"),
        ("p.a.one", "import p.b.c.one as x", "p.a.one:1 imports p.b.c.one"),
        ("p.a.one", "\nfrom p.d import *", "p.a.one:2 imports p.d"),
        ("p.a.one", "def f():\n    from p import d", "p.a.one:2 imports p.d"),
        ("p.a.__init__", "from .. import d", "p.a.__init__:1 imports p.d"),
        ("p.b.c.one", "import p", "p.b.c.one:1 imports p.__init__"),
        ("p.a.one", "x = Late('p.d')", "p.a.one:1 imports p.d"),
        ("p.a.one", "x = Late(f'{PACKAGE}.b.c.one')", "p.a.one:1 imports p.b.c.one"),
        ("p.a.one", "if TYPE_CHECKING:\n    from ..d import T", "p.a.one:2 imports p.d"),
    ],
)
def test_upward_imports_are_found(module: str, text: str, offence: str) -> None:
    assert upward_imports({**EMPTY, module: text}, EMPTY_ORDER) == [offence]


@pytest.mark.parametrize(
    "text",
    [
        "from ...a.one import x",
        "from ...a import two",
        "import p.a.one",
        "import q",
        "x = Late(f'{PACKAGE}.a.one')",
        "x = f'{name}.d'",
        "x = 'd'",
    ],
)
def test_imports_from_above_are_allowed(text: str) -> None:
    assert upward_imports({**EMPTY, "p.b.c.one": text}, EMPTY_ORDER) == []


@pytest.mark.parametrize(("most", "offences"), [(1, ["p.a has 2 files"]), (2, [])])
def test_crowded_packages_are_found(most: int, offences: list[str]) -> None:
    assert crowded(EMPTY, most) == offences


@pytest.mark.parametrize(
    "bad",
    [
        {"p.a.one": "from .two import x", "p.a.two": "from .one import y"},
        {
            "p.a.one": "import p.d",
            "p.d": "from .b.c import one",
            "p.b.c.one": "from ...a import one",
        },
        {"p.d": "from . import x", "p.__init__": "from .d import x"},
        {"p.d": "from .d import x"},
    ],
)
def test_cycles_are_found(bad: Sources) -> None:
    assert len(cycles({**EMPTY, **bad})) == 1


@pytest.mark.parametrize(
    "text",
    [
        "def f():\n    import math",
        "async def f():\n    if True:\n        from math import pi",
        "class C:\n    def f(self):\n        def g():\n            import math",
    ],
)
def test_inner_imports_are_found(text: str) -> None:
    (offence,) = inner_imports({"p.a": text})
    assert offence.endswith(" imports math")


@pytest.mark.parametrize(
    "text",
    [
        "import torch",
        "import torch.nn as nn",
        "import math, torch",
        "from torch import x",
        "from torch.nn import x",
        "def f():\n    import torch",
        "if 0:\n    import torch",
        "try:\n    import torch\nexcept ImportError: pass",
    ],
)
def test_imports_of_a_package_are_found(text: str) -> None:
    assert len(imports_of_package({"p.a": text}, "torch")) == 1


@pytest.mark.parametrize(
    "text",
    ["import impl as torch", "from . import torch", "import torchlike", "x = 'import torch'"],
)
def test_other_imports_are_told_apart(text: str) -> None:
    assert imports_of_package({"p.a": text}, "torch") == []


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("text", "import pytest"),
        ("text", "from hypothesis import strategies"),
        ("files", "from ..engine.session import Divergence"),
        ("files", "from ..libraries import library"),
        ("markdown", "from ..core.errors import CouldNotRun"),
        ("markdown", "import conformance.libraries.library"),
    ],
)
def test_impure_reports_are_found(module: str, text: str) -> None:
    assert len(impure_reports({**CONFORMANCE, f"conformance.report.{module}": text})) == 1
