"""``python -m impl``: programs run as ``python`` runs them, with impl as torch."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with programs."""
    made = tmp_path_factory.mktemp("programs")
    for name, text in PROGRAMS.items():
        path = made / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    with zipfile.ZipFile(made / "archive.zip", "w") as archive:
        archive.write(made / "folder" / "__main__.py", "__main__.py")
    return made


SHOW = "import sys; print(__name__, vars().get('__file__'), sys.argv, sys.path[0], sorted(vars()))"
PROGRAMS = {
    "show.py": f"'''The text.'''\n{SHOW}\nprint(__doc__, __import__('__main__').sys is sys)",
    "folder/__main__.py": f"{SHOW}\nfrom os import nonsense",
    "package/__init__.py": "",
    "package/__main__.py": f"{SHOW}\nprint(__package__, __spec__.name)\nraise SystemExit(7)",
    "package/module.py": f"{SHOW}\ndef f(): raise ValueError('x')\nf()",
    "chain.py": "def f():\n    try: 1 / 0\n    except Exception as e: raise KeyError from e\nf()",
    "group.py": "raise ExceptionGroup('several', [ValueError(1), KeyError(2)])",
    "syntax.py": "x = (\n",
    "interrupted.py": "import atexit; atexit.register(print, 'end'); raise KeyboardInterrupt",
    "hook.py": "import sys, traceback\n"
    "sys.excepthook = lambda t, v, tb: print(t, len(traceback.extract_tb(tb)))\n1 / 0",
    "message.py": "import sys; sys.exit('no')",
    "classes.py": "import pickle\nclass A: pass\n"
    "print(type(pickle.loads(pickle.dumps(A()))) is A)\n"
    "import threading\nt = threading.Thread(target=lambda: 1 / 0, name='T'); t.start(); t.join()",
    "torch_program.py": "import sys\nimport torch\nfrom torch.utils.dlpack import from_dlpack\n"
    "print(from_dlpack(torch.arange(3)) * float(sys.argv[1]))",
    "lacking.py": "import torch\nimport torch.optim as optim\n",
}  # fmt: skip


def run(folder: Path, *command: str, text: str = "") -> tuple[int, str, str]:
    """Run Python in a folder and return its status, output and errors."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment, input=text,
        capture_output=True, text=True,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    "command",
    [
        ["show.py", "a", "-b"],
        ["./package/../show.py"],
        ["folder", "x"],
        ["archive.zip"],
        ["-m", "package", "1"],
        ["-m", "package.module", "-c"],
        ["-m", "nonsense"],
        ["-c", SHOW, "u", "-m"],
        ["-c", "1 +"],
        ["-c", "raise SystemExit(3)"],
        ["-", "x"],
        [],
        ["chain.py"],
        ["group.py"],
        ["syntax.py"],
        ["interrupted.py"],
        ["hook.py"],
        ["message.py"],
        ["classes.py"],
        ["nonsense.py"],
    ],
    ids=" ".join,
)
def test_programs_run_as_python_runs_them(folder: Path, command: list[str]) -> None:
    text = f"{SHOW}\n1 / 0\n"
    assert run(folder, "-m", "impl", *command, text=text) == run(folder, *command, text=text)


def test_a_program_of_torch(folder: Path) -> None:
    done = run(folder, "-m", "impl", "torch_program.py", "1.5")
    assert done == (0, "tensor([0.0000, 1.5000, 3.0000])\n", "")


def test_a_module_that_impl_lacks(folder: Path) -> None:
    status, output, errors = run(folder, "-m", "impl", "lacking.py")
    assert (status, output) == (1, "")
    assert errors == (
        f'Traceback (most recent call last):\n  File "{folder}/lacking.py", line 2, in <module>\n'
        "    import torch.optim as optim\n"
        "ModuleNotFoundError: No module named 'torch.optim'"
        " (impl stands in for torch and has no torch.optim)\n"
    )


@pytest.mark.parametrize("option", ["-c", "-m", "-x", "--nonsense"])
def test_wrong_options(folder: Path, option: str) -> None:
    status, output, errors = run(folder, "-m", "impl", option)
    assert (status, output) == (2, "")
    assert errors.startswith(f"python -m impl: unknown option {option}\nusage: python -m impl")


def test_help(folder: Path) -> None:
    status, output, errors = run(folder, "-m", "impl", "--help")
    assert (status, errors) == (0, "")
    assert output.startswith("usage: python -m impl")


def test_another_torch_is_there(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import sys, types\nsys.modules['torch'] = types.ModuleType('torch')\n"
    )
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    done = subprocess.run(
        [sys.executable, "-m", "impl", "-c", "print(1)"], env=environment, capture_output=True,
        text=True,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("impl cannot stand in for torch")
