"""Traces of simple lines, read a column at a time; whatever is not simple is left to the careful readers."""
