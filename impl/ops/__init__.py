"""The operators: one declarative row each, and one executor for all."""

from . import (
    arithmetic,
    attributes,
    autograd,
    conversions,
    copies,
    creation,
    data,
    dunders,
    in_place,
    indexing,
    interop,
    joins,
    masked,
    membership,
    random,
    ranges,
    views,
)
from .rows import FUNCTIONS as OPERATORS

__all__ = [
    "OPERATORS",
    "arithmetic",
    "attributes",
    "autograd",
    "conversions",
    "copies",
    "creation",
    "data",
    "dunders",
    "in_place",
    "indexing",
    "interop",
    "joins",
    "masked",
    "membership",
    "random",
    "ranges",
    "views",
]
