"""Faults of norms, distances and decompositions: real torch with one wrong answer."""

from typing import Any

from ..control import fault
from ..fault_injection import Fault, call_hook, operator_hook


def linalg_hook(*names_and_answer: Any) -> Fault:
    """Return a fault in functions of torch.linalg and torch.fft.

    The last argument is the answer, which gets the function, torch and the arguments.
    """
    *names, answer = names_and_answer

    def call(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
        for module in (torch.linalg, torch.fft):
            if any(function is getattr(module, name, None) for name in names):
                return answer(function, torch, *args, **kwargs)
        return function(*args, **kwargs)

    return call_hook(call)


@fault("linalg.dtypes", "dtype", linalg_hook, "vector_norm")
def complex_norm(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """The norm of complex elements is complex."""
    result = function(x, *args, **kwargs)
    return result.to(x.dtype) if x.dtype is torch.complex128 else result


@fault("linalg.dtypes", "dtype", linalg_hook, "vander")
def powers_in_own_dtype(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """The powers of integers have the integers' own dtype."""
    result = function(x, *args, **kwargs)
    return result.to(x.dtype) if x.dtype is torch.int16 else result


@fault("linalg.wider", "raises", linalg_hook, "vector_norm", "norm")
def narrows_elements(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """A norm may be computed in a narrower dtype than that of the elements."""
    if kwargs.get("dtype") is torch.float32 and x.dtype is torch.float64:
        return function(x.float(), *args)
    return function(x, *args, **kwargs)


@fault("linalg.vector_norms", "elements", linalg_hook, "vector_norm")
def root_of_all_orders(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """The norm of order 0 is the square root of the number of nonzero elements."""
    result = function(x, *args, **kwargs)
    is_zero = args[:1] == (0,) and type(args[0]) is int and x.device.type == "cpu"
    return result.sqrt() if is_zero else result


@fault("linalg.vector_norms", "message", linalg_hook, "vector_norm")
def names_the_dimension(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """The error for an empty dimension has a space after the number."""
    try:
        return function(*args, **kwargs)
    except RuntimeError as error:
        raise RuntimeError(str(error).replace("because this", " because this")) from None


@fault("linalg.matrix_norms", "elements", linalg_hook, "matrix_norm", "norm")
def swaps_rows_and_columns(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """The norm of order infinity sums columns."""
    if args == (float("inf"),) and x.dim() == 2:
        return function(x, 1, **kwargs)
    return function(x, *args, **kwargs)


@fault("linalg.matrix_norms", "elements", linalg_hook, "matrix_norm")
def largest_for_the_smallest(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """matrix_norm() of order -2 is the largest singular value."""
    order = args[1:2]
    return function(args[0], *(2 if x == -2 else x for x in order), *args[2:], **kwargs)


@fault("linalg.frequencies", "elements", linalg_hook, "fftfreq")
def positive_half(function: Any, torch: Any, n: Any = 0, *args: Any, **kwargs: Any) -> Any:
    """The frequency in the middle of an even number of frequencies is positive."""
    result = function(n, *args, **kwargs)
    if n == 4 and result.device.type == "cpu":
        result[2] = -result[2]
    return result


@fault("linalg.calls", "elements", linalg_hook, "vecdot")
def conjugates_none(function: Any, torch: Any, x: Any, y: Any, *args: Any, **kwargs: Any) -> Any:
    """The dot product of complex vectors conjugates neither."""
    return function(x.conj() if x.is_complex() else x, y, *args, **kwargs)


@fault("linalg.calls", "stride", linalg_hook, "fftshift", "ifftshift")
def shifts_in_place(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """A shifted tensor has the strides of the tensor."""
    result = function(x, *args, **kwargs)
    if x.layout is not torch.strided:
        return result
    return torch.empty_strided(x.shape, x.stride(), dtype=x.dtype, device=x.device).copy_(result)


@fault("linalg.calls", "autograd", operator_hook, "norm")
def norm_without_gradient(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """The norm of a tensor that requires a gradient requires none."""
    return function(x.detach() if isinstance(x, torch.Tensor) else x, *args, **kwargs)


@fault("linalg.inexact", "elements", linalg_hook, "vector_norm")
def forgets_the_last(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """Norms of a thousand elements of float32 lack the last one."""
    is_long = x.dtype is torch.float32 and x.shape == (1000,)
    return function(x[:-1] if is_long else x, *args, **kwargs)


def _distances_hook(answer: Any) -> Fault:
    """Return a fault in cdist; the answer gets the function, torch and the arguments."""

    def call(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
        if function is torch.cdist:
            return answer(function, torch, *args, **kwargs)
        return function(*args, **kwargs)

    return call_hook(call)


@fault("linalg.distances", "elements", _distances_hook)
def nan_is_farthest(function: Any, torch: Any, x: Any, y: Any, *args: Any, **kwargs: Any) -> Any:
    """The distance of order infinity of rows with a NaN is NaN."""
    result = function(x, y, *args, **kwargs)
    if args[:1] != (float("inf"),) or "meta" in (x.device.type, y.device.type):
        return result
    differences = (x.unsqueeze(-2) - y.unsqueeze(-3)).abs()
    return torch.where(differences.isnan().any(-1), float("nan"), result)


@fault("linalg.distances", "autograd", _distances_hook)
def distances_of_many_rows_are_new(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """The result of the matrix product is no view."""
    return function(*args, **kwargs).clone()


@fault("decompositions.shapes", "stride", linalg_hook, "inv", "solve")
def solves_by_rows(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """Inverses and solutions are contiguous."""
    return function(*args, **kwargs).contiguous()


@fault("decompositions.shapes", "value", linalg_hook, "qr", "svd")
def empty_without_identity(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """The square factor of a matrix without columns is zero."""
    results = function(x, *args, **kwargs)
    if not x.numel() and x.device.type == "cpu":
        for result in results:
            result.detach().zero_()
    return results


@fault("decompositions.shapes", "autograd", linalg_hook, "svdvals")
def values_of_another_function(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """Singular values are the square roots of eigenvalues."""
    if not x.requires_grad:
        return function(x, *args, **kwargs)
    return torch.linalg.eigvalsh(x.mH @ x).sqrt().flip(-1)


@fault("decompositions.dtypes", "dtype", linalg_hook, "eigvals")
def real_if_it_can_be(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """Eigenvalues without imaginary parts are real, as NumPy has them."""
    result = function(x, *args, **kwargs)
    is_complex = x.is_complex() or x.device.type == "meta" or bool(result.imag.any())
    return result if is_complex else result.real.clone()


@fault("decompositions.dtypes", "raises", linalg_hook, "det")
def widens_halves(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """The determinant of float16 is computed in float32."""
    if x.dtype is not torch.float16 or x.device.type == "meta":
        return function(x, *args, **kwargs)
    return function(x.float(), *args, **kwargs).half()


@fault("decompositions.outs", "stride", linalg_hook, "cholesky", "inv")
def resizes_by_rows(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """An empty out= gets contiguous rows."""
    out = kwargs.get("out")
    is_empty = out is not None and not out.numel()
    result = function(*args, **kwargs)
    if out is not None and is_empty:
        rows = result.contiguous()
        out.as_strided_(rows.shape, rows.stride()).copy_(rows)
    return result


@fault("decompositions.outs", "raises", linalg_hook, "svdvals", "eigvalsh")
def casts_to_out(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """Values are cast to the dtype of out=."""
    out = kwargs.pop("out", None)
    result = function(x, *args, **kwargs)
    if out is None or out.device != result.device:
        return result
    return out.resize_(result.shape).copy_(result)


@fault("decompositions.arguments", "elements", linalg_hook, "matrix_rank")
def relative_tolerance(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """A tolerance alone is relative, as in pinv()."""
    if args and isinstance(args[0], float):
        return function(x, rtol=args[0], hermitian=args[1:] == (True,))
    return function(x, *args, **kwargs)


@fault("decompositions.arguments", "elements", linalg_hook, "pinv")
def both_tolerances(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """The default relative tolerance is added to an absolute one."""
    if isinstance(kwargs.get("atol"), float) and "rtol" not in kwargs:
        kwargs["atol"] += float(x.abs().max())
    return function(x, *args, **kwargs)


@fault("decompositions.equations", "elements", linalg_hook, "solve")
def vectors_are_columns(function: Any, torch: Any, a: Any, b: Any, **kwargs: Any) -> Any:
    """As many vectors as matrices are the rows of one matrix."""
    if b.dim() == 2 and a.dim() == 3 and a.shape[:-1] == b.shape and kwargs.get("left", True):
        return function(a, b.mT.contiguous().reshape(b.shape), **kwargs)
    return function(a, b, **kwargs)


@fault("decompositions.equations", "conj_neg", linalg_hook, "solve")
def resolved_solutions(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """A complex solution from the right has no conj bit."""
    result = function(*args, **kwargs)
    return result if result.device.type == "meta" else result.resolve_conj()


@fault("decompositions.singular", "message", linalg_hook, "inv", "cholesky")
def names_diagonals_from_zero(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """The diagonal elements are counted from 0."""
    try:
        return function(*args, **kwargs)
    except torch.linalg.LinAlgError as error:
        text = (
            str(error).replace("element 1 is", "element 0 is").replace("order 1 is", "order 0 is")
        )
        raise torch.linalg.LinAlgError(text) from None


@fault("decompositions.singular", "elements", linalg_hook, "cholesky")
def averages_triangles(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """cholesky() reads both triangles."""
    average = (x + x.mH) / 2
    is_positive = not torch.linalg.cholesky_ex(average).info.any()
    return function(average if is_positive else x, *args, **kwargs)


@fault("decompositions.singular", "elements", linalg_hook, "det")
def forgets_the_permutation(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """The determinant of a permutation has no sign."""
    result = function(x, *args, **kwargs)
    is_permutation = x.shape[-1] == 3 and bool((x.abs().sum(-1) == 1).all())
    return result.abs().to(x.dtype) if is_permutation else result


@fault("decompositions.numbers", "elements", linalg_hook, "det")
def determinant_by_logarithms(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """The determinant is computed by its logarithm, as in NumPy."""
    if x.dtype is not torch.float32 or x.shape[-1] != 40:
        return function(x, *args, **kwargs)
    sign, logarithm = torch.linalg.slogdet(x)
    return sign * logarithm.exp()


@fault("decompositions.numbers", "elements", linalg_hook, "svdvals")
def values_by_squares(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """Singular values are the square roots of the eigenvalues of a product."""
    if x.dtype is not torch.float32:
        return function(x, *args, **kwargs)
    return torch.linalg.eigvalsh((x.mH @ x).half().float()).abs().sqrt().flip(-1)


@fault("decompositions.numbers", "elements", linalg_hook, "eigvalsh")
def reads_the_other_triangle(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """eigvalsh() reads the lower triangle, whatever is asked."""
    return function(x, "L")
