"""Simulates the buffer pool of a data base like PostgreSQL: pages of 8 KB, pgbench's clients, scans and a log."""

from spindle.models.buffer_pool.run import run

__all__ = ["run"]
