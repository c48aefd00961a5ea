"""Eviction policies: one file per policy, one protocol."""
