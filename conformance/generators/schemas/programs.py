"""Calls of the overloads in the oracle's schemas: a finite list of programs for each.

The first call takes the default for each argument. In the others each argument in turn takes each
of its values, alone and with another first tensor. Some calls are wrong in one way: an argument is
missing, or given twice, or by a keyword that does not exist.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, cycle, islice, pairwise, product
from keyword import iskeyword
from random import Random
from typing import Any

from . import values
from .outcomes import SEEDED, Program, chosen, result_of, run
from .overloads import Overload, Param, is_receiver, overloads

Arguments = Mapping[str, str]
"""The source text of the arguments that are given, by parameter."""

_MAX_TRIALS, _MAX_ALIKE = 400, 40
_VARIABLES = "xyzw"
TENSORS = "List[Tensor]"
"""The type of a parameter that is a list of tensors."""

_IS_TENSOR = re.compile(r"\(?torch\.(tensor|zeros|ones|empty|sparse_coo_tensor)\(")
_KEYWORDS = {"self": "input"}
_OTHER_KEYWORDS = {
    "self": ("x", "a", "x1", "self"), "other": ("x2",), "dim": ("axis",), "keepdim": ("keepdims",)
}  # fmt: skip
"""The keywords that torch accepts for NumPy's sake, and ``self``."""


def programs(
    torch: Any,
    overload_id: str,
    step: int = 1,
    seed: int = 0,
    fixed: Arguments | None = None,
    change: Callable[[Program], Program] = tuple,
) -> list[Program]:
    """Return the programs that call an overload by its public name, without duplicates.

    With a ``step`` return one of so many, which change with the seed, and one for each outcome.
    With ``fixed`` these arguments are given in each call that does not vary them. ``change`` makes
    another program of each.
    """
    overload = overloads(torch)[overload_id]
    given = {**default_arguments(torch, overload), **(fixed or {})}
    first, *others = map(change, dict.fromkeys(_programs(overload, given)))
    inside = [program for program in others if stays_in_memory(torch, overload, program)]
    return chosen(torch, (first, *inside), step, overload_id, seed)


def mixed_program(torch: Any, seed: int) -> Program:
    """Return a call of an overload in which several arguments differ from their defaults."""
    random = Random(seed)
    overload = random.choice([*overloads(torch).values()])
    given = dict(default_arguments(torch, overload))
    for param in overload.params:
        which = random.randrange(8)
        if which == 0:
            texts = argument_values(overload, param)
        elif param.is_tensor and not param.is_out:
            texts = (*values.DTYPES, *values.SHAPES)
        elif which % 2 and param.has_default:
            texts = values.defaults(param.element_type)
        else:
            continue
        given[param.name] = random.choice(texts)
    program = render(overload, given)
    if stays_in_memory(torch, overload, program):
        return program
    return render(overload, {**given, **_outs(overload, values.DEFAULT_OUTS[0])})


def stays_in_memory(torch: Any, overload: Overload, program: Program) -> bool:
    """Return whether the oracle reads and writes within the memory of the tensors of a call.

    Medians and products mix sizes that an operand that is ``out`` as well had before and after it
    was resized, so that they may read beyond it or beyond a copy of it.
    """
    *setup, call = program
    out = _OUT.search(call)
    names = [name for name in re.findall(r"\w+", out[1]) if name in _VARIABLES] if out else []
    if overload.name not in _READ_RESIZED or not names:
        return True
    try:
        result, variables = run(torch, (*setup, _OUT.sub(")", call)))
    except Exception:  # noqa: BLE001  # any refusal
        return True
    result = result[0] if isinstance(result, tuple) else result
    return bool(result.shape == variables[names[0]].shape)


_READ_RESIZED = frozenset({
    "mm", "matmul", "addmm", "bmm", "baddbmm", "addbmm", "mv", "addmv", "median", "nanmedian",
})  # fmt: skip
_OUT = re.compile(r", out=(\w+|\(\w+, \w+\))\)$")


def _programs(overload: Overload, given: Arguments) -> Iterator[Program]:
    yield render(overload, given)
    if not overload.is_attribute:
        yield from _in_other_forms(overload, given)
    if overload.is_method and has_out(overload):
        return  # a method has no out=
    yield from (render(overload, arguments) for arguments in _variations(overload, given))


def has_out(overload: Overload) -> bool:
    """Return whether an overload has ``out=``."""
    return any(param.is_out for param in overload.params)


