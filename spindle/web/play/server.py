"""A file server for this machine alone: the page of ``spindle play``, and the report whose figures lead to it."""

import re
import socket
import sys
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import BoundedSemaphore, Timer
from typing import Any, ClassVar
from urllib.parse import unquote

from spindle.sim.error import UserError

HOST = "127.0.0.1"
HOST_NAMES = (HOST, "localhost")
"""Names of this machine: a page of another name, which it gives to this address, gets nothing."""
MAX_CONNECTIONS, LONGEST = 64, 30.0
"""Connections at a time, and seconds that each may take."""
PLAY_PATH = "/play/"
"""Path of the page; the report lies next to it."""
REPORT = re.compile(r"/(report(_\w+)?\.html|\w+/\w+\.csv)")
POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'; "
    "style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Holds in workers too, which do not have that of the page: nothing is fetched from anywhere else."""


class PageHandler(SimpleHTTPRequestHandler):
    """Answers with files of the *page* below /play/, and of *results* only with the report and its tables."""

    extensions_map: ClassVar[dict[str, str]] = {  # type: ignore[misc]
        **SimpleHTTPRequestHandler.extensions_map,
        ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm",
    }  # fmt: skip

    def __init__(self, *given: Any, page: Path, results: Path) -> None:
        self._page, self._results = page, results
        super().__init__(*given)

    def send_head(self) -> Any:
        if self.headers.get("Host", HOST).rpartition("@")[2].partition(":")[0].lower() not in HOST_NAMES:
            return self.send_error(HTTPStatus.MISDIRECTED_REQUEST)
        path = self.path.split("?")[0].split("#")[0]
        if path in ("/", PLAY_PATH.rstrip("/")):
            self.send_response(HTTPStatus.FOUND)
            self.send_header("Location", PLAY_PATH)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return None
        if path.startswith(PLAY_PATH):
            self.directory, self.path = str(self._page), path.removeprefix(PLAY_PATH.rstrip("/"))
        elif REPORT.fullmatch(path):
            self.directory = str(self._results)
        else:
            return self.send_error(HTTPStatus.NOT_FOUND)
        if "\0" in unquote(path) or self._leads_elsewhere():
            return self.send_error(HTTPStatus.NOT_FOUND)
        return super().send_head()

    def _leads_elsewhere(self) -> bool:
        """Tell if there is a link on the way from the folder that is served to the file."""
        file, root = Path(self.translate_path(self.path)), Path(self.directory)
        return file.resolve() != root.resolve() / file.relative_to(root)

    def end_headers(self) -> None:
        if self.directory == str(self._page):
            self.send_header("Content-Security-Policy", POLICY)
        self.send_header("Cache-Control", "no-cache")
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def list_directory(self, path: Any) -> None:
        """Folders are not listed."""
        self.send_error(HTTPStatus.NOT_FOUND)

    def log_message(self, *words: Any) -> None:
        """Requests are not logged: the browser shows them."""


class PageServer(ThreadingHTTPServer):
    """A server of MAX_CONNECTIONS for LONGEST seconds each; a browser that leaves before its answer is no error."""

    def __init__(self, *given: Any) -> None:
        self._room = BoundedSemaphore(MAX_CONNECTIONS)
        super().__init__(*given)

    def process_request(self, request: Any, client_address: Any) -> None:
        if self._room.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        end = Timer(LONGEST, _cut, [request])
        end.start()
        try:
            super().process_request_thread(request, client_address)
        finally:
            end.cancel()
            self._room.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


def _cut(request: socket.socket) -> None:
    with suppress(OSError):
        request.shutdown(socket.SHUT_RDWR)


def server(page: Path, results: Path, port: int) -> ThreadingHTTPServer:
    """Make a server of *page* and of the report in *results*, on this machine's *port*; 0 takes one that is free."""
    try:
        return PageServer((HOST, port), partial(PageHandler, page=page, results=results))
    except OSError as error:
        raise UserError(f"--port: {port} cannot be used: {error.strerror}; --port 0 takes a free one") from error


def address(serving: ThreadingHTTPServer) -> str:
    return f"http://{HOST}:{serving.server_address[1]}{PLAY_PATH}"
