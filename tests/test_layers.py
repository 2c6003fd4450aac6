"""Layers and functions of impl.nn; with torch as impl these tests pass, too."""

import pytest

import impl as torch

nn, functional = torch.nn, torch.nn.functional


def test_initial_values_follow_the_seed():
    torch.manual_seed(0)
    layer = nn.Linear(3, 2)
    first = layer.weight.detach().flatten()[:2].tolist()
    assert first == [-0.004322517663240433, 0.3097158372402191]
    assert layer.bias.requires_grad
    assert nn.Embedding(3, 2, padding_idx=-1).weight[2].tolist() == [0, 0]


def test_layers_on_meta_have_no_elements():
    with torch.device("meta"):
        model = nn.Sequential(nn.Embedding(10, 4), nn.Linear(4, 2), nn.LayerNorm(2), nn.RMSNorm(2))
    assert {p.device.type for p in model.parameters()} == {"meta"}
    assert sum(p.numel() for p in model.parameters()) == 40 + 10 + 4 + 2
    assert model(torch.zeros(3, dtype=torch.int64, device="meta")).shape == (3, 2)


def test_representations():
    assert repr(nn.Linear(2, 3, bias=False)) == "Linear(in_features=2, out_features=3, bias=False)"
    assert repr(nn.RMSNorm(2)) == "RMSNorm((2,), eps=None, elementwise_affine=True)"
    assert repr(nn.Sequential(nn.ReLU(True), nn.Dropout())) == (
        "Sequential(\n  (0): ReLU(inplace=True)\n  (1): Dropout(p=0.5, inplace=False)\n)"
    )


def test_functions_tell_wrong_arguments():
    x = torch.ones(2, 3)
    with pytest.raises(TypeError, match=r"linear\(\): argument 'input' \(position 1\)"):
        functional.linear(1, x)
    with pytest.raises(RuntimeError, match="cannot be multiplied"):
        functional.linear(x, x.t())
    with pytest.raises(IndexError, match="index out of range in self"):
        functional.embedding(torch.tensor([2]), x)
    with pytest.raises(RuntimeError, match=r"expected input with shape \[\*, 2\]"):
        functional.layer_norm(x, (2,))


def test_names_of_gradients():
    x = torch.ones(2, 3)
    w = torch.ones(4, 3, requires_grad=True)
    b = torch.ones(4)
    names = [
        functional.linear(x, w, b), functional.linear(x, w), functional.linear(x[None], w, b),
        functional.embedding(torch.tensor([1]), w), functional.layer_norm(x, (3,), w[0]),
    ]  # fmt: skip
    assert [result.grad_fn.name() for result in names] == [
        "AddmmBackward0", "MmBackward0", "ViewBackward0", "EmbeddingBackward0",
        "NativeLayerNormBackward0",
    ]  # fmt: skip


def test_normalizations_of_exact_numbers():
    x = torch.tensor([[1.0, -1.0, 1.0, -1.0]])
    assert functional.layer_norm(x, (4,), eps=3.0).tolist() == [[0.5, -0.5, 0.5, -0.5]]
    assert functional.rms_norm(x.half(), (4,), eps=3.0).tolist() == [[0.5, -0.5, 0.5, -0.5]]


def test_dropout_in_evaluation_is_the_input():
    x = torch.ones(3)
    assert functional.dropout(x, training=False) is x
    assert set(functional.dropout(torch.ones(99), 0.5).tolist()) == {0, 2}


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax_of_equal_numbers(name):
    x = torch.zeros(2, 4)
    expected = [0.25] * 4 if name == "softmax" else [torch.tensor(0.25).log().item()] * 4
    for result in (
        getattr(torch, name)(x, 1),
        getattr(x, name)(-1),
        getattr(functional, name)(x, 1),
    ):
        assert result[0].tolist() == pytest.approx(expected)
    assert getattr(torch, name)(x.half(), 0, torch.float64).dtype is torch.float64
    assert getattr(x.t(), name)(0).stride() == (2, 1)
    out = torch.empty(0)
    assert getattr(torch, name)(x, 0, out=out) is out
    assert out.shape == (2, 4)


def test_softmax_refuses_integers():
    with pytest.raises(NotImplementedError, match='"softmax_lastdim_kernel_impl" not implemented'):
        torch.ones(3, dtype=torch.int64).softmax(0)
    with pytest.raises(IndexError):
        torch.ones(3).softmax(1)
    assert torch.ones(0, dtype=torch.int64).softmax(0).dtype is torch.int64