def default_arguments(torch: Any, overload: Overload) -> Arguments:
    """Return the required arguments of the first call that the oracle accepts.

    If it accepts none, return the first call.
    """
    return _default_call(torch, overload)[0]


@cache
def refused(torch: Any) -> tuple[str, ...]:
    """Return the overloads of which the oracle accepts no default call, each with its error."""
    errors = {row.id: _default_call(torch, row)[1] for row in overloads(torch).values()}
    return tuple(f"{key}: {error}" for key, error in errors.items() if error)


def reason_refused(torch: Any, overload_id: str, error: str) -> str:
    """Return why the oracle refuses an overload whatever its operands, or an empty string."""
    overload = overloads(torch)[overload_id]
    if error.startswith("TypeError"):
        if has_out(overload):
            return "a method has no out=" if overload.is_method else "Python has no out= for it"
        if all("Tensor" not in param.type for param in overload.params):
            return "only TorchScript has it, for numbers, strings and lists"
    return next((why for start, why in _REASONS.items() if re.match(start, error)), "") or (
        _NOT_RENDERED.get(overload_id, "")
    )


_REASONS = {
    "NotImplementedError: Could not run '.*' with arguments from the 'CPU'": "no kernel on the CPU",
    "AssertionError: Torch not compiled with CUDA": "it needs an accelerator",
    "RuntimeError: Cannot access accelerator device": "it needs an accelerator",
}
"""Why the oracle refuses an overload, by its errors."""

_NOT_RENDERED = {
    "torch.einsum sublist": "Python takes operands and labels in turn, of which the schema has one",
    "torch.eq Tensor_list": "only TorchScript has it, for lists",
    "torch.ne Tensor_list": "only TorchScript has it, for lists",
    "torch.sort Tensor": "only TorchScript has it, for lists",
    "torch.sparse_coo_tensor indices_size": "it takes indices and values, as the area layouts has",
    "torch.tensordot default": "Python takes both lists of dimensions as one",
    "torch.Tensor.is_contiguous memory_format": "Python takes the memory format by keyword alone",
    "torch.Tensor.resize default": "Python takes the sizes one by one",
    "torch.Tensor.retain_grad default": "it takes a tensor with a gradient, as autograd.writes has",
    **{
        f"torch.Tensor.{name} dtype": "only the function has it"
        for name in ("addmm", "baddbmm", "bmm", "mm")
    },
}
"""The overloads that take other arguments than their schemas say."""


@cache
def _default_call(torch: Any, overload: Overload) -> tuple[Arguments, str]:
    """Return the arguments of the first call that the oracle accepts, and an empty string.

    A call whose operands belong together is better than one of a dense and a sparse tensor. If the
    oracle accepts none, return the first call and its error.
    """
    required = [param for param in overload.params if not param.has_default]
    sets = required, overload.params
    calls = chain(
        *(_default_calls(overload, params) for params in sets),
        _fitting_calls(overload, values.OPERANDS),
    )
    first: Arguments = {}
    errors: list[str] = []
    for call in calls:
        error = _error(torch, render(overload, call))
        if not error:
            operands = values.DENSE_OPERANDS if _is_mixed(call) else ()
            fitting = _fitting_calls(overload, operands)
            accepted = (each for each in fitting if not _error(torch, render(overload, each)))
            return next(accepted, call), ""
        first = first or call
        errors.append(error)
        if len(errors) == _MAX_ALIKE and all(each.startswith("TypeError") for each in errors):
            break  # no operands fit a signature that Python does not have
    return first, errors[0]


def _is_mixed(call: Arguments) -> bool:
    """Return whether a call has sparse tensors and others."""
    is_sparse = ["sparse" in text for text in call.values() if is_tensor_text(text)]
    return any(is_sparse) and not all(is_sparse)


def _default_calls(overload: Overload, params: Sequence[Param]) -> Iterator[Arguments]:
    """Yield calls by how far their choices are from the first ones."""
    choices = [_default_choices(overload, param) for param in params]
    farthest = sum(len(texts) - 1 for texts in choices)
    by_distance = chain.from_iterable(_at_distance(choices, far) for far in range(farthest + 1))
    for texts in islice(by_distance, _MAX_TRIALS):
        yield {param.name: text for param, text in zip(params, texts, strict=True)}


