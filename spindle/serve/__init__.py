"""Simulated drives for programs of the real world: the NBD protocol, and the simulated clock held to the wall clock."""
