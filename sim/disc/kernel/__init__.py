"""Computes times of arms and buffers in plain functions, which drives call and numba compiles for fast replays."""
