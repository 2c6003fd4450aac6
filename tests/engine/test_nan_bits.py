"""The bits of NaNs: signs and payloads count wherever the oracle's kernels agree on them."""

import socket
from threading import Thread

import numpy as np
import pytest

import impl
from conformance.comparison import vector_width_server, vector_widths
from conformance.comparison.nan_bits import combines, differing_nans, wrong_nans
from conformance.comparison.other_kernels import OtherResults, other_programs, results_of_all
from conformance.comparison.vector_widths import processes_of
from conformance.core.case import Case
from conformance.core.float_formats import FORMATS
from conformance.libraries.build import capability_of
from conformance.libraries.library import Library

ORACLE = Library("impl", impl)
QUIET, NEGATIVE, OTHER, NUMBER = 0x7FC0, 0xFFC0, 0x7FC1, 0x3F80


def parts(*raw, name="bfloat16"):
    return np.array([[bits] for bits in raw], FORMATS[name].raw_dtype)


def wrong(expected, observed, *others, **options):
    sides = (parts(*raw) for raw in (expected, observed))
    others = [parts(*raw) for raw in others]
    return wrong_nans(*sides, others, FORMATS["bfloat16"], **options)[:, 0].tolist()


@pytest.mark.parametrize(
    ("observed", "others", "result"),
    [
        (QUIET, [], False),
        (NEGATIVE, [], True),
        (OTHER, [], True),
        (NUMBER, [], False),  # no NaN: another rule
        (NEGATIVE, [[QUIET]], True),
        (NEGATIVE, [[NEGATIVE]], False),
        (NEGATIVE, [[OTHER]], True),
        (OTHER, [[NEGATIVE]], True),
        (OTHER, [[OTHER]], False),
        (0xFFC1, [[0xFFC2]], False),
        (0xFFC1, [[NEGATIVE], [OTHER]], False),
        (NEGATIVE, [[NUMBER]], True),
    ],
)
def test_a_field_counts_if_no_kernel_differs_in_it(observed, others, result):
    assert wrong([QUIET], [observed], *others) == [result]


def test_a_field_that_varies_in_one_element_varies_in_all():
    assert wrong([QUIET, QUIET], [NEGATIVE, QUIET], [QUIET, NEGATIVE]) == [False, False]
    assert wrong([QUIET, QUIET], [OTHER, QUIET], [QUIET, NEGATIVE]) == [True, False]


def test_a_constant_of_one_kernel_leaves_both_fields_open():
    assert wrong([0xFFC1, 0xFFC2], [QUIET, QUIET], [0xFFFF, 0xFFFF]) == [False, False]
    assert wrong([0xFFC1, 0xFFC2], [QUIET, QUIET], [0xFFC1, 0xFFC2]) == [True, True]


def test_the_payload_may_be_left_out():
    assert wrong([QUIET, QUIET], [OTHER, NEGATIVE], payload=False) == [False, True]


def test_results_of_another_shape_say_nothing():
    others = [parts(NEGATIVE, NEGATIVE)]
    bfloat16 = FORMATS["bfloat16"]
    assert wrong_nans(parts(QUIET), parts(NEGATIVE), others, bfloat16).all()


@pytest.mark.parametrize("name", ["int16", "uint16", "bool"])
def test_integers_are_no_nans(name):
    raw = [parts(bits, name=name) for bits in (0x01, 0x00)]
    assert not differing_nans(*raw, FORMATS[name]).any()


def test_the_only_nan_of_a_format_has_no_sign():
    for name in ("float8_e5m2fnuz", "float8_e8m0fnu"):
        assert not wrong_nans(parts(0x80, name=name), parts(0xFF, name=name), [], FORMATS[name])


