"""The PTX of kernels for NVIDIA GPUs, compiled from the same bodies as in `loops`.

A thread computes one element, or `WIDTH` adjacent ones.  This module needs no GPU; the CUDA backend
runs the PTX.
"""

from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import chain
from math import prod
from operator import add
from threading import Lock
from typing import Any, NamedTuple

from .._arrays.foreign_memory import address_of
from .._arrays.parallel import coalesce_operands
from .._dtypes.table import dtype
from .._runtime.lazy_import import LazyModule
from .llvm import optimized_module
from .loops import Kernel
from .scalar_ir import IRBuilder, load, memory_type, store

_llvm: Any = LazyModule("llvmlite.binding")

TRIPLE = "nvptx64-nvidia-cuda"
THREADS = 256
"""The number of threads in a block."""

WIDTH = 4
"""The number of adjacent elements of a thread, if all operands are dense."""

_NEWEST = (9, 0)
"""The newest compute capability to compile for; drivers translate PTX for later ones."""

Ints = tuple[int, ...]


class Launch(NamedTuple):
    """The LLVM IR of a kernel, its integer arguments and the number of busy threads."""

    text: str
    arguments: Ints
    threads: int


def launches(kernel: Kernel, out: Any, inputs: Sequence[Any]) -> list[Launch]:
    """Return the launches for all elements of ``out``; the inputs broadcast to its shape."""
    arrays = (out, *inputs)
    starts = list(map(address_of, arrays))
    aligned = tuple(
        [
            start % (WIDTH * dtype.itemsize) == 0
            for start, dtype in zip(starts, kernel.operands, strict=True)
        ]
    )
    geometries = tuple([(array.shape, array.strides) for array in arrays])
    return [
        Launch(part.text, (*map(add, starts, part.offsets), *part.geometry), part.threads)
        for part in _parts(kernel, geometries, aligned)
    ]


class _Part(NamedTuple):
    """A launch without addresses: an offset to each of them, and the arguments after them."""

    text: str
    offsets: Ints
    geometry: Ints
    threads: int


@lru_cache(1024)
def _parts(
    kernel: Kernel, geometries: tuple[tuple[Ints, Ints], ...], aligned: tuple[bool, ...]
) -> list[_Part]:
    """Return the launches for operands of some shapes and strides in bytes.

    ``aligned``: whether each operand's address is a multiple of the bytes that a thread loads.
    """
    sizes, strides = coalesce_operands(geometries)
    itemsizes = [dtype.itemsize for dtype in kernel.operands]
    is_dense = len(sizes) == 1 and all(
        steps[0] in (itemsize, 0) for itemsize, steps in zip(itemsizes, strides, strict=True)
    )
    is_wide = is_dense and all(
        fits or not steps[0] for fits, steps in zip(aligned, strides, strict=True)
    )
    offsets = (0,) * len(strides)
    if not (is_wide and strides[0][0]):
        return [_part(kernel, offsets, sizes, strides, 1)]
    result = []
    [count] = sizes
    for width in (WIDTH, 1):
        threads, count = divmod(count, width)
        if threads:
            result.append(_part(kernel, offsets, [threads], strides, width))
            offsets = tuple([threads * width * step for [step] in strides])
    return result


def _part(
    kernel: Kernel,
    offsets: Ints,
    sizes: Sequence[int],
    strides: Sequence[Sequence[int]],
    width: int,
) -> _Part:
    repeated = tuple([not any(steps) for steps in strides])
    text = text_of(kernel, len(sizes), width, repeated)
    count = prod(sizes)
    return _Part(text, offsets, (count, *sizes[1:], *chain.from_iterable(strides)), count)


_LOCK = Lock()
NAME = "kernel"
"""The name of each kernel's function."""


def ptx_of(text: str, capability: Ints) -> str:
    """Return the PTX of a kernel for a compute capability."""
    major, minor = min(capability, _NEWEST)
    with _LOCK:
        _llvm.initialize_all_targets()
        _llvm.initialize_all_asmprinters()
        target = _llvm.Target.from_triple(TRIPLE)
        machine = target.create_target_machine(cpu=f"sm_{major}{minor}", opt=3)
        return machine.emit_assembly(optimized_module(text, machine))  # type: ignore[no-any-return]


