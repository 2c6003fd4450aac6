"""The common parts of operators: registration, result types, device checks, copies, out=."""
