"""Fixtures of commands on traces, which lie beside the traces."""

from tests.traces.conftest import place, refused, said

__all__ = ["place", "refused", "said"]
