"""Draws results: each picture is a function of a frame with a row for each point."""
