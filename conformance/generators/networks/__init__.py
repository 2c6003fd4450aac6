"""Programs with modules, layers and their functions."""
