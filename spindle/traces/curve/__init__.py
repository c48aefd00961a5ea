"""Counts hits of caches on block or object references, without a clock: LRU curves, replays, Belady's bound, tiers."""
