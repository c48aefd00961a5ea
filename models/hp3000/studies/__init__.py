"""The studies of the HP3000, a file for each theme."""
