"""Runs real programs of buffered I/O on the user's machine, and fits constants of a model to their times."""
