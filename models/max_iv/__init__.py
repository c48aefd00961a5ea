"""A Modcomp under Max-IV with a sector cache in its disc handlers (Jacobson 1982)."""
from spindle.models.max_iv.run import run

__all__ = ["run"]
