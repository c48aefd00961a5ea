"""What is counted while a machine runs, and the laws that the counts must obey."""
