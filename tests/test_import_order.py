"""The order of the modules, proven by reading their imports; and what importing impl costs.

Sources are mappings from a module's dotted name to its text; a package's own
file is ``package.__init__``.  Each checker returns a line for each offence.
"""

import ast
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
COMPILED = Path(tempfile.gettempdir()) / "impl-compiled"
Sources = Mapping[str, str]

ORDER = [
    "impl.errors",
    "impl.torch_class",
    "impl.c_methods",
    "impl.modes",
    "impl.history",
    "impl.late",
    "impl.contents",
    "impl.late_names",
    "impl.default_devices",
    "impl.warn",
    "impl.dtypes",
    "impl.torch_names",
    "impl.return_types",
    "impl.defaults",
    "impl.arrays",
    "impl.blocks",
    "impl.lazy_bits",
    "impl.borrowing",
    "impl.backends",
    "impl.simulated",
    "impl.buffers",
    "impl.scalars",
    "impl.parameter_types",
    "impl.declarations",
    "impl.refusals",
    "impl.signatures",
    "impl.devices",
    "impl.device_support",
    "impl.autograd.grad_mode",
    "impl.autograd.__init__",
    "impl.limits",
    "impl.promotion",
    "impl.amounts",
    "impl.strides",
    "impl.shapes",
    "impl.views",
    "impl.view_parts",
    "impl.view_elements",
    "impl.view_index",
    "impl.sizes",
    "impl.geometry",
    "impl.codecs",
    "impl.opaque",
    "impl.compiled.__init__",
    "impl.compiled.compiler",
    "impl.compiled.team",
    "impl.compiled.code",
    "impl.compiled.loops",
    "impl.compiled.casts",
    "impl.compiled.operators",
    "impl.compiled.gpu",
    "impl.on_cupy",
    "impl.compiled.sums",
    "impl.casting",
    "impl.reducing",
    "impl.fused",
    "impl.kernels",
    "impl.power_kernels",
    "impl.approximations",
    "impl.error_functions",
    "impl.special_functions",
    "impl.kernels_unary",
    "impl.pair_kernels",
    "impl.deterministic",
    "impl.recording",
    "impl.layouts",
    "impl.plain_lists",
    "impl.writing",
    "impl.reading",
    "impl.printing",
    "impl.random_streams",
    "impl.random_uniform",
    "impl.random_integers",
    "impl.random_normal",
    "impl.progressions",
    "impl.storage_methods",
    "impl.storage",
    "impl.tensors",
    "impl.elements",
    "impl.results",
    "impl.coordinates",
    "impl.invariants",
    "impl.dlpack",
    "impl.sparse_dispatch",
    "impl.factories",
    "impl.generators",
    "impl.random",
    "impl.typed_storage",
    "impl.storage_conversions",
    "impl.ops.__init__",
    "impl.ops.result_type",
    "impl.ops.common_devices",
    "impl.ops.rows",
    "impl.ops.buffers",
    "impl.ops.clones",
    "impl.ops.overlaps",
    "impl.ops.heeding",
    "impl.ops.copies",
    "impl.ops.conversions",
    "impl.ops.masked",
    "impl.ops.views",
    "impl.ops.attributes",
    "impl.ops.pinning",
    "impl.ops.autograd",
    "impl.ops.creation",
    "impl.ops.membership",
    "impl.ops.in_place",
    "impl.ops.joins",
    "impl.ops.python_functions",
    "impl.ops.data",
    "impl.ops.advanced_indexing",
    "impl.ops.indexing",
    "impl.ops.interop",
    "impl.ops.outputs",
    "impl.ops.given_numbers",
    "impl.ops.block_work",
    "impl.ops.plans",
    "impl.ops.pointwise",
    "impl.ops.short_ways",
    "impl.ops.short_ways_of_one",
    "impl.ops.installing",
    "impl.ops.arithmetic",
    "impl.ops.bitwise",
    "impl.ops.comparisons",
    "impl.ops.mixtures",
    "impl.ops.pairs",
    "impl.ops.powers",
    "impl.ops.choices",
    "impl.ops.reduction_plans",
    "impl.ops.reduction_rows",
    "impl.ops.small_reductions",
    "impl.ops.reductions",
    "impl.ops.extremes",
    "impl.ops.scans",
    "impl.ops.unary",
    "impl.ops.unary_parameters",
    "impl.ops.predicates",
    "impl.ops.dunders",
    "impl.ops.conjugation",
    "impl.ops.sequences",
    "impl.ops.spaces",
    "impl.ops.ranges",
    "impl.ops.draws",
    "impl.ops.normals",
    "impl.ops.random_fills",
    "impl.ops.random",
    "impl.ops.sparse_making",
    "impl.ops.sparse_sums",
    "impl.ops.sparse_merging",
    "impl.ops.sparse_common",
    "impl.ops.sparse_arithmetic",
    "impl.ops.sparse_products",
    "impl.ops.sparse_shapes",
    "impl.ops.sparse_rows",
    "impl.sparse",
    "impl.legacy_storage",
    "impl.legacy",
    "impl.cuda",
    "impl.accelerator",
    "impl.testing",
    "impl.serialization",
    "impl.utils.deterministic",
    "impl.utils.dlpack",
    "impl.utils.__init__",
    "impl.__init__",
]
"""The modules of impl: each imports only from those above it."""

