"""Drives with a moving arm: where a sector lies, how long it takes, who is served next."""
