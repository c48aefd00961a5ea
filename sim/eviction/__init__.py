"""Eviction policies, which choose the block that a cache drops for a new one; one file per policy, one protocol."""
