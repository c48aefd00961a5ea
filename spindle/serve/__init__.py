"""Simulated drives for real programs: the NBD protocol, and the simulated clock paced by the wall clock."""
