"""Replays traces on simulated drives, and compares simulated times with measured ones."""
