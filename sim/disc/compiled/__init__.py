"""Drives without a clock, as loops over arrays that numba compiles: for requests by the million."""
