"""The studies of the laptop, a file for each theme."""
