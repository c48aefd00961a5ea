"""Serves simulated drives to real programs by NBD, the network block device protocol, in real time."""
