"""Response Probe, the load generator of the Windows NT Resource Kit: its scripts, and how they are read."""
