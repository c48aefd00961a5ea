"""What FHL could have been instead: codes that a run takes in its place."""
