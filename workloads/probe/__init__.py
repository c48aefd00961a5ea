"""Response Probe, the load generator of the Windows NT Resource Kit: what its scripts say, and how they are read."""
