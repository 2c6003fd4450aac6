"""Decompositions, determinants, inverses and solutions of equations of torch.linalg."""

from math import prod

from ...core.domain import Domain
from ...engine.decorators import exhaustive
from ...engine.probe import Probe
from ...generators.arithmetic import CORE, SHELLS

CALLS = {
    "det": "torch.linalg.det(x)",
    "torch.det": "torch.det(x)",
    "x.det": "x.det()",
    "slogdet": "torch.linalg.slogdet(x)",
    "torch.slogdet": "torch.slogdet(x)",
    "x.slogdet": "x.slogdet()",
    "inv": "torch.linalg.inv(x)",
    "inverse": "torch.inverse(x)",
    "x.inverse": "x.inverse()",
    "power of -1": "torch.linalg.matrix_power(x, -1)",
    "power of -2": "torch.linalg.matrix_power(x, -2)",
    "solve": "torch.linalg.solve(x, x)",
    "solve from the right": "torch.linalg.solve(x, x, left=False)",
    "solve for a vector": "torch.linalg.solve(x, x[..., 0])",
    "cholesky": "torch.linalg.cholesky(x)",
    "cholesky of the upper triangle": "torch.linalg.cholesky(x, upper=True)",
    "qr": "torch.linalg.qr(x)",
    "complete qr": "torch.linalg.qr(x, 'complete')",
    "qr without q": "torch.linalg.qr(x, mode='r')",
    "svd": "torch.linalg.svd(x)",
    "reduced svd": "torch.linalg.svd(x, full_matrices=False)",
    "svdvals": "torch.linalg.svdvals(x)",
    "eig": "torch.linalg.eig(x)",
    "eigvals": "torch.linalg.eigvals(x)",
    "eigh": "torch.linalg.eigh(x)",
    "eigh of the upper triangle": "torch.linalg.eigh(x, 'u')",
    "eigvalsh": "torch.linalg.eigvalsh(x)",
    "matrix_rank": "torch.linalg.matrix_rank(x)",
    "rank of a Hermitian matrix": "torch.linalg.matrix_rank(x, hermitian=True)",
    "pinv": "torch.linalg.pinv(x)",
    "pinv of a Hermitian matrix": "torch.linalg.pinv(x, hermitian=True)",
    "pinverse": "torch.pinverse(x)",
    "x.pinverse": "x.pinverse()",
}
_SHAPES = (
    "3, 3", "2, 3, 3", "2, 1, 2, 2", "1, 1", "4, 2", "2, 4", "2, 2, 4", "3", "", "0, 0", "2, 0, 0",
    "0, 3, 3", "3, 0", "0, 3", "2, 3, 0", "0, 2, 3",
)  # fmt: skip
_MAKERS = {
    "new": "x",
    "requires a gradient": "x.requires_grad_()",
    "transposed": "x.mT.contiguous().mT",
    "conjugated": "x.conj()",
}


def _identities(shape: str) -> str:
    """Return the text of a batch of identity matrices, or of ones of a lower rank."""
    sizes = [*map(int, filter(None, shape.split(", ")))]
    if len(sizes) < 2:
        return f"torch.ones({sizes})"
    return f"torch.eye({sizes[-2]}, {sizes[-1]}).expand({shape}).clone()"


@exhaustive(
    lambda torch: Domain(
        shape=_SHAPES, call=[*CALLS], device=("cpu", "meta"),
        dtype=("float32", "complex64", "float16"), made=[*_MAKERS],
    ),
    one_in=4,
)  # fmt: skip
def test_shapes(ask: Probe, shape: str, call: str, device: str, dtype: str, made: str) -> None:
    """Results have torch's shapes, strides and grad_fn, for empty matrices and batches, too."""
    x = f"x = {_identities(shape)}.to(torch.{dtype}).to('{device}')"
    ask(x, f"x = {_MAKERS[made]}", CALLS[call])


@exhaustive(
    lambda torch: Domain(dtype=[*CORE, *SHELLS], call=[*CALLS], device=("cpu", "meta")), parts=2
)
def test_dtypes(ask: Probe, dtype: str, call: str, device: str) -> None:
    """Each function has a result of torch's dtype for each dtype, or raises its error."""
    ask(f"x = torch.tensor([[4, 0], [0, 1]]).to(torch.{dtype}).to('{device}')", CALLS[call])


