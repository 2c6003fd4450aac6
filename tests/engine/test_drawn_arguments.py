"""Random arguments as source text."""

import math
from random import Random

import numpy
import pytest

import impl as torch
from conformance.generators.schemas.drawn_arguments import DefaultTensor, Drawer
from conformance.generators.schemas.programs import is_tensor_text

FLOATS = "torch.tensor([0.5, 1.0])"


pytestmark = pytest.mark.filterwarnings("ignore:ComplexHalf", "ignore:Sparse invariant")


def made(text):
    return eval(text, {"torch": torch, "math": math, "numpy": numpy})


def test_tensors_have_every_rank_stride_and_dtype():
    default = DefaultTensor(FLOATS, made(FLOATS))
    seen = set()
    for seed in range(600):
        drawer = Drawer(Random(seed))
        text = drawer.tensor(default)
        assert is_tensor_text(text)
        tensor = made(text)
        seen |= {("rank", tensor.dim()), ("dtype", tensor.dtype), ("device", tensor.device.type)}
        seen.add(("requires_grad", tensor.requires_grad))
        if tensor.layout is torch.strided:
            seen |= {("contiguous", tensor.is_contiguous()), ("offset", tensor.storage_offset())}
            seen |= {
                ("conj", tensor.is_conj()),
                ("neg", tensor.is_neg()),
                ("empty", not tensor.numel()),
            }
            seen.add(("expanded", 0 in tensor.stride()))
        else:
            seen.add("sparse")
    assert {("rank", rank) for rank in range(5)} <= seen
    assert {
        (name, flag)
        for name in ("contiguous", "conj", "neg", "empty", "expanded", "requires_grad")
        for flag in (True, False)
    } <= seen
    assert {("offset", offset) for offset in (0, 1, 3)} <= seen
    assert {("dtype", torch.float32), ("dtype", torch.int64), ("dtype", torch.complex32)} <= seen
    assert {("dtype", torch.uint16), ("device", "meta"), "sparse"} <= seen


def test_the_tensors_of_a_call_have_sizes_in_common():
    default = DefaultTensor(FLOATS, made(FLOATS))
    alike = 0
    for seed in range(200):
        drawer = Drawer(Random(seed))
        shapes = {tuple(made(drawer.tensor(default)).shape) for _ in range(2)}
        alike += len(shapes) == 1
    assert 60 < alike < 180


def test_a_sparse_default_stays_as_it_is():
    text = "torch.sparse_coo_tensor([[0, 1]], [1.0, 2.0], (3,))"
    assert Drawer(Random(0)).tensor(DefaultTensor(text, made(text))) == text


@pytest.mark.parametrize(
    "element_type", ["number", "int", "float", "bool", "ScalarType", "List[int]", "str"]
)
def test_arguments_are_the_default_or_others(element_type):
    texts = {Drawer(Random(seed)).value(element_type, "'floor'") for seed in range(200)}
    assert "'floor'" in texts
    assert len(texts) > 2
    for text in texts:
        made(text)


def test_the_same_seed_draws_the_same():
    default = DefaultTensor(FLOATS, made(FLOATS))
    assert Drawer(Random("a 1")).tensor(default) == Drawer(Random("a 1")).tensor(default)
