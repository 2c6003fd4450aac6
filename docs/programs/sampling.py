"""Decoding from a small language model: top-k, nucleus sampling and a repetition penalty."""

import argparse

import torch


def probabilities(logits: torch.Tensor) -> torch.Tensor:
    """Return the softmax of the last dimension."""
    shifted = (logits - logits.amax(-1, keepdim=True)).exp()
    return shifted / shifted.sum(-1, keepdim=True)


def keep_top_k(logits: torch.Tensor, k: int) -> torch.Tensor:
    """Mask all but the k largest logits of each row."""
    least = logits.topk(k, dim=-1).values[..., -1:]
    return logits.masked_fill(logits < least, -torch.inf)


def keep_nucleus(logits: torch.Tensor, p: float) -> torch.Tensor:
    """Mask the tokens beyond the smallest set whose probability exceeds p."""
    ordered, order = logits.sort(dim=-1, descending=True)
    mass = probabilities(ordered).cumsum(-1)
    beyond = torch.roll(mass > p, 1, dims=-1)
    beyond[..., 0] = False
    return logits.masked_fill(torch.zeros_like(beyond).scatter(-1, order, beyond), -torch.inf)


def penalize(logits: torch.Tensor, history: torch.Tensor, penalty: float) -> torch.Tensor:
    """Lower the logits of tokens that occurred (Keskar et al., 2019)."""
    seen = logits.gather(-1, history)
    return logits.scatter(-1, history, torch.where(seen > 0, seen / penalty, seen * penalty))


def draw(logits: torch.Tensor) -> torch.Tensor:
    """Draw a token per row by the Gumbel-max trick."""
    noise = -torch.log(-torch.log(torch.rand(logits.shape).clamp_min(1e-9)))
    return (logits + noise).argmax(-1, keepdim=True)


@torch.no_grad()
def main() -> None:
    """Decode with a table of logits in place of a model."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--vocabulary", type=int, default=50)
    options = parser.parse_args()

    torch.manual_seed(0)
    torch.set_printoptions(precision=3, sci_mode=False)
    table = torch.randn(options.vocabulary, options.vocabulary)
    tokens = torch.tensor([[1], [2], [3]])
    for _ in range(options.steps):
        logits = table[tokens[:, -1]] / 0.8
        logits = penalize(logits, tokens, 1.3)
        logits = keep_nucleus(keep_top_k(logits, 10), 0.9)
        tokens = torch.cat((tokens, draw(logits)), dim=1)
    print(tokens)
    kept = torch.isfinite(logits)
    print("kept per row:", kept.sum(-1).tolist())
    print("probabilities:", probabilities(logits)[0][kept[0]])
    print("distinct:", tokens.unique().numel(), "of", tokens.numel(), tokens.dtype)


if __name__ == "__main__":
    main()
