"""Properties that ask every call of the oracle, or every setting, in one way."""
