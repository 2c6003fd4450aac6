"""Devices, their availability, and the backends that allocate CUDA memory."""
