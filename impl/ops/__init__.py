"""The operators: one declarative row each, and one executor for all."""

from . import (
    arithmetic,
    attributes,
    copies,
    creation,
    data,
    dunders,
    in_place,
    indexing,
    interop,
    joins,
    membership,
    predicates,
    random,
    ranges,
    unary,
    unary_parameters,
    views,
)
from .rows import FUNCTIONS as OPERATORS

__all__ = [
    "OPERATORS",
    "arithmetic",
    "attributes",
    "copies",
    "creation",
    "data",
    "dunders",
    "in_place",
    "indexing",
    "interop",
    "joins",
    "membership",
    "predicates",
    "random",
    "ranges",
    "unary",
    "unary_parameters",
    "views",
]
