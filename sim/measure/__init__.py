"""Counters of a running machine, and the laws that the counts must obey."""
