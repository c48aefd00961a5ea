"""Arithmetic of arms and buffers that drives and compiled loops share; and the loops, for millions of requests."""
