"""Pages for a browser: to play with, and moving pictures."""
