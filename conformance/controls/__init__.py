"""Controls: planted faults that the suite must catch."""
