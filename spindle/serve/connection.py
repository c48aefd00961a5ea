"""Serves one client of NBD, the network block device protocol: its handshake (Negotiation), its commands (Connection).

Each command is replied to when the simulated drive has done it, in whatever order that is.

PayloadRoom limits the bytes of all connections' commands.
"""

import asyncio
from asyncio import StreamReader, StreamWriter
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from spindle.serve import protocol as nbd
from spindle.serve.address import StampedReader
from spindle.serve.export import KINDS_WITH_DATA, PREFERRED_BLOCK, Export, fault_of
from spindle.serve.pacer import Pace
from spindle.sim.units import KIB, MIB

# The bytes of all commands under way: a command waits until there is room for its own.

class PayloadRoom:
    """Room for *capacity* bytes of commands, given to them in order of arrival; none may take more than *capacity*."""

    def __init__(self, capacity: int) -> None:
        self.free = capacity
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()

    async def take(self, length: int) -> None:
        if not length or (not self._waiting and length <= self.free):
            self.free -= length
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append((length, turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.give_back(length)
            raise

    def give_back(self, length: int) -> None:
        self.free += length
        while self._waiting and (self._waiting[0][1].done() or self._waiting[0][0] <= self.free):
            wanted, turn = self._waiting.popleft()
            if not turn.done():
                self.free -= wanted
                turn.set_result(None)


# The handshake of a connection, in which the client chooses an export and a form of replies.

KNOWN_FLAGS = int(nbd.HandshakeFlag.FIXED_NEWSTYLE | nbd.HandshakeFlag.NO_ZEROES)
"""The client's flags that are understood. A number, because ~ of an IntFlag has only bits that it defines."""
MAX_OPTIONS = 64
"""Most options of one handshake; a client that has not chosen an export by then is cut off."""
MAX_SKIPPED = 1 << 20
"""Most bytes of an unknown option, which are read and dropped; a longer one ends the connection."""
OLD_PADDING = bytes(124)
"""Zeroes behind the reply to EXPORT_NAME, for clients that do not decline them."""
EXPORT_INFO_SENT = (nbd.Info.EXPORT, nbd.Info.BLOCK_SIZE)
"""Kinds of information on an export that are sent to every client, asked for or not."""


@dataclass(frozen=True)
class Agreement:
    """The result of a handshake: *export*, form of *replies*, and if the client may ask which bytes are holes."""

    export: Export
    replies: nbd.Replies
    allocation: bool


class Negotiation:
    """The handshake with a client, which chooses one of *exports* by name; the empty name means the first."""

    def __init__(self, exports: Mapping[str, Export], reader: StreamReader, writer: StreamWriter) -> None:
        self._exports = exports
        self._reader = reader
        self._writer = writer
        self._structured = False
        self._allocation_of = ""
        self._no_zeroes = False

    async def agree(self) -> Agreement | None:
        """Do the handshake; return its result, None where the client takes no export; Malformed for a bad message."""
        self._writer.write(nbd.GREETING.pack(nbd.GREETING_MAGIC, nbd.OPTION_MAGIC, KNOWN_FLAGS))
        (flags,) = nbd.CLIENT_FLAGS.unpack(await self._reader.readexactly(nbd.CLIENT_FLAGS.size))
        if flags & ~KNOWN_FLAGS:
            raise nbd.Malformed(f"client flags {flags:#x}")
        self._no_zeroes = bool(flags & nbd.HandshakeFlag.NO_ZEROES)
        for _ in range(MAX_OPTIONS):
            header = nbd.OptionHeader.read(await self._reader.readexactly(nbd.OPTION.size))
            data = await self._data(header)
            if header.option == nbd.HandshakeOption.ABORT:
                self._reply(header.option, nbd.OptionReply.ACK)
                return None
            chosen = None if data is None else self._answer(header.option, data)
            await self._writer.drain()
            if chosen is not None:
                replies = nbd.StructuredReplies() if self._structured else nbd.SimpleReplies()
                return Agreement(chosen, replies, self._structured and self._allocation_of == chosen.name)
        raise nbd.Malformed("more options than any client has")

    async def _data(self, header: nbd.OptionHeader) -> bytes | None:
        """Read the data of an option; for one that is too long, reply with an error and return None."""
        if header.length <= nbd.MAX_OPTION:
            return await self._reader.readexactly(header.length)
        if header.length > MAX_SKIPPED or header.option == nbd.HandshakeOption.EXPORT_NAME:
            raise nbd.Malformed(f"an option of {header.length} bytes")
        left = header.length
        while left:
            left -= len(await self._reader.readexactly(min(left, nbd.MAX_OPTION)))
        self._reply(header.option, nbd.OptionReply.TOO_BIG)
        return None

    def _answer(self, option: int, data: bytes) -> Export | None:
        """Reply to *option*; return the export that it chooses, if any."""
        if option == nbd.HandshakeOption.EXPORT_NAME:
            return self._choose_by_name(data)
        try:
            if option in (nbd.HandshakeOption.INFO, nbd.HandshakeOption.GO):
                return self._go(option, nbd.OptionFields(data))
            if option in (nbd.HandshakeOption.LIST_META_CONTEXT, nbd.HandshakeOption.SET_META_CONTEXT):
                self._contexts(option, nbd.OptionFields(data))
            elif option == nbd.HandshakeOption.LIST:
                self._list(option, nbd.OptionFields(data))
            elif option == nbd.HandshakeOption.STRUCTURED_REPLY:
                nbd.OptionFields(data).end()
                self._structured = True
                self._reply(option, nbd.OptionReply.ACK)
            else:
                self._reply(option, nbd.OptionReply.UNSUPPORTED)
        except nbd.Malformed as error:
            self._reply(option, nbd.OptionReply.INVALID, str(error).encode())
        return None

    def _reply(self, option: int, kind: nbd.OptionReply, data: bytes = b"") -> None:
        self._writer.write(nbd.OPTION_REPLY.pack(nbd.OPTION_REPLY_MAGIC, option, kind, len(data)) + data)

    def _export(self, name: str) -> Export | None:
        return self._exports.get(name) if name else next(iter(self._exports.values()))

    def _choose_by_name(self, data: bytes) -> Export:
        """Choose the export *data* in the old way (EXPORT_NAME), which has no reply for a refusal."""
        export = self._export(nbd.as_name(data))
        if export is None:
            raise nbd.Malformed("there is no such export")
        self._writer.write(nbd.EXPORT_INFO.pack(export.size, export.flags) + (b"" if self._no_zeroes else OLD_PADDING))
        return export

    def _list(self, option: int, fields: nbd.OptionFields) -> None:
        fields.end()
        for name in self._exports:
            self._reply(option, nbd.OptionReply.SERVER, nbd.text(name))
        self._reply(option, nbd.OptionReply.ACK)

    def _go(self, option: int, fields: nbd.OptionFields) -> Export | None:
        export = self._export(fields.text())
        wanted = [fields.number(nbd.U16) for _ in range(fields.number(nbd.U16))]
        fields.end()
        if export is None:
            self._reply(option, nbd.OptionReply.UNKNOWN, b"there is no such export")
            return None
        told = {nbd.Info.EXPORT: nbd.EXPORT_INFO.pack(export.size, export.flags), nbd.Info.NAME: export.name.encode(),
                nbd.Info.DESCRIPTION: export.about.encode(), nbd.Info.BLOCK_SIZE: nbd.BLOCK_SIZES.pack(
                    export.block, max(PREFERRED_BLOCK, export.block), nbd.MAX_PAYLOAD)}  # fmt: skip
        for info, data in told.items():
            if info in wanted or info in EXPORT_INFO_SENT:
                self._reply(option, nbd.OptionReply.INFO, nbd.U16.pack(info) + data)
        self._reply(option, nbd.OptionReply.ACK)
        return export if option == nbd.HandshakeOption.GO else None

    def _contexts(self, option: int, fields: nbd.OptionFields) -> None:
        """List contexts, or choose them for an export."""
        export = self._export(fields.text())
        queries = [fields.text() for _ in range(fields.number(nbd.U32))]
        fields.end()
        choosing = option == nbd.HandshakeOption.SET_META_CONTEXT
        if not self._structured:
            raise nbd.Malformed("contexts need structured replies")
        if choosing:
            self._allocation_of = ""
        if export is None:
            self._reply(option, nbd.OptionReply.UNKNOWN, b"there is no such export")
            return
        known = {nbd.ALLOCATION} if choosing else {nbd.ALLOCATION, "base:"}
        if known.intersection(queries) or (not queries and not choosing):
            number = nbd.ALLOCATION_ID if choosing else 0
            self._reply(option, nbd.OptionReply.META_CONTEXT, nbd.U32.pack(number) + nbd.ALLOCATION.encode())
            if choosing:
                self._allocation_of = export.name
        self._reply(option, nbd.OptionReply.ACK)


MAX_UNDER_WAY = 1024
"""Most commands of one connection under way; the next is read when one has been replied to."""
MAX_COMMAND_BYTES = 128 * MIB
"""Most bytes of all commands under way, of all connections together."""
MAX_EXTENTS = 1024
"""Most extents in one reply to a command for the status of blocks."""
STALL_SECONDS = 60.0
"""Seconds that a client may take to send a payload, or to accept a reply, before it is cut off."""
DROPPED_PIECE = 64 * KIB
"""Bytes read at a time of a payload that is too long and is dropped."""

Late = Callable[[float], None]
"""A function called for each reply with the seconds by which it is late, negative if it is early."""


@dataclass(frozen=True, slots=True)
class ReplyDue:
    """A reply to send. Its lateness is *late*, that of the device's event, and the time since *since*."""

    command: nbd.Command
    fault: nbd.ErrorCode
    held: int
    late: float | None = None
    since: float = 0.0


class Connection:
    """Serves the commands of one client for the export of *agreed*; *room* limits their bytes."""

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
        self._slots = asyncio.Semaphore(MAX_UNDER_WAY)
        self._behind: asyncio.Queue[tuple[ReplyDue, bool]] = asyncio.Queue()
        self._left = 0
        writer.transport.set_write_buffer_limits(0)  # so that drain() waits until all is sent
        self._loop = asyncio.get_running_loop()
        self._syncing: set[asyncio.Task[None]] = set()
        self._gone = False

    async def serve(self) -> None:
        """Serve until the client disconnects; raise the exception if it is cut off or breaks the protocol."""
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
        """Read and start commands until the client disconnects; then wait until all are replied to."""
        while True:
            command = nbd.Command.read(await self._reader.readexactly(nbd.COMMAND.size))
            if command.kind == nbd.CommandKind.DISCONNECT:
                break
            await self._slots.acquire()
            await self._take(command)
        for _ in range(MAX_UNDER_WAY):
            await self._slots.acquire()

    async def _take(self, command: nbd.Command) -> None:
        fault = self._refusal(command)
        carries = command.kind in KINDS_WITH_DATA and command.span.length <= nbd.MAX_PAYLOAD
        held = command.span.length if carries and (command.kind == nbd.CommandKind.WRITE or not fault) else 0
        await self._room.take(held)
        try:
            payload = await self._payload(command)
        except BaseException:
            self._room.give_back(held)
            raise
        if fault:
            self._answer(ReplyDue(command, fault, held))
            return
        done = partial(self._finish, command, held)
        self._pace.enter(lambda: self._export.start(command, payload, done), self._reader.stamp)

    def _refusal(self, command: nbd.Command) -> nbd.ErrorCode:
        if command.kind == nbd.CommandKind.BLOCK_STATUS and not self._agreed.allocation:
            return nbd.ErrorCode.INVALID
        return self._export.refusal(command)

    async def _payload(self, command: nbd.Command) -> bytes:
        """Return the payload of a write; one that is longer than allowed is read and dropped."""
        left = command.span.length if command.kind == nbd.CommandKind.WRITE else 0
        async with asyncio.timeout(STALL_SECONDS):
            if left <= nbd.MAX_PAYLOAD:
                return await self._reader.readexactly(left)
            while left:
                left -= len(await self._reader.readexactly(min(left, DROPPED_PIECE)))
        return b""

    def _finish(self, command: nbd.Command, held: int, fault: nbd.ErrorCode) -> None:
        """Reply to *command*, which the device has done; where the reply promises so, sync its bytes first."""
        answer = ReplyDue(command, fault, held, self._pace.seconds_late(), self._loop.time())
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
            answer = replace(answer, fault=fault_of(error))
        if self._gone:
            self._room.give_back(answer.held)
        else:
            self._answer(answer)

    def _answer(self, answer: ReplyDue) -> None:
        """Send the reply at once if the client accepts it; else queue it behind others."""
        if not self._left:
            self._send(answer)
            if not self._writer.transport.get_write_buffer_size():
                self._room.give_back(answer.held)
                self._slots.release()
                return
        self._behind.put_nowait((answer, not self._left))
        self._left += 1

    async def _send_behind(self) -> None:
        """Send queued replies; cut the client off if it accepts no bytes for STALL_SECONDS."""
        while True:
            answer, sent = await self._behind.get()
            try:
                if not sent:
                    self._send(answer)
                async with asyncio.timeout(STALL_SECONDS):
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
            self._pace.note_reply(late)
            self._late(late)

    def _reply(self, answer: ReplyDue) -> Iterable[bytes]:
        command, replies = answer.command, self._agreed.replies
        try:
            if answer.fault:
                return [replies.failure(command, answer.fault)]
            if command.kind == nbd.CommandKind.READ:
                if not command.span.length and isinstance(replies, nbd.StructuredReplies):
                    return [replies.success(command)]
                return replies.data(command, self._export.store)
            if command.kind == nbd.CommandKind.BLOCK_STATUS:
                most = 1 if command.flags & nbd.CommandFlag.ONE_EXTENT else MAX_EXTENTS
                return [nbd.block_status(command, nbd.first_few(self._export.store.extents(*command.span), most))]
        except OSError as error:
            return [replies.failure(command, fault_of(error))]
        return [replies.success(command)]