@pytest.mark.parametrize(
    ("step", "name", "result"),
    [
        ("x + y", "float32", True),
        ("x -= y", "float32", True),
        ("torch.addcmul(x, y, z)", "float32", True),
        ("x.sub_(y)", "float32", True),
        ("x.sum()", "float32", True),
        ("torch.trapz(x, y)", "float64", True),
        ("torch.neg(x)", "complex64", True),
        ("torch.neg(x)", "float32", False),
        ("-x", "float32", False),
        ("torch.copysign(x, -1.0)", "float32", False),
        ("x.to(torch.float16)", "float16", False),
        ("x[-1:]", "float32", False),
    ],
)
def test_a_step_combines_numbers_if_it_may_choose_among_nans(step, name, result):
    assert combines(step, FORMATS[name]) is result


def test_other_kernels_compute_the_same_elements():
    case = Case(("x = torch.tensor([1.0, -0.0])", "y = 2", "x.neg()"))
    assert len({*other_programs(case)}) == 3
    results = [result.tolist() for result in OtherResults(ORACLE, case, FORMATS["float32"])]
    assert results == [[[0xBF800000], [0]]] * 3


def test_results_of_other_kernels_are_computed_once():
    results = OtherResults(ORACLE, Case(("x = torch.ones(2)", "-x")), FORMATS["float32"])
    first = next(iter(results))
    assert next(iter(results)) is first
    assert len([*results]) == 3


def test_many_results_are_those_that_are_asked_one_by_one():
    fmt = FORMATS["float32"]
    programs = [("x = torch.ones(2)", "-x"), ("y = torch.ones(2, 3)", "torch.sin(y)"),
                ("x = torch.ones(2)._neg_view()", "x += 1")] * 5  # fmt: skip
    cases = [Case(steps) for steps in programs]
    for case, kernels in zip(
        cases, results_of_all(ORACLE, [(case, fmt, True) for case in cases]), strict=True
    ):
        one_by_one = [result.tolist() for result in OtherResults(ORACLE, case, fmt)]
        assert [result.tolist() for result in kernels.others] == one_by_one != []
        assert kernels.widths == []
    [alone] = results_of_all(ORACLE, [(cases[0], fmt, False)])
    assert alone == ([], [])


def test_a_process_answers_many_requests_that_are_sent_together(monkeypatch):
    """The server reads ahead, and must not lose what it has read when it answers."""
    ours, theirs = socket.socketpair()
    monkeypatch.setattr(vector_widths, "_connection", lambda: ours)
    monkeypatch.setattr(vector_width_server, "load_oracle", lambda: ORACLE)

    def serve():
        with theirs, theirs.makefile("r") as read, theirs.makefile("w") as write:
            vector_width_server.serve(read, write)

    with ours:
        Thread(target=serve, daemon=True).start()
        process = vector_widths.TorchProcess({})
        requests = [(Case((f"torch.ones({size})",)), "uint32", 1) for size in range(200)]
        requests[7] = (Case(("no_name",)), "uint32", 1)
        process.send(requests)
        results = process.receive(requests)
        assert results.pop(7) is None
        assert [len(result) for result in results] == [*range(7), *range(8, 200)]
        assert len(process.raw_result(Case(("torch.ones(3)",)), "uint32", 1)) == 3


def test_other_libraries_have_no_vector_widths():
    assert capability_of(impl) is None
    assert processes_of(ORACLE) == ()


def test_a_setting_of_mkl_is_another_process_of_torch(monkeypatch):
    asked = []
    monkeypatch.setattr(vector_widths, "TorchProcess", lambda setting: asked.append(dict(setting)))
    vector_widths._processes.cache_clear()
    monkeypatch.delenv("ATEN_CPU_CAPABILITY", raising=False)
    monkeypatch.delenv("MKL_CBWR", raising=False)
    monkeypatch.setattr(vector_widths, "_LOWER", {"A": ()})
    vector_widths._processes("A", True)
    vector_widths._processes("A", False)
    vector_widths._processes.cache_clear()
    assert asked == [{"MKL_CBWR": "AVX2"}, {"MKL_CBWR": "COMPATIBLE"}]
