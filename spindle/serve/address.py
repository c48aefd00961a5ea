"""Addresses at which a server listens, a TCP port or a socket file, each with its URI and who can reach it."""

import asyncio
import os
import socket
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from ipaddress import ip_address
from pathlib import Path
from typing import Protocol, SupportsIndex
from urllib.parse import quote as percent_encoded

from spindle.serve.ports import LOOPBACK, USUAL_PORT
from spindle.sim.error import UserError, quote

# A stream that notes when its last bytes arrived, which may be some time before the program reads them.

class StampedReader(asyncio.StreamReader):
    """A stream that notes in *stamp* when its last bytes arrived, by the loop's clock; 0 before any."""

    stamp = 0.0

    def feed_data(self, data: Iterable[SupportsIndex]) -> None:
        self.stamp = asyncio.get_running_loop().time()
        super().feed_data(data)


ServeClient = Callable[[StampedReader, asyncio.StreamWriter], Awaitable[None]]
"""A function that serves one client until it leaves."""


def protocol_for(serve_client: ServeClient) -> Callable[[], asyncio.Protocol]:
    """Return the factory of protocols for a loop's create_server, which makes StampedReaders."""

    def make() -> asyncio.Protocol:
        reader = StampedReader()
        return asyncio.StreamReaderProtocol(reader, lambda _, writer: serve_client(reader, writer))

    return make


class Address(Protocol):
    """An address at which a server can listen."""

    async def listen(self, serve_client: ServeClient) -> "tuple[asyncio.Server, Address]":
        """Start to listen; return the server, and the address with its actual port; UserError where that fails."""

    def uri(self, export: str) -> str: ...

    def exposure(self) -> str:
        """Return a phrase on who can reach the address."""


@dataclass(frozen=True)
class TcpPort:
    """A TCP port of *host*; with *number* 0, a free one."""

    host: str = LOOPBACK
    number: int = USUAL_PORT

    async def listen(self, serve_client: ServeClient) -> tuple[asyncio.Server, Address]:
        try:
            server = await asyncio.get_running_loop().create_server(protocol_for(serve_client), self.host, self.number)
        except (OSError, UnicodeError) as error:
            raise UserError(f"cannot listen on {quote(self.host)}, port {self.number}: {_reason(error)}") from error
        return server, replace(self, number=server.sockets[0].getsockname()[1])

    def uri(self, export: str) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"nbd://{host}:{self.number}/{percent_encoded(export, safe='')}"

    def exposure(self) -> str:
        where = f"{self.host}, port {self.number}"
        if _is_loopback(self.host):
            return f"any program on this machine reaches {where}"
        return f"whoever reaches {where} over the network, without password or encryption"


@dataclass(frozen=True)
class SocketFile:
    """A Unix socket at *path*, which only this user's programs can reach."""

    path: Path

    async def listen(self, serve_client: ServeClient) -> tuple[asyncio.Server, Address]:
        try:
            self._check()
            before = os.umask(0o177)
            try:
                server = await asyncio.get_running_loop().create_unix_server(protocol_for(serve_client), self.path)
            finally:
                os.umask(before)
        except (OSError, ValueError) as error:
            raise UserError(f"cannot listen on {self.path}: {_reason(error)}") from error
        return server, self

    def _check(self) -> None:
        """Raise an error, which listen() words, for any file but the socket of a server that was killed.

        That one asyncio removes.
        """
        os.stat(f"{self.path.parent}/.")  # before asyncio, which would log that there is no such folder
        if not self.path.is_socket():
            if os.path.lexists(self.path):
                raise UserError("it is there already, and no socket")
            return
        with socket.socket(socket.AF_UNIX) as client:
            client.setblocking(False)  # a server that takes no connections at the moment counts, too
            try:
                client.connect(str(self.path))
            except ConnectionRefusedError:
                return
            except BlockingIOError:
                pass
        raise UserError("another server does")

    def uri(self, export: str) -> str:
        return f"nbd+unix:///{percent_encoded(export, safe='')}?socket={percent_encoded(str(self.path.absolute()))}"

    def exposure(self) -> str:
        return f"programs of this user alone reach {self.path}"


def _reason(error: Exception) -> str:
    """Return the reason of *error* in few words, as asyncio's own are long."""
    number = getattr(error, "errno", None)
    if isinstance(error, socket.gaierror):
        return error.strerror or str(error)
    return os.strerror(number) if isinstance(number, int) and number > 0 else str(error)


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
