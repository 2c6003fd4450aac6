"""The matrix of several reports."""
