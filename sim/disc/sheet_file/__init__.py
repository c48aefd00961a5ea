"""Reads and checks drive files, YAML descriptions of discs and solid-state drives, and makes their types."""
