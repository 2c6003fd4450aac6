"""Computation of a block of elements: the casts of operands, the kernel, the cast of the result.

Small arrays are cast to new arrays.  Blocks of large arrays are cast into per-thread scratch
memory, and the results are written to the output.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._arrays.parallel import BLOCK_ELEMENTS, STREAMED_BLOCK_ELEMENTS
from ..._codegen.loops import Kernel as LoopKernel
from ..._dtypes.constants import FLOAT32
from ..._dtypes.table import dtype
from ..._kernels.elementwise import Kernel
from ..._numerics.cast import cast_kernel_of
from ..._numerics.float_formats import scratch

Casts = tuple[dtype, dtype, dtype]
CastFunction = Callable[[Any], Any]
Work = Callable[..., None]

_SCRATCH_INDICES = (3, 4)
"""Indices of the operands' scratch arrays; the result shares the first."""

_MIN_PARTS = 4
"""Minimum number of parts of a long array; a core which starts late takes fewer parts."""


def cast_function(dtype: dtype, common: dtype, compute_dtype: dtype) -> CastFunction | None:
    """Return the cast from one dtype through a second to a third; None if all are equal."""
    # Only comparisons cast complex numbers to real ones here, and their result is bool.
    steps = [cast_kernel_of(*step).make for step in _steps((dtype, common, compute_dtype))]
    if not steps:
        return None
    if len(steps) == 1:
        return steps[0]
    first, second = steps
    return lambda raw: second(first(raw))


def with_casts(kernel: Kernel, casts: list[CastFunction | None]) -> Kernel:
    """Return the kernel with casts of its operands."""
    if not any(casts):
        return kernel
    steps = [cast or _identity for cast in casts]
    if len(steps) == 2:
        left, right = steps
        return lambda x, y: kernel(left(x), right(y))
    return lambda *arrays: kernel(*[cast(x) for cast, x in zip(steps, arrays, strict=True)])


COMPILED_NUMEL = 2**13
"""The least number of elements for which a compiled loop is faster than several of NumPy's."""


def with_compiled(function: Kernel, kernel: LoopKernel | None, scalars: Sequence[Any]) -> Kernel:
    """Return a function of raw arrays that uses a compiled kernel once it is worthwhile.

    ``scalars`` are the last inputs of the kernel, which ``function`` knows.
    """
    if kernel is None:
        return function
    result_dtype = numpy_storage_dtype(kernel.operands[0])

    def compute(*arrays: Any) -> Any:
        shape = arrays[0].shape
        for array in arrays:
            if not array.flags.c_contiguous or (array.ndim and array.shape != shape):
                return function(*arrays)
        if arrays[0].size < COMPILED_NUMEL or not kernel.is_wanted(arrays[0].size):
            return function(*arrays)
        out = np.empty(shape, result_dtype)
        kernel.over_cores(out, *arrays, *scalars)
        return out

    return compute


def block_work(kernel: Kernel, casts: list[Casts], result: Casts, same: bool = False) -> Work:
    """Return the function ``work(out, *arrays)`` for a block, called by `parallel_blocks`.

    ``result`` has the casts of the kernel's result.  ``same``: all operands are the same tensor.
    """
    read, write = _operand_reader(casts, same), _writer(result)
    is_ufunc = isinstance(kernel, np.ufunc)
    if write is None and is_ufunc:

        def work(out: Any, *arrays: Any) -> None:
            kernel(*read(arrays), out=out)

    elif write is None:

        def work(out: Any, *arrays: Any) -> None:
            out[...] = kernel(*read(arrays))

    elif is_ufunc and result[0] is FLOAT32:

        def work(out: Any, *arrays: Any) -> None:
            (bits,) = scratch(out.shape, _SCRATCH_INDICES[0])
            singles = bits.view(np.float32)
            kernel(*read(arrays), out=singles)
            write(out, singles)

    else:

        def work(out: Any, *arrays: Any) -> None:
            write(out, kernel(*read(arrays)))

    return work


def _operand_reader(casts: list[Casts], same: bool) -> Callable[[tuple[Any, ...]], list[Any]]:
    if len(casts) > len(_SCRATCH_INDICES):
        readers = [cast_function(*steps) or _identity for steps in casts]
    else:
        readers = [_reader(*steps) for steps in zip(casts, _SCRATCH_INDICES, strict=False)]
    if same:
        return lambda arrays: [readers[0](arrays[0])] * len(arrays)
    return lambda arrays: [read(array) for read, array in zip(readers, arrays, strict=True)]


def part_of(size: int, kernel: Kernel, casts: list[Casts], result: Casts) -> int:
    """Return the number of elements of a part; long parts need a ufunc without casts."""
    if not isinstance(kernel, np.ufunc) or any(map(_steps, (*casts, result))):
        return BLOCK_ELEMENTS
    return max(BLOCK_ELEMENTS, min(STREAMED_BLOCK_ELEMENTS, size // _MIN_PARTS))


def _reader(casts: Casts, index: int) -> CastFunction:
    """Return the cast of an operand's block, into scratch memory for a single cast to float32."""
    steps = _steps(casts)
    if not steps:
        return _identity
    cast = cast_function(*casts)
    assert cast is not None
    if len(steps) > 1 or casts[-1] is not FLOAT32:
        return cast
    fill = cast_kernel_of(*steps[0]).fill

    def read(raw: Any) -> Any:
        if not raw.ndim:
            return cast(raw)
        (bits,) = scratch(raw.shape, index)
        singles = bits.view(np.float32)
        fill(singles, raw)
        return singles

    return read


def _writer(result: Casts) -> Callable[[Any, Any], None] | None:
    """Return the function which casts a kernel's result into the output; None without casts."""
    steps = _steps(result)
    if not steps:
        return None
    cast = cast_kernel_of(*steps[-1])
    if len(steps) == 1:
        return partial(_fill, cast.fill)
    first_cast = cast_kernel_of(*steps[0]).make
    return lambda out, values: cast.fill(out, first_cast(values))


def _fill(fill: Callable[[Any, Any], None], out: Any, values: Any) -> None:
    fill(out, values if isinstance(values, np.ndarray) else np.asarray(values))


def _steps(dtypes: Casts) -> list[tuple[dtype, dtype]]:
    return [step for step in pairwise(dtypes) if step[0] is not step[1]]


def _identity(raw: Any) -> Any:
    return raw
