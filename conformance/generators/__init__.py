"""Strategies and enumerations that generate cases."""
