"""The five systems: one folder each, all alike."""
