"""``python -m impl``: run a program that says ``import torch``, as ``python`` runs it.

The command line is the end of Python's own: ``program.py``, a folder, ``-m module``, ``-c code``
or ``-``, and the program's arguments.
"""

import io
import os
import runpy
import sys
from code import interact
from importlib.machinery import BuiltinImporter, SourceFileLoader, SourcelessFileLoader
from pkgutil import get_importer
from types import CodeType, ModuleType, TracebackType
from typing import Any, NoReturn

from .c_types import PACKAGE
from .stand_in import as_torch

USAGE = f"""usage: python -m {PACKAGE} program.py | folder | -m module | -c code | -  [arguments]

Run a program in which "import torch" gives {PACKAGE}.
"""


def main() -> None:
    """Run the program of the command line, and end the process with its status."""
    arguments = sys.argv[1:]
    option = arguments[0] if arguments else "-"
    if option in ("-h", "--help"):
        sys.exit(print(USAGE, end=""))
    needs_text = option in ("-c", "-m")
    if (needs_text and len(arguments) == 1) or (option[:1] == "-" and option not in _RUNNERS):
        print(f"python -m {PACKAGE}: unknown option {option}\n{USAGE}", end="", file=sys.stderr)
        sys.exit(2)
    try:
        as_torch()
    except RuntimeError as error:
        sys.exit(str(error))
    # The module of python -m stays alive: it runs this function.
    _main_modules.append(sys.modules["__main__"])
    program = ModuleType("__main__")
    vars(program).update(__annotations__={}, __builtins__=sys.modules["builtins"])
    sys.modules["__main__"] = program
    run = _RUNNERS.get(option, _run_path)
    sys.argv[:] = arguments[1:] if needs_text else arguments or [""]
    if needs_text:
        sys.argv[0] = option
    try:
        run(vars(program), arguments[needs_text] if arguments else "-")
    except SystemExit:
        raise
    except BaseException as error:  # noqa: BLE001 - as Python's own main program
        _end_with(error)


_main_modules: list[ModuleType] = []


def _end_with(error: BaseException) -> NoReturn:
    """Show an exception, and end the process as Python does."""
    error.__traceback__ = traceback = _without_own_frames(error.__traceback__)
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, traceback
    sys.excepthook(type(error), error, traceback)
    if isinstance(error, KeyboardInterrupt):
        # Python ends itself by the signal, after its own cleanup.
        sys.excepthook = _show_nothing
        raise KeyboardInterrupt
    sys.exit(1)


def _without_own_frames(traceback: TracebackType | None) -> TracebackType | None:
    """Return a traceback without the frames of this module and of the finder of torch."""
    entries = []
    while traceback is not None:
        if traceback.tb_frame.f_globals.get("__name__") not in _OWN_MODULES:
            entries.append(traceback)
        traceback = traceback.tb_next
    for entry, following in zip(entries, [*entries[1:], None], strict=False):
        entry.tb_next = following
    return entries[0] if entries else None


_OWN_MODULES = (__name__, as_torch.__module__)


def _show_nothing(
    cls: type[BaseException], error: BaseException, traceback: TracebackType | None
) -> None:
    pass


def _set_first_path(folder: str) -> None:
    """Set the first entry of sys.path, unless Python is told not to have one (-P)."""
    if not sys.flags.safe_path:
        sys.path[0] = folder


def _execute(namespace: dict[str, Any], source: bytes | str, name: str) -> None:
    exec(compile(source, name, "exec", dont_inherit=True), namespace)


def _run_code(namespace: dict[str, Any], code: str) -> None:
    namespace["__loader__"] = BuiltinImporter
    _set_first_path("")
    _execute(namespace, code, "<string>")


def _run_stdin(namespace: dict[str, Any], option: str) -> None:
    namespace.update(__file__="<stdin>", __cached__=None, __loader__=BuiltinImporter)
    _set_first_path("")
    if sys.stdin.isatty():
        interact(local=namespace)
    else:
        _execute(namespace, sys.stdin.buffer.read(), "<stdin>")


def _run_module(namespace: dict[str, Any], name: str) -> None:
    # `python -m` calls this function.
    runpy._run_module_as_main(name)  # type: ignore[attr-defined]


def _run_path(namespace: dict[str, Any], path: str) -> None:
    path = os.path.join(os.getcwd(), path)
    if get_importer(path) is not None:  # a folder or an archive
        sys.path[0] = path
        runpy._run_module_as_main("__main__", alter_argv=False)  # type: ignore[attr-defined]
        return
    code, loader = _code_of_file(path)
    namespace.update(__file__=path, __cached__=None, __loader__=loader)
    _set_first_path(os.path.dirname(os.path.realpath(path)))
    exec(code, namespace)


def _code_of_file(path: str) -> tuple[CodeType | Any, Any]:
    """Return the code and the loader of a file; exit if it cannot be read."""
    try:
        with io.open_code(path) as file:
            source = file.read()
    except OSError as error:
        print(
            f"{sys.executable}: can't open file {path!r}:"
            f" [Errno {error.errno}] {os.strerror(error.errno or 0)}",
            file=sys.stderr,
        )
        sys.exit(2)
    if path.endswith(".pyc"):
        compiled = SourcelessFileLoader("__main__", path)
        return compiled.get_code("__main__"), compiled
    code = compile(source, path, "exec", dont_inherit=True)
    return code, SourceFileLoader("__main__", path)


_RUNNERS = {"-c": _run_code, "-m": _run_module, "-": _run_stdin}
