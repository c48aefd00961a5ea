"""Block caches above a drive or another cache: the cache, its table of blocks, and its write policies."""
