"""FHL: which requests it serves, how it finds a sector, what that costs, and what it might have been."""
