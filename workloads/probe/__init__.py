"""Response Probe, the load generator of the Windows NT Resource Kit: its scripts as data, and their reader."""
