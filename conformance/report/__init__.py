"""The writers of reports: pure functions from the plain data of a run to text."""
