"""A drive's own memory: what it keeps, reads ahead, reports early, and what its electronics add to a command."""