_OUTS = {
    "torch.linalg.det(x": ("x.shape[:1]",),
    "torch.linalg.slogdet(x": ("x.shape[:1]", "x.shape[:1]"),
    "torch.slogdet(x": ("x.shape[:1]", "x.shape[:1]"),
    "torch.linalg.inv(x": ("x.shape",),
    "torch.inverse(x": ("x.shape",),
    "torch.linalg.matrix_power(x, -1": ("x.shape",),
    "torch.linalg.solve(x, x": ("x.shape",),
    "torch.linalg.cholesky(x": ("x.shape",),
    "torch.linalg.qr(x": ("x.shape", "x.shape"),
    "torch.linalg.svd(x": ("x.shape", "x.shape[:-1]", "x.shape"),
    "torch.linalg.svdvals(x": ("x.shape[:-1]",),
    "torch.linalg.eig(x": ("x.shape[:-1]", "x.shape"),
    "torch.linalg.eigvals(x": ("x.shape[:-1]",),
    "torch.linalg.eigh(x": ("x.shape[:-1]", "x.shape"),
    "torch.linalg.eigvalsh(x": ("x.shape[:-1]",),
    "torch.linalg.matrix_rank(x": ("x.shape[:1]",),
    "torch.linalg.pinv(x": ("x.shape",),
}
"""The calls that take ``out=``, with the shapes of their results."""

_TARGETS = {
    "right": "torch.zeros({shape}, dtype={dtype})",
    "without elements": "torch.zeros(0, dtype={dtype})",
    "another shape": "torch.zeros(3, dtype={dtype})",
    "strided": "torch.zeros((*{shape}, 2), dtype={dtype})[..., 0]",
    "overlapping": "torch.zeros(1, dtype={dtype}).expand({shape})",
    "requires a gradient": "torch.zeros({shape}, dtype={dtype}, requires_grad=True)",
    "on meta": "torch.zeros({shape}, dtype={dtype}, device='meta')",
    "columns": "torch.zeros({shape}, dtype={dtype}).mT.contiguous().mT",
}


@exhaustive(
    lambda torch: Domain(
        call=[*_OUTS], target=[*_TARGETS],
        dtype=("float32", "float64", "complex64", "complex128", "int64", "bool"),
        source=("cpu", "meta"),
    ),
    one_in=2,
)  # fmt: skip
def test_outs(ask: Probe, call: str, target: str, dtype: str, source: str) -> None:
    """Results are written to ``out=``, which is resized, or torch refuses its dtype or device."""
    kind = {"dtype": f"torch.{dtype}"}
    outs = [_TARGETS[target].format(shape=shape, **kind) for shape in _OUTS[call]]
    out = outs[0] if len(outs) == 1 else f"({', '.join(outs)})"
    x = f"x = (torch.eye(2) * 4).expand(2, 2, 2).clone().to('{source}')"
    ask(x, f"o = {out}", f"{call}, out=o)", "o")


_WRONG = (
    "qr(x, 'bad')", "qr(x, mode=1)", "qr(x, '')", "eigh(x, 'Q')", "eigh(x, 'lower')", "eigh(x, '')",
    "eigh(x, UPLO='U')", "eigvalsh(x, 'x')", "eigvalsh(x, 'l')", "svd(x, driver='gesvd')",
    "svd(x, driver='x')", "svdvals(x, driver='gesvd')", "svd(x, False, driver=None)", "svd(x, 0)",
    "cholesky(x, True)", "cholesky(x, upper=1)", "det(3)", "det()", "det(x, x)", "inv(A=x)",
    "inv(input=x)", "solve(x)", "solve(x, 1)", "solve(x, x, True)", "solve(A=x, B=x)",
    "matrix_rank(x, 0.5)", "matrix_rank(x, tol=5)", "matrix_rank(x, 0.5, True)",
    "matrix_rank(x, atol=0.5)", "matrix_rank(x, rtol=0.5)", "matrix_rank(x, atol=0.5, rtol=0.9)",
    "matrix_rank(x, atol=torch.tensor([0.5, 2]))", "matrix_rank(x, rtol=torch.tensor([0.5, 2]))",
    "matrix_rank(x, torch.tensor(1j))", "matrix_rank(x, atol=torch.tensor(1j))",
    "matrix_rank(x, rtol=torch.tensor(1j))", "matrix_rank(x, torch.tensor(1, device='meta'))",
    "matrix_rank(x, rtol=torch.tensor(1, device='meta'))", "matrix_rank(x, '1')",
    "matrix_rank(x, atol=torch.tensor(1))", "matrix_rank(x, 1, atol=1)", "pinv(x, 0.5)",
    "pinv(x, rcond=5)", "pinv(x, atol=0.5)", "pinv(x, rtol=0.5)", "pinv(x, atol=0.5, rtol=0.9)",
    "pinv(x, atol=torch.tensor([0.5, 2]))", "pinv(x, torch.tensor([0.5, 2]), True)",
    "pinv(x, torch.tensor(1j))", "pinv(x, atol=torch.tensor(1j))", "pinv(x, rtol=torch.tensor(1j))",
    "pinv(x, '1')", "pinv(x, atol=torch.tensor(1))", "pinv(x, atol=-1.)", "eig(x, 1)", "eigvals()",
)  # fmt: skip
_MATRICES = {
    "a matrix": "torch.tensor([[2., 0], [0, 4]])",
    "a batch": "torch.tensor([[2., 0], [0, 4]]).expand(2, 2, 2).clone()",
    "without elements": "torch.zeros(2, 0, 0)",
    "on meta": "torch.zeros(2, 2, device='meta')",
    "float16": "torch.eye(2, dtype=torch.float16)",
}


