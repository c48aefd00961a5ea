"""One session of a server: from the first connection to the signal that ends it, and what came of it."""

import asyncio
import gc
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from typing import BinaryIO

import simpy

from models.serve.arrivals import Arrivals
from models.serve.lateness import Lateness
from models.serve.plan import ServePlan
from models.serve.stop import Stop
from models.serve.tap import EVERY, Tap
from sim.machine import Machine
from sim.measure.laws import check_parts
from sim.nbd.address import Address
from sim.nbd.export import Export
from sim.nbd.paced import PacedClock
from sim.nbd.pacer import Pacer, precise_loop
from sim.nbd.server import NbdServer
from workloads.traces.replay.replay import TraceReplayed
from workloads.traces.replay.storage import Storage

LOOK = 4.0
"""Seconds between two looks at whether the server keeps up."""

Announce = Callable[[Address, Mapping[str, Export]], None]
"""Called when clients can come."""


class ServeSession:
    """A session of *plan*; *rows* gets a line for each request, *complain* what a user should know while it runs."""

    def __init__(self, plan: ServePlan, rows: BinaryIO | None, complain: Callable[[str], None]) -> None:
        self.plan = plan
        self.env = simpy.Environment()
        self.storage = Storage(self.env, plan.storage)
        for name in plan.names():
            self.storage.drives[name]  # made before the first request, which would have to wait for it
        self.arrivals = Arrivals(rows)
        self.lateness = Lateness()
        self.seconds = 0.0
        self.connections = self.malformed = 0
        self._complain = complain

    def run(self, announce: Announce, stop: Stop, tap: bool = False) -> None:
        """Until *stop*; what was being done then is done, and not replied to.

        UserError where a file or the address cannot be had.
        """
        with ExitStack() as stack, asyncio.Runner(loop_factory=precise_loop) as runner:
            exports = self.plan.exports(self.storage, self.arrivals, stack)
            gc.collect()
            gc.freeze()  # what is there stays, and looking through it again and again would make replies late
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

    def replayed(self) -> TraceReplayed:
        """The same that a replay of the log comes to."""
        return TraceReplayed(self.arrivals.tally, self.storage, self.arrivals.end)

    async def _serve(self, exports: Mapping[str, Export], announce: Announce, stop: Stop, tap: bool) -> None:
        loop = asyncio.get_running_loop()
        pacer = Pacer(PacedClock(self.env, loop.time, self.plan.speed), loop)
        began = loop.time()
        nbd = NbdServer(exports, pacer, self.lateness.add)
        listening, address = await self.plan.address.listen(nbd.attend)
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
        """Say now and then how it goes."""
        try:
            while True:
                for _ in range(int(LOOK / EVERY)):
                    await asyncio.sleep(EVERY)
                    if tap is not None:
                        tap.show()
                if complaint := self.lateness.complaint(self.due()):
                    self._complain(complaint)
        finally:
            if tap is not None:
                tap.close()


async def _first(failed: "asyncio.Future[None]", stopped: "asyncio.Task[None]") -> None:
    """Wait for either; what failed is raised."""
    await asyncio.wait((failed, stopped), return_when=asyncio.FIRST_COMPLETED)
    if failed.done():
        failed.result()
