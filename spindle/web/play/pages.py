"""Writes the page of ``spindle play`` into a folder: files, systems as JSON, Spindle's source, packages, licences."""

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import distribution
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from spindle.folders import PACKAGE, source_files
from spindle.output.files import write_within
from spindle.web.moving.film import PAGE_FOLDER, SHARED
from spindle.web.play.npm import PACKAGES, NpmPackage, files_of

PLAY_FOLDER = Path(__file__).parent / "page"
"""The folder of the page's own files."""
PYTHON_PACKAGES = {"simpy": "simpy", "lark": "lark", "yaml": "PyYAML"}
"""Modules of pure Python that a run needs besides Spindle, and the installed packages that have them."""
RUN_NEEDS = ("__init__.py", "__init__.pyi", "folders.py", "machine", "measures.py", "measures.toml", "models", "output",
          "questions", "sim", "system.py", "systems.py", "traces", "web", "workloads")  # fmt: skip
"""Parts of the package that a run in the browser needs, besides studies."""
NEEDED_STUDIES = ("studies/__init__.py", "studies/ensemble.py", "studies/idle.py", "studies/settings.py")
"""Files of studies that such a run needs."""
MACHINES_FILE = "machines.json"
"""The file of the descriptions of systems, and of the results that the page shows first."""
MOVING = "moving"
"""The folder of the moving picture within the page."""
DATA_SUFFIXES = (".pyi", ".tepe", ".lark", ".toml", ".yaml", ".scr", ".scp", ".sct")
"""Endings of files of data that a run may read."""
COMPILED_SUFFIXES = (".so", ".pyd")
"""Endings of compiled modules, which a browser cannot run; the packages work without them."""
PACKAGES_FILE = "packages.json"
"""The file that lists the packages in the folder with their digests, so that they are not fetched again."""


def write_packages(folder: Path) -> None:
    """Write the packages of npm into *folder*, unless it has all of them with the same digests."""
    pinned = {package.name: package.integrity for package in PACKAGES}
    if _stamp(folder) != pinned:
        for package in PACKAGES:
            for name, content in files_of(package).items():
                write_within(folder, name, content)
    write_within(folder, PACKAGES_FILE, json.dumps(pinned).encode())


def write_pages(folder: Path, machines: Mapping[str, Any]) -> None:
    """Write the page of these *machines* into *folder*, which has the packages."""
    for path in sorted(PLAY_FOLDER.iterdir()):
        write_within(folder, path.name, path.read_bytes())
    for name in SHARED:
        write_within(folder, f"{MOVING}/{name}", (PAGE_FOLDER / name).read_bytes())
    write_within(folder, MACHINES_FILE, json.dumps(machines).encode())
    write_within(folder, "spindle.zip", source())
    write_within(folder, "LICENCES.txt", licences(PACKAGES).encode())


def _stamp(folder: Path) -> object:
    """Return the packages and digests listed in the folder, if all their files are still there."""
    try:
        kept = json.loads((folder / PACKAGES_FILE).read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return kept if all((folder / name).is_file() for each in PACKAGES for name in each.files.values()) else None


def source() -> bytes:
    """Return a zip of the modules that a worker may import, with data, SimPy, lark and PyYAML; its bytes never vary."""
    content = BytesIO()
    with ZipFile(content, "w", ZIP_DEFLATED) as archive:
        for name, path in sorted([*_own(), *_package_files()]):
            archive.writestr(ZipInfo(name), path.read_bytes(), ZIP_DEFLATED)
    return content.getvalue()


def _own() -> Iterator[tuple[str, Path]]:
    for name, path in source_files():
        inner = PurePosixPath(name)
        is_source = path.suffix in (".py", *DATA_SUFFIXES) and "studies" not in inner.parts
        if (is_source and inner.parts[0] in RUN_NEEDS) or name in NEEDED_STUDIES:
            yield f"{PACKAGE.name}/{name}", path


def _package_files() -> Iterator[tuple[str, Path]]:
    for name in PYTHON_PACKAGES:
        spec = find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        folder = Path(spec.origin).parent
        for path in folder.rglob("*"):
            is_for_all = not {"__pycache__", "__pyinstaller"} & {*path.parts} and path.suffix not in COMPILED_SUFFIXES
            if path.is_file() and is_for_all:
                yield path.relative_to(folder.parent).as_posix(), path


def licences(packages: Sequence[NpmPackage]) -> str:
    """Return the licences of all software in the page, and where its source is found."""
    lines = ["This page carries, beside Spindle (MIT):", ""]
    lines += [f"{each}, {each.licence}: https://www.npmjs.com/package/{each.name}" for each in packages]
    for name in PYTHON_PACKAGES.values():
        info = distribution(name)
        lines.append(f"{name} {info.version}, MIT: https://pypi.org/project/{name}/{info.version}/")
        texts = [path for path in info.files or () if path.name.upper().startswith("LICEN")]
        lines += [f"\n{Path(str(info.locate_file(path))).read_text('utf-8').strip()}\n" for path in texts[:1]]
    lines.append("The Mozilla Public License 2.0 is at https://mozilla.org/MPL/2.0/; Pyodide's source at "
                 "https://github.com/pyodide/pyodide; that of Python, which it carries, at https://www.python.org.")
    return "\n".join(lines) + "\n"
