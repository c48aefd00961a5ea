"""A session of a server: NbdServer takes clients until a signal (Stop); Lateness is measured, Tap shows a live line."""

import asyncio
import gc
import signal
import sys
from asyncio import IncompleteReadError, StreamWriter
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from types import FrameType
from typing import Any, BinaryIO, Self, TextIO

import simpy

from spindle.serve.address import Address, StampedReader
from spindle.serve.connection import MAX_BYTES, Agreement, Connection, Late, Negotiation, PayloadRoom
from spindle.serve.export import Export
from spindle.serve.pacer import Pace, PacedClock, Pacer, precise_loop
from spindle.serve.plan import Arrivals, ServePlan
from spindle.serve.protocol import Malformed
from spindle.serve.still import StillStorage
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.flash.mechanism import Flash
from spindle.sim.machine import Machine
from spindle.sim.measure.laws import check_parts
from spindle.sim.units import MS
from spindle.traces.replay.replay import Times, TraceReplayed
from spindle.traces.replay.storage import Storage

# The server: takes connections, leads each through its handshake to an export, and lets none harm another.

MAX_CONNECTIONS = 64
HANDSHAKE = 10.0
"""Seconds that a client has to choose an export."""


class NbdServer:
    """Serves *exports*, by name, to all clients. An Address calls ``attend`` for each."""

    def __init__(self, exports: Mapping[str, Export], pace: Pace, late: Late) -> None:
        self._exports = exports
        self._pace = pace
        self._late = late
        self._room = PayloadRoom(MAX_BYTES)
        self._tasks: set[asyncio.Task[None]] = set()
        self.taken = self.refused = self.malformed = 0

    @property
    def connections(self) -> int:
        return len(self._tasks)

    async def attend(self, reader: StampedReader, writer: StreamWriter) -> None:
        """Serve one client, from its first byte to its last."""
        task = asyncio.current_task()
        if task is None or len(self._tasks) >= MAX_CONNECTIONS:
            self.refused += 1
            writer.transport.abort()
            return
        self._tasks.add(task)
        self.taken += 1
        try:
            await self._converse(reader, writer)
        except Malformed:
            self.malformed += 1
        except (IncompleteReadError, OSError, TimeoutError):
            pass  # the client left, or was too slow: no fault of the server
        except asyncio.CancelledError:
            pass  # the server ends
        finally:
            self._tasks.discard(task)
            _close(writer)

    async def _converse(self, reader: StampedReader, writer: StreamWriter) -> None:
        agreed = await self._handshake(reader, writer)
        if agreed is not None:
            await Connection(reader, writer, agreed, self._pace, self._room, self._late).serve()

    async def _handshake(self, reader: StampedReader, writer: StreamWriter) -> Agreement | None:
        async with asyncio.timeout(HANDSHAKE):
            return await Negotiation(self._exports, reader, writer).agree()

    async def end(self) -> None:
        """Cut all connections, and wait until that is done."""
        for task in self._tasks:
            task.cancel()
        while self._tasks:
            await asyncio.wait(self._tasks)


def _close(writer: StreamWriter) -> None:
    """Close; what was written is sent only if the client takes it at once."""
    transport = writer.transport
    if transport.get_write_buffer_size():
        transport.abort()
    else:
        transport.close()


# The signals that end a server: the first is heeded, and more of them, while it ends, change nothing.

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stop:
    """A context, of the main thread, in which SIGNALS do no more than end ``wait``, however early they come.

    A hang-up that the caller ignores, as ``nohup`` does, stays ignored.
    """

    def __init__(self) -> None:
        self._asked = False
        self._wake: Callable[[], object] = _ignore
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        for number in SIGNALS:
            if number is not signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._ask)
        return self

    def __exit__(self, *_: object) -> None:
        for each, handler in self._before.items():
            signal.signal(each, handler)

    def _ask(self, number: int, frame: FrameType | None) -> None:
        self._asked = True
        self._wake()

    async def wait(self) -> None:
        """Wait until a signal is set; return at once if one is."""
        loop, event = asyncio.get_running_loop(), asyncio.Event()
        self._wake = lambda: loop.call_soon_threadsafe(event.set)
        try:
            if not self._asked:
                await event.wait()
        finally:
            self._wake = _ignore


def _ignore() -> None:
    """The signal finds no wait to end."""


# How late a server's replies are, and whether it keeps up with the drives that it stands for.

TOLERATED = 0.02
"""Share of the drives' time: with replies that are later on average a server does not keep up."""


