"""Loops over large arrays, compiled by LLVM for the CPU and for NVIDIA GPUs."""
