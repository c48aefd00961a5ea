"""Buffered I/O on Unix: the buffers of stdio above a page cache above a drive (lecture CS61)."""

from spindle.models.unix_stdio.run import run

__all__ = ["run"]
