"""The command ``check``: a first look at a library, in ten seconds."""
