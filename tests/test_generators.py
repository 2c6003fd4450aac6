"""Generators and random functions, with the values of torch 2.13.0.

A digest is of the elements in logical order, or of the whole state of a generator.
"""

import copy
import hashlib
from collections.abc import Callable
from typing import Any

import pytest

import impl
from impl._random import generator
from impl._random.generator import Generator, default_generator
from impl._tensor.data_access import raw_array
from impl.testing import simulated_cuda

torch: Any = impl


def seeded(seed: int = 7) -> Any:
    return Generator().manual_seed(seed)


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:12]


def failure(call: Callable[[], object]) -> str:
    with pytest.raises((RuntimeError, TypeError, ValueError, AttributeError)) as caught:
        call()
    return f"{caught.type.__name__}: {caught.value}"


# ---------------------------------------------------------------- random functions


@pytest.mark.parametrize(
    ("call", "elements", "state"),
    [
        ("rand(3, 5, generator=g)", "4db4aff98e43", "35a465710f20"),
        ("rand(7, generator=g, dtype=torch.float64)", "5a5dc45478d8", "b9ac3060a577"),
        ("rand(7, generator=g, dtype=torch.complex64)", "f8c71d325db3", "b9ac3060a577"),
        ("randint(9, (3, 5), generator=g)", "51a45843633c", "35a465710f20"),
        ("randint(-5, 2**40, (7,), generator=g)", "479291bafb7a", "b9ac3060a577"),
        ("randint(5, (7,), generator=g, dtype=torch.float16)", "4476b22b1733", "674626acdabd"),
        ("randperm(20, generator=g)", "bcb2be04f806", "8f7d562be128"),
        ("rand_like(torch.zeros(3, 4).t(), generator=g)", "b2d57d75aca1", "d17d673e1556"),
        ("randint_like(torch.zeros(3, 4).t(), 2, 9, generator=g)", "60c8995952f8", "d17d673e1556"),
        (
            "zeros(3, 4, 5).permute(2, 0, 1).uniform_(1, 5, generator=g)",
            "51774d540307",
            "7d747dd1d6f9",
        ),
        ("zeros(3, 4, 5).permute(2, 0, 1).random_(generator=g)", "c922f61b0278", "7d747dd1d6f9"),
        (
            "zeros(4, 6, dtype=torch.int8)[:, ::2].random_(3, 9, generator=g)",
            "9fc1541fab7b",
            "d17d673e1556",
        ),
        ("zeros(3, 4).t().bernoulli_(0.4, generator=g)", "f2412a30a00f", "09c7baa332d2"),
        (
            "zeros(3, 4).t().bernoulli_(torch.full((3,), 0.4), generator=g)",
            "b51164af7b5c",
            "d17d673e1556",
        ),
        ("full((9,), 0.5).bernoulli(generator=g)", "7a81840d1af5", "b9a5bfdb2348"),
        ("bernoulli(torch.zeros(9), 0.25, generator=g)", "6db65fd59fd3", "5fbac213b4f8"),
        ("zeros(0).random_(generator=g)", "e3b0c44298fc", "daf9268b18e8"),
    ],
)
def test_streams_to_the_bit(call: str, elements: str, state: str) -> None:
    g = seeded()
    result = eval(f"torch.{call}", {"torch": torch, "g": g})
    assert digest(raw_array(result).tobytes()) == elements
    assert digest(raw_array(g.get_state()).tobytes()) == state


@pytest.mark.parametrize(
    ("call", "elements"),
    [
        ("randn(3, generator=g)", [-0.146795094, 0.786141276, 0.94682163]),
        ("normal(1, 0.5, (3,), generator=g)", [0.926602423, 1.393070698, 1.473410845]),
        ("randn_like(torch.zeros(3), generator=g)", [-0.146795094, 0.786141276, 0.94682163]),
        (
            "normal(torch.arange(1.0, 4.0), 0.5, generator=g)",
            [0.926602483, 2.393070698, 3.473410845],
        ),
        (
            "normal(0.5, torch.arange(1.0, 4.0), generator=g)",
            [0.353204906, 2.072282553, 3.34046483],
        ),
        (
            "normal(torch.arange(1.0, 3.0)[:, None], torch.arange(0.5, 1.1, 0.5), "
            "generator=g).view(4)",
            [0.926602483, 1.786141276, 2.473410845, 0.885655999],
        ),
        (
            "zeros(2, 2).t().normal_(5, generator=g).reshape(4)",
            [4.853204727, 5.946821690, 5.786141396, 3.885655880],
        ),
    ],
)
def test_normal_numbers(call: str, elements: list[float]) -> None:
    result = eval(f"torch.{call}", {"torch": torch, "g": seeded()})
    assert result.tolist() == pytest.approx(elements, rel=1e-6)


