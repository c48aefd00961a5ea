"""Traces of blocks or objects as others recorded them: read from files of any length, described, and written."""
