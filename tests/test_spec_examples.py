"""The examples of torch's documents, as they stand there, run with impl as torch."""

import doctest

import pytest

import impl

EMPTY_PERMUTED = """
>>> torch.empty((2, 3, 5, 7)).stride()
(105, 35, 7, 1)
>>> torch.empty_permuted((2, 3, 5, 7), (0, 1, 2, 3)).stride()
(105, 35, 7, 1)
>>> torch.empty((2, 3, 5, 7), memory_format=torch.channels_last).stride()
(105, 1, 21, 3)
>>> torch.empty_permuted((2, 3, 5, 7), (0, 2, 3, 1)).stride()
(105, 1, 21, 3)
>>> torch.empty_permuted((2, 3, 5, 7), (0, 2, 3, 1)).dim_order()
(0, 2, 3, 1)
"""

STRIDED = """
>>> x = torch.tensor([[1, 2, 3, 4, 5], [6, 7, 8, 9, 10]])
>>> x.stride()
(5, 1)

>>> x.t().stride()
(1, 5)
>>> x = torch.Tensor([[1, 2, 3, 4, 5], [6, 7, 8, 9, 10]])
>>> x.stride()
(5, 1)
>>> x.t().stride()
(1, 5)
"""

PROMOTION_OPERANDS = """
>>> float_tensor = torch.ones(1, dtype=torch.float)
>>> double_tensor = torch.ones(1, dtype=torch.double)
>>> complex_float_tensor = torch.ones(1, dtype=torch.complex64)
>>> complex_double_tensor = torch.ones(1, dtype=torch.complex128)
>>> int_tensor = torch.ones(1, dtype=torch.int)
>>> long_tensor = torch.ones(1, dtype=torch.long)
>>> uint_tensor = torch.ones(1, dtype=torch.uint8)
>>> bool_tensor = torch.ones(1, dtype=torch.bool)
>>> long_zerodim = torch.tensor(1, dtype=torch.long)
>>> int_zerodim = torch.tensor(1, dtype=torch.int)
"""


@pytest.mark.parametrize(
    "text",
    [EMPTY_PERMUTED, STRIDED, PROMOTION_OPERANDS],
    ids=["empty_permuted", "strided", "promotion-operands"],
)
def test_examples_of_the_documents(text: str) -> None:
    told: list[str] = []
    example = doctest.DocTestParser().get_doctest(text, {"torch": impl}, "example", None, None)
    result = doctest.DocTestRunner(verbose=False).run(example, out=told.append)
    assert "".join(told) == ""
    assert (result.failed, result.attempted) == (0, text.count(">>> "))


PROMOTED = [
    # The operands of each sum in the promotion examples, and the dtype that the documents give.
    ("5", "5", "int64"),
    ("torch.ones(1, dtype=torch.int)", "5", "int32"),
    ("torch.ones(1, dtype=torch.int)", "torch.tensor(1, dtype=torch.long)", "int32"),
    ("torch.ones(1, dtype=torch.long)", "torch.ones(1, dtype=torch.int)", "int64"),
    ("torch.ones(1, dtype=torch.bool)", "torch.ones(1, dtype=torch.long)", "int64"),
    ("torch.ones(1, dtype=torch.bool)", "torch.ones(1, dtype=torch.uint8)", "uint8"),
    ("torch.ones(1, dtype=torch.float)", "torch.ones(1, dtype=torch.double)", "float64"),
    ("torch.ones(1, dtype=torch.complex64)", "torch.ones(1, dtype=torch.complex128)", "complex128"),
    ("torch.ones(1, dtype=torch.bool)", "torch.ones(1, dtype=torch.int)", "int32"),
    ("torch.ones(1, dtype=torch.long)", "torch.ones(1, dtype=torch.float)", "float32"),
]


@pytest.mark.parametrize(("left", "right", "promoted"), PROMOTED)
def test_promotion_examples_by_result_type(left: str, right: str, promoted: str) -> None:
    # The documents add the two; there is no addition yet, and result_type is its rule.
    scope = {"torch": impl}
    assert str(impl.result_type(eval(left, scope), eval(right, scope))) == f"torch.{promoted}"
