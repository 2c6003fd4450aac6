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


def test_padding_is_compared_as_in_torch() -> None:
    with pytest.raises(TypeError, match=r"^'>=' not supported"):
        nn.Embedding("a", 2, 1)
    with pytest.raises(AssertionError, match="within num_embeddings"):
        nn.Embedding(3, 2, 3)
    with pytest.raises(AssertionError, match="within num_embeddings"):
        nn.Embedding(3, 2, -4)
    assert nn.Embedding(3, 2, -3).padding_idx == 0
