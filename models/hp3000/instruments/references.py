"""The references of a run to its disc caches, and Che's approximation of their hits.

Domains are of any length and begin anywhere. Theory has chunks instead, as long as the random fetch and aligned, and
as many of them as there was room for: the bytes of all domains, on the mean, divided by a chunk.
"""

from collections.abc import Callable
from dataclasses import replace

from models.hp3000.caching.disc_cache import DiscCache
from sim.clock import Wait
from sim.machine import Machine
from sim.measure.load import Load
from sim.measure.observer import Observer
from sim.measure.references import ReferenceLog
from sim.measure.result import Result
from sim.measure.window import Window
from sim.request import READ, Access

DISC_BITS = 40
"""Chunks of one disc are numbered apart from those of another."""


class ChunkReferences(Observer):
    """Observes one run with disc caching. An access refers to every chunk of *chunk* bytes that it touches."""

    def __init__(self, chunk: int) -> None:
        self._chunk = chunk
        self._log = ReferenceLog()

    def attend(self, machine: Machine, load: Load, window: Window) -> None:
        self._log.begin(machine.env, window.start)
        for number, cache in enumerate(part for part in machine.parts.values() if isinstance(part, DiscCache)):
            cache.read = self._noted(cache.read, number)  # type: ignore[assignment, method-assign]
            cache.write = self._noted(cache.write, number)  # type: ignore[assignment, method-assign]

    def _noted(self, perform: Callable[[Access], Wait], number: int) -> Callable[[Access], Wait]:
        chunk, note, base = self._chunk, self._log.note, number << DISC_BITS

        def noted(access: Access) -> Wait:
            first, length = access.span
            note(range(base + first // chunk, base + (first + length - 1) // chunk + 1), access.op is READ)
            return perform(access)

        return noted

    def beside(self, result: Result) -> Result:
        """*result* of the run, theory added."""
        counters = result.counters
        reads = sum(
            value for name, value in counters.items()
            if name.startswith("cache") and name.endswith((".hits", ".late_hits", ".misses"))
        )  # fmt: skip
        chunks = result.extras["domain_bytes"] / self._chunk
        theory = self._log.beside(result.extras["hit_ratio"], chunks, reads)
        return replace(result, extras={**result.extras, **theory})
