"""Programs with subclasses of Tensor: copies, calls, ``__torch_function__``."""