MAY_BE_IMPORTED_BY_REPORTS = {
    "conformance.report.files": {"conformance.errors"},
    "conformance.report.history": {"conformance.errors"},
    "conformance.report.matrix": {"conformance.errors"},
}
"""What a report's modules import of the suite, beside one another and `words`."""


class Import(NamedTuple):
    """One import: the module that makes it, the one it is of, and where it stands."""

    module: str
    target: str
    line: int
    inside_function: bool

    def __str__(self) -> str:
        return f"{self.module}:{self.line} imports {self.target}"


def sources_of(folder: str) -> dict[str, str]:
    """Read all modules in a folder of the repository."""
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts): path.read_text(encoding="utf-8")
        for path in sorted((ROOT / folder).rglob("*.py"))
    }


def imports(sources: Sources) -> Iterator[Import]:
    """Go through all imports of all modules."""
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
    """Return what a statement imports: modules of ``sources`` where there are such."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield known(alias.name, sources)
    elif isinstance(node, ast.ImportFrom):
        above = module.split(".")[: -node.level or None] if node.level else []
        base = ".".join([*above, *filter(None, [node.module])])
        for alias in node.names:
            inside = known(f"{base}.{alias.name}", sources)
            yield inside if inside in sources else known(base, sources)


def known(name: str, sources: Sources) -> str:
    """Return the name under which ``sources`` hold a module."""
    return f"{name}.__init__" if f"{name}.__init__" in sources else name


def upward_imports(sources: Sources, order: list[str]) -> list[str]:
    """Return the imports of modules that do not stand above, and the modules without a place."""
    place = {module: index for index, module in enumerate(order)}
    strays = [f"{module} has no place in the order" for module in sources if module not in place]
    return strays + [
        str(each)
        for each in imports(sources)
        if each.target in place and place[each.target] >= place.get(each.module, 0)
    ]


def cycles(sources: Sources) -> list[str]:
    """Return a cycle of imports, if there is one."""
    graph: dict[str, set[str]] = {module: set() for module in sources}
    for each in imports(sources):
        if each.target in sources:
            graph[each.module].add(each.target)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return [" <- ".join(error.args[1])]
    return []


def inner_imports(sources: Sources) -> list[str]:
    """Return the imports that stand inside a function."""
    return [str(each) for each in imports(sources) if each.inside_function]


def imports_of_package(sources: Sources, package: str) -> list[str]:
    """Return the imports of a package, or of anything inside it."""
    return [str(each) for each in imports(sources) if each.target.split(".")[0] == package]


def impure_reports(sources: Sources) -> list[str]:
    """Return what the modules of reports import beyond the data they are given."""
    return [
        str(each)
        for each in imports(sources)
        if each.module.startswith("conformance.report.")
        and each.target.split(".")[0] in ("conformance", "pytest", "_pytest", "hypothesis")
        and not each.target.startswith("conformance.report.")
        and each.target != "conformance.words"
        and each.target not in MAY_BE_IMPORTED_BY_REPORTS.get(each.module, ())
    ]


IMPL, CONFORMANCE, TESTS = map(sources_of, ("impl", "conformance", "tests"))


def test_impl_imports_from_above() -> None:
    assert upward_imports(IMPL, ORDER) == []
    assert [module for module in ORDER if module not in IMPL] == []


def test_impl_has_no_cycles() -> None:
    assert cycles(IMPL) == []


def test_impl_imports_on_top() -> None:
    assert inner_imports(IMPL) == []


@pytest.mark.parametrize("sources", [IMPL, TESTS], ids=["impl", "tests"])
def test_torch_is_not_imported(sources: Sources) -> None:
    assert sources
    assert imports_of_package(sources, "torch") == []


def test_only_the_oracle_imports_torch() -> None:
    without = {name: text for name, text in CONFORMANCE.items() if name != "conformance.oracle"}
    assert imports_of_package(without, "torch") == []
    assert imports_of_package(CONFORMANCE, "torch") != []


def test_conformance_does_not_import_impl() -> None:
    assert imports_of_package(CONFORMANCE, "impl") == []


def test_reports_are_functions_of_data() -> None:
    assert any(module.startswith("conformance.report.") for module in CONFORMANCE)
    assert impure_reports(CONFORMANCE) == []


EMPTY = dict.fromkeys(("p.__init__", "p.a", "p.b", "p.sub.__init__", "p.sub.c"), "")
EMPTY_ORDER = [*list(EMPTY)[1:], "p.__init__"]


@pytest.mark.parametrize(
    ("module", "text", "offence"),
    [
        ("p.a", "from .b import x", "p.a:1 imports p.b"),
        ("p.a", "from . import b", "p.a:1 imports p.b"),
        ("p.a", "from . import x", "p.a:1 imports p.__init__"),
        ("p.a", "import p.b as b", "p.a:1 imports p.b"),
        ("p.a", "from p import b", "p.a:1 imports p.b"),
        ("p.a", "\nfrom p.b import *", "p.a:2 imports p.b"),
        ("p.a", "def f():\n    from .sub import c", "p.a:2 imports p.sub.c"),
        ("p.a", "from .sub.c import x", "p.a:1 imports p.sub.c"),
        ("p.b", "import p", "p.b:1 imports p.__init__"),
        ("p.b", "from .b import x", "p.b:1 imports p.b"),
        ("p.sub.__init__", "from . import c", "p.sub.__init__:1 imports p.sub.c"),
        ("p.sub.c", "from .. import x", "p.sub.c:1 imports p.__init__"),
        ("p.new", "", "p.new has no place in the order"),
    ],
)
def test_upward_imports_are_found(module: str, text: str, offence: str) -> None:
    assert upward_imports({**EMPTY, module: text}, EMPTY_ORDER) == [offence]


@pytest.mark.parametrize("text", ["from .a import x", "from . import a", "import p.a", "import q"])
def test_imports_from_above_are_allowed(text: str) -> None:
    assert upward_imports({**EMPTY, "p.b": text}, EMPTY_ORDER) == []


@pytest.mark.parametrize(
    "bad",
    [
        {"p.a": "from .b import x", "p.b": "from .a import y"},
        {"p.a": "import p.b", "p.b": "from .sub import c", "p.sub.c": "from .. import a"},
        {"p.a": "from . import x", "p.__init__": "from .a import x"},
        {"p.a": "from .a import x"},
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
    (found,) = inner_imports({"p.a": text})
    assert found.endswith(" imports math")


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
        ("files", "from ..session import Divergence"),
        ("files", "from .. import library"),
        ("markdown", "from ..errors import CouldNotRun"),
        ("markdown", "import conformance.library"),
    ],
)
def test_impure_reports_are_found(module: str, text: str) -> None:
    assert len(impure_reports({**CONFORMANCE, f"conformance.report.{module}": text})) == 1


def output(statements: str) -> str:
    """Run a program in an interpreter of its own, and return what it prints."""
    command = [sys.executable, "-c", statements]
    # What is imported is compiled once and kept, as it is for users.
    environment = {
        name: each for name, each in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    }
    environment["PYTHONPYCACHEPREFIX"] = str(COMPILED)
    return subprocess.run(
        command, cwd=ROOT, check=True, capture_output=True, text=True, env=environment
    ).stdout


HEAVY = {"torch", "numpy", "typing", "re", "contextlib", "dataclasses", "ast", "inspect"}
LIGHT = [
    "impl",
    *(f"impl.{name}" for name in ("contents", "dtypes", "errors", "late_names", "torch_class")),
]
MOST_MODULES = 25


def loaded_by(imported: str) -> list[str]:
    """Return what an import loads beyond what the interpreter has when it starts."""
    show = "print(*sorted(set(sys.modules) - before))"
    return output(f"import sys; before = set(sys.modules); import {imported}; {show}").split()


def test_importing_impl_loads_little() -> None:
    loaded = loaded_by("impl")
    assert [each for each in loaded if each.partition(".")[0] == "impl"] == LIGHT
    assert not HEAVY & {*loaded}
    assert len(loaded) <= MOST_MODULES


@pytest.mark.parametrize(
    ("imported", "heavy"),
    [("numpy, impl", "numpy"), ("typing, impl", "typing"), ("impl.ops.rows", "impl.ops.rows")],
)
def test_what_an_import_loads_is_seen(imported: str, heavy: str) -> None:
    assert heavy in loaded_by(imported)
    assert len(loaded_by(imported)) > MOST_MODULES or heavy == "typing"


@pytest.mark.parametrize(("before", "fast"), [("", True), ("sum(range(4_000_000)); ", False)])
def test_importing_impl_is_fast(before: str, fast: bool) -> None:
    # Processor time, so that what else runs on the machine does not count.
    timed = f"import time; t = time.process_time(); {before}import impl; "
    least = min(float(output(timed + "print(time.process_time() - t)")) for _ in range(5))
    assert (least < 0.03) is fast
