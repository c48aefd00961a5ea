"""Accepts connections of NBD, the network block device protocol, and serves each so that none harms another."""

import asyncio
from asyncio import IncompleteReadError, StreamWriter
from collections.abc import Mapping

from spindle.serve.address import StampedReader
from spindle.serve.connection import MAX_COMMAND_BYTES, Agreement, Connection, Late, Negotiation, PayloadRoom
from spindle.serve.export import Export
from spindle.serve.pacer import Pace
from spindle.serve.protocol import Malformed

MAX_CONNECTIONS = 64
"""Most connections at a time; a further one is refused."""
HANDSHAKE_SECONDS = 10.0
"""Seconds that a client may take to choose an export."""


class NbdServer:
    """Serves *exports*, by name, to all clients; an Address calls ``serve_client`` for each client."""

    def __init__(self, exports: Mapping[str, Export], pace: Pace, late: Late) -> None:
        self._exports = exports
        self._pace = pace
        self._late = late
        self._room = PayloadRoom(MAX_COMMAND_BYTES)
        self._tasks: set[asyncio.Task[None]] = set()
        self.taken = self.refused = self.malformed = 0

    @property
    def connections(self) -> int:
        return len(self._tasks)

    async def serve_client(self, reader: StampedReader, writer: StreamWriter) -> None:
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
        async with asyncio.timeout(HANDSHAKE_SECONDS):
            return await Negotiation(self._exports, reader, writer).agree()

    async def end(self) -> None:
        """Cut all connections, and wait until they are closed."""
        for task in self._tasks:
            task.cancel()
        while self._tasks:
            await asyncio.wait(self._tasks)


def _close(writer: StreamWriter) -> None:
    """Close the connection; pending bytes are sent only if the client accepts them at once."""
    transport = writer.transport
    if transport.get_write_buffer_size():
        transport.abort()
    else:
        transport.close()
