"""Commands in a process of their own, and the subjects that they run with."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SUBJECTS = {
    # The limits of int8 are wrong: those of int16.
    "wrong": "def iinfo(type):\n    return impl.iinfo(int16 if type is int8 else type)\n",
    # iinfo is missing.
    "less": "del iinfo\n",
    # iinfo ends the process.
    "deadly": "import os\ndef iinfo(*args, **kwargs):\n    os._exit(7)\n",
    # Its first process of a scheduler's worker ends two seconds after the import.
    "fleeing_once": "import os, pathlib, threading\n"
    "_mark = pathlib.Path(__file__).with_name('fled')\n"
    "if os.environ.get('PYTEST_XDIST_WORKER') == 'scheduled' and not _mark.exists():\n"
    "    _mark.touch()\n    threading.Timer(2, os._exit, [7]).start()\n",
    # iinfo sleeps for two minutes, after it creates a file.
    "slow": "import time\ndef iinfo(*args, **kwargs):\n    open('asked', 'w')\n"
    "    time.sleep(120)\n",
    # A worker that has asked it takes eight seconds to end, after it creates a file.
    "lingering": "import atexit, os, time\ndef linger():\n    open('ending', 'w')\n"
    "    time.sleep(8)\n"
    "if 'PYTEST_XDIST_WORKER' in os.environ:\n    atexit.register(linger)\n",
    # The import ends the process, with an exception or without.
    "leaving": "import sys\nsys.exit(0)\n",
    "dying": "import os\nos._exit(0)\n",
    # iinfo ends the process with exit status 0.
    "fleeing": "import os\ndef iinfo(*args, **kwargs):\n    os._exit(0)\n",
    # It changes the oracle.
    "meddling": "impl.promote_types = lambda a, b: impl.float32\n",
    # These change the suite instead: a function, its code, a method, and a table.
    "muted": "from conformance.engine import aggregate\naggregate.merge = print\n",
    "recoded": "from conformance.comparison import comparator\n"
    "comparator.compare.__code__ = (lambda *args: None).__code__\n",
    "deafened": "from conformance.engine.records import PartRecord\n"
    "PartRecord.note = lambda *args: None\n",
    "indulged": "from conformance.core.profiles import PROFILES\nPROFILES.popitem()\n",
    # Every attribute raises an unusual exception.
    "rude": "class Rude(Exception):\n    def __str__(self):\n        raise SystemExit\n"
    "def iinfo(*args):\n    raise Rude\n"
    "def get_default_dtype():\n    raise NotImplementedError\n"
    "def __getattr__(name):\n    raise NotImplementedError(name)\n",
    # It has neither a GPU nor a simulation of one.
    "cudaless": "from impl import cuda\ntesting = None\n",
    "broken": "raise OSError('no\\nsuch luck')\n",
}


def start(folder, *arguments, ignored=()):
    # A job in the background, such as these tests in CI, starts with SIGINT ignored.
    actions = {int(signal.SIGINT): "SIG_DFL", **{int(number): "SIG_IGN" for number in ignored}}
    script = (
        "import os, signal, sys;"
        f" [signal.signal(n, getattr(signal, action)) for n, action in {actions}.items()];"
        " os.execv(sys.executable, [sys.executable, '-m', 'conformance', *sys.argv[1:]])"
    )
    # These tests may run in a worker; the commands do not.
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("PYTEST_XDIST_WORKER", None)
    return subprocess.Popen(
        [sys.executable, "-c", script, *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def call(folder, *arguments):
    process = start(folder, *arguments)
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def run(folder, *arguments):
    return call(folder, "run", "--oracle", "impl", "-n", "0", "--only", "limits", *arguments)


LIMITS = Path("reports/latest/only-limits")


def report_of(folder, folder_of_area=LIMITS):
    return json.loads((folder / folder_of_area / "report.json").read_text())
