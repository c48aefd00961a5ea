"""A Modcomp under Max-IV with a sector cache in its disc handlers (Jacobson 1982)."""
