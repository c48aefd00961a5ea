"""The page of ``spindle play`` as a folder (files, machines as JSON, Spindle's source, packages), and its server."""

import json
import re
import socket
import subprocess
import sys
import tarfile
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import Field, dataclass, fields
from functools import partial
from hashlib import sha512
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import distribution
from importlib.util import find_spec
from inspect import signature
from io import BytesIO
from math import inf
from pathlib import Path, PurePosixPath
from shutil import which
from tempfile import TemporaryDirectory
from threading import BoundedSemaphore, Timer
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import unquote
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from spindle.folders import PACKAGE, source_files
from spindle.output.files import write_within
from spindle.output.text import thin_out
from spindle.playable import Playable, playable
from spindle.questions.settings import Setting
from spindle.sim.error import UserError, plain
from spindle.sim.parameter import Rule
from spindle.sim.parameter import describe as describe_parameters
from spindle.studies.confidence import quantile
from spindle.studies.system import System
from spindle.web.moving.film import FILES, SHARED
from spindle.web.play.request import MAX_SEEDS, VARIED_VALUES, PlayRequest, value_text, words_of

if TYPE_CHECKING:
    import pandas as pd

# The places of a slider: values about the usual one, as a command line has them, within the rule of a parameter.

SLIDER_DIGITS = 2
"""Digits of a slider's place; the default keeps all of its digits."""
FACTORS = [2 ** (step / 4) for step in range(-8, 9)]
SIZE_FACTORS = (0.125, 0.1875, 0.25, 0.375, 0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4, 6, 8)
"""Places of a slider over its default, of numbers and of sizes."""
NUMBERS_FROM_ZERO = (0, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)
SIZES_FROM_ZERO = (0, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 65536)
"""Places of a slider whose default is 0."""
SMALL_NUMBERS, MAX_USUAL = 9, 64
"""A slider of whole numbers up to MAX_USUAL stops at each of the first SMALL_NUMBERS."""


def usual_of(field: Field[Any]) -> Any:
    """The default of *field*."""
    return field.default


def ticks(field: Field[Any], setting: Setting) -> list[str]:
    """The places of the slider of the parameter *field*, in their order, its default among them."""
    rule, usual = field.metadata["rule"], usual_of(field)
    values = sorted({usual, *(each for each in _places_around(usual, setting, rule) if _is_allowed(each, rule))})
    return list(dict.fromkeys(value_text(each, setting) for each in values))


def _places_around(usual: float, setting: Setting, rule: Rule) -> Iterator[float]:
    if setting.kind is float and setting.unit == "1" and rule.high <= 1.0:
        yield from (step / 20 for step in range(21))
    elif setting.unit == "bytes":
        yield from (round(usual * each) for each in SIZE_FACTORS) if usual else SIZES_FROM_ZERO
    elif setting.kind is int:
        yield from (round(float(f"{usual * each:.{SLIDER_DIGITS}g}")) for each in FACTORS) if usual else range(11)
        yield from range(SMALL_NUMBERS if usual <= MAX_USUAL else 0)
    else:
        yield from (float(f"{usual * each:.{SLIDER_DIGITS}g}") for each in FACTORS) if usual else NUMBERS_FROM_ZERO


def _is_allowed(value: float, rule: Rule) -> bool:
    return rule.low <= value <= rule.high and not (rule.positive and value <= 0) and value < inf


# Description of the machines in JSON for the page: settings with their steps, units and sources.

SHOWN_FIRST = 10
"""Parameters that are shown at once."""


