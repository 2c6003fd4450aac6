"""Inspection methods, autograd methods, NumPy and DLPack interoperability."""