@cache
def text_of(kernel: Kernel, axes: int, width: int, repeated: tuple[bool, ...]) -> str:
    """Return the LLVM IR of a kernel; the result is the first operand.

    Its arguments are 64-bit integers: the addresses of the operands, the number of threads with an
    element, the sizes of all axes but the first, and each operand's strides in bytes.
    """
    operands, body = kernel.operands, kernel.body
    indices = range(len(operands))
    parameters = [f"ptr addrspace(1) %base{operand}" for operand in indices]
    parameters += ["i64 %count", *(f"i64 %size{axis}" for axis in range(1, axes))]
    parameters += [f"i64 %step{operand}_{axis}" for operand in indices for axis in range(axes)]
    code = IRBuilder("v")
    rest, offsets = "%i", ["0"] * len(operands)
    for axis in range(axes - 1, -1, -1):
        index = rest
        if axis:
            index = code.add(f"urem i64 {rest}, %size{axis}")
            rest = code.add(f"udiv i64 {rest}, %size{axis}")
        if width > 1:
            index = code.add(f"mul i64 {index}, {width}")
        for operand in indices:
            offset = code.add(f"mul i64 {index}, %step{operand}_{axis}")
            offsets[operand] = code.add(f"add i64 {offsets[operand]}, {offset}")
    addresses = [
        code.add(f"getelementptr i8, ptr addrspace(1) %base{operand}, i64 {offsets[operand]}")
        for operand in indices
    ]
    elements = [
        _load(code, operands[operand], addresses[operand], 1 if repeated[operand] else width)
        for operand in indices[1:]
    ]
    results = []
    for lane in range(width):
        numbers = [
            load(code, operands[operand], lanes[lane % len(lanes)])
            for operand, lanes in zip(indices[1:], elements, strict=True)
        ]
        results.append(store(code, operands[0], body(code, *numbers)))
    _store(code, operands[0], addresses[0], results)
    return _TEXT.format(name=NAME, arguments=", ".join(parameters), body="\n  ".join(code.lines))


def _load(code: IRBuilder, dtype: dtype, ptr: str, width: int) -> list[str]:
    ty, itemsize = memory_type(dtype), dtype.itemsize
    if width == 1:
        return [code.add(f"load {ty}, ptr addrspace(1) {ptr}, align {itemsize}")]
    vector = f"<{width} x {ty}>"
    loaded = code.add(f"load {vector}, ptr addrspace(1) {ptr}, align {width * itemsize}")
    return [code.add(f"extractelement {vector} {loaded}, i64 {lane}") for lane in range(width)]


def _store(code: IRBuilder, dtype: dtype, ptr: str, elements: Sequence[str]) -> None:
    ty, width, itemsize = memory_type(dtype), len(elements), dtype.itemsize
    if width == 1:
        code.lines.append(f"store {ty} {elements[0]}, ptr addrspace(1) {ptr}, align {itemsize}")
        return
    vector, value = f"<{width} x {ty}>", "poison"
    for lane, element in enumerate(elements):
        value = code.add(f"insertelement {vector} {value}, {ty} {element}, i64 {lane}")
    code.lines.append(f"store {vector} {value}, ptr addrspace(1) {ptr}, align {width * itemsize}")


_TEXT = """\
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()

define ptx_kernel void @{name}({arguments}) nounwind {{
entry:
  %thread32 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %threads32 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %block32 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %blocks32 = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %thread = zext i32 %thread32 to i64
  %threads = zext i32 %threads32 to i64
  %block = zext i32 %block32 to i64
  %blocks = zext i32 %blocks32 to i64
  %before = mul i64 %block, %threads
  %first = add i64 %before, %thread
  %all = mul i64 %blocks, %threads
  %some = icmp ult i64 %first, %count
  br i1 %some, label %loop, label %done
loop:
  %i = phi i64 [%first, %entry], [%next, %loop]
  {body}
  %next = add i64 %i, %all
  %more = icmp ult i64 %next, %count
  br i1 %more, label %loop, label %done
done:
  ret void
}}
"""
"""A grid-stride loop: each thread starts at its index and advances by the number of threads."""
