"""Reads and writes traces of blocks or objects as other tools recorded them, in files of any length."""
