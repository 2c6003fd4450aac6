"""What is done to each block of an operation's elements: conversions around a kernel.

Small arrays are converted to new ones.  Blocks of large ones are converted into
scratch memory that each thread keeps, and results are written where they belong.
"""

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

from ..._arrays.numpy_bridge import np
from ..._arrays.parallel import LONG, PART
from ..._dtypes.constants import FLOAT32
from ..._dtypes.table import dtype
from ..._kernels.elementwise import Kernel
from ..._numerics.cast import route_of
from ..._numerics.float_formats import scratch

Load = tuple[dtype, dtype, dtype]
Conversion = Callable[[Any], Any]
Work = Callable[..., None]


_PLACES = (3, 4)
"""Where in the scratch memory operands lie; the first is that of the result, too."""


_PARTS = 4
"""Into how many parts at least long arrays are cut: a core that is late takes fewer."""


def conversion(own: dtype, common: dtype, computed: dtype) -> Conversion | None:
    """Return what converts codes from one dtype through another to a third; None if nothing is to be done."""
    # Nothing complex becomes real here but in comparisons' results, which are bool.
    steps = [route_of(*step).make for step in _steps((own, common, computed))]
    if not steps:
        return None
    if len(steps) == 1:
        return steps[0]
    first, second = steps
    return lambda raw: second(first(raw))


def loading(kernel: Kernel, before: list[Conversion | None]) -> Kernel:
    """Return a kernel that converts its operands first."""
    if not any(before):
        return kernel
    loads = [load or _as_it_is for load in before]
    if len(loads) == 2:
        left, right = loads
        return lambda x, y: kernel(left(x), right(y))
    return lambda *arrays: kernel(*[load(each) for load, each in zip(loads, arrays, strict=True)])


def block_work(kernel: Kernel, loads: list[Load], result: Load, alike: bool = False) -> Work:
    """Return what computes a block: ``work(out, *arrays)``, for `blocks.over_blocks`.

    ``result`` says which dtype the kernel returns, and through which one it
    becomes which one.  ``alike`` says that all operands are the same one.
    """
    read, write = _reading(loads, alike), _writer(result)
    is_ufunc = isinstance(kernel, np.ufunc)
    if write is None and is_ufunc:

        def work(out: Any, *arrays: Any) -> None:
            kernel(*read(arrays), out=out)

    elif write is None:

        def work(out: Any, *arrays: Any) -> None:
            out[...] = kernel(*read(arrays))

    elif is_ufunc and result[0] is FLOAT32:

        def work(out: Any, *arrays: Any) -> None:
            (words,) = scratch(out.shape, _PLACES[0])
            singles = words.view(np.float32)
            kernel(*read(arrays), out=singles)
            write(out, singles)

    else:

        def work(out: Any, *arrays: Any) -> None:
            write(out, kernel(*read(arrays)))

    return work


def _reading(loads: list[Load], alike: bool) -> Callable[[tuple[Any, ...]], list[Any]]:
    """Return what converts the parts of all operands."""
    if len(loads) > len(_PLACES):
        readers = [conversion(*load) or _as_it_is for load in loads]
    else:
        readers = [_reader(*load) for load in zip(loads, _PLACES, strict=False)]
    if alike:
        return lambda arrays: [readers[0](arrays[0])] * len(arrays)
    return lambda arrays: [read(each) for read, each in zip(readers, arrays, strict=True)]


def part_of(size: int, kernel: Kernel, loads: list[Load], result: Load) -> int:
    """Return how many of ``size`` elements a part has: many, where each is read and written once."""
    if not isinstance(kernel, np.ufunc) or any(map(_steps, (*loads, result))):
        return PART
    return max(PART, min(LONG, size // _PARTS))


def _reader(load: Load, index: int) -> Conversion:
    """Return what converts an operand's part, into scratch memory if that is enough."""
    steps = _steps(load)
    if not steps:
        return _as_it_is
    plain = conversion(*load)
    assert plain is not None
    if len(steps) > 1 or load[-1] is not FLOAT32:
        return plain
    fill = route_of(*steps[0]).fill

    def read(raw: Any) -> Any:
        if not raw.ndim:
            return plain(raw)
        (words,) = scratch(raw.shape, index)
        singles = words.view(np.float32)
        fill(singles, raw)
        return singles

    return read


def _writer(result: Load) -> Callable[[Any, Any], None] | None:
    """Return what writes a kernel's result; None if it is as it should be."""
    steps = _steps(result)
    if not steps:
        return None
    route = route_of(*steps[-1])
    if len(steps) == 1:
        return partial(_fill, route.fill)
    first = route_of(*steps[0]).make
    return lambda out, found: route.fill(out, first(found))


def _fill(fill: Callable[[Any, Any], None], out: Any, found: Any) -> None:
    fill(out, found if isinstance(found, np.ndarray) else np.asarray(found))


def _steps(dtypes: Load) -> list[tuple[dtype, dtype]]:
    return [step for step in pairwise(dtypes) if step[0] is not step[1]]


def _as_it_is(raw: Any) -> Any:
    return raw
