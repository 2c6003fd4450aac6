"""Parallel blocks: each element of a large array is computed once."""

import os
import threading
import warnings
from typing import Any

import numpy as np
import pytest

import impl
from impl._arrays import parallel
from impl._arrays.parallel import BLOCK_ELEMENTS, parallel_blocks, without_fp_warnings

RNG = np.random.default_rng(0)


def add(out: Any, left: Any, right: Any) -> None:
    """Add to the old values, so that a second visit changes the result."""
    assert out.size <= BLOCK_ELEMENTS
    np.add(out, left, out=out)
    np.add(out, right, out=out)


@pytest.mark.parametrize(
    "shape",
    [
        *((), (0,), (6,), (BLOCK_ELEMENTS,), (BLOCK_ELEMENTS + 1,), (3, BLOCK_ELEMENTS)),
        *((BLOCK_ELEMENTS, 3), (7, 300, 200), (2, BLOCK_ELEMENTS + 5, 1), (600, 1, 2, 401)),
    ],
)
@pytest.mark.parametrize("order", ["as it is", "reversed", "gaps", "mirrored"])
def test_every_element_is_visited_once(shape: tuple[int, ...], order: str) -> None:
    left = RNG.integers(0, 1000, shape)
    right = RNG.integers(0, 1000, shape[-1:])
    wanted = left + right
    out = np.zeros(shape, np.int64)
    if order == "reversed":
        out = np.zeros(shape[::-1], np.int64).T
    elif order == "gaps" and shape:
        out = np.zeros((*shape[:-1], 2 * shape[-1]), np.int64)[..., ::2]
    elif order == "mirrored" and shape:
        out = out[::-1]
    parallel_blocks(add, out, left, right)
    assert (out == wanted).all()
    parallel_blocks(add, out, np.array(5), left.T.copy().T)
    assert (out == wanted + left + 5).all()


def test_all_in_one_order_are_one_run() -> None:
    parts = []
    out, source = (np.zeros((4, BLOCK_ELEMENTS // 16, 9)).transpose(2, 0, 1) for _ in range(2))
    parallel_blocks(lambda a, b: parts.append((a.shape, b.strides)), out, source)
    assert parts == [((BLOCK_ELEMENTS // 4 * 3,), (8,))] * 3


def test_cuts_are_even() -> None:
    sizes: list[int] = []
    parallel_blocks(lambda part: sizes.append(part.size), np.zeros(BLOCK_ELEMENTS + 1, np.int8))
    assert sorted(sizes) == [BLOCK_ELEMENTS // 2, BLOCK_ELEMENTS // 2 + 1]


@pytest.mark.parametrize("count", [6, 8 * BLOCK_ELEMENTS])
def test_errors_arrive(count: int) -> None:
    def fail(part: Any) -> None:
        raise KeyError("this")

    with pytest.raises(KeyError, match="this"):
        parallel_blocks(fail, np.zeros(count, np.int8))


@pytest.mark.parametrize("count", [6, 8 * BLOCK_ELEMENTS])
def test_there_are_no_warnings(count: int) -> None:
    def overflow(part: Any) -> None:
        np.multiply(part, np.float32(2), out=part)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_blocks(overflow, np.full(count, 3e38, np.float32))
    with pytest.warns(RuntimeWarning):
        overflow(np.full(6, 3e38, np.float32))


def test_work_inside_of_work() -> None:
    out = np.zeros((4, 2 * BLOCK_ELEMENTS), np.int8)

    def outer(part: Any) -> None:
        parallel_blocks(inner, np.broadcast_to(part, (4, part.size)).copy())
        np.add(part, 1, out=part)

    def inner(part: Any) -> None:
        np.add(part, 1, out=part)

    parallel_blocks(outer, out)
    assert (out == 1).all()


def test_callers_do_not_disturb_each_other() -> None:
    results = [np.zeros(5 * BLOCK_ELEMENTS, np.int32) for _ in range(6)]

    def fill(index: int) -> None:
        for _ in range(10):
            parallel_blocks(lambda part: np.add(part, index, out=part), results[index])

    threads = [threading.Thread(target=fill, args=(index,)) for index in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [(int(result.min()), int(result.max())) for result in results] == [
        (10 * index, 10 * index) for index in range(6)
    ]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_makes_threads_of_its_own() -> None:
    out = np.zeros(8 * BLOCK_ELEMENTS, np.int8)
    parallel_blocks(lambda part: part.fill(1), out)
    child = os.fork()
    if not child:
        parallel_blocks(lambda part: part.fill(2), out)
        os._exit(int(not (out == 2).all()))
    assert os.waitpid(child, 0)[1] == 0


def test_without_helpers(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    monkeypatch.setattr(parallel, "POOL", parallel._Pool())
    out = np.zeros(8 * BLOCK_ELEMENTS, np.int8)
    parallel_blocks(lambda part: part.fill(1), out)
    assert (out == 1).all()


def test_quietly_can_be_nested() -> None:
    assert (
        without_fp_warnings(lambda number: without_fp_warnings(np.float32, number), 1e99) == np.inf
    )


def test_an_error_of_a_fast_path_has_no_context_and_loses_none_of_the_contexts() -> None:
    x = impl.ones(3, dtype=impl.int64)
    assert (x // 1).tolist() == (x // 1).tolist() == [1, 1, 1]
    for _ in range(2):
        parallel.QUIET_CONTEXTS.clear()
        with pytest.raises(RuntimeError, match="ZeroDivisionError") as caught:
            x // 0
        assert caught.value.__context__ is None
        assert len(parallel.QUIET_CONTEXTS) == 1


@pytest.mark.parametrize("name", ["__floordiv__", "floor_divide_"])
def test_an_error_of_a_number_that_wraps_around_to_zero_has_no_context(name: str) -> None:
    """The fast path cannot convert the number, and leaves it to the slow one."""
    x = impl.ones(3, dtype=impl.int8)
    divide = getattr(x, name)
    assert divide(1).tolist() == divide(1).tolist() == [1, 1, 1]
    with pytest.raises(RuntimeError, match="ZeroDivisionError") as caught:
        divide(2**40)
    assert caught.value.__context__ is None
