"""A cache of keys and values for a language model, in time: tiers with queues, prefill, and the wait for a token."""
