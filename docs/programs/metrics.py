"""Evaluation of a classifier: padded batches, metrics from a confusion matrix, averaged weights."""

from collections.abc import Iterator, Sequence

import torch


def collate(samples: Sequence[tuple[list[float], int]]) -> dict[str, torch.Tensor]:
    """Return a batch of sequences of unequal length, padded at the end, with a mask."""
    lengths = torch.tensor([len(values) for values, _ in samples])
    inputs = torch.full((len(samples), int(lengths.max())), -1.0)
    for row, (values, _) in zip(inputs, samples, strict=True):
        row[: len(values)] = torch.as_tensor(values)
    mask = torch.arange(inputs.shape[1]) < lengths[:, None]
    labels = torch.tensor([label for _, label in samples], dtype=torch.uint8)
    return {"inputs": inputs, "mask": mask, "labels": labels}


def batches(count: int, size: int, classes: int) -> Iterator[dict[str, torch.Tensor]]:
    """Yield batches of random sequences."""
    for _ in range(count):
        lengths = torch.randint(1, 6, (size,)).tolist()
        labels = torch.randint(classes, (size,)).tolist()
        pairs = zip(lengths, labels, strict=True)
        yield collate([(torch.rand(n).add(c).tolist(), c) for n, c in pairs])


class Average:
    """An exponential moving average of parameters."""

    def __init__(self, parameters: dict[str, torch.Tensor], decay: float) -> None:
        self.decay = decay
        self.shadow = {name: value.clone() for name, value in parameters.items()}

    def update(self, parameters: dict[str, torch.Tensor]) -> None:
        """Move the averages toward the parameters."""
        for name, value in parameters.items():
            self.shadow[name].lerp_(value, 1 - self.decay)


torch.manual_seed(2)
classes = 3
parameters = {"scale": torch.ones(classes), "bias": torch.zeros(classes, dtype=torch.float64)}
average = Average(parameters, 0.9)
confusion = torch.zeros(classes, classes, dtype=torch.int64)
correct = {1: 0, 2: 0}
for batch in batches(4, 8, classes):
    mean = (batch["inputs"] * batch["mask"]).sum(1) / batch["mask"].sum(1)
    centers = torch.arange(classes) + 0.5
    scores = -(mean[:, None] + 0.6 * torch.randn(len(mean), 1) - centers).abs()
    scores = scores * parameters["scale"] + parameters["bias"]
    labels = batch["labels"].long()
    ranked = scores.topk(2, dim=1).indices
    hits = ranked.eq(labels[:, None]).cumsum(1).bool()
    for k in correct:
        correct[k] += int(hits[:, k - 1].sum())
    confusion += torch.bincount(labels * classes + ranked[:, 0], minlength=classes**2).view(3, 3)
    parameters["scale"] = parameters["scale"] * torch.linspace(0.9, 1.1, classes)
    parameters["bias"] = parameters["bias"] + 0.01
    average.update(parameters)

print(confusion, scores.dtype)
precision = confusion.diag() / confusion.sum(0)
recall = confusion.diag() / confusion.sum(1)
print("precision", precision, "recall", recall)
print("f1", torch.nan_to_num(2 * precision * recall / (precision + recall)).mean())
print({f"top {k}": f"{n / int(confusion.sum()):.3f}" for k, n in correct.items()})
print({name: (value, value.dtype) for name, value in average.shadow.items()})
print("last batch", batch["inputs"].shape, batch["mask"].float().mean(), batch["labels"])
