"""Reports: pure functions from a run, as plain data, to text."""
