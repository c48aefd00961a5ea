"""The studies of the lecture's programs, a file for each theme."""
