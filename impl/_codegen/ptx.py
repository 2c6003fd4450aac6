"""Kernels for NVIDIA's GPUs: the same bodies as `loops`' ones, in LLVM's text, made into PTX.

One thread computes an element, or some that lie side by side.  Nothing here needs a GPU but what runs
the PTX, which is the backend's.
"""

from collections.abc import Sequence
from functools import cache
from math import prod
from threading import Lock
from typing import Any, NamedTuple

from .._arrays.parallel import joined
from .._dtypes.table import dtype
from .._runtime.lazy_import import LazyModule
from .loops import Kernel
from .scalar_ir import Code, in_memory, load, store

_llvm: Any = LazyModule("llvmlite.binding")

TRIPLE = "nvptx64-nvidia-cuda"
THREADS = 256
"""How many threads a block has."""

WIDTH = 4
"""How many elements side by side a thread computes, where all operands are dense."""

_NEWEST = (9, 0)
"""The newest architecture that text is made for; drivers translate it for later ones."""

Ints = tuple[int, ...]


class Launch(NamedTuple):
    """What is to be run: LLVM's text of a kernel, its arguments, and how many threads have something to do."""

    text: str
    arguments: Ints
    threads: int


def launches(kernel: Kernel, out: Any, inputs: Sequence[Any]) -> list[Launch]:
    """Return what computes all elements of an array; the inputs have its shape or broadcast to it."""
    arrays = (out, *inputs)
    starts = [each.__array_interface__["data"][0] for each in arrays]
    sizes, strides = joined(out.shape, [_spread(each, out) for each in arrays])
    sizes, strides = sizes or [1], strides if sizes else [[0]] * len(arrays)
    count = prod(sizes)
    items = [each.itemsize for each in kernel.operands]
    is_dense = len(sizes) == 1 and all(
        steps[0] in (item, 0) for item, steps in zip(items, strides, strict=True)
    )
    aligned = all(
        not steps[0] or start % (WIDTH * item) == 0
        for item, steps, start in zip(items, strides, starts, strict=True)
    )
    if not (is_dense and aligned and strides[0][0]):
        return [_launch(kernel, starts, sizes, strides, count, 1)]
    wide, rest = divmod(count, WIDTH)
    found = []
    if wide:
        found.append(_launch(kernel, starts, [wide], strides, wide, WIDTH))
    if rest:
        done = [
            start + wide * WIDTH * steps[0] for start, steps in zip(starts, strides, strict=True)
        ]
        found.append(_launch(kernel, done, [rest], strides, rest, 1))
    return found


def _spread(array: Any, out: Any) -> list[int]:
    """Return the strides of an array, broadcast to the shape of the result, in bytes."""
    own = [step if size > 1 else 0 for size, step in zip(array.shape, array.strides, strict=True)]
    return [0] * (out.ndim - array.ndim) + own


def _launch(
    kernel: Kernel,
    starts: Sequence[int],
    sizes: Sequence[int],
    strides: Sequence[Sequence[int]],
    count: int,
    width: int,
) -> Launch:
    repeated = tuple([not any(steps) for steps in strides])
    text = text_of(kernel, len(sizes), width, repeated)
    steps = [step for each in strides for step in each]
    return Launch(text, (*starts, count, *sizes[1:], *steps), count)


_LOCK = Lock()
NAME = "kernel"
"""What each kernel is called."""


def ptx_of(text: str, capability: Ints) -> str:
    """Return the PTX of a kernel, for devices of a compute capability."""
    major, minor = min(capability, _NEWEST)
    with _LOCK:
        return _compiled(text, f"sm_{major}{minor}")


def _compiled(text: str, processor: str) -> str:
    _llvm.initialize_all_targets()
    _llvm.initialize_all_asmprinters()
    machine = _llvm.Target.from_triple(TRIPLE).create_target_machine(cpu=processor, opt=3)
    module = _llvm.parse_assembly(text)
    module.triple = TRIPLE
    module.data_layout = str(machine.target_data)
    module.verify()
    builder = _llvm.create_pass_builder(machine, _llvm.create_pipeline_tuning_options(3))
    builder.getModulePassManager().run(module, builder)
    return machine.emit_assembly(module)  # type: ignore[no-any-return]


@cache
def text_of(kernel: Kernel, axes: int, width: int, repeated: tuple[bool, ...]) -> str:
    """Return LLVM's text of a kernel; the result is the first operand.

    Its arguments are 64-bit integers: the addresses of the operands, how many threads have
    something to do, the sizes of all axes but the first, and each operand's strides in bytes.
    """
    operands, body = kernel.operands, kernel.body
    places = range(len(operands))
    named = [f"ptr addrspace(1) %base{place}" for place in places]
    named += ["i64 %count", *(f"i64 %size{axis}" for axis in range(1, axes))]
    named += [f"i64 %step{place}_{axis}" for place in places for axis in range(axes)]
    code = Code("v")
    rest, offsets = "%i", ["0"] * len(operands)
    for axis in range(axes - 1, -1, -1):
        index = rest
        if axis:
            index = code.add(f"urem i64 {rest}, %size{axis}")
            rest = code.add(f"udiv i64 {rest}, %size{axis}")
        if width > 1:
            index = code.add(f"mul i64 {index}, {width}")
        for place in places:
            way = code.add(f"mul i64 {index}, %step{place}_{axis}")
            offsets[place] = code.add(f"add i64 {offsets[place]}, {way}")
    where = [
        code.add(f"getelementptr i8, ptr addrspace(1) %base{place}, i64 {offsets[place]}")
        for place in places
    ]
    elements = [
        _loaded(code, operands[place], where[place], 1 if repeated[place] else width)
        for place in places[1:]
    ]
    found = []
    for lane in range(width):
        numbers = [
            load(code, operands[place], each[lane % len(each)])
            for place, each in zip(places[1:], elements, strict=True)
        ]
        found.append(store(code, operands[0], body(code, *numbers)))
    _stored(code, operands[0], where[0], found)
    return _TEXT.format(name=NAME, arguments=", ".join(named), body="\n  ".join(code.lines))


def _loaded(code: Code, dtype: dtype, where: str, width: int) -> list[str]:
    """Load elements that lie side by side."""
    kind, size = in_memory(dtype), dtype.itemsize
    if width == 1:
        return [code.add(f"load {kind}, ptr addrspace(1) {where}, align {size}")]
    vector = f"<{width} x {kind}>"
    found = code.add(f"load {vector}, ptr addrspace(1) {where}, align {width * size}")
    return [code.add(f"extractelement {vector} {found}, i64 {lane}") for lane in range(width)]


def _stored(code: Code, dtype: dtype, where: str, elements: Sequence[str]) -> None:
    """Store elements side by side."""
    kind, width, size = in_memory(dtype), len(elements), dtype.itemsize
    if width == 1:
        code.lines.append(f"store {kind} {elements[0]}, ptr addrspace(1) {where}, align {size}")
        return
    vector, found = f"<{width} x {kind}>", "poison"
    for lane, element in enumerate(elements):
        found = code.add(f"insertelement {vector} {found}, {kind} {element}, i64 {lane}")
    code.lines.append(f"store {vector} {found}, ptr addrspace(1) {where}, align {width * size}")


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
"""Each thread begins with the element of its own number, and goes on as many further as there are threads."""
