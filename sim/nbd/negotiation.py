"""The handshake of a connection: which export the client takes, and what both understand."""

from asyncio import StreamReader, StreamWriter
from collections.abc import Mapping
from dataclasses import dataclass

from sim.nbd.export import PREFERRED_BLOCK, Export
from sim.nbd.protocol import (
    ALLOCATION,
    ALLOCATION_ID,
    BLOCK_SIZES,
    CLIENT_FLAGS,
    EXPORT_INFO,
    GREETING,
    GREETING_MAGIC,
    MOST_OPTION,
    MOST_PAYLOAD,
    OPTION,
    OPTION_MAGIC,
    OPTION_REPLY,
    OPTION_REPLY_MAGIC,
    U16,
    U32,
    Fields,
    HandshakeFlag,
    HandshakeOption,
    Info,
    Malformed,
    OptionHeader,
    OptionReply,
    as_name,
    text,
)
from sim.nbd.replies import Replies, SimpleReplies, StructuredReplies

KNOWN_FLAGS = int(HandshakeFlag.FIXED_NEWSTYLE | HandshakeFlag.NO_ZEROES)
"""A number, because ~ of an IntFlag knows only its own bits."""
MOST_OPTIONS = 64
"""Of one handshake; a client that still has not decided is cut off."""
MOST_SKIPPED = 1 << 20
"""Bytes of an option that are read only to be forgotten; one that has more ends the connection."""
PADDING = bytes(124)


@dataclass(frozen=True)
class Agreement:
    """What a handshake comes to. *allocation*: the client may ask for base:allocation."""

    export: Export
    replies: Replies
    allocation: bool


class Negotiation:
    """*exports* by name; the empty name is the first of them."""

    def __init__(self, exports: Mapping[str, Export], reader: StreamReader, writer: StreamWriter) -> None:
        self._exports = exports
        self._reader = reader
        self._writer = writer
        self._structured = False
        self._allocation_of = ""
        self._no_zeroes = False

    async def agree(self) -> Agreement | None:
        """None where the client wanted no export; Malformed where it is not understood."""
        self._writer.write(GREETING.pack(GREETING_MAGIC, OPTION_MAGIC, KNOWN_FLAGS))
        (flags,) = CLIENT_FLAGS.unpack(await self._reader.readexactly(CLIENT_FLAGS.size))
        if flags & ~KNOWN_FLAGS:
            raise Malformed(f"client flags {flags:#x}")
        self._no_zeroes = bool(flags & HandshakeFlag.NO_ZEROES)
        for _ in range(MOST_OPTIONS):
            header = OptionHeader.read(await self._reader.readexactly(OPTION.size))
            data = await self._data(header)
            if header.option == HandshakeOption.ABORT:
                self._reply(header.option, OptionReply.ACK)
                return None
            chosen = None if data is None else self._answer(header.option, data)
            await self._writer.drain()
            if chosen is not None:
                replies = StructuredReplies() if self._structured else SimpleReplies()
                return Agreement(chosen, replies, self._structured and self._allocation_of == chosen.name)
        raise Malformed("more options than any client has")

    async def _data(self, header: OptionHeader) -> bytes | None:
        """Of an option; None for one that is too long, which is answered here."""
        if header.length <= MOST_OPTION:
            return await self._reader.readexactly(header.length)
        if header.length > MOST_SKIPPED or header.option == HandshakeOption.EXPORT_NAME:
            raise Malformed(f"an option of {header.length} bytes")
        left = header.length
        while left:
            left -= len(await self._reader.readexactly(min(left, MOST_OPTION)))
        self._reply(header.option, OptionReply.TOO_BIG)
        return None

    def _answer(self, option: int, data: bytes) -> Export | None:
        """Reply to it; the export that is chosen with it, if one is."""
        if option == HandshakeOption.EXPORT_NAME:
            return self._named(data)
        try:
            if option in (HandshakeOption.INFO, HandshakeOption.GO):
                return self._go(option, Fields(data))
            if option in (HandshakeOption.LIST_META_CONTEXT, HandshakeOption.SET_META_CONTEXT):
                self._contexts(option, Fields(data))
            elif option == HandshakeOption.LIST:
                self._list(option, Fields(data))
            elif option == HandshakeOption.STRUCTURED_REPLY:
                Fields(data).end()
                self._structured = True
                self._reply(option, OptionReply.ACK)
            else:
                self._reply(option, OptionReply.UNSUPPORTED)
        except Malformed as error:
            self._reply(option, OptionReply.INVALID, str(error).encode())
        return None

    def _reply(self, option: int, kind: OptionReply, data: bytes = b"") -> None:
        self._writer.write(OPTION_REPLY.pack(OPTION_REPLY_MAGIC, option, kind, len(data)) + data)

    def _export(self, name: str) -> Export | None:
        return self._exports.get(name) if name else next(iter(self._exports.values()))

    def _named(self, data: bytes) -> Export:
        """The old way to choose, which has no word for no."""
        export = self._export(as_name(data))
        if export is None:
            raise Malformed("there is no such export")
        self._writer.write(EXPORT_INFO.pack(export.size, export.flags) + (b"" if self._no_zeroes else PADDING))
        return export

    def _list(self, option: int, fields: Fields) -> None:
        fields.end()
        for name in self._exports:
            self._reply(option, OptionReply.SERVER, text(name))
        self._reply(option, OptionReply.ACK)

    def _go(self, option: int, fields: Fields) -> Export | None:
        export = self._export(fields.text())
        wanted = [fields.number(U16) for _ in range(fields.number(U16))]
        fields.end()
        if export is None:
            self._reply(option, OptionReply.UNKNOWN, b"there is no such export")
            return None
        self._reply(option, OptionReply.INFO, U16.pack(Info.EXPORT) + EXPORT_INFO.pack(export.size, export.flags))
        if Info.NAME in wanted:
            self._reply(option, OptionReply.INFO, U16.pack(Info.NAME) + export.name.encode())
        if Info.DESCRIPTION in wanted:
            self._reply(option, OptionReply.INFO, U16.pack(Info.DESCRIPTION) + export.about.encode())
        sizes = BLOCK_SIZES.pack(Info.BLOCK_SIZE, export.block, max(PREFERRED_BLOCK, export.block), MOST_PAYLOAD)
        self._reply(option, OptionReply.INFO, sizes)
        self._reply(option, OptionReply.ACK)
        return export if option == HandshakeOption.GO else None

    def _contexts(self, option: int, fields: Fields) -> None:
        """List contexts, or choose them for an export."""
        export = self._export(fields.text())
        queries = [fields.text() for _ in range(fields.number(U32))]
        fields.end()
        choosing = option == HandshakeOption.SET_META_CONTEXT
        if not self._structured:
            raise Malformed("contexts need structured replies")
        if choosing:
            self._allocation_of = ""
        if export is None:
            self._reply(option, OptionReply.UNKNOWN, b"there is no such export")
            return
        known = {ALLOCATION} if choosing else {ALLOCATION, "base:"}
        if known.intersection(queries) or (not queries and not choosing):
            number = ALLOCATION_ID if choosing else 0
            self._reply(option, OptionReply.META_CONTEXT, U32.pack(number) + ALLOCATION.encode())
            if choosing:
                self._allocation_of = export.name
        self._reply(option, OptionReply.ACK)
