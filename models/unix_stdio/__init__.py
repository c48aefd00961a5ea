"""Buffered I/O on Unix: stdio over a page cache over a drive."""
