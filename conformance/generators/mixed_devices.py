"""Calls whose operands are on different devices, from the oracle's schemas."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations, product
from typing import Any

from .schemas import programs as schema_calls
from .schemas.outcomes import Program
from .schemas.overloads import Overload, Param, overloads
from .schemas.programs import (
    TENSORS,
    Arguments,
    default_arguments,
    has_out,
    is_tensor_text,
    render,
    tensor_groups,
)

_DEVICE = "Optional[Device]"
_ON_META = "{}.to('meta')"
_LISTS = (
    "[x, x.to('meta')]", "[x.to('meta'), x]", "[x.to('meta'), x.to('meta')]",
    "[x.to('meta'), torch.ones(())]", "[torch.ones((), device='meta'), torch.ones(())]",
)  # fmt: skip
_OTHERS_ON_META = (
    "torch.ones(4, device='meta')",
    "torch.ones(3, dtype=torch.float64, device='meta')",
    "torch.ones((), dtype=torch.complex64, device='meta')",
    "torch.ones(2, 1, dtype=torch.int64, device='meta')",
    "torch.ones(2, 2, 3, dtype=torch.bool, device='meta')",
)
"""Operands of shapes and dtypes that in-place calls accept or reject."""


def overload_ids(torch: Any) -> list[str]:
    """Return the overloads that take tensors, once each."""
    return [key for key, overload in overloads(torch).items() if _takes_any(overload)]


def _takes_any(overload: Overload) -> bool:
    is_repeated = overload.repeats or (has_out(overload) and overload.is_method)
    return not is_repeated and any(map(_takes_tensors, overload.params))


def _takes_tensors(param: Param) -> bool:
    return param.is_tensor or param.type == TENSORS


def programs(torch: Any, overload_id: str, device: str = "meta") -> list[Program]:
    """Return the programs that call an overload with operands on the CPU and on a device.

    Each subset of the operands is on the device, and each operand in turn also as a 0-dim tensor.
    Each one in turn is a 0-dim tensor on the CPU where all others are on the device. Each one but
    the first takes some other shapes and dtypes on the device.
    """
    overload = overloads(torch)[overload_id]
    given = default_arguments(torch, overload)
    rendered = map(partial(render, overload), _placements(overload, given))
    return [*dict.fromkeys(_moved(program, device) for program in rendered)]


def programs_on(torch: Any, overload_id: str, device: str) -> list[Program]:
    """Return the programs that call an overload with all operands on a device.

    Each of them in turn is a 0-dim tensor.
    """
    overload = overloads(torch)[overload_id]
    given = default_arguments(torch, overload)
    rendered = map(partial(render, overload), _placements_on_one(overload, given))
    return [*dict.fromkeys(_moved(program, device) for program in rendered)]


def _moved(program: Program, device: str) -> Program:
    return tuple([line.replace("'meta'", repr(device)) for line in program])


def meta_overload_ids(torch: Any) -> list[str]:
    """Return the overloads that take tensors or a device, once each."""
    makers = [key for key, overload in overloads(torch).items() if _device_of(overload)]
    return [*dict.fromkeys((*overload_ids(torch), *makers))]


def _device_of(overload: Overload) -> str | None:
    """Return the name of the parameter that is the device of a new tensor."""
    return next((param.name for param in overload.params if param.type == _DEVICE), None)


def meta_programs(torch: Any, overload_id: str, step: int, seed: int) -> list[Program]:
    """Return the programs of an overload's schema, with all their tensors on meta.

    New tensors are on meta, too.
    """
    device = _device_of(overloads(torch)[overload_id])
    others = {device: "'meta'"} if device else {}
    change = _with_tensors_on_meta
    return schema_calls.programs(torch, overload_id, step, seed, others, change)


def gradient_programs(torch: Any, overload_id: str, device: str = "meta") -> list[Program]:
    """Return the programs that call an overload with tensors that require gradients.

    Each of them in turn has one dtype, complex or real, and so have all together, also as 0-dim
    tensors.
    """
    overload = overloads(torch)[overload_id]
    given = default_arguments(torch, overload)
    texts = {name: text for name, text in given.items() if is_tensor_text(text)}
    groups = tensor_groups(overload, given)
    moved = "{}" if device == "cpu" else f"{{}}.to({device!r})"
    others = {name: moved.format(text) for name, text in texts.items()}
    star = "".join({_star(given, param) for param in _lists(overload)})
    # An in-place call on a leaf is refused at once.
    ends = (".requires_grad_()", ".requires_grad_().clone()")[: 1 + overload.name.endswith("_")]
    programs = []
    for dtype, end in product(("complex64", "float32", "complex32"), ends):
        form = moved.format(f"{{}}.to(torch.{dtype})") + end
        in_lists = f"{star}[{form.format('x')}] * 2"
        changed = {
            name: form.format(texts[name]) if name in texts else in_lists for name in groups[-1]
        }
        for group in groups:
            arguments = {**given, **others, **{name: changed[name] for name in group}}
            programs.append(render(overload, arguments))
        numbers = {name: _number(changed[name]) for name in texts}
        programs.append(render(overload, {**given, **changed, **numbers}))
    if device != "cpu":
        programs += _gradients_of_other_outs(overload, given, groups)
    return [*dict.fromkeys(programs)]


def wide_gradient_programs(torch: Any, overload_id: str) -> list[Program]:
    """Return the programs that call an overload with wide tensors, some of which require gradients.

    They are those of floats and complex numbers of 64 bits. Each tensor in turn requires a
    gradient, and so do all but the first, and all together; then ``out=`` is also too large.
    """
    overload = overloads(torch)[overload_id]
    given = default_arguments(torch, overload)
    floats = {name: text for name, text in given.items() if _is_float_tensor(torch, text)}
    outs = [param.name for param in overload.params if param.is_out]
    end = ".requires_grad_()" + ".clone()" * overload.name.endswith("_")
    programs = []
    for dtype in ("float64", "complex128"):
        wide = {name: f"{text}.to(torch.{dtype})" for name, text in floats.items()}
        for group in (*([name] for name in floats), [*floats][1:], floats):
            tracked = {name: f"{wide[name]}{end}" for name in group}
            programs.append(render(overload, {**given, **wide, **tracked}))
        tracked = {name: f"{wide[name]}{end}" for name in floats if name not in outs}
        large = {name: f"torch.ones(4, 4).to(torch.{dtype})" for name in floats if name in outs}
        programs.append(render(overload, {**given, **wide, **tracked, **large}))
    return [*dict.fromkeys(programs)]


def _is_float_tensor(torch: Any, text: str) -> bool:
    value = eval(text, {"torch": torch}) if is_tensor_text(text) else None
    return isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex())


def _gradients_of_other_outs(
    overload: Overload, given: Arguments, groups: Sequence[Sequence[str]]
) -> Iterator[Program]:
    """Yield the calls with ``out=`` on another device, and with gradients of each tensor."""
    outs = {param.name for param in overload.params if param.is_out}
    texts = {name: text for name, text in given.items() if is_tensor_text(text)}
    for moves_outs, group in product((False, True), groups if outs else ()):
        placed = {
            name: _ON_META.format(text) if (name in outs) is moves_outs else text
            for name, text in texts.items()
        }
        tracked = {
            name: f"{placed[name]}.to(torch.float32).requires_grad_()"
            for name in group
            if name in placed
        }
        yield render(overload, {**given, **placed, **tracked})


def _number(text: str) -> str:
    """Return the text of a tensor's first element; an ``out=`` without elements gets one."""
    return f"{text.replace('torch.zeros(0,', 'torch.zeros(1,')}.as_strided((), ())"


