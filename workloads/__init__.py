"""Loads, independent of any machine."""
