"""The facts of a tensor, and the attributes from which the suite reads them."""

from typing import NamedTuple


class Fact(NamedTuple):
    """A fact of a tensor.

    name: the facet that compares it, or the part of one
    reads: the members of a tensor, as source text
    optional: whether a library may lack it, which leaves it out of all comparisons
    """

    name: str
    reads: str
    optional: bool = True


FACTS = (
    Fact("dtype", "x.dtype", optional=False),
    Fact("shape", "x.shape", optional=False),
    Fact("stride", "x.stride()"),
    Fact("offset", "x.storage_offset()"),
    Fact("device", "x.device"),
    Fact("layout", "x.layout"),
    Fact("autograd", "one of the eight members that follow"),
    Fact("requires_grad", "x.requires_grad"),
    Fact("is_leaf", "x.is_leaf"),
    Fact("grad_fn", "x.grad_fn"),
    Fact("output_nr", "x.output_nr"),
    Fact("version", "x._version"),
    Fact("is_view", "x._is_view()"),
    Fact("is_inference", "x.is_inference()"),
    Fact("retains_grad", "x.retains_grad"),
    Fact("conj_neg", "x.is_conj(), x.is_neg()"),
    Fact("storage", "x.untyped_storage().nbytes()"),
    Fact("address", "x.data_ptr(), x.untyped_storage().data_ptr()"),
    Fact("elements", "x.untyped_storage().tolist(), x.element_size()"),
    Fact("aliasing", "x.untyped_storage().data_ptr()"),
    Fact("repr", "repr(x)"),
)
"""The facts of a strided tensor ``x``, in the order in which the suite reads them.

Elements are the bytes of the storage by shape, strides and offset, so that no operator of the
library takes part, unless an adapter reads them.
"""

BEYOND_VALUES = (
    "stride", "offset", "device", "layout", "autograd", "conj_neg", "storage", "address",
    "aliasing",
)  # fmt: skip
"""The facts that array libraries lack, which have values, dtypes and shapes."""

OPTIONAL = frozenset(fact.name for fact in FACTS if fact.optional)
"""The names of the facts that a library may lack."""