class Lateness:
    """Records the lateness of each reply by the wall clock; early ones count as late by as much.

    complaint() compares it with the seconds that the replies were to take.
    """

    def __init__(self) -> None:
        self.times = Times()
        self._seen = self._seen_late = self._seen_due = 0.0

    def add(self, late: float) -> None:
        self.times.add(abs(late))

    def mean(self) -> float:
        """Seconds; 0 before there is a reply."""
        return self.times.sum / self.times.count if self.times.count else 0.0

    def complaint(self, due: float) -> str:
        """Return a complaint about the time since the last call; *due* is the seconds that replies were to take until
        now.
        """
        count, late = self.times.count - self._seen, self.times.sum - self._seen_late
        due, self._seen_due = due - self._seen_due, due
        self._seen, self._seen_late = self.times.count, self.times.sum
        if not count or late <= TOLERATED * due:
            return ""
        return (f"cannot keep up: replies come {late / count / MS:.3g} ms late on average, where the drives took "
                f"{due / count / MS:.3g} ms; a lower --speed, or fewer requests at a time, would help")

    def numbers(self, due: float) -> dict[str, float]:
        """Milliseconds; the share is of the *due* seconds that all replies were to take."""
        if not self.times.count:
            return {"replies": 0}
        return {"replies": self.times.count, "mean_ms": self.mean() / MS,
                "p99_ms": self.times.quantile(0.99) / MS, "max_ms": self.times.longest / MS,
                "share": self.times.sum / due if due else 0.0}

    def page(self, due: float) -> list[str]:
        figures = self.numbers(due)
        if not figures["replies"]:
            return []
        lines = ["replies were late or early by {mean_ms:.3f} ms on average, p99 {p99_ms:.3f} ms, at most {max_ms:.3f} "
                 "ms: {share:.2%} of their time".format(**figures)]
        if figures["share"] > TOLERATED:
            lines.append(f"that is more than {TOLERATED:.0%}: this server could not keep up with its drives")
        return lines


# A live line on a server: for each drive its queue and, if it has one, its arm; requests a second, hits, lateness.

LINE_PERIOD, SHOWN_OUTSIDE = 0.25, 4
"""Seconds between two live lines; outside a terminal, where they stay, every fourth is shown."""
MAX_DRIVES = 4
"""Drives that a live line shows one by one."""
LEVELS = ("hits", "late_hits", "misses")


class Tap:
    """Writes live lines to *stream*; on a terminal each overwrites the one before."""

    def __init__(self, storage: Storage, lateness: Lateness, wall: Callable[[], float],
                 stream: TextIO | None = None) -> None:  # fmt: skip
        self._storage = storage
        self._lateness = lateness
        self._wall = wall
        self._stream = sys.stderr if stream is None else stream
        self._terminal = self._stream.isatty()
        self._calls = 0
        self._at, self._before = wall(), 0.0

    def show(self) -> None:
        self._calls += 1
        if not self._terminal and self._calls % SHOWN_OUTSIDE != 1:
            return
        start, end = ("\r", "\x1b[K") if self._terminal else ("", "\n")
        self._stream.write(f"{start}{self.line()}{end}")
        self._stream.flush()

    def close(self) -> None:
        if self._terminal and self._calls:
            self._stream.write("\n")

    def line(self) -> str:
        drives = self._storage.drives
        shown = [f"{name} queue {drive.counts.issued - drive.counts.completed:3}{_arm(drive)}"
                 for name, drive in list(drives.items())[:MAX_DRIVES]]
        late = self._lateness.mean() / MS
        return " | ".join([*shown, f"{self._rate():8.1f} accesses/s", *self._hits(), f"late {late:.3f} ms"])

    def _rate(self) -> float:
        """Return the accesses a second of all drives, by the wall clock, since the last call."""
        done, now = float(sum(drive.counts.completed for drive in self._storage.all_drives())), self._wall()
        rate = (done - self._before) / (now - self._at) if now > self._at else 0.0
        self._at, self._before = now, done
        return rate

    def _hits(self) -> list[str]:
        """Return the hit ratio of reads: in the cache if there is one, else in the drives' own."""
        counted = ([cached.cache.reading() for cached in self._storage.caches] or
                   [drive.mechanism.reading() for drive in self._storage.all_drives()])
        prefix = "" if self._storage.caches else "buffer_"
        hits, *others = [sum(each.get(f"{prefix}{level}", 0.0) for each in counted) for level in LEVELS]
        total = hits + sum(others)
        return [f"hits {hits / total:6.1%}"] if total else []


def _arm(drive: Drive) -> str:
    return "" if isinstance(drive.mechanism, Flash) else f" arm {drive.arm.cylinder:6}"


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
