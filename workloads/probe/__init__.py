"""Reads scripts of Response Probe, the load generator of the Windows NT Resource Kit, and makes its file accesses."""
