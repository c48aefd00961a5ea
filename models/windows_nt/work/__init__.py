"""Who is at work on the laptop: the threads of Response Probe, and those who are always there."""
