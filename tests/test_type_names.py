"""The names of types, and the constants of the namespace."""

import math
from typing import Any

import pytest

import impl as torch


class Named:
    """An object with a name of its own."""

    def __init__(self, **attributes: Any) -> None:
        vars(self).update(attributes)


@pytest.mark.parametrize(("value", "name"), [
    (torch.zeros(1, dtype=torch.int16), "torch.ShortTensor"),
    (torch.zeros(1).to_sparse(), "torch.sparse.FloatTensor"),
    (torch.float32, "torch.dtype"),
    (torch.Tensor, "torch.Tensor"),
    (torch.finfo(torch.half), "torch.finfo"),
    (torch.utils.dlpack, "torch.utils.dlpack"),
    (1, "int"),
    (int, "int"),
    (len, "len"),
    (None, "NoneType"),
    (math, "math"),
    (math.sin, "math.sin"),
    (Named(__name__="a"), f"{__name__}.a"),
    (Named(__qualname__="a.b", __module__="c"), "c.a.b"),
    (Named(__name__="a", __module__=None), "a"),
])  # fmt: skip
def test_the_name_of_a_type(value: object, name: str) -> None:
    assert torch.typename(value) == name


def test_constants() -> None:
    assert (torch.pi, torch.e, torch.inf, torch.newaxis) == (math.pi, math.e, math.inf, None)
    assert math.isnan(torch.nan)
    assert torch.legacy_contiguous_format is torch.contiguous_format
    assert torch.ones(2)[torch.newaxis].shape == (1, 2)
