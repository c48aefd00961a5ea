"""Replay of block traces: hosts, drives and caches, and statistics of the response times."""
