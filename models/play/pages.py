"""The page as a folder: its own files, the machines as JSON, Spindle's source for its Python, and packages."""

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import distribution
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from models.moving.page import FILES, SHARED
from models.play.packages import PYODIDE, UPLOT, NpmPackage, files_of
from models.play.playable import SYSTEMS
from sim.output.files import write_within
from sim.output.modules import closure
from sim.output.origin import ROOT

OWN = Path(__file__).parent / "page"
PACKAGES = (PYODIDE, UPLOT)
PYTHON = ("simpy", "lark")
"""What a run needs beside Python: pure Python, as installed."""
ENTRIES = ("models.play.worker", "models.play.watching")
MOVING = "moving"
"""The folder of the moving picture's own files, which are those of its page."""
DATA = (".tepe", ".lark", ".toml", ".scr", ".scp", ".sct")
STAMP = "packages.json"
"""Says which packages the folder has, so that they are not fetched again."""


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
    """What was pinned when the folder was written, if all files are still there."""
    try:
        kept = json.loads((folder / STAMP).read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return kept if all((folder / name).is_file() for each in PACKAGES for name in each.files.values()) else None


def source() -> bytes:
    """A zip of all modules that a worker of the page reaches, of their data, and of SimPy and lark; always the same."""
    content = BytesIO()
    with ZipFile(content, "w", ZIP_DEFLATED) as archive:
        for name, path in sorted([*_own(), *_installed()]):
            archive.writestr(ZipInfo(name), path.read_bytes(), ZIP_DEFLATED)
    return content.getvalue()


def _own() -> Iterator[tuple[str, Path]]:
    entries = (*ENTRIES, *(f"models.{name}.play" for name in SYSTEMS))
    for module in set().union(*map(closure, entries)):
        stem = ROOT.joinpath(*module.split("."))
        path = stem.with_suffix(".py") if stem.with_suffix(".py").is_file() else stem / "__init__.py"
        yield path.relative_to(ROOT).as_posix(), path
    for path in (ROOT / "workloads").rglob("*"):
        if path.suffix in DATA:
            yield path.relative_to(ROOT).as_posix(), path


def _installed() -> Iterator[tuple[str, Path]]:
    for name in PYTHON:
        spec = find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        folder = Path(spec.origin).parent
        for path in folder.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts and "__pyinstaller" not in path.parts:
                yield path.relative_to(folder.parent).as_posix(), path


def licences(packages: Sequence[NpmPackage]) -> str:
    """Whose work the page carries, under which licence, and where its source is."""
    lines = ["This page carries, beside Spindle (MIT):", ""]
    lines += [f"{each}, {each.licence}: https://www.npmjs.com/package/{each.name}" for each in packages]
    for name in PYTHON:
        info = distribution(name)
        lines.append(f"{name} {info.version}, MIT: https://pypi.org/project/{name}/{info.version}/")
        texts = [path for path in info.files or () if path.name.upper().startswith("LICEN")]
        lines += [f"\n{Path(str(info.locate_file(path))).read_text('utf-8').strip()}\n" for path in texts[:1]]
    lines.append("The Mozilla Public License 2.0 is at https://mozilla.org/MPL/2.0/; Pyodide's source at "
                 "https://github.com/pyodide/pyodide; that of Python, which it carries, at https://www.python.org.")
    return "\n".join(lines) + "\n"
