"""A static site: the report, all notebooks with what they print and draw, the reference, and the page to play with."""
