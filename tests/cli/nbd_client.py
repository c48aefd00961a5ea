"""Connects a client of NBD over a socket to a server in another process, for tests of ``spindle serve``."""

import os
import socket
import struct
import subprocess
import sys
from pathlib import Path
from signal import SIGTERM, Signals

from tests.serve.wire import GO, HELLO, command, option, text

ROOT = Path(__file__).parents[2]


class Client:
    """Commands one after another, over TCP or a socket file, with simple replies."""

    def __init__(self, server: "Served", name: bytes = b"") -> None:
        if server.file:
            self._socket = socket.socket(socket.AF_UNIX)
            self._socket.connect(server.file)
        else:
            self._socket = socket.create_connection(("127.0.0.1", server.port))
        self._socket.settimeout(30)
        self._socket.sendall(HELLO + option(GO, text(name) + b"\0\0"))
        self._take(18 + 20 + 12 + 20 + 14 + 20)

    def ask(self, kind: int, first: int = 0, length: int = 0, flags: int = 0, data: bytes = b"") -> bytes:
        """What is read, if something is; the reply has no error."""
        self._socket.sendall(command(kind, first, length, flags, data=data))
        assert self._take(16) == bytes.fromhex("67446698 00000000 0000000000000007")
        return self._take(length if kind == 0 else 0)

    def die(self, said: bytes) -> None:
        """Say that, and be gone without waiting for an answer, as a program that is killed."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._socket.sendall(said)
        self._socket.close()

    def close(self) -> None:
        self._socket.close()

    def _take(self, length: int) -> bytes:
        data = b""
        while len(data) < length:
            piece = self._socket.recv(length - len(data))
            assert piece, "the server is gone"
            data += piece
        return data


class Served:
    """``spindle serve`` with *words*, in *folder*, as soon as clients can come."""

    def __init__(self, folder: Path, *words: str, where: tuple[str, ...] = ("--port", "0")) -> None:
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "spindle", "serve", *words, *where], cwd=folder, env=environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        stream = self.process.stderr if "--json" in words else self.process.stdout
        assert stream is not None
        self.head = [""]
        while "Ctrl-C" not in self.head[-1]:
            self.head.append(stream.readline())
            assert self.head[-1], "it ended before clients could come"
        self.uri = self.head[2].split()[0]
        self.file = str(folder / where[1]) if where[0] == "--socket" else ""
        self.port = 0 if self.file else int(self.uri.split(":")[2].split("/")[0])

    def end(self, by: Signals = SIGTERM) -> tuple[int, str, str]:
        """Its exit status, and what it said."""
        self.process.send_signal(by)
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err
