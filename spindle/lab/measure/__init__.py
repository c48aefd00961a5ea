"""The laboratory: real programs of buffered I/O on the user's machine, and constants fitted to their times."""
