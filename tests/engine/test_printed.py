"""Texts of tensors: remembered for equal tensors under equal settings, and asked again at times."""

import pytest

import impl
from conformance.core.case import Case
from conformance.core.errors import CouldNotRun
from conformance.libraries.library import Library
from conformance.libraries.oracle import load_oracle
from conformance.observation.facets import observe
from conformance.observation.printed import CHECKED, Texts
from conformance.observation.runner import run_case


class Counting(Library):
    """impl with known settings of its texts, which counts the texts that it writes."""

    def __init__(self):
        super().__init__("impl", impl)
        self.written = []
        self.repr_settings = impl.get_default_dtype

    def repr(self, value):
        self.written.append(super().repr(value))
        return self.written[-1]


def texts_of(library, *steps):
    """Return the texts of the values of all steps, and how many of them the library wrote."""
    library.written.clear()
    results = run_case(library, Case(steps), observe)
    texts = [step.observation["repr"] for step in results if "repr" in step.observation]
    return texts, len(library.written)


def test_an_equal_tensor_is_not_asked_again():
    texts, written = texts_of(Counting(), "torch.ones(2)", "torch.ones(2)", "torch.zeros(1) + 1")
    assert (texts, written) == (["tensor([1., 1.])", "tensor([1., 1.])", "tensor([1.])"], 2)


@pytest.mark.filterwarnings("ignore:Sparse invariant checks")
@pytest.mark.parametrize(
    "other",
    [
        "torch.ones(2, 1)",
        "torch.ones(2, dtype=torch.float64)",
        "torch.zeros(2)",
        "-torch.zeros(2)",
        "torch.ones(2, requires_grad=True)",
        "torch.ones(2, requires_grad=True) * 1",
        "torch.ones(2, device='meta')",
        "torch.ones(2, dtype=torch.complex64).conj()",
        "torch.sparse_coo_tensor([[0]], [1.], (2,))",
        "torch.sparse_coo_tensor([[0, 0]], [1., 0.], (2,))",
        "torch.ones(70)",
        "torch.zeros(70)",
    ],
)
def test_another_tensor_is_asked(other):
    texts, written = texts_of(Counting(), "torch.ones(2)", other)
    assert written == 2
    assert texts[1] == repr(eval(other, {"torch": impl}))


def test_other_settings_are_asked():
    library = Counting()
    steps = "torch.ones(2)", "torch.set_default_dtype(torch.float64)", "torch.ones(2).float()"
    texts, written = texts_of(library, *steps)
    assert (texts, written) == (["tensor([1., 1.])", "tensor([1., 1.], dtype=torch.float32)"], 2)


def test_without_known_settings_every_text_is_asked():
    library = Counting()
    library.repr_settings = None
    assert texts_of(library, "torch.ones(2)", "torch.ones(2)")[1] == 2


def test_only_torch_has_known_settings():
    assert Library("impl", impl).repr_settings is None
    assert load_oracle("impl").repr_settings is None


def test_remembered_texts_are_checked():
    library, tensor = Counting(), impl.ones(2)
    facets = run_case(library, Case(("torch.ones(2)",)), observe)[0].observation
    texts = Texts()
    for _ in range(CHECKED):
        assert texts.of(tensor, library, facets) == "tensor([1., 1.])"
    library.repr = lambda value: "another text"
    with pytest.raises(CouldNotRun, match="prints equal tensors in two ways"):
        [texts.of(tensor, library, facets) for _ in range(CHECKED)]
