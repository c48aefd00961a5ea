"""A language model's serving engine with a cache of keys and values in tiers, under a load of conversations."""

from spindle.models.kv_cache.run import run

__all__ = ["run"]