def test_result_dtypes_and_shapes() -> None:
    assert torch.randint(3, (2,)).dtype is torch.randperm(3).dtype is torch.int64
    assert torch.rand_like(torch.zeros(2, 3).t()).stride() == (1, 3)
    assert torch.bernoulli(torch.zeros(2, 3).t()).stride() == (2, 1)
    assert torch.rand(()).shape == ()
    assert torch.normal(torch.zeros(2, dtype=torch.float64), torch.ones(2)).dtype is torch.float64


def test_out() -> None:
    whole = torch.zeros(6)
    torch.rand(3, generator=seeded(), out=whole[::2])
    assert whole[::2].tolist() == torch.rand(3, generator=seeded()).tolist()
    assert whole[1::2].tolist() == [0, 0, 0]
    square = torch.zeros(2, 2)
    torch.randperm(4, out=square)
    assert sorted(square.tolist()) == [0, 1, 2, 3]
    with pytest.warns(UserWarning, match=r"resized since it had shape \[4\]"):
        torch.normal(0.0, torch.ones(2), out=square)


def test_a_probability_that_a_result_overwrites_is_read_afterwards() -> None:
    memory = torch.tensor([1.0, -2.0, 0.0, 5.0, 5.0])
    torch.bernoulli(memory.as_strided((2, 2), (0, 1)), out=memory.as_strided((2, 2), (2, 1), 1))
    assert memory.tolist() == [1, 1, 1, 1, 1]


def test_what_is_wrong_in_the_middle_leaves_what_came_before() -> None:
    chances = torch.full((4,), 1.0)
    chances[2] = 2.0
    tosses = torch.zeros(4)
    g = seeded()
    assert failure(lambda: tosses.bernoulli_(chances, generator=g)).startswith(
        "RuntimeError: Expected p_in >= 0 && p_in <= 1 to be true, but got false."
    )
    assert tosses.tolist() == [1, 1, 0, 0]
    expected = seeded()
    torch.rand(2, generator=expected)
    assert g.get_state().tolist() == expected.get_state().tolist()


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ("rand(-1)", "RuntimeError: Trying to create tensor with negative dimension -1: [-1]"),
        (
            "rand(-1, out=torch.zeros(2))",
            "RuntimeError: numel: integer multiplication overflow",
        ),
        (
            "rand(2, dtype=torch.int32)",
            "NotImplementedError: \"check_uniform_bounds\" not implemented for 'Int'",
        ),
        (
            "randn(2, dtype=torch.bool)",
            "NotImplementedError: \"normal_kernel_cpu\" not implemented for 'Bool'",
        ),
        (
            "randn(2, out=torch.zeros(2, requires_grad=True))",
            "RuntimeError: cannot resize variables that require grad",
        ),
        (
            "rand(2, out=torch.zeros(2, requires_grad=True))",
            "RuntimeError: aten::rand(): functions with out=... arguments don't support automatic"
            " differentiation, but one of the arguments requires grad.",
        ),
        (
            "randint(5, 2)",
            "TypeError: randint(): argument 'size' (position 2) must be tuple of ints, not int",
        ),
        (
            "randint(0, (2,))",
            "RuntimeError: random_ expects 'from' to be less than 'to', but got from=0 >= to=0",
        ),
        ("randperm(-1, out=torch.zeros(2))", "RuntimeError: n must be non-negative, got-1"),
        (
            "randint_like(torch.zeros(2), torch.zeros(1))",
            "RuntimeError: high must be a scalar tensor and on CPU",
        ),
        (
            "normal(torch.zeros(2), -1)",
            "RuntimeError: normal expects std >= 0.0, but found std -1",
        ),
        (
            "normal(0.0, torch.tensor([1.0, -1.0]))",
            "RuntimeError: normal expects all elements of std >= 0.0",
        ),
        (
            "normal(0.0, torch.zeros(2, dtype=torch.complex64))",
            "RuntimeError: normal expects standard deviation to be non-complex",
        ),
        (
            "normal(torch.zeros(2), torch.zeros(3))",
            "RuntimeError: The size of tensor a (2) must match the size of tensor b (3) at"
            " non-singleton dimension 0",
        ),
        (
            "zeros(3).bernoulli_(torch.zeros(2))",
            "RuntimeError: The expanded size of the tensor (3) must match the existing size (2) at"
            " non-singleton dimension 0.  Target sizes: [3].  Tensor sizes: [2]",
        ),
        (
            "zeros(1).expand(3).uniform_()",
            "RuntimeError: unsupported operation: more than one element of the written-to tensor"
            " refers to a single memory location. Please clone() the tensor before performing the"
            " operation.",
        ),
        (
            "zeros(1).expand(3).uniform_(1, 0)",
            "RuntimeError: uniform_ expects to return a [from, to) range, but found from=1 > to=0",
        ),
        (
            "zeros(2, requires_grad=True).normal_()",
            "RuntimeError: a leaf Variable that requires grad is being used in an in-place"
            " operation.",
        ),
        (
            "zeros(2).uniform_(0, 1, 2)",
            "TypeError: uniform_() takes from 0 to 2 positional arguments but 3 were given",
        ),
    ],
)
def test_refusals(call: str, error: str) -> None:
    assert failure(lambda: eval(f"torch.{call}")) == error