def _at_distance(choices: Sequence[Sequence[str]], distance: int) -> Iterator[tuple[str, ...]]:
    """Yield the choices whose indices have a sum."""
    if not choices:
        if not distance:
            yield ()
        return
    first, *others = choices
    for index, text in enumerate(first[: distance + 1]):
        yield from ((text, *rest) for rest in _at_distance(others, distance - index))


def _fitting_calls(overload: Overload, operands: Sequence[Sequence[str]]) -> Iterator[Arguments]:
    """Yield the calls whose required tensors belong together."""
    params = [param for param in overload.params if not param.has_default]
    names = [param.name for param in tensors_of(overload) if param in params]
    others = [param for param in params if param.name not in names]
    fitting = [texts for texts in operands if len(texts) == len(names)]
    for texts, call in product(fitting, _default_calls(overload, others)):
        yield {**dict(zip(names, texts, strict=True)), **call}


def _default_choices(overload: Overload, param: Param) -> tuple[str, ...]:
    if param.is_out:
        return values.DEFAULT_OUTS
    texts = values.defaults(param.element_type)
    return tuple(map(values.with_other_elements, texts)) if _is_later(overload, param) else texts


def _error(torch: Any, steps: tuple[str, ...]) -> str:
    """Return the class and the first line of the error of a program, or an empty string."""
    try:
        result_of(torch, steps)
    except Exception as error:  # noqa: BLE001  # any refusal
        return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
    return ""


def is_tensor_text(text: str) -> bool:
    """Return whether the text of an argument creates a tensor."""
    return _IS_TENSOR.match(text) is not None


def tensors_of(overload: Overload) -> list[Param]:
    """Return the parameters that are tensors, without those of ``out=``."""
    return [param for param in overload.params if param.is_tensor and not param.is_out]


def _is_later(overload: Overload, param: Param) -> bool:
    return param in tensors_of(overload)[1:]


def _variations(overload: Overload, given: Arguments) -> Iterator[Arguments]:
    """Yield the arguments in which each one in turn takes each of its values."""
    tensors = tensors_of(overload)
    first = tensors[0].name if tensors else ""
    rotation = cycle((*values.DTYPES, *values.SHAPES))
    for param in overload.params:
        is_first = param.name == first
        texts = argument_values(overload, param)
        if is_first and overload.repeats:
            continue
        if has_out(overload) and not param.is_out:
            texts = values.DTYPES if is_first else texts[:3]
        for text in texts:
            if not overload.repeats and (param.is_out or not has_out(overload)):
                yield {**given, param.name: text}
            if first and not is_first:
                yield {**given, first: next(rotation), param.name: text}
    if has_out(overload) and len(tensors) > 1:
        yield from ({**given, tensors[1].name: text, **_outs(overload, "y")} for text in _SECOND)
    for one, other in pairwise(tensors):
        yield from ({**given, one.name: x, other.name: y} for x, y in values.PAIRS)


_SECOND = tuple(map(values.with_other_elements, (*values.DTYPES[:2], *values.SHAPES)))
"""Second operands that are ``out=`` as well."""


def _outs(overload: Overload, text: str) -> Arguments:
    return {param.name: text for param in overload.params if param.is_out}


def argument_values(overload: Overload, param: Param) -> tuple[str, ...]:
    """Return all values of an argument, wrong ones among them."""
    if param.is_out:
        return (*values.OUTS, *values.NOT_OUTS)
    if param.type == TENSORS:
        texts = values.others(param.type)
        return (*texts, *(f"*{text}" for text in texts if text[0] in "[("))
    if not param.is_tensor:
        return values.others(param.element_type)
    texts = (*values.DTYPES, *values.SHAPES)
    if _is_receiver(overload, param):
        return texts
    texts += values.OTHERS["Tensor"]
    if not _is_later(overload, param):
        return texts
    return (*map(values.with_other_elements, texts), *values.ALIASES)


