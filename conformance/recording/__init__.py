"""Recordings: answers of the oracle in a file, which judge a subject without torch."""
