"""The examples of torch's documents, unchanged, with impl as torch."""

import doctest
from typing import Any

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

PROMOTION = """
>>> float_tensor = torch.ones(1, dtype=torch.float)
>>> double_tensor = torch.ones(1, dtype=torch.double)
>>> complex_float_tensor = torch.ones(1, dtype=torch.complex64)
>>> complex_double_tensor = torch.ones(1, dtype=torch.complex128)
>>> int_tensor = torch.ones(1, dtype=torch.int)
>>> long_tensor = torch.ones(1, dtype=torch.long)
>>> uint_tensor = torch.ones(1, dtype=torch.uint8)
>>> bool_tensor = torch.ones(1, dtype=torch.bool)
# zero-dim tensors
>>> long_zerodim = torch.tensor(1, dtype=torch.long)
>>> int_zerodim = torch.tensor(1, dtype=torch.int)

>>> torch.add(5, 5).dtype
torch.int64
# 5 is an int64, but does not have higher category than int_tensor so is not considered.
>>> (int_tensor + 5).dtype
torch.int32
>>> (int_tensor + long_zerodim).dtype
torch.int32
>>> (long_tensor + int_tensor).dtype
torch.int64
>>> (bool_tensor + long_tensor).dtype
torch.int64
>>> (bool_tensor + uint_tensor).dtype
torch.uint8
>>> (float_tensor + double_tensor).dtype
torch.float64
>>> (complex_float_tensor + complex_double_tensor).dtype
torch.complex128
>>> (bool_tensor + int_tensor).dtype
torch.int32
# Since long is a different kind than float, result dtype only needs to be large enough
# to hold the float.
>>> torch.add(long_tensor, float_tensor).dtype
torch.float32
"""

ALLOWED = """
# allowed:
>>> float_tensor *= float_tensor
>>> float_tensor *= int_tensor
>>> float_tensor *= uint_tensor
>>> float_tensor *= bool_tensor
>>> float_tensor *= double_tensor
>>> int_tensor *= long_tensor
>>> int_tensor *= uint_tensor
>>> uint_tensor *= int_tensor
"""

DISALLOWED = {
    "int_tensor *= float_tensor": "result type Float can't be cast to the desired output type Int",
    "bool_tensor *= int_tensor": "result type Int can't be cast to the desired output type Bool",
    "bool_tensor *= uint_tensor": "result type Byte can't be cast to the desired output type Bool",
    "float_tensor *= complex_float_tensor": (
        "result type ComplexFloat can't be cast to the desired output type Float"
    ),
}
"""The disallowed examples of the documents, and torch's messages."""


def operands() -> dict[str, Any]:
    """Return the tensors of the promotion examples."""
    scope: dict[str, Any] = {"torch": impl}
    for line in PROMOTION.splitlines():
        if " = " in line:
            exec(line.removeprefix(">>> "), scope)
    return scope


@pytest.mark.parametrize(
    "text",
    [EMPTY_PERMUTED, STRIDED, PROMOTION, ALLOWED],
    ids=["empty_permuted", "strided", "promotion", "casting"],
)
def test_examples_of_the_documents(text: str) -> None:
    output: list[str] = []
    # A comment line is not output.
    text = "\n".join("" if line.startswith("#") else line for line in text.splitlines())
    scope = {"torch": impl} if text.count("torch") else operands()
    example = doctest.DocTestParser().get_doctest(f"{text}\n", scope, "example", None, None)
    result = doctest.DocTestRunner(verbose=False).run(example, out=output.append)
    assert "".join(output) == ""
    assert (result.failed, result.attempted) == (0, text.count(">>> "))


@pytest.mark.parametrize("statement", DISALLOWED)
def test_disallowed_examples_are_refused_in_torchs_words(statement: str) -> None:
    scope = operands()
    name = statement.partition(" ")[0]
    before = scope[name]
    with pytest.raises(RuntimeError, match=f"^{DISALLOWED[statement]}$"):
        exec(statement, scope)
    assert scope[name] is before
    assert before.tolist() == [1]
