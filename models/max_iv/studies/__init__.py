"""The studies of Max-IV, a file for each theme."""
