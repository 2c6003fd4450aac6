"""The thread team: each element is computed once, and idle helper threads stop."""

import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import impl as torch
from impl._arrays import parallel
from impl._codegen import loops, thread_team
from impl._codegen.loops import Kernel
from impl._codegen.scalar_ir import FLOAT32_TYPE, IRBuilder


@pytest.fixture(autouse=True)
def parts_are_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "PART_BYTES", 1000)


@pytest.fixture(params=[1, 2, 7])
def helpers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setattr(parallel, "usable_cores", lambda: request.param + 1)
    monkeypatch.setattr(thread_team, "POOL", parallel._Pool())
    monkeypatch.setattr(thread_team, "TEAM", thread_team.Team())
    monkeypatch.setattr(loops, "TEAM", thread_team.TEAM)
    return request.param


def adding() -> Kernel:
    """Return an addition kernel; in place, a second visit of an element changes the result."""

    def body(code: IRBuilder, one: str, other: str) -> str:
        return code.add(f"fadd {FLOAT32_TYPE.type} {one}, {other}")

    return Kernel(torch.float32, [torch.float32, torch.float32], body)


SHAPES = [(251,), (4096,), (100_003,), (3, 50_001), (50_001, 3), (300, 301), (17, 5, 1200),
          (2, 2, 2, 9000)]  # fmt: skip
VIEWS = [lambda array: array, lambda array: array.T, lambda array: array[..., ::2],
         lambda array: array[::-1]]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_element_is_computed_once(helpers: int, shape: tuple[int, ...]) -> None:
    add = adding()
    for view in VIEWS:
        whole = np.zeros(shape, np.float32)
        out = view(whole)
        step = np.arange(out.size, dtype=np.float32).reshape(out.shape)
        for other in (step, step.T.copy().T):
            before = whole.copy()
            for _ in range(5):
                add.over_cores(out, out, other)
            assert (out - view(before) == 5 * other).all()
        add.over_cores(out, out, np.float32(7))
        assert (out == 10 * step + 7).all()
        # The elements between do not change.
        out[...] = 0
        assert not whole.any()


def test_a_job_in_many_shares(helpers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thread_team, "_SHARES", 3)
    out = np.zeros(100_003, np.float32)
    for _ in range(20):
        adding().over_cores(out, out, np.ones(1, np.float32))
    assert (out == 20).all()


def test_callers_do_not_disturb_each_other(helpers: int) -> None:
    def slow(code: IRBuilder, one: str, other: str) -> str:
        for _ in range(400):  # long enough for the jobs of several threads to overlap
            one = code.add(f"fadd {FLOAT32_TYPE.type} {one}, {other}")
        return one

    add = Kernel(torch.float32, [torch.float32, torch.float32], slow)
    outs = np.zeros((6, 400_011), np.float32)

    def work(out: Any) -> None:
        for _ in range(10):
            add.over_cores(out, out, np.ones((), np.float32))

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, outs))
    assert (outs == 4000).all()


def test_helpers_wait_for_more_and_then_sleep(
    helpers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thread_team, "PATIENCE", 1.0)  # on a busy machine, too
    add, out = adding(), np.zeros(100_003, np.float32)
    one = np.ones((), np.float32)
    add.over_cores(out, out, one)
    post = thread_team.TEAM._post
    assert post is not None
    wait_until(lambda: post.awake() == helpers)
    put: list[Any] = []
    monkeypatch.setattr(thread_team.POOL, "jobs", type("Queue", (), {"put": put.append}))
    add.over_cores(out, out, one)
    assert put == []  # no thread had to be woken
    wait_until(lambda: post.awake() == 0)
    add.over_cores(out, out, one)
    assert put == [post] * helpers
    assert (out == 3).all()


def wait_until(is_so: Any) -> None:
    end = time.monotonic() + 20
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.001)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_has_helpers_of_its_own() -> None:
    add, out = adding(), np.zeros(100_003, np.float32)
    one = np.ones((), np.float32)
    add.over_cores(out, out, one)
    child = os.fork()
    if not child:
        add.over_cores(out, out, one)
        os._exit(int(not (out == 2).all()))
    assert os.waitpid(child, 0)[1] == 0
    add.over_cores(out, out, one)
    assert (out == 2).all()


def test_without_helpers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "usable_cores", lambda: 1)
    monkeypatch.setattr(thread_team, "POOL", parallel._Pool())
    add, out = adding(), np.zeros(100_003, np.float32)
    add.over_cores(out, out, np.ones((), np.float32))
    assert (out == 1).all()
