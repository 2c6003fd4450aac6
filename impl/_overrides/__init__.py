"""The dispatch to ``__torch_function__``: rules, the entry of all public functions, modes."""
