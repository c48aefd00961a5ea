"""The studies of Kim's drive, a file for each theme."""
