"""Calls that are found in the oracle: from its schemas, its namespace and its objects."""
