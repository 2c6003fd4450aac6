"""Loops over large arrays, compiled by llvmlite for the processor at hand, if it is installed."""
