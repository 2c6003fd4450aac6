"""Random factories and in-place random fills."""
