"""A file server for this machine alone: the page of ``spindle play``, and the report whose figures lead to it."""

import re
import sys
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import unquote

from sim.error import UserError

HOST = "127.0.0.1"
PAGE = "/play/"
"""Where the page is; the report is beside it."""
REPORT = re.compile(r"/(report\.html|\w+/\w+\.csv)")
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
        path = self.path.split("?")[0].split("#")[0]
        if path in ("/", PAGE.rstrip("/")):
            self.send_response(HTTPStatus.FOUND)
            self.send_header("Location", PAGE)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return None
        if path.startswith(PAGE):
            self.directory, self.path = str(self._page), path.removeprefix(PAGE.rstrip("/"))
        elif REPORT.fullmatch(path):
            self.directory = str(self._results)
        else:
            return self.send_error(HTTPStatus.NOT_FOUND)
        if "\0" in unquote(path):
            return self.send_error(HTTPStatus.NOT_FOUND)
        return super().send_head()

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
    """Leaves browsers that go before they have their answer to themselves."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


def server(page: Path, results: Path, port: int) -> ThreadingHTTPServer:
    """Serves *page*, and the report in *results*, on this machine's *port*, or on any that is free if it is 0."""
    try:
        return PageServer((HOST, port), partial(PageHandler, page=page, results=results))
    except OSError as error:
        raise UserError(f"--port: {port} cannot be had: {error.strerror}; another is: --port 0") from error


def address(serving: ThreadingHTTPServer) -> str:
    return f"http://{HOST}:{serving.server_address[1]}{PAGE}"
