"""Buffered I/O on Unix: stdio over a page cache over a drive."""

from spindle.models.unix_stdio.run import run

__all__ = ["run"]
