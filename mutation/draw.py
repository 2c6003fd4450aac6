"""Drawing mutants by seed from all packages of impl."""

import random
from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

from . import own_operators
from .operators import OPERATORS
from .sources import Mutant, Source, package_of

__all__ = ["draw", "mutants_of", "own_operators"]


def mutants_of(source: Source) -> Iterator[Mutant]:
    """Yield every mutant of a file; some are not valid Python."""
    taken: Counter[str] = Counter()
    for node in source.nodes():
        for name, operator in OPERATORS.items():
            for edit in operator(source, node):
                yield source.mutant(name, node, edit, taken)


def all_mutants(sources: Mapping[str, Source]) -> dict[str, Mutant]:
    """Return every mutant of all files by its id."""
    return {each.id: each for source in sources.values() for each in mutants_of(source)}


def draw(sources: Mapping[str, Source], mutants: Sequence[Mutant], seed: int) -> Iterator[Mutant]:
    """Yield all valid mutants in an order that depends on the seed.

    A package is drawn by its number of statements, then an operator, then a mutant. So frequent
    operators do not crowd out the others. The first mutants are the same whatever the number.
    """
    packages: dict[str, dict[str, list[Mutant]]] = defaultdict(lambda: defaultdict(list))
    for mutant in mutants:
        packages[mutant.package][mutant.operator].append(mutant)
    weights = Counter[str]()
    for source in sources.values():
        weights[package_of(source.path)] += sum(1 for _ in source.nodes())
    generator = random.Random(f"mutation {seed}")
    while packages:
        names = sorted(packages)
        bounds = [*accumulate(weights[name] for name in names)]
        package = names[bisect(bounds, generator.random() * bounds[-1])]
        operators = packages[package]
        operator = generator.choice(sorted(operators))
        mutant = operators[operator].pop(generator.randrange(len(operators[operator])))
        if not operators[operator]:
            del operators[operator]
        if not operators:
            del packages[package]
        if sources[mutant.path].is_valid(mutant.edit):
            yield mutant
