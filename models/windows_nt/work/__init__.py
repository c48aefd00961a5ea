"""The threads on the laptop: those of Response Probe, and the background work."""
