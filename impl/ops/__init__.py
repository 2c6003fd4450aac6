"""The operators: one declarative row each, and one executor for all."""

from . import (
    attributes,
    conjugation,
    copies,
    creation,
    data,
    in_place,
    indexing,
    interop,
    joins,
    membership,
    random,
    ranges,
    views,
)
from .rows import FUNCTIONS as OPERATORS

__all__ = [
    "OPERATORS",
    "attributes",
    "conjugation",
    "copies",
    "creation",
    "data",
    "in_place",
    "indexing",
    "interop",
    "joins",
    "membership",
    "random",
    "ranges",
    "views",
]
