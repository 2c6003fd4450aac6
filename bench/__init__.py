"""Benchmarks of impl against torch, as ratios of times in one process."""
