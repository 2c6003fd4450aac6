"""The argument parser: schemas, parameter types, overload resolution and its error messages."""