def describe(systems: Sequence[System], orders: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Describe all *systems* for the page; *orders* are their parameters by effect, where that was computed."""
    return {
        "student": [quantile(count, 0.975) for count in range(1, MAX_SEEDS)],
        "machines": {each.name: _machine(each, [*varied_parameters(each), *orders.get(each.name, ())])
                     for each in systems},
    }


def _machine(system: System, order: Sequence[str]) -> dict[str, Any]:
    machine = playable(system.name)
    rows = [*_arguments(machine), *_parts(machine), *_parameters(machine, order)]
    scripts = None if (language := machine.scripts) is None else {
        "option": language.option, "shipped": language.shipped_files()}  # fmt: skip
    return {
        "title": system.title, "paper": system.paper, "question": system.question, "settings": rows,
        "begin": dict(machine.begin), "vary": machine.vary[0], "values": list(machine.vary[1]),
        "curves": list(machine.curves), "window": machine.window, "scripts": scripts,
        "tour": list(_tour(system.name, machine)),
    }  # fmt: skip


def _tour(name: str, machine: Playable) -> Iterator[dict[str, str]]:
    """The questions of a tour, and the address of the runs that answer each."""
    for question, (vary, values, given) in machine.tour.items():
        request = PlayRequest(name, {**machine.begin, **given}, vary, values.split(","))
        yield {"says": question, "words": words_of(request)}


def _arguments(machine: Playable) -> Iterator[dict[str, Any]]:
    usual = signature(machine.run).parameters
    for name, offered in machine.offered.items():
        setting, default = machine.settings[name], usual[name].default
        shown = "" if default is None else value_text(default, setting) if setting.is_number else str(default).lower()
        words = ["true", "false"] if setting.kind is bool else list(offered.words)
        yield _row(name, "part" if offered.is_part else "run", shown, offered.values, words, "", offered.says)


def _parts(machine: Playable) -> Iterator[dict[str, Any]]:
    for name, choices in machine.parts.items():
        yield _row(name, "part", "", (), list(choices), "", "a part that may be exchanged")


def _parameters(machine: Playable, order: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the parameters of *order* first, the others as they were declared."""
    field_of = {each.name: each for each in fields(machine.parameters)}
    rows = list(describe_parameters(machine.parameters))
    rows.sort(key=lambda row: order.index(row.name) if row.name in order else len(order))
    for place, row in enumerate(rows):
        setting = machine.settings[row.name]
        group = "first" if place < SHOWN_FIRST else "other"
        places = ticks(field_of[row.name], setting)
        yield _row(row.name, group, value_text(usual_of(field_of[row.name]), setting), places, (), row.kind, row.note,
                   "" if row.unit == "1" else row.unit)  # fmt: skip


def _row(
    name: str, group: str, usual: str, places: Sequence[str], words: Sequence[str], kind: str, note: str,
    unit: str = "",
) -> dict[str, Any]:  # fmt: skip
    return {
        "name": name, "group": group, "usual": usual, "places": list(places), "words": list(words), "kind": kind,
        "note": note, "unit": unit, "spread": list(words) or thin_out(places, VARIED_VALUES),
    }  # fmt: skip


def varied_parameters(system: System) -> list[str]:
    """List the parameters that studies of *system* vary, those of most studies first: what its paper asks about."""
    axes = [{name for runs in study.runs for name, values in runs.grid.items() if isinstance(values, Sequence)
             and not isinstance(values, str) and len(values) > 1} for study in system.studies]  # fmt: skip
    counts = Counter(name for names in axes for name in sorted(names) if hasattr(system.parameters, name))
    return [name for name, _ in counts.most_common()]


def by_importance(sensitivity: "pd.DataFrame") -> list[str]:
    """The parameters of a table of sensitivity: by how many verdicts flip, and then by the largest change."""
    rows = sensitivity.assign(size=sensitivity["change"].abs()).groupby("parameter", sort=False)
    ranked = rows.agg(flips=("flips", "sum"), size=("size", "max")).sort_values(["flips", "size"], ascending=False)
    return [str(name) for name in ranked.index]


# Packages of npm that the page is made with: fetched by its client, held to a digest, none of them run.

MAX_BYTES = 64 << 20
"""Bytes of one file of a package."""
PATIENCE = 600.0
"""Seconds for npm to fetch a package."""
NO_NPM = "npm is missing, which fetches the page's packages; install it (Debian: sudo apt install npm)"


@dataclass(frozen=True)
class NpmPackage:
    """A *version* of a package, the *integrity* of its archive as npm states it, and its *licence* by its SPDX name.

    *files* are those that are taken from it, by their paths, and what they are called in the page.
    """

    name: str
    version: str
    integrity: str
    licence: str
    files: Mapping[str, str]

    def __str__(self) -> str:
        return f"{self.name}@{self.version}"


PYODIDE = NpmPackage(
    "pyodide", "314.0.7",
    "sha512-0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A==", "MPL-2.0",
    {name: f"pyodide/{name}" for name in (
        "pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json",
        "package.json")},
)  # fmt: skip
UPLOT = NpmPackage(
    "uplot", "1.6.32",
    "sha512-KIMVnG68zvu5XXUbC4LQEPnhwOxBuLyW1AHtpm6IKTXImkbLgkMy+jabjLgSLMasNuGGzQm/ep3tOkyTxpiQIw==", "MIT",
    {"dist/uPlot.esm.js": "uplot/uPlot.esm.js", "dist/uPlot.min.css": "uplot/uPlot.min.css",
     "LICENSE": "uplot/LICENSE"},
)  # fmt: skip


def files_of(package: NpmPackage) -> dict[str, bytes]:
    """The files of *package* as the page calls them; UserError where npm is absent, fails, or gives another archive."""
    npm = which("npm")
    if npm is None:
        raise UserError(NO_NPM)
    with TemporaryDirectory() as folder:
        archive = _fetch(npm, package, Path(folder))
        check_integrity(package, archive.read_bytes())
        return unpack(package, archive)


def _fetch(npm: str, package: NpmPackage, folder: Path) -> Path:
    command = [npm, "pack", str(package), "--ignore-scripts", "--prefer-offline", "--silent",
               "--pack-destination", str(folder)]  # fmt: skip
    try:
        ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        raise UserError(f"npm has not fetched {package} within {PATIENCE:g} s") from None
    archives = list(folder.glob("*.tgz"))
    if ran.returncode or len(archives) != 1:
        why = plain(" ".join(ran.stderr.split()))[:200] or f"exit status {ran.returncode}; is the network there?"
        raise UserError(f"npm cannot fetch {package}: {why}")
    return archives[0]


def check_integrity(package: NpmPackage, content: bytes) -> None:
    """UserError where *content* is not the archive that was pinned."""
    if f"sha512-{b64encode(sha512(content).digest()).decode()}" != package.integrity:
        raise UserError(f"what npm fetched for {package} is not what was pinned, and is not used")


def unpack(package: NpmPackage, archive: Path) -> dict[str, bytes]:
    """Return the files of *package* in its *archive*, under the page's names; nothing else is taken from there."""
    files: dict[str, bytes] = {}
    with tarfile.open(archive) as tar:
        for path, name in package.files.items():
            try:
                member = tar.getmember(f"package/{path}")
            except KeyError:
                raise UserError(f"{package} has no file {path}") from None
            content = tar.extractfile(member) if member.isfile() and member.size <= MAX_BYTES else None
            if content is None:
                raise UserError(f"{package}: {path} is no file of at most {MAX_BYTES >> 20} MiB")
            files[name] = content.read()
    return files


OWN = Path(__file__).parent / "page"
PACKAGES = (PYODIDE, UPLOT)
PYTHON = {"simpy": "simpy", "lark": "lark", "yaml": "PyYAML"}
"""Modules that a run needs besides Python: pure Python, as installed, and the packages that have them."""
NEEDED = ("__init__.py", "folders.py", "machine", "models", "output", "playable.py", "questions", "sim", "systems.py",
          "traces", "web", "workloads")  # fmt: skip
"""Parts of the package that a run in the browser needs, besides studies."""
NEEDED_STUDIES = ("studies/__init__.py", "studies/system.py")
"""Files of studies that such a run needs."""
MOVING = "moving"
"""The folder of the files of the moving picture."""
DATA = (".tepe", ".lark", ".toml", ".yaml", ".scr", ".scp", ".sct")
COMPILED = (".so", ".pyd")
"""Modules for this machine; packages have Python instead where these are absent."""
STAMP = "packages.json"
"""The file that says which packages the folder has, so that they are not fetched again."""


def write_pages(folder: Path, machines: Mapping[str, Any]) -> None:
    """Write the page into *folder*; packages that it has of the same digest stay as they are."""
    pinned = {package.name: package.integrity for package in PACKAGES}
    if _stamp(folder) != pinned:
        for package in PACKAGES:
            for name, content in files_of(package).items():
                _write(folder, name, content)
    for path in sorted(OWN.iterdir()):
        _write(folder, path.name, path.read_bytes())
    for name in SHARED:
        _write(folder, f"{MOVING}/{name}", (FILES / name).read_bytes())
    _write(folder, "machines.json", json.dumps(machines).encode())
    _write(folder, "spindle.zip", source())
    _write(folder, "LICENCES.txt", licences(PACKAGES).encode())
    _write(folder, STAMP, json.dumps(pinned).encode())


def _write(folder: Path, name: str, content: bytes) -> None:
    write_within(folder, name, content)


def _stamp(folder: Path) -> object:
    """Return what was pinned when the folder was written, if all files are still there."""
    try:
        kept = json.loads((folder / STAMP).read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return kept if all((folder / name).is_file() for each in PACKAGES for name in each.files.values()) else None


def source() -> bytes:
    """A zip of the modules that a worker may import, of their data, and of SimPy, lark and PyYAML; always the same."""
    content = BytesIO()
    with ZipFile(content, "w", ZIP_DEFLATED) as archive:
        for name, path in sorted([*_own(), *_package_files()]):
            archive.writestr(ZipInfo(name), path.read_bytes(), ZIP_DEFLATED)
    return content.getvalue()


def _own() -> Iterator[tuple[str, Path]]:
    for name, path in source_files():
        inner = PurePosixPath(name)
        is_needed = inner.parts[0] in NEEDED and "studies" not in inner.parts and path.suffix in (".py", *DATA)
        if is_needed or name in NEEDED_STUDIES:
            yield f"{PACKAGE.name}/{name}", path


def _package_files() -> Iterator[tuple[str, Path]]:
    for name in PYTHON:
        spec = find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        folder = Path(spec.origin).parent
        for path in folder.rglob("*"):
            is_for_all = not {"__pycache__", "__pyinstaller"} & {*path.parts} and path.suffix not in COMPILED
            if path.is_file() and is_for_all:
                yield path.relative_to(folder.parent).as_posix(), path


def licences(packages: Sequence[NpmPackage]) -> str:
    """Return the licences of the work that the page carries, and the places of its source."""
    lines = ["This page carries, beside Spindle (MIT):", ""]
    lines += [f"{each}, {each.licence}: https://www.npmjs.com/package/{each.name}" for each in packages]
    for name in PYTHON.values():
        info = distribution(name)
        lines.append(f"{name} {info.version}, MIT: https://pypi.org/project/{name}/{info.version}/")
        texts = [path for path in info.files or () if path.name.upper().startswith("LICEN")]
        lines += [f"\n{Path(str(info.locate_file(path))).read_text('utf-8').strip()}\n" for path in texts[:1]]
    lines.append("The Mozilla Public License 2.0 is at https://mozilla.org/MPL/2.0/; Pyodide's source at "
                 "https://github.com/pyodide/pyodide; that of Python, which it carries, at https://www.python.org.")
    return "\n".join(lines) + "\n"


# A file server for this machine alone: the page of ``spindle play``, and the report whose figures lead to it.

HOST = "127.0.0.1"
NAMES = (HOST, "localhost")
"""Names of this machine: a page of another name, which it gives to this address, gets nothing."""
MAX_CONNECTIONS, LONGEST = 64, 30.0
"""Connections at a time, and seconds that each may take."""
PAGE = "/play/"
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
        if self.headers.get("Host", HOST).rpartition("@")[2].partition(":")[0].lower() not in NAMES:
            return self.send_error(HTTPStatus.MISDIRECTED_REQUEST)
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
    """A server of MAX_CONNECTIONS for LONGEST seconds each; it does not report a browser that leaves before its answer.
    """

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
    return f"http://{HOST}:{serving.server_address[1]}{PAGE}"
