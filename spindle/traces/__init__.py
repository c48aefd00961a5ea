"""Block traces: their character, the hits of caches, and their replay on drives."""
