"""A session of a server: its storage, its clients until it is stopped, and what a replay of its log would give."""

import asyncio
import gc
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from typing import BinaryIO

import simpy

from spindle.serve.address import Address
from spindle.serve.export import Export
from spindle.serve.lateness import LINE_PERIOD, Lateness, Tap
from spindle.serve.pacer import PacedClock, Pacer, precise_loop
from spindle.serve.plan import Arrivals, ServePlan
from spindle.serve.server import NbdServer
from spindle.serve.still import StillStorage
from spindle.serve.stop import Stop
from spindle.sim.machine import Machine
from spindle.sim.measure.laws import check_parts
from spindle.traces.replay.replay import TraceReplayed
from spindle.traces.replay.storage import Storage

LOOK_PERIOD, SILENCE = 2.0, 2
"""Seconds between two looks at whether the server keeps up, and looks that are left out after a complaint."""

Announce = Callable[[Address, Mapping[str, Export]], None]
"""Called when clients can come."""


class ServeSession:
    """A session of *plan*; *rows* gets a line for each request, *complain* what a user should know while it runs."""

    def __init__(self, plan: ServePlan, rows: BinaryIO | None, complain: Callable[[str], None]) -> None:
        self.plan = plan
        self.env = simpy.Environment()
        self.storage = Storage(self.env, plan.storage)
        for name in plan.names():
            self.storage.device(name)  # made before the first request, which would have to wait for it
        self.arrivals = Arrivals(rows, self._stand)
        self._stood = StillStorage(self.storage)
        self.lateness = Lateness()
        self.seconds = 0.0
        self.connections = self.malformed = 0
        self._complain = complain

    def run(self, announce: Announce, stop: Stop, tap: bool = False) -> None:
        """Serve until *stop*; commands under way are then finished without a reply.

        UserError where a file or the address cannot be had.
        """
        with ExitStack() as stack, asyncio.Runner(loop_factory=precise_loop) as runner:
            exports = self.plan.exports(self.storage, self.arrivals, stack)
            gc.collect()
            gc.freeze()  # these objects stay, and collecting them again and again would make replies late
            stack.callback(gc.unfreeze)
            runner.run(self._serve(exports, announce, stop, tap))
            for export in exports.values():
                if not export.read_only:
                    export.store.sync()
        check_parts(Machine(self.env, {}))

    def due(self) -> float:
        """The seconds of the wall clock that all requests were to take so far."""
        tally = self.arrivals.tally
        return (tally.reads.sum + tally.writes.sum) / self.plan.speed

    def _stand(self) -> None:
        """Note the counters of the storage, for the last reply may have been sent."""
        self._stood = StillStorage(self.storage)

    def as_replay(self) -> TraceReplayed:
        """Return what a replay of the log would give, which ends with the last reply."""
        return TraceReplayed(self.arrivals.tally, self._stood, self.arrivals.end)

    async def _serve(self, exports: Mapping[str, Export], announce: Announce, stop: Stop, tap: bool) -> None:
        loop = asyncio.get_running_loop()
        pacer = Pacer(PacedClock(self.env, loop.time, self.plan.speed), loop)
        began = loop.time()
        nbd = NbdServer(exports, pacer, self.lateness.add)
        listening, address = await self.plan.address.listen(nbd.serve_client)
        loop.set_exception_handler(lambda _, context: pacer.fail(context.get("exception")))
        announce(address, exports)
        watching = asyncio.create_task(self._watch(Tap(self.storage, self.lateness, loop.time) if tap else None))
        try:
            await _first(pacer.failed, asyncio.create_task(stop.wait()))
        finally:
            listening.close()
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching
            await nbd.end()
            self.connections, self.malformed = nbd.taken, nbd.malformed
            self.seconds = loop.time() - began
            pacer.stop()
        pacer.clock.finish(lambda: self.arrivals.under_way > 0)

    async def _watch(self, tap: Tap | None) -> None:
        """Show live lines, and complain when the server does not keep up."""
        silent = 0
        try:
            while True:
                for _ in range(int(LOOK_PERIOD / LINE_PERIOD)):
                    await asyncio.sleep(LINE_PERIOD)
                    if tap is not None:
                        tap.show()
                silent -= 1
                if silent <= 0 and (complaint := self.lateness.complaint(self.due())):
                    self._complain(complaint)
                    silent = SILENCE
        finally:
            if tap is not None:
                tap.close()


async def _first(failed: "asyncio.Future[None]", stopped: "asyncio.Task[None]") -> None:
    """Wait for either; what failed is raised."""
    await asyncio.wait((failed, stopped), return_when=asyncio.FIRST_COMPLETED)
    if failed.done():
        failed.result()
