"""Arithmetic of drives that classes and compiled loops share, and the loops: for requests by the million."""
