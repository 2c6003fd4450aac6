"""Controls: planted faults, each of which the suite must catch."""
