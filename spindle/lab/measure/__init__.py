"""The laboratory: real programs of buffered I/O on the user's own machine, and constants fitted to what they take."""
