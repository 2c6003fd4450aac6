"""Batches of ragged sequences: sorted into buckets, padded, packed, and taken apart again."""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor
from torch.nn.functional import pad

IGNORED = -100


class Sentences:
    """Random sequences of token numbers."""

    def __init__(self, count: int, longest: int) -> None:
        lengths = torch.randint(1, longest + 1, (count,))
        self.items = torch.randint(3, 100, (int(lengths.sum()),)).split(lengths.tolist())

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: int) -> Tensor:
        return self.items[index]


def collate(items: Sequence[Tensor]) -> dict[str, Tensor]:
    """Return a padded batch for a language model: the labels are the next tokens."""
    lengths = torch.tensor([len(item) for item in items])
    longest = int(lengths.max())
    tokens = torch.stack([pad(item, (0, longest - len(item))) for item in items])
    mask = torch.arange(tokens.size(1))[None, :] < lengths[:, None]
    labels = tokens.roll(-1, dims=1).masked_fill(~mask.roll(-1, dims=1), IGNORED)
    labels[:, -1] = IGNORED
    return {"tokens": tokens, "mask": mask, "labels": labels, "lengths": lengths}


class Buckets:
    """Batches of sequences of similar length, within a budget of tokens."""

    def __init__(self, lengths: Sequence[int], budget: int) -> None:
        self.lengths = torch.tensor(lengths)
        self.budget = budget

    def __iter__(self) -> Iterator[list[int]]:
        batch: list[int] = []
        for index in self.lengths.argsort(descending=True, stable=True).tolist():
            longest = int(self.lengths[batch[0]]) if batch else 0
            if batch and longest * (len(batch) + 1) > self.budget:
                yield batch
                batch = []
            batch.append(index)
        if batch:
            yield batch


def packed(batch: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
    """Return the tokens of a batch without padding, and where each sequence begins."""
    begins = pad(batch["lengths"].cumsum(0, dtype=torch.int32), (1, 0))
    return batch["tokens"][batch["mask"]], begins


torch.manual_seed(0)
data = Sentences(12, 9)
buckets = Buckets([len(item) for item in data], budget=24)
padding = total = 0
for number, indices in enumerate(buckets):
    batch = collate([data[index] for index in indices])
    flat, begins = packed(batch)
    padding += int((~batch["mask"]).sum())
    total += batch["mask"].numel()
    print(number, tuple(batch["tokens"].shape), flat.shape, begins, begins.dtype)
    ends = begins[1:-1].tolist()
    assert all(
        torch.equal(data[i], part) for i, part in zip(indices, flat.tensor_split(ends), strict=True)
    )
print(f"padding: {padding} of {total}")
print(batch["tokens"], batch["labels"], batch["mask"], sep="\n")
causal = torch.ones(2, 2, dtype=torch.bool).tril() & batch["mask"][:, None]
print(causal.shape, causal.sum((1, 2)), (batch["labels"] != IGNORED).sum())
