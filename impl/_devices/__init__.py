"""Devices, their availability, and the backends that own CUDA memory."""
