"""States the version of Spindle, for its tables, its pages and its packaging."""

VERSION = "0.2.0"
YEAR = 2026
"""The year of that version, for citations."""
