"""Describes block traces, counts the hits of caches on them, and replays them on simulated drives."""
