"""Runs a server from start to stop: makes its storage, serves clients, and sums up the requests as a replay would."""

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

LOOK_PERIOD, LOOKS_LEFT_OUT = 2.0, 2
"""Seconds between two checks if the server keeps up, and checks that are left out after a complaint."""

Announce = Callable[[Address, Mapping[str, Export]], None]
"""A function called with the address and the exports when clients can connect."""


class ServeSession:
    """A session of a server by *plan*; *rows* gets a line for each request, *complain* is called with warnings."""

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
        """Serve until *stop*; commands then under way are finished in simulated time, without a reply.

        UserError where a file or the address cannot be used.
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
        """Return the seconds of the wall clock that all requests so far were to take."""
        tally = self.arrivals.tally
        return (tally.reads.sum + tally.writes.sum) / self.plan.speed

    def _stand(self) -> None:
        """Note the counters of the storage now, as this may have been the last request."""
        self._stood = StillStorage(self.storage)

    def as_replay(self) -> TraceReplayed:
        """Return the result that a replay of the log would have, which ends with the last reply."""
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
        """Show live lines, and complain when the server is too slow."""
        silent = 0
        try:
            while True:
                for _ in range(int(LOOK_PERIOD / LINE_PERIOD)):
                    await asyncio.sleep(LINE_PERIOD)
                    if tap is not None:
                        tap.show()
                if silent > 0:
                    silent -= 1
                elif complaint := self.lateness.complaint(self.due()):
                    self._complain(complaint)
                    silent = LOOKS_LEFT_OUT
        finally:
            if tap is not None:
                tap.close()


async def _first(failed: "asyncio.Future[None]", stopped: "asyncio.Task[None]") -> None:
    """Wait until one of them is done; raise the exception of *failed*."""
    await asyncio.wait((failed, stopped), return_when=asyncio.FIRST_COMPLETED)
    if failed.done():
        failed.result()
