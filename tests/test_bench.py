"""The figures of the timed operators, and the operands of calls that write."""

from timeit import Timer

import numpy as np

import impl
from bench import summary
from bench.operands import SIZES, scope, tensors
from bench.operators import FreshOperands, Row, row_of, time_row
from bench.timing import minima


def _result(overload, ratio, elements=64):
    return {
        "overload": overload, "elements": elements, "variant": "float32", "torch_ns": 1000,
        "impl_ns": 1000 * ratio, "ratio": ratio, "call": "torch.abs(x)",
    }  # fmt: skip


RESULTS = [
    _result("torch.abs default", 0.5), _result("torch.add Tensor", 2), _result("torch.erf", 9),
    _result("torch.erf", 3, SIZES[1]), {"overload": "torch.a", "elements": 64, "variant": "int64",
                                        "call": "torch.a(x)", "error": "TypeError: no"},
]  # fmt: skip


def test_figures_are_those_of_each_size():
    first, second = summary.figures(RESULTS)
    assert first == {
        "elements": "64",
        "calls": 3,
        "geometric mean": 2.08,
        "at most 2.5": "67%",
        "above 8": 1,
    }
    assert second["geometric mean"] == 3


def test_the_worst_row_of_each_overload():
    assert [each["ratio"] for each in summary.worst(RESULTS)] == [9, 2, 0.5]
    assert summary.refused(RESULTS) == RESULTS[-1:]


def test_rows_that_grew_by_more_than_a_fifth():
    before = [_result("torch.abs default", 0.5), _result("torch.add Tensor", 1.6)]
    assert summary.grown(RESULTS, before) == [(RESULTS[1], 1.6)]
    before[1]["ratio"] = 1.7
    assert summary.grown(RESULTS, before) == []


def test_documents_have_each_row():
    page = summary.page(RESULTS, "two threads")
    assert page.count("<tr><td>") == page.count("<circle") == 4
    text = summary.markdown(RESULTS, ["torch.b int"], "two threads")
    assert "- `torch.a 64 int64`: TypeError: no" in text
    assert "`torch.b int`" in text


def test_readme_keeps_what_is_around_the_block():
    text = f"before\n{summary.START}\nold\n{summary.END}\nafter\n"
    new = summary.with_block(text, summary.readme_block(RESULTS, "two threads"))
    assert new.startswith("before\n")
    assert new.endswith(f"{summary.END}\nafter\n")
    assert "old" not in new
    assert "`torch.erf`" not in new.partition("slowest")[0]


def test_calls_that_write_get_new_operands():
    names = {"torch": impl, "x": impl.ones(3)}
    fresh = FreshOperands("x.add_(1); seen.append(x.tolist())", {**names, "seen": (seen := [])})
    assert fresh.timeit(3) > 0
    assert seen == [[2, 2, 2]] * 3


def test_a_row_is_read_from_its_result():
    setup = (f"x = {tensors(64, 'float32')[0]}",)
    row = Row("torch.Tensor.add_ Scalar", 64, "float32", setup, "x.add_(2)")
    assert row.writes
    assert not row._replace(call="torch.add(x, 2, _a=3)").writes
    result = time_row(row, {"torch": impl, "impl": impl}, 1e-4)
    assert result["impl_ns"] > 0
    assert row_of(result) == row
    assert "AttributeError" in time_row(row._replace(call="x.no"), {"torch": impl}, 1e-4)["error"]


def test_arrays_have_the_elements_of_their_size():
    for size in SIZES:
        arrays = scope(size)
        assert arrays["floats"].size == arrays["indices"].size == size
        assert np.all(arrays["indices"] < len(arrays["floats"]))


def test_slow_statements_take_few_rounds():
    calls = []
    seconds = minima({"a": Timer(lambda: calls.append(1)), "b": Timer(lambda: None)}, 1e-4)
    assert {*seconds} == {"a", "b"}
    assert all(0 < each < 1e-2 for each in seconds.values())
    assert len(calls) > 5
