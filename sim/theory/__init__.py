"""Queueing networks solved instead of simulated."""
