"""A Modcomp minicomputer under the operating system Max-IV, with a cache of disc sectors (Jacobson 1982)."""
from spindle.models.max_iv.run import run

__all__ = ["run"]
