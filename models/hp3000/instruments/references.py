"""What was asked of the disc caches in a run, and what Che's approximation makes of it.

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
from sim.request import READ, Access, Span

DISC_BITS = 40
"""Chunks of one disc are numbered apart from those of another."""


class ChunkReferences(Observer):
    """Observes one run with disc caching. An access refers to every chunk of *chunk* bytes that it touches."""

    def __init__(self, chunk: int) -> None:
        self._chunk = chunk
        self._log = ReferenceLog()
        self._caches: list[DiscCache] = []
        self._warm_up = 0.0
        self._looks: list[int] = []

    def attend(self, machine: Machine, load: Load, window: Window) -> None:
        self._log.begin(machine.env, window.start)
        self._warm_up = window.start
        self._caches = [part for part in machine.parts.values() if isinstance(part, DiscCache)]
        for number, cache in enumerate(self._caches):
            cache.read = self._noted(cache.read, number)  # type: ignore[assignment, method-assign]
            cache.write = self._noted(cache.write, number)  # type: ignore[assignment, method-assign]

    def _noted(self, perform: Callable[[Access], Wait], number: int) -> Callable[[Access], Wait]:
        chunk, note, base = self._chunk, self._log.note, number << DISC_BITS

        def noted(access: Access) -> Wait:
            first, length = access.span
            note(range(base + first // chunk, base + (first + length - 1) // chunk + 1), access.op is READ)
            return perform(access)

        return noted

    def progress(self, now: float, end: float) -> None:
        """Look at how many bytes all domains have."""
        if now >= self._warm_up:
            found = [each.directory.find(Span(0, each.drive.capacity)) for each in self._caches]
            self._looks.append(sum(domain.end - domain.first for domains in found for domain in domains))

    def beside(self, result: Result) -> Result:
        """*result* of the run, theory added."""
        counters = result.counters
        reads = sum(
            value for name, value in counters.items()
            if name.startswith("cache") and name.endswith((".hits", ".late_hits", ".misses"))
        )  # fmt: skip
        domain_bytes = sum(self._looks) / len(self._looks)
        theory = self._log.beside(result.extras["hit_ratio"], domain_bytes / self._chunk, reads)
        return replace(result, extras={**result.extras, "domain_bytes": domain_bytes, **theory})
