"""Serves files to this machine alone: the page of ``spindle play``, and the report whose figures link to it."""

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
"""The loopback address, which only this machine reaches."""
HOST_NAMES = (HOST, "localhost")
"""Names by which the server may be addressed; requests for any other, as of a foreign page, are refused."""
MAX_CONNECTIONS, CONNECTION_SECONDS = 64, 30.0
"""Most connections at a time, and most seconds of each."""
PLAY_PATH = "/play/"
"""Path of the page; the report is one level above."""
REPORT_PATH = re.compile(r"/(report(_\w+)?\.html|\w+/\w+\.csv)")
"""Paths of the report and its tables, which alone are served of the results."""
CONTENT_POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'; "
    "style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The Content-Security-Policy of every file, also for workers, which do not inherit it: nothing is fetched elsewhere.
"""


class PageHandler(SimpleHTTPRequestHandler):
    """Answers with files of the folder *page* for paths below /play/, and with the report and its tables in *results*.
    """

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
        elif REPORT_PATH.fullmatch(path):
            self.directory = str(self._results)
        else:
            return self.send_error(HTTPStatus.NOT_FOUND)
        if "\0" in unquote(path) or self._leads_elsewhere():
            return self.send_error(HTTPStatus.NOT_FOUND)
        return super().send_head()

    def _leads_elsewhere(self) -> bool:
        """Tell if a symbolic link is on the path from the served folder to the file."""
        file, root = Path(self.translate_path(self.path)), Path(self.directory)
        return file.resolve() != root.resolve() / file.relative_to(root)

    def end_headers(self) -> None:
        if self.directory == str(self._page):
            self.send_header("Content-Security-Policy", CONTENT_POLICY)
        self.send_header("Cache-Control", "no-cache")
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def list_directory(self, path: Any) -> None:
        """Refuse to list a folder."""
        self.send_error(HTTPStatus.NOT_FOUND)

    def log_message(self, *words: Any) -> None:
        """Log nothing: the browser shows the requests."""


class PageServer(ThreadingHTTPServer):
    """A server that limits the number and the time of connections; a browser that closes one early is no error."""

    def __init__(self, *given: Any) -> None:
        self._room = BoundedSemaphore(MAX_CONNECTIONS)
        super().__init__(*given)

    def process_request(self, request: Any, client_address: Any) -> None:
        if self._room.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        end = Timer(CONNECTION_SECONDS, _cut, [request])
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
    """Return the address of the page that *serving* serves."""
    return f"http://{HOST}:{serving.server_address[1]}{PLAY_PATH}"
