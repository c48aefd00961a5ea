"""One folder per system, all alike."""
