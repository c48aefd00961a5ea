"""The machine from parts: on the page to play with, on the command line, and as the file to begin a machine with."""
