"""Calls that torch composes of products, sums and copies, with operands that depend on a seed."""

from collections.abc import Callable
from random import Random

from .drawn_operands import Operands
from .indexed_calls import Program, in_form
from .product_calls import exact_tensor

_RANKS = (1, 2, 2, 3)
_OPTIONS = ("", ", {d}", ", dim={d}", ", {d}")


def program(seed: int) -> Program:
    """Return a program whose call, form and operands depend on the seed; a few are wrong."""
    random = Random(seed)
    return random.choice([*_CALLS.values()])(Operands(random))


def _cross(drawn: Operands) -> Program:
    shape = drawn.shape(*_RANKS)
    dim = drawn.dim(len(shape))
    if not drawn.rarely(20):
        shape[dim] = 3
    other = drawn.other_shape(shape) if drawn.rarely(4) else [*shape]
    if other and drawn.rarely(4):
        other[drawn.random.randrange(len(other))] = 1
    dtype = "float32" if drawn.rarely(20) else None
    steps = [f"x = {drawn.tensor(shape)}", f"y = {drawn.tensor(other, dtype)}"]
    if drawn.rarely(15):
        dim = drawn.random.randrange(-4, 4)
    call = f"cross(x, y{drawn.choice(*_OPTIONS).format(d=dim)})"
    return *drawn.stated(steps), *in_form(drawn, call, drawn.choice("f", "m", "o"), "xy")


_LETTERS = "abijkBZ"
_SIZES = (1, 2, 2, 3, 3, 4, 0)
_MISTAKES = (".", "...", ",", "->", "-", "1", "\u00e9", "x", "A")


def _einsum(drawn: Operands) -> Program:
    """Draw a call of einsum; a few equations have a wrong character, size or operand."""
    random = drawn.random
    letters = random.sample(_LETTERS, random.choice((1, 2, 3, 4)))
    sizes = {letter: random.choice(_SIZES) for letter in letters}
    covered = [random.choice(_SIZES) for _ in range(random.choice((1, 2)))]
    subscripts, steps = [], []
    for name in "xyzw"[: random.choice((1, 1, 2, 2, 2, 2, 3, 4))]:
        labels = [random.choice(letters) for _ in range(random.randrange(4))]
        if not drawn.rarely(4):
            labels = [*dict.fromkeys(labels)]
        shape = [1 if drawn.rarely(12) else sizes[label] for label in labels]
        if drawn.rarely(4):
            at = random.randint(0, len(labels))
            labels.insert(at, "...")
            shape[at:at] = covered[random.randint(0, len(covered)) :]
        if shape and drawn.rarely(25):
            shape[-1] += 1
        subscripts.append(labels)
        dtype = "float32" if drawn.rarely(30) else drawn.dtype
        steps.append(f"{name} = {exact_tensor(random, dtype, shape, 0.2)}")
    result = _subscripts_of_result(drawn, subscripts)
    names = [step[0] for step in steps]
    return *drawn.stated(steps), f"torch.einsum({_equation(drawn, names, subscripts, result)})"


def _subscripts_of_result(drawn: Operands, subscripts: list[list[str]]) -> list[str] | None:
    """Return the subscripts of a result, or None for those that the equation implies."""
    given = sorted({label for labels in subscripts for label in labels})
    if drawn.rarely(4):
        return None
    result = drawn.random.sample(given, drawn.random.randint(0, len(given)))
    return [*result, drawn.random.choice(_LETTERS)] if drawn.rarely(25) else result


def _equation(
    drawn: Operands, names: list[str], subscripts: list[list[str]], result: list[str] | None
) -> str:
    """Return the arguments of a call: an equation with operands, or operands with sublists."""
    if drawn.rarely(6):
        parts = [f"{name}, {_sublist(x)}" for name, x in zip(names, subscripts, strict=True)]
        return ", ".join([*parts, _sublist(result)] if result is not None else parts)
    text = ",".join(map("".join, subscripts))
    if result is not None:
        text += "->" + "".join(result)
    at = drawn.random.randint(0, len(text))
    if drawn.rarely(10):
        text = f"{text[:at]}{drawn.choice(' ', ' ', *_MISTAKES)}{text[at:]}"
    operands = ", ".join(names[1:] if drawn.rarely(50) else names)
    return f"{text!r}, {f'[{operands}]' if drawn.rarely(10) else operands}"


