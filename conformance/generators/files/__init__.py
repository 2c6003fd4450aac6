"""Objects to save, and files to load."""
