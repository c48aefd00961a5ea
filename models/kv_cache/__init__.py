"""Simulates the serving engine of a language model, with a cache of keys and values (KV cache) in several tiers."""

from spindle.models.kv_cache.run import run

__all__ = ["run"]
