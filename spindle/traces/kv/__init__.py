"""Simulates a language model's cache of keys and values (KV) in tiers with queues, and the wait for the first token."""
