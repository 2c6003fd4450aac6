"""Drawing mutants by seed from all packages of impl."""

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

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

    A package weighs as much as it has statements; it shares that among its operators, and an
    operator among its mutants. So frequent operators do not crowd out the others. A mutant's place
    depends on the seed, its id and its weight. So a change of impl moves few of the others, and the
    first mutants are the same whatever the number.
    """
    weights = _weights(sources, mutants)

    def place(mutant: Mutant) -> float:
        # The least of several exponential numbers is drawn in proportion to its rate.
        generator = random.Random(f"mutation {seed} {mutant.id}")
        return generator.expovariate(weights[mutant.package, mutant.operator])

    for mutant in sorted(mutants, key=place):
        if sources[mutant.path].is_valid(mutant.edit):
            yield mutant


def _weights(
    sources: Mapping[str, Source], mutants: Sequence[Mutant]
) -> dict[tuple[str, str], float]:
    """Return the weight of each mutant of a package by an operator."""
    statements = Counter[str]()
    for source in sources.values():
        statements[package_of(source.path)] += sum(1 for _ in source.nodes())
    numbers = Counter((mutant.package, mutant.operator) for mutant in mutants)
    operators = Counter(package for package, _ in numbers)
    return {
        (package, operator): statements[package] / operators[package] / number
        for (package, operator), number in numbers.items()
    }
