"""Where a server listens, how clients find it, who reaches it, and why it cannot listen."""

import asyncio
import logging
import os
import socket
from asyncio import StreamWriter
from pathlib import Path

import pytest

from spindle.serve.address import Address, SocketFile, StampedReader, TcpPort, _reason
from spindle.sim.error import UserError
from tests.serve.wire import PATIENCE

LOOPBACK = TcpPort("127.0.0.1", 0)


async def listened(address: Address) -> Address:
    """Listen at *address*, and stop."""
    server, actual = await address.listen(never)
    server.close()
    return actual


async def never(reader: StampedReader, writer: StreamWriter) -> None:
    raise AssertionError("nobody connects")


def refusal(address: Address) -> str:
    with pytest.raises(UserError) as refused:
        asyncio.run(listened(address))
    return str(refused.value)


@pytest.mark.parametrize("place", ["port", "file"])
def test_who_connects_is_served_and_when_he_spoke_is_noted(place: str, tmp_path: Path) -> None:
    path = tmp_path / "here.sock"
    stamps: list[float] = []

    async def answer(reader: StampedReader, writer: StreamWriter) -> None:
        stamps.append(reader.stamp)
        writer.write((await reader.readexactly(4))[::-1])
        stamps.append(reader.stamp)
        writer.close()

    async def meet() -> bytes:
        server, address = await (LOOPBACK if place == "port" else SocketFile(path)).listen(answer)
        clock = asyncio.get_running_loop().time
        if isinstance(address, TcpPort):
            reader, writer = await asyncio.open_connection("127.0.0.1", address.number)
        else:
            reader, writer = await asyncio.open_unix_connection(path)
        await asyncio.sleep(0.002)
        stamps.append(clock())
        writer.write(b"abcd")
        said = await reader.read()
        stamps.append(clock())
        writer.close()
        server.close()
        return said

    assert asyncio.run(asyncio.wait_for(meet(), PATIENCE)) == b"dcba"
    before, spoke, stamp, after = stamps
    assert before == 0.0 < spoke <= stamp <= after


@pytest.mark.parametrize(("address", "uri", "exposure"), [
    (TcpPort("::1", 7), "nbd://[::1]:7/a%2Fb%20c", "any program on this machine reaches ::1, port 7"),
    (TcpPort("127.3.4.5", 7), "nbd://127.3.4.5:7/a%2Fb%20c", "any program on this machine reaches 127.3.4.5, port 7"),
    (TcpPort("localhost", 7), "nbd://localhost:7/a%2Fb%20c", "any program on this machine reaches localhost, port 7"),
    (TcpPort("0.0.0.0", 7), "nbd://0.0.0.0:7/a%2Fb%20c",
     "whoever reaches 0.0.0.0, port 7 over the network, without password or encryption"),
    (TcpPort("host.example", 7), "nbd://host.example:7/a%2Fb%20c",
     "whoever reaches host.example, port 7 over the network, without password or encryption"),
    (SocketFile(Path("/a b/s")), "nbd+unix:///a%2Fb%20c?socket=/a%20b/s", "programs of this user alone reach /a b/s"),
    (SocketFile(Path("s")), f"nbd+unix:///a%2Fb%20c?socket={Path.cwd()}/s", "programs of this user alone reach s"),
])  # fmt: skip
def test_an_address_is_told_to_clients_and_who_reaches_it(address: Address, uri: str, exposure: str) -> None:
    assert (address.uri("a/b c"), address.exposure()) == (uri, exposure)


def test_a_socket_file_is_this_user_s_whatever_other_files_are(tmp_path: Path) -> None:
    path = tmp_path / "s"
    before = os.umask(0o002)
    try:
        assert asyncio.run(listened(SocketFile(path))) == SocketFile(path)
        assert os.umask(0o002) == 0o002
        with socket.socket(socket.AF_UNIX) as killed:
            path.unlink(missing_ok=True)
            killed.bind(str(path))
        asyncio.run(kept(path))
        assert path.stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(before)


async def kept(path: Path) -> None:
    """Listen at *path* as a server that is killed does: the socket stays."""
    server, _ = await SocketFile(path).listen(never)
    os.link(path, kept_by := path.with_suffix(".kept"))
    server.close()
    os.replace(kept_by, path)


def test_where_something_else_is_a_socket_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logged: list[object] = []
    monkeypatch.setattr(logging.getLogger("asyncio"), "error", lambda *said: logged.append(said))
    file, link, taken = tmp_path / "file", tmp_path / "link", tmp_path / "taken"
    file.write_text("text")
    link.symlink_to("nowhere")
    for path in (file, link):
        assert refusal(SocketFile(path)) == f"cannot listen on {path}: it is there already, and no socket"
    assert (file.read_text(), link.is_symlink()) == ("text", True)
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        server.bind(str(taken))
        server.listen(0)
        assert refusal(SocketFile(taken)) == f"cannot listen on {taken}: another server does"
        server.accept()[0].close()
        client.connect(str(taken))  # and now no other may connect
        assert refusal(SocketFile(taken)) == f"cannot listen on {taken}: another server does"
    assert taken.is_socket()
    assert refusal(SocketFile(tmp_path / "none" / "s")).endswith("/none/s: No such file or directory")
    assert refusal(SocketFile(tmp_path / ("s" * 120))).endswith(": AF_UNIX path too long")
    assert refusal(SocketFile(file / "s")).endswith("/file/s: Not a directory")
    assert logged == []


def test_a_port_that_is_taken_and_a_host_that_is_none_are_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        assert refusal(TcpPort("127.0.0.1", taken)) == (
            f"cannot listen on '127.0.0.1', port {taken}: Address already in use")  # fmt: skip
    assert "too long" in refusal(TcpPort("n" * 64 + ".example", 0))


@pytest.mark.parametrize(("error", "reason"), [
    (OSError(1, "while attempting to bind"), "Operation not permitted"), (OSError("could not bind"), "could not bind"),
    (OSError(0, "long"), "[Errno 0] long"), (ValueError("embedded null"), "embedded null"),
    (socket.gaierror(-2, "Name or service not known"), "Name or service not known"), (socket.gaierror("odd"), "odd"),
])  # fmt: skip
def test_a_reason_is_told_in_few_words(error: Exception, reason: str) -> None:
    assert _reason(error) == reason