def _sublist(labels: list[str]) -> str:
    """Return the numbers of letters, of which upper case comes first."""
    numbers = ["..." if x == "..." else str((ord(x) & 31) - 1 + 26 * x.islower()) for x in labels]
    return f"[{', '.join(numbers)}]"


def _block_diag(drawn: Operands) -> Program:
    return _of_list(drawn, "block_diag", (0, 1, 1, 2, 2, 2))


def _cartesian_prod(drawn: Operands) -> Program:
    return _of_list(drawn, "cartesian_prod", (1,))


def _of_list(drawn: Operands, name: str, ranks: tuple[int, ...]) -> Program:
    """Draw a call of several tensors; a few have another dtype or a wrong rank."""
    steps = []
    for operand in "xyzw"[: drawn.random.choice((1, 2, 2, 3, 4))]:
        shape = [drawn.random.choice(_SIZES) for _ in range(drawn.random.choice(ranks))]
        if drawn.rarely(25):
            shape = drawn.other_shape(shape)
        dtype = "float32" if drawn.rarely(10) else None
        steps.append(f"{operand} = {drawn.tensor(shape, dtype)}")
    names = [step[0] for step in steps[drawn.rarely(40) :]]
    return *drawn.stated(steps), f"torch.{name}({', '.join(names)})"


_COMBINATIONS = (
    "", ", 1", ", 2", ", 3", ", 0", ", 4", ", -1", ", r=3", ", 2, True", ", 3, True",
    ", with_replacement=True",
)  # fmt: skip
_POWERS = (
    "", ", 2", ", 3", ", 0", ", 1", ", -1", ", N=5", ", None, True", ", 4, True", ", 2, True",
    ", increasing=True",
)  # fmt: skip


def _combinations(drawn: Operands) -> Program:
    return _of_vector(drawn, "combinations", _COMBINATIONS)


def _vander(drawn: Operands) -> Program:
    return _of_vector(drawn, "vander", _POWERS)


def _of_vector(drawn: Operands, name: str, options: tuple[str, ...]) -> Program:
    """Draw a call of a vector, or rarely of another tensor."""
    size = drawn.random.choice(_SIZES)
    shape = drawn.other_shape([size]) if drawn.rarely(12) else [size]
    steps = drawn.stated([f"x = {drawn.tensor(shape)}"])
    return *steps, f"torch.{name}(x{drawn.choice(*options)})"


_STEPS = ("1", "2", "0.5", "-1", "0", "math.nan", "True", "1j", "torch.tensor(2.0)")


def _trapezoid(drawn: Operands) -> Program:
    """Draw a call of an integral of exact sums, with points, a distance of points or neither."""
    random = drawn.random
    name = drawn.choice("trapezoid", "trapz", "cumulative_trapezoid")
    shape = [random.choice(_SIZES) for _ in range(random.choice((1, 2, 2, 3)))]
    dim = drawn.dim(len(shape))
    steps = [f"y = {exact_tensor(random, drawn.dtype, shape, 0.1)}"]
    way = random.randrange(4)
    if way < 2:
        sizes = drawn.other_shape([shape[dim]] if way else random.choice((shape, shape[1:])))
        dtype = drawn.choice("float32", "int64") if drawn.rarely(5) else drawn.dtype
        steps.append(f"x = {exact_tensor(random, dtype, sizes, 0.1)}")
    argument = (", x", ", x", f", dx={drawn.choice(*_STEPS)}", "")[way]
    if drawn.rarely(20):
        dim = random.randrange(-4, 4)
    last = "" if drawn.rarely(5) else f", dim={dim}"
    return *drawn.stated(steps), f"torch.{name}(y{argument}{last})"


_CALLS: dict[str, Callable[[Operands], Program]] = {
    "cross": _cross,
    "einsum": _einsum,
    "block_diag": _block_diag,
    "cartesian_prod": _cartesian_prod,
    "combinations": _combinations,
    "vander": _vander,
    "trapezoid": _trapezoid,
}
"""The functions that draw the calls, by operator."""
