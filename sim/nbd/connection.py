"""A connection after its handshake: commands are taken as they come, and replied to as they are done, in any order."""

import asyncio
from asyncio import StreamWriter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from sim.nbd.export import Export, fault_of
from sim.nbd.negotiation import Agreement
from sim.nbd.pacer import Pace
from sim.nbd.protocol import COMMAND, MOST_PAYLOAD, Command, CommandFlag, Fault, Kind
from sim.nbd.replies import StructuredReplies, block_status, first_few
from sim.nbd.room import PayloadRoom
from sim.nbd.stamped import StampedReader
from sim.units import KIB, MIB

MOST_UNDER_WAY = 1024
"""Commands of one connection; it sends no more before some are replied to."""
MOST_BYTES = 128 * MIB
"""Of the commands of all connections."""
MOST_EXTENTS = 1024
"""Of one reply to a command for the status of blocks."""
STALL = 60.0
"""Seconds for which a client may keep a payload back, or not take a reply, before it is cut off."""
PIECE = 64 * KIB

Late = Callable[[float], None]
"""Called for each reply of the device with the seconds by which it is late, or early where that is negative."""


@dataclass(frozen=True, slots=True)
class ReplyDue:
    """What is to be replied. *late* when the device had done it, which with the wait from then on is its lateness."""

    command: Command
    fault: Fault
    held: int
    late: float | None = None
    since: float = 0.0


class Connection:
    """Commands of one client for the export that it has agreed on; the bytes of all are taken from *room*."""

    def __init__(
        self, reader: StampedReader, writer: StreamWriter, agreed: Agreement, pace: Pace, room: PayloadRoom, late: Late
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._agreed = agreed
        self._export: Export = agreed.export
        self._pace = pace
        self._room = room
        self._late = late
        self._slots = asyncio.Semaphore(MOST_UNDER_WAY)
        self._behind: asyncio.Queue[tuple[ReplyDue, bool]] = asyncio.Queue()
        self._left = 0
        writer.transport.set_write_buffer_limits(0)  # drained is what is empty
        self._loop = asyncio.get_running_loop()
        self._syncing: set[asyncio.Task[None]] = set()
        self._gone = False

    async def serve(self) -> None:
        """Until the client disconnects, is cut off, or breaks the protocol: then with the exception of that."""
        tasks = [asyncio.create_task(work) for work in (self._take_all(), self._send_behind())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._gone = True
            for task in tasks:
                task.cancel()
            ends = await asyncio.gather(*tasks, return_exceptions=True)
            while not self._behind.empty():
                self._room.give_back(self._behind.get_nowait()[0].held)
        for end in ends:
            if isinstance(end, Exception):
                raise end

    async def _take_all(self) -> None:
        """Up to the end that the client announces, before which all that is under way is replied to."""
        while True:
            command = Command.read(await self._reader.readexactly(COMMAND.size))
            if command.kind == Kind.DISCONNECT:
                break
            await self._slots.acquire()
            await self._take(command)
        for _ in range(MOST_UNDER_WAY):
            await self._slots.acquire()

    async def _take(self, command: Command) -> None:
        fault = self._refusal(command)
        carries = command.kind in (Kind.READ, Kind.WRITE) and command.span.length <= MOST_PAYLOAD
        held = command.span.length if carries and (command.kind == Kind.WRITE or not fault) else 0
        await self._room.take(held)
        try:
            async with asyncio.timeout(STALL if command.kind == Kind.WRITE else None):
                payload = await self._payload(command)
        except BaseException:
            self._room.give_back(held)
            raise
        if fault:
            self._answer(ReplyDue(command, fault, held))
            return
        done = partial(self._done, command, held)
        self._pace.enter(lambda: self._export.start(command, payload, done), self._reader.stamp)

    def _refusal(self, command: Command) -> Fault:
        if command.kind == Kind.BLOCK_STATUS and not self._agreed.allocation:
            return Fault.INVALID
        return self._export.refusal(command)

    async def _payload(self, command: Command) -> bytes:
        """What comes with a write; read and forgotten where that is more than there may be."""
        if command.kind != Kind.WRITE:
            return b""
        left = command.span.length
        if left <= MOST_PAYLOAD:
            return await self._reader.readexactly(left)
        while left:
            left -= len(await self._reader.readexactly(min(left, PIECE)))
        return b""

    def _done(self, command: Command, held: int, fault: Fault) -> None:
        """The device has done *command*; it is replied to once what was promised is safe."""
        answer = ReplyDue(command, fault, held, self._pace.late(), self._loop.time())
        if self._gone:
            self._room.give_back(held)
        elif command.durable and not fault:
            task = self._loop.create_task(self._sync(answer))
            self._syncing.add(task)
            task.add_done_callback(self._syncing.discard)
        else:
            self._answer(answer)

    async def _sync(self, answer: ReplyDue) -> None:
        try:
            await self._loop.run_in_executor(None, self._export.store.sync)
        except OSError as error:
            answer = ReplyDue(answer.command, fault_of(error), answer.held, answer.late, answer.since)
        if self._gone:
            self._room.give_back(answer.held)
        else:
            self._answer(answer)

    def _answer(self, answer: ReplyDue) -> None:
        """Reply at once where the client takes it, else in turn."""
        if not self._left:
            self._send(answer)
            if not self._writer.transport.get_write_buffer_size():
                self._room.give_back(answer.held)
                self._slots.release()
                return
        self._behind.put_nowait((answer, not self._left))
        self._left += 1

    async def _send_behind(self) -> None:
        """Send what the client did not take at once; it must take something within STALL seconds."""
        while True:
            answer, sent = await self._behind.get()
            try:
                if not sent:
                    self._send(answer)
                async with asyncio.timeout(STALL):
                    await self._writer.drain()
            finally:
                self._left -= 1
                self._room.give_back(answer.held)
                self._slots.release()

    def _send(self, answer: ReplyDue) -> None:
        if self._writer.is_closing():
            return  # the client has gone; asyncio would wait for a socket that is closed
        self._writer.writelines(self._reply(answer))
        if answer.late is not None:
            late = answer.late + self._loop.time() - answer.since
            self._pace.replied(late)
            self._late(late)

    def _reply(self, answer: ReplyDue) -> Iterable[bytes]:
        command, replies = answer.command, self._agreed.replies
        try:
            if answer.fault:
                return [replies.failed(command, answer.fault)]
            if command.kind == Kind.READ:
                if not command.span.length and isinstance(replies, StructuredReplies):
                    return [replies.done(command)]
                return replies.data(command, self._export.store)
            if command.kind == Kind.BLOCK_STATUS:
                most = 1 if command.flags & CommandFlag.ONE_EXTENT else MOST_EXTENTS
                return [block_status(command, first_few(self._export.store.extents(*command.span), most))]
        except OSError as error:
            return [replies.failed(command, fault_of(error))]
        return [replies.done(command)]