@pytest.mark.parametrize(
    ("call", "node"),
    [
        ("x.uniform_()", "UniformBackward0"),
        ("x.normal_()", "NormalBackward0"),
        ("x.random_()", "RandomBackward2"),
        ("x.random_(1, 5)", "RandomBackward0"),
        ("x.random_(5)", "RandomBackward1"),
        ("x.bernoulli_()", "BernoulliBackward2"),
        ("x.bernoulli_(torch.ones(3))", "BernoulliBackward1"),
        ("x.bernoulli()", "BernoulliBackward0"),
        ("x.bernoulli(0.5)", "NotImplemented"),
        ("torch.normal(x, 1)", "NormalBackward1"),
        ("torch.normal(1.0, x)", "NormalBackward2"),
        ("torch.normal(x, x)", "NormalBackward3"),
        ("torch.rand(3, out=x)", "NotImplemented"),
    ],
)
def test_histories(call: str, node: str) -> None:
    x = torch.ones(3, requires_grad=True).clone()
    assert type(eval(call, {"torch": torch, "x": x}).grad_fn).__name__ == node


# ---------------------------------------------------------------- generators


def test_generators_of_their_own() -> None:
    g = Generator()
    assert (g.initial_seed(), repr(g.device)) == (67280421310721, "device(type='cpu')")
    assert g.manual_seed(-1) is g
    assert g.initial_seed() == 2**64 - 1
    assert g.seed() == g.initial_seed()
    assert repr(g) == f"<torch._C.Generator object at {hex(id(g))}>"
    assert Generator("cpu:0").device.index is None


