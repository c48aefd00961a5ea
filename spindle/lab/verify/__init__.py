"""Compares models of Spindle with other people's measurements: folders of data, kinds of these, and errors."""