@exhaustive(lambda torch: Domain(call=_WRONG, x=[*_MATRICES]))
def test_arguments(ask: Probe, call: str, x: str) -> None:
    """Modes, sides and tolerances mean what they do in torch, or are refused with its words."""
    ask(f"x = {_MATRICES[x]}", f"torch.linalg.{call}")


_RIGHT = (
    "2", "3", "2, 3", "3, 2", "2, 2", "3, 2, 2", "1, 2, 5", "4, 1, 2, 3", "4, 3, 2", "", "0",
    "2, 0", "0, 2", "2, 1",
)  # fmt: skip
_LEFT = ("2, 2", "3, 2, 2", "4, 3, 2, 2", "1, 2, 2", "0, 2, 2", "0, 0", "2, 3", "2")


@exhaustive(
    lambda torch: Domain(
        left=_LEFT, right=_RIGHT, option=("", ", left=False"),
        dtypes=("float32, float32", "complex64, complex64", "float32, float64", "float16, float16",
                "int64, int64"),
        device=("cpu", "meta"),
    ),
    one_in=2,
)  # fmt: skip
def test_equations(
    ask: Probe, left: str, right: str, option: str, dtypes: str, device: str
) -> None:  # fmt: skip
    """Solutions broadcast batches, take vectors and matrices, or torch says what does not fit."""
    first, second = dtypes.split(", ")
    sizes = [*map(int, filter(None, right.split(", ")))]
    ask(
        f"a = (2 * {_identities(left)}).to(torch.{first}).to('{device}')",
        f"b = torch.arange({prod(sizes)}).reshape({sizes}).to(torch.{second}).to('{device}')",
        f"torch.linalg.solve(a, b{option})",
    )


_SINGULAR = {
    "zeros": "[[0., 0], [0, 0]]", "one row": "[[1., 2], [2, 4]]", "one column": "[[0., 1], [0, 1]]",
    "the last pivot": "[[1., 0], [0, 0]]", "indefinite": "[[1., 2], [2, 1]]",
    "negative": "[[-1., 0], [0, 1]]", "not symmetric": "[[1., 9], [0, 1]]",
    "almost symmetric": "[[4., 1], [0, 1]]",
    "nilpotent": "[[0., 1], [0, 0]]", "a number": "[[0.]]", "a negative number": "[[-2.]]",
    "the second minor": "[[1., 0, 0], [0, 0, 0], [0, 0, 1]]",
    "the third pivot": "[[1., 0, 0], [0, 1, 0], [0, 0, 0]]",
    "a rotation": "[[0., -1], [1, 0]]", "swapped rows": "[[0., 0, 1], [1, 0, 0], [0, 1, 0]]",
    "swapped once": "[[0., 1, 0], [1, 0, 0], [0, 0, 1]]",
}  # fmt: skip
_BATCHES = {"alone": "m", "first": "torch.stack([m, e])", "last": "torch.stack([e, e, m])",
            "in rows": "torch.stack([e, e, m, e]).unflatten(0, (2, 2))"}  # fmt: skip
_DETERMINED = (
    "det", "slogdet", "inv", "power of -1", "solve", "solve from the right", "cholesky",
    "cholesky of the upper triangle", "svdvals", "eigvals", "eigvalsh", "matrix_rank",
    "rank of a Hermitian matrix", "pinv", "qr without q",
)  # fmt: skip
"""The calls whose results do not depend on the signs that LAPACK selects for vectors."""


