"""Drives as they stand below a trace, served to real programs: the log, the bytes, and what is said of it."""