def _with_tensors_on_meta(program: Program) -> Program:
    return tuple(map(_created_on_meta, program))


def _created_on_meta(line: str) -> str:
    name, is_assigned, text = line.partition(" = ")
    is_new = is_assigned and name.isidentifier() and is_tensor_text(text)
    return f"{name} = ({text}).to('meta')" if is_new else line


def _placements_on_one(overload: Overload, given: Arguments) -> Iterator[Arguments]:
    operands = [name for name, text in given.items() if is_tensor_text(text)]
    moved = {**given, **{name: _ON_META.format(given[name]) for name in operands}}
    moved |= {param.name: f"{_star(given, param)}{_LISTS[2]}" for param in _lists(overload)}
    yield moved
    for name in operands:
        yield {**moved, name: _ON_META.format(_number(given[name]))}


def _placements(overload: Overload, given: Arguments) -> Iterator[Arguments]:
    yield given
    operands = [name for name, text in given.items() if is_tensor_text(text)]
    for count in range(1, len(operands) + 1):
        for on_meta in combinations(operands, count):
            yield {**given, **{name: _ON_META.format(given[name]) for name in on_meta}}
    moved = {name: _ON_META.format(given[name]) for name in operands}
    for name in operands:
        yield {**given, name: _ON_META.format(_number(given[name]))}
        yield {**given, **moved, name: _number(given[name])}
    for name in operands[1:]:
        yield from ({**given, name: text} for text in _OTHERS_ON_META)
    for param in _lists(overload):
        yield from ({**given, param.name: f"{_star(given, param)}{text}"} for text in _LISTS)


def _lists(overload: Overload) -> list[Param]:
    """Return the parameters that are lists of tensors."""
    return [param for param in overload.params if param.type == TENSORS]


def _star(given: Arguments, param: Param) -> str:
    """Return the star before a list whose tensors are arguments of their own."""
    return "*" if given.get(param.name, "").startswith("*") else ""
