"""Replay of traces on simulated drives, and comparison with measured times."""