@exhaustive(
    lambda torch: Domain(
        matrix=_SINGULAR, batch=_BATCHES, call=_DETERMINED, dtype=("float32", "complex128")
    )
)
def test_singular(ask: Probe, matrix: str, batch: str, call: str, dtype: str) -> None:
    """Torch refuses a singular or indefinite matrix, and says which one of a batch it is."""
    ask(
        f"m = torch.tensor({_SINGULAR[matrix]}).to(torch.{dtype})",
        "e = torch.eye(len(m)).to(m.dtype)",
        f"x = {_BATCHES[batch]}",
        CALLS[call],
    )


_ELEMENTS = {
    "modular": "(torch.arange({n}) * 7 % 11 - 5) / 4.",
    "powers": "2. ** -(torch.arange({n}) % 7)",
    "large": "(torch.arange({n}) * 5 % 17 - 8) * 64.",
}  # fmt: skip
"""Elements whose sums of products are exact."""
_DIAGONAL = {"modular": 4, "powers": 2, "large": 2**18}
"""What makes the matrices positive-definite, far from singular ones."""

_FORMS = {
    "2": "2, 2", "3": "3, 3", "4": "4, 4", "5": "5, 5", "a batch": "3, 3, 3", "20": "20, 20",
    "40": "2, 40, 40",
}  # fmt: skip
_INVARIANTS = {
    "det": ("torch.linalg.det(x)",),
    "slogdet": ("torch.linalg.slogdet(x)",),
    "inv": ("torch.linalg.inv(x)",),
    "solve": ("torch.linalg.solve(x, x[..., :1] + 1)",),
    "solve from the right": ("torch.linalg.solve(x, x[..., :1, :] + 1, left=False)",),
    "cholesky": ("torch.linalg.cholesky(x)",),
    "cholesky of the upper triangle": ("torch.linalg.cholesky(x, upper=True)",),
    "qr": ("torch.linalg.qr(x[..., :2])",),
    "qr of a wide matrix": ("torch.linalg.qr(x[..., :2, :])",),
    "orthogonal q": ("(lambda q: q.mH @ q)(torch.linalg.qr(x, 'complete').Q)",),
    "svdvals": ("torch.linalg.svdvals(x)",),
    "values of svd": ("torch.linalg.svd(x).S",),
    "product of svd": ("(lambda r: r.U * r.S.unsqueeze(-2) @ r.Vh)(torch.linalg.svd(x, False))",),
    "orthogonal u": ("(lambda u: u.mH @ u)(torch.linalg.svd(x[..., :2]).U)",),
    "eigvalsh": ("torch.linalg.eigvalsh(x)",),
    "eigvalsh of the upper triangle": ("torch.linalg.eigvalsh(x.triu(), 'U')",),
    "product of eigh": ("(lambda w, v: v * w.unsqueeze(-2) @ v.mH)(*torch.linalg.eigh(x))",),
    "sum of eigvals": ("torch.linalg.eigvals(x).sum(-1)",),
    "vectors of eig": (
        "(lambda w, v: (x.to(v.dtype) @ v - v * w.unsqueeze(-2)).abs().max() < 1e-4 *"
        " x.abs().max())(*torch.linalg.eig(x))",
    ),
    "pinv": ("torch.linalg.pinv(x[..., :2])",),
    "pinv of a Hermitian matrix": ("torch.linalg.pinv(x, hermitian=True)",),
    "matrix_rank": ("torch.linalg.matrix_rank(x - x.mean(-1, True))",),
}


@exhaustive(
    lambda torch: Domain(
        elements=_ELEMENTS, form=_FORMS, result=_INVARIANTS,
        dtype=("float32", "float64", "complex64", "complex128"),
    ),
    one_in=3,
)  # fmt: skip
def test_numbers(ask: Probe, elements: str, form: str, result: str, dtype: str) -> None:
    """What LAPACK determines of a result is within the tolerances."""
    shape = _FORMS[form]
    sizes = [*map(int, shape.split(", "))]
    numbers = _ELEMENTS[elements].format(n=prod(sizes))
    steps = [f"x = ({numbers}).reshape({shape}).to(torch.{dtype})"]
    if dtype.startswith("complex"):
        steps.append("x = x + 1j * x.flip(-1)")
    steps.append(f"x = x @ x.mH / {sizes[-1]} + torch.eye({sizes[-1]}) * {_DIAGONAL[elements]}")
    ask(*steps, *_INVARIANTS[result])
