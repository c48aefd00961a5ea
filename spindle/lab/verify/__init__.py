"""Spindle against other people's measurements: folders of data, the kinds of layers they are of, and their errors."""
