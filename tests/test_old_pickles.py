"""Pickles of version 0.1, with the old names of modules, load as in version 0.1."""

import base64
import json
import pickle
import subprocess
import sys
import warnings
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

import impl as torch

PATH = Path(__file__).parent / "golden" / "pickles_of_0_1.json"
PICKLES: dict[str, Any] = json.loads(PATH.read_text())
"""Source of the pickled value -> its loading error, if any, and a pickle per protocol."""


@pytest.mark.parametrize("source", PICKLES)
def test_old_pickles_load(source: str) -> None:
    row = PICKLES[source]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = eval(source, {"torch": torch})
    for pickled in map(base64.b64decode, row["pickles"]):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if row["error"]:
                with pytest.raises(AttributeError) as caught:
                    pickle.loads(pickled)
                assert row["error"] == caught.type.__name__
                continue
            loaded = pickle.loads(pickled)
            assert type(loaded) is type(wanted)
            if isinstance(wanted, type | FunctionType | torch.dtype | torch.layout):
                assert loaded is wanted
            elif not isinstance(wanted, torch.Generator | torch.no_grad):
                assert repr(loaded) == repr(wanted)


@pytest.mark.parametrize("source", ["torch.layout", "torch.Tensor.add", "torch.random.fork_rng"])
def test_new_pickles_name_what_is_public(source: str) -> None:
    pickled = pickle.dumps(eval(source, {"torch": torch}))
    assert b"impl._" not in pickled


def test_old_pickles_load_in_a_new_process() -> None:
    pickled = PICKLES["torch.random.fork_rng"]["pickles"][0]
    program = (
        f"import base64, pickle; print(pickle.loads(base64.b64decode('{pickled}')).__module__)"
    )
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (process.stdout, process.stderr) == ("impl.random\n", "")


@pytest.mark.parametrize("name", ["impl.nonsense", "impl.ops.nonsense", "impl.dtypes.nonsense"])
def test_other_modules_are_not_found(name: str) -> None:
    with pytest.raises(ModuleNotFoundError):
        __import__(name)
