"""Pipelines: programs that read, compute and write whole files through the page cache of a host."""
