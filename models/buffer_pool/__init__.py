"""A data base's buffer pool, after PostgreSQL's: pages of 8 KB over a drive, pgbench's clients, scans and a log."""

from spindle.models.buffer_pool.run import run

__all__ = ["run"]
