"""The systems: one folder each, all alike."""
