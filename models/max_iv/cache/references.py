"""The references of a run to FHL, and their hits by Che's approximation and exact LRU."""

from dataclasses import replace

from models.max_iv.cache.cache_code import CachedDisc, Io
from models.max_iv.cache.fhl import Fhl
from sim.clock import Wait
from sim.curve.references import CacheReferences
from sim.machine import Machine
from sim.measure.load import Load
from sim.measure.observer import Observer
from sim.measure.references import ReferenceLog
from sim.measure.result import Result
from sim.measure.window import Window


class SectorReferences(Observer):
    """Observes one run with a cache. A request refers to its sector where the cache may answer it or keeps it."""

    def __init__(self) -> None:
        self.log = ReferenceLog()

    def attend(self, machine: Machine, load: Load, window: Window) -> None:
        fhl, log = machine.parts["fhl"], self.log
        assert isinstance(fhl, Fhl)
        log.begin(machine.env, window.start)
        perform, rules = fhl.perform, fhl.rules

        def noted(io: Io, disc: CachedDisc) -> Wait:
            answerable = rules.answers(io.kind, io.words)
            if answerable or rules.keeps(io.kind, io.words, io.position):
                log.note(range(io.dpi, io.dpi + 1), answerable)
            return perform(io, disc)

        fhl.perform = noted  # type: ignore[method-assign] # the handlers find it so from now on

    def references(self) -> CacheReferences:
        return CacheReferences.of(self.log.blocks, self.log.worths, self.log.early)

    def beside(self, result: Result, sectors: int) -> Result:
        """*result* of the run, theory added. The hit ratio is of all requests, also those that no cache answers."""
        hit_ratio, requests = result.extras["hit_ratio"], result.extras["op_rate"] * result.seconds
        theory = self.log.beside(hit_ratio, sectors, requests)
        return replace(result, extras={**result.extras, **theory})
