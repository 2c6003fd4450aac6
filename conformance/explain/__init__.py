"""``python -m conformance explain``: what torch gives, what the subject gives, and which rules led there."""
