"""Pages for a browser: to play with, moving pictures, reference and site."""
