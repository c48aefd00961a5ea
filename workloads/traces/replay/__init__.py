"""Block traces asked of storage: who asks, drives and caches that answer, and what is kept of the answers."""
