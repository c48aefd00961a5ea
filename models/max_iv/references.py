"""What was asked of FHL in a run, and what Che's approximation makes of it."""

from dataclasses import replace

from models.max_iv.cache_code import Fhl, Io, Start
from models.max_iv.eligibility import is_kept, may_be_answered
from sim.clock import Wait
from sim.machine import Machine
from sim.measure.references import ReferenceLog
from sim.measure.result import Result
from sim.terminal import Desk


class Referred:
    """Onlooker of one run with a cache. A request refers to its sector where the cache may answer it or keeps it."""

    def __init__(self) -> None:
        self._log = ReferenceLog()

    def attend(self, machine: Machine, desk: Desk | None, warm_up: float, end: float) -> None:
        fhl, log = machine.parts["fhl"], self._log
        assert isinstance(fhl, Fhl)
        log.begin(machine.env, warm_up)
        perform = fhl.perform

        def noted(io: Io, start: Start) -> Wait:
            answerable = may_be_answered(io.kind, io.words)
            if answerable or is_kept(io.kind, io.words):
                log.note(range(io.dpis[0], io.dpis[0] + 1), answerable)
            return perform(io, start)

        fhl.perform = noted  # type: ignore[method-assign] # the handlers find it so from now on

    def __call__(self, now: float, end: float) -> None:
        pass

    def beside(self, result: Result, sectors: int) -> Result:
        """*result* of the run, theory added. The hit ratio is of all requests, also those that no cache answers."""
        hit_ratio, requests = result.extras["hit_ratio"], result.extras["op_rate"] * result.seconds
        theory = self._log.beside(hit_ratio, sectors, requests)
        return replace(result, extras={**result.extras, **theory})
