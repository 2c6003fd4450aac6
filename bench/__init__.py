"""Times impl against torch in one process, as ratios."""
