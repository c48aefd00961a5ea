"""A KV cache of a language model in simulated time: tiers with queues, prefill, and the wait for the first token."""
