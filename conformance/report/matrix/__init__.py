"""The matrix of several reports: its data and its writers."""
