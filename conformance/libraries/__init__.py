"""Loading the subject and the oracle."""
