"""Reads and writes TOML files with programs of users' own for the HP 3000, and checks all values."""
