"""Writes and reads Spindle's files: whole or not at all, with their origin."""
