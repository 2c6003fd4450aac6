"""A listing of checkpoints: dtypes, shapes, strides, shared storages; files are mapped."""

import argparse
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import torch
from torch import nn


def tensors(value: object, path: str = "") -> Iterator[tuple[str, torch.Tensor]]:
    """Yield the tensors of nested dictionaries and sequences with their paths."""
    if isinstance(value, torch.Tensor):
        yield path or ".", value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from tensors(item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, (list, tuple)):
        for number, item in enumerate(value):
            yield from tensors(item, f"{path}[{number}]")


def layout(tensor: torch.Tensor) -> str:
    """Return a word for the order of a tensor in memory."""
    if tensor.is_sparse:
        return f"sparse, {tensor._nnz()} values"
    if tensor.is_contiguous():
        return "contiguous"
    if tensor.dim() == 4 and tensor.is_contiguous(memory_format=torch.channels_last):
        return "channels last"
    return f"strides {tuple(tensor.stride())} from {tensor.storage_offset()}"


def inspect(path: Path) -> None:
    """Print the tensors of a file, and the storages that several of them share."""
    checkpoint = torch.load(path, mmap=True, weights_only=True)
    sharing: dict[int, list[str]] = defaultdict(list)
    sizes: dict[int, int] = {}
    for name, tensor in tensors(checkpoint):
        print(f"{name:24} {tensor.dtype!s:20} {list(tensor.shape)!s:14} {layout(tensor)}")
        if not tensor.is_sparse:
            storage = tensor.untyped_storage()
            sharing[storage.data_ptr()].append(name)
            sizes[storage.data_ptr()] = storage.nbytes()
    for key, names in sharing.items():
        if len(names) > 1:
            print(f"share {sizes[key]} bytes: {', '.join(names)}")
    print(f"{len(sizes)} storages of {sum(sizes.values())} bytes")


def example(path: Path) -> None:
    """Save a checkpoint of a small model and its optimizer."""
    torch.manual_seed(0)
    model = nn.ModuleDict({"embed": nn.Embedding(7, 4), "head": nn.Linear(4, 7, bias=False)})
    model["head"].weight = model["embed"].weight
    fused = torch.randn(12, 4, dtype=torch.bfloat16)
    state = {
        "model": model.state_dict(),
        "attention": {"q": fused[:4], "k": fused[4:8], "k_t": fused[4:8].t()},
        "image": torch.ones(2, 3, 4, 5).to(memory_format=torch.channels_last),
        "optimizer": [torch.zeros(3, 2, dtype=torch.float64)[:, 0], torch.tensor(7), 0.1],
        "quantized": fused.float().to(torch.float8_e4m3fn),
        "mask": torch.eye(3).bool().to_sparse(),
    }
    torch.save(state, path)


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("files", nargs="*", type=Path)
files = parser.parse_args().files
for file in files:
    inspect(file)
if not files:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "example.pt")
        example(file)
        inspect(file)
        print(torch.load(file, map_location="meta")["attention"]["k_t"])
