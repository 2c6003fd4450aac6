"""Untyped storages and the memory behind them."""