def test_softmax_without_a_dimension_warns():
    with pytest.warns(UserWarning, match="Implicit dimension choice for softmax"):
        assert nn.Softmax()(torch.ones(2, 2)).tolist() == [[0.5, 0.5], [0.5, 0.5]]


def test_softmax_of_many_elements():
    x = torch.arange(200_000.0).view(400, 500) % 7
    for dim in (0, 1):
        assert x.softmax(dim).sum(dim).sub(1).abs().max().item() < 1e-5
        assert x.log_softmax(dim).exp().sub(x.softmax(dim)).abs().max().item() < 1e-6


def test_activations():
    x = torch.tensor([0.0, 1.0, -2.0])
    assert functional.silu(x).tolist() == pytest.approx([0, 0.7310586, -0.2384058])
    assert functional.gelu(x).tolist() == pytest.approx([0, 0.8413447, -0.0455003], abs=1e-6)
    by_tanh = nn.GELU("tanh")(x)
    assert by_tanh.tolist() == pytest.approx([0, 0.841192, -0.0454023], abs=1e-6)
    with pytest.raises(RuntimeError, match="approximate argument must be either none or tanh"):
        functional.gelu(x, approximate="sinh")
    assert nn.SiLU(inplace=True)(x) is x
    assert nn.Sigmoid()(x[:1]).item() == 0.5
    assert nn.Tanh()(x[:1]).item() == 0


def test_silu_has_no_complex_gradient():
    x = torch.ones(2, dtype=torch.complex64)
    functional.silu(x)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="does not support automatic differentiation"):
            functional.silu(torch.ones(2, dtype=torch.complex64, requires_grad=True))


def test_padding_is_compared_as_in_torch() -> None:
    with pytest.raises(TypeError, match=r"^'>=' not supported"):
        nn.Embedding("a", 2, 1)
    with pytest.raises(AssertionError, match="within num_embeddings"):
        nn.Embedding(3, 2, 3)
    with pytest.raises(AssertionError, match="within num_embeddings"):
        nn.Embedding(3, 2, -4)
    assert nn.Embedding(3, 2, -3).padding_idx == 0


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax_on_meta_is_that_of_the_reference(name):
    function = getattr(torch, name)
    with pytest.raises(RuntimeError, match=f"_{name} does not support automatic differentiation"):
        function(torch.ones(2, dtype=torch.complex64, device="meta", requires_grad=True), 0)
    with pytest.raises(ValueError, match="Invalid dtype!"):
        function(torch.empty(2, dtype=torch.bits8, device="meta"), 0)
    out = torch.empty(6, 4, device="meta")[:, ::2]
    with pytest.warns(UserWarning, match="An output with one or more elements was resized"):
        function(torch.empty(2, 3, device="meta"), 1, out=out)
    assert out.stride() == (3, 1)


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax_writes_a_copy_of_an_out_that_is_not_contiguous(name):
    function, x = getattr(torch, name), torch.arange(6.0).view(2, 3)
    out = torch.zeros(3, 2).t()
    assert function(x, 1, out=out).equal(function(x, 1))
    assert out.stride() == (1, 2)
    out = torch.zeros(6, 4, dtype=torch.int64)[:, ::2]
    with pytest.raises(NotImplementedError), pytest.warns(UserWarning, match="was resized"):
        function(x.long(), 1, out=out)
    assert out.shape == (6, 2)
    sparse = torch.zeros(2, 3).to_sparse()
    with pytest.raises(RuntimeError, match="Expected out tensor to have dtype double, but got"):
        function(x, 1, torch.float64, out=sparse)
    with pytest.raises(NotImplementedError, match="aten::resize_"):
        function(x, 1, out=sparse)


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax_over_a_part_of_what_it_reads_goes_line_by_line(name: str) -> None:
    numbers = torch.arange(8.0)
    x, out = numbers[:6].view(2, 3), numbers[1:7].view(2, 3)
    first = getattr(torch, name)(x[0], 0)
    read = torch.cat([first[2:], x[1, 1:]])
    last = getattr(torch, name)(read, 0)
    if name == "log_softmax":  # its sums are of what was there before
        last = read - 5 - (x[1] - 5).exp().sum().log()
    getattr(torch, name)(x, 1, out=out)
    assert out[0].tolist() == first.tolist()
    assert out[1].tolist() == pytest.approx(last.tolist())
