"""A data base's buffer pool: pages of 8 KB over a drive, clients with pgbench's transactions, scans, a log."""

from spindle.models.buffer_pool.run import run

__all__ = ["run"]
