"""Loops over references that numba compiles, where it is installed: the same hits as the plain policies, sooner."""