def _in_other_forms(overload: Overload, given: Arguments) -> Iterator[Program]:
    """Yield the default call in other forms: by keyword, by position, and each one wrong."""
    names = [param.name for param in overload.params if not _is_receiver(overload, param)]
    full: Arguments = {
        param.name: values.defaults(param.element_type)[0]
        for param in overload.params
        if not param.is_out
    } | dict(given)
    for arguments in (given, full):
        yield render(overload, arguments, keywords={name: _keyword(name) for name in names})
        yield render(overload, arguments, all_by_position=True)
        yield render(overload, arguments, extra="unknown=1")
        yield render(overload, arguments, extra="1", all_by_position=True)
    if numbers := [param.name for param in overload.params if param.element_type == "number"]:
        floats = {**given, **dict.fromkeys(numbers, "1.5")}
        yield render(overload, floats, extra="2", all_by_position=True)
    for name in (name for name in names if name in given):
        yield render(overload, {key: text for key, text in given.items() if key != name})
        if not re.search(rf"[( ]{_keyword(name)}=", render(overload, given)[-1]):
            yield render(overload, given, extra=_named(_keyword(name), "None"))
    for name in (name for name in names if name in full):
        keywords = {key: _keyword(key) for key in names[names.index(name) :]}
        for keyword in _OTHER_KEYWORDS.get(name, ()):
            yield render(overload, full, keywords={**keywords, name: keyword})
    if overload.is_method and not has_out(overload):
        yield render(overload, given, extra="out=x")
        x = values.DEFAULTS["Tensor"][0]
        yield f"x = {x}", f"x.{overload.name}(0, 1, 2, 3, 4, 5, 6, 7, 8)"
        yield (f"torch.Tensor.{overload.name}()",)
        yield (f"torch.Tensor.{overload.name}(1)",)


def _keyword(name: str) -> str:
    return _KEYWORDS.get(name, name)


def _named(keyword: str, text: str) -> str:
    """Return an argument by its keyword, which may be one of Python's."""
    return f"**{{{keyword!r}: {text}}}" if iskeyword(keyword) else f"{keyword}={text}"


def _is_receiver(overload: Overload, param: Param) -> bool:
    return overload.is_method and is_receiver(param)


def render(
    overload: Overload,
    given: Arguments,
    *,
    keywords: Mapping[str, str] | None = None,
    all_by_position: bool = False,
    extra: str = "",
) -> Program:
    """Return the program of a call: a step for each tensor, and the call.

    keywords: the parameters that are passed by keyword, with their keywords
    all_by_position: whether those that the schema has by keyword only are passed by position
    extra: an argument at the end
    """
    keywords = keywords or {}
    variables = dict(zip((param.name for param in tensors_of(overload)), _VARIABLES, strict=False))
    variables |= zip((param.name for param in overload.params if param.is_out), "opq", strict=False)
    steps: dict[str, str] = {}
    positional: list[str] = []
    named: list[str] = []
    outs: list[str] = []
    receiver = "torch"
    by_keyword = False
    for param in overload.params:
        if param.name not in given:
            by_keyword = True  # what follows an omitted argument has its keyword
            continue
        text = given[param.name]
        if is_tensor_text(text) and param.name in variables:
            steps[variables[param.name]] = text
            text = variables[param.name]
        if param.is_out:
            outs.append(text)
        elif _is_receiver(overload, param):
            receiver = text if text.isidentifier() else f"({text})"
        elif text.startswith("*"):
            positional.append(text)
        elif param.name in keywords or ((param.keyword_only or by_keyword) and not all_by_position):
            keyword = keywords.get(param.name, _keyword(param.name))
            named.append(_named(keyword, text))
            by_keyword = True
        else:
            positional.append(text)
    if outs:
        out = outs[0] if len(outs) == 1 else f"({', '.join(outs)})"
        (positional if all_by_position else named).append(out if all_by_position else f"out={out}")
    call = f"{receiver}.{overload.name}"
    if not overload.is_attribute:
        call += f"({', '.join([*positional, *named, *[extra] * bool(extra)])})"
    if "x" not in steps and re.search(r"\bx\b", call + "".join(steps.values())):
        steps = {"x": values.DEFAULTS["Tensor"][0], **steps}
    seeded = (SEEDED,) if overload.is_random else ()
    return (*(f"{name} = {text}" for name, text in steps.items()), *seeded, call)


def tensor_groups(overload: Overload, given: Arguments) -> list[list[str]]:
    """Return the parameters that are tensors or lists of tensors: each alone, and all together."""
    names = [name for name, text in given.items() if is_tensor_text(text)]
    names += [param.name for param in overload.params if param.type == TENSORS]
    return [*([name] for name in names), names]


def with_next_draw(program: Program) -> tuple[Program, int | tuple[int, ...]]:
    """Return a program with its questions: after a call that draws numbers, those drawn next.

    They show how many numbers the call has drawn, also if it raised.
    """
    if SEEDED not in program:
        return program, -1
    return (*program, "torch.rand(3)"), (len(program) - 1, len(program))
