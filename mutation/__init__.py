"""Mutants of impl, and whether the conformance suite kills them.

A mutant is impl with one small edit. The suite kills it if a run with that impl would fail. The
edits are drawn by seed from all sources of impl, which are read as data and never changed: each
mutant is a copy in a temporary folder. Unit tests do not count. Edits by hand run the same way.

mutmut and cosmic-ray do not fit. mutmut mutates functions only, and the rows of impl stand at
module level. cosmic-ray writes into the working tree, draws no sample, and starts a process with
torch for each mutant.
"""
