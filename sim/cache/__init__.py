"""Caches above a block device, and what they are built from."""
