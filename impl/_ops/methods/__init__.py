"""Methods that inspect a tensor, autograd methods, NumPy and DLPack."""