def test_states() -> None:
    g = seeded()
    torch.randn(3, generator=g)
    twin, state = g.clone_state(), g.get_state()
    assert (state.dtype, tuple(state.shape)) == (torch.uint8, (5056,))
    numbers = torch.randn(5, generator=g).tolist()
    assert torch.randn(5, generator=twin).tolist() == numbers
    assert g.set_state(state) is g
    assert torch.randn(5, generator=g).tolist() == numbers
    assert torch.randn(5, generator=copy.copy(twin)).tolist() != numbers
    assert copy.copy(twin).initial_seed() == 7


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (
            "Generator(1.5)",
            "TypeError: Generator(): argument 'device' (position 1) must be torch.device, not"
            " float",
        ),
        ("Generator('meta')", "RuntimeError: META device type not an accelerator."),
        ("Generator('mps')", "RuntimeError: Cannot execute getNewGenerator() without MPS backend."),
        ("g.get_state(1)", "TypeError: Generator.get_state() takes no arguments (1 given)"),
        ("g.seed(a=1)", "TypeError: Generator.seed() takes no keyword arguments"),
        (
            "g.manual_seed()",
            "TypeError: Generator.manual_seed() takes exactly one argument (0 given)",
        ),
        ("g.manual_seed(1.5)", "RuntimeError: manual_seed expected a long, but got float"),
        ("g.set_state(1)", "TypeError: expected a torch.ByteTensor, but got int"),
        ("g.set_state(torch.zeros(3))", "TypeError: RNG state must be a torch.ByteTensor"),
        (
            "g.set_state(torch.zeros(3, dtype=torch.uint8))",
            "RuntimeError: Expected a CPUGeneratorImplState of size 5056 but found the input RNG"
            " state size to be 3",
        ),
        (
            "g.set_state(torch.zeros(5056, 2, dtype=torch.uint8)[:, 0])",
            "RuntimeError: RNG state must be contiguous",
        ),
        ("g.get_offset()", "RuntimeError: CPU Generator does not use offset"),
        ("g.set_offset('a')", "RuntimeError: manual_offset expected a long, but got str"),
        (
            "g.graphsafe_get_state()",
            "NotImplementedError: graphsafe_get_state is not supported in this Generator",
        ),
        ("g.graphsafe_set_state(1)", "TypeError: expected a Generator, but got int"),
        ("g.foo", "AttributeError: 'torch._C.Generator' object has no attribute 'foo'"),
        (
            "setattr(g, 'device', 1)",
            "AttributeError: attribute 'device' of 'torch._C.Generator' objects is not writable",
        ),
        (
            "torch.rand(3, g)",
            "TypeError: rand(): argument 'size' failed to unpack the object at pos 2 with error"
            ' "type must be tuple of ints,but got torch._C.Generator"',
        ),
    ],
)
def test_refusals_of_generators(call: str, error: str) -> None:
    scope = {"torch": torch, "g": seeded(), "Generator": Generator}
    assert failure(lambda: eval(call, scope)) == error


def test_default_generator() -> None:
    state = generator.get_rng_state()
    try:
        assert generator.manual_seed("5") is default_generator
        assert generator.initial_seed() == 5
        first = torch.rand(3).tolist()
        assert generator.manual_seed(5.9) is default_generator
        with generator.fork_rng():
            assert torch.rand(3, generator=default_generator).tolist() == first
        assert torch.rand(3, generator=None).tolist() == first
        assert generator.seed() == generator.initial_seed() != 5
    finally:
        generator.set_rng_state(state)
    with pytest.raises(AssertionError, match=r"^Torch not compiled with CUDA enabled$"):
        generator.fork_rng([0]).__enter__()
    assert failure(lambda: generator.manual_seed(2**64)) == (
        "ValueError: Overflow when unpacking long long"
    )


def test_fork_rng_restores_devices() -> None:
    with simulated_cuda(2):
        generator.manual_seed(3)
        first = [impl.rand(2, device=f"cuda:{index}").tolist() for index in range(2)]
        generator.manual_seed(3)
        with generator.fork_rng():
            assert [impl.rand(2, device=f"cuda:{i}").tolist() for i in range(2)] == first
        with generator.fork_rng([impl.device("cuda:1")]):
            assert [impl.rand(2, device=f"cuda:{i}").tolist() for i in range(2)] == first
        assert impl.rand(2, device="cuda:0").tolist() != first[0]
        assert impl.rand(2, device="cuda:1").tolist() == first[1]


def test_normal_draws_before_it_refuses_a_gradient_or_a_device() -> None:
    complex_mean = torch.zeros(3, dtype=torch.complex64).requires_grad_()
    meta_std = torch.ones(3, device="meta")
    for mean, std in ((complex_mean, 1.0), (torch.zeros(3), meta_std)):
        torch.manual_seed(0)
        first = torch.rand(3).tolist()
        torch.manual_seed(0)
        with pytest.raises(RuntimeError):
            torch.normal(mean, std)
        assert torch.rand(3).tolist() != first
