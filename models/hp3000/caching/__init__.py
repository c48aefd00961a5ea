"""MPE disc caching: the caches of the discs, the settings that they share, and the competition for main memory."""
