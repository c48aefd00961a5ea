"""Parts that `make fast` compiled: taken instead of their source, as long as that is what they were compiled from."""

import json
import os
import sys
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from importlib.abc import MetaPathFinder
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[1]
BUILT = ROOT / "build" / "fast" / str(sys.implementation.cache_tag)
"""What was compiled for the Python that is running."""
NAMES = "names.json"
"""The modules that lie there, and the digest of the files that they were compiled from."""
PURE = "SPINDLE_PURE"
"""Set in the environment to anything, it leaves them aside."""


class CompiledParts(MetaPathFinder):
    """Finds the *modules* that were compiled into *folder*."""

    def __init__(self, folder: Path, modules: Iterable[str]) -> None:
        self.files = {name: folder.joinpath(*name.split(".")) for name in modules}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        file = self.files.get(fullname)
        return None if file is None else spec_from_file_location(fullname, f"{file}{EXTENSION_SUFFIXES[0]}")


def digest(files: Iterable[str], root: Path = ROOT) -> str:
    """Of the texts of *files*, named from *root*; one that is missing is an OSError."""
    said = blake2b(digest_size=16)
    for name in sorted(files):
        said.update(f"{name}\0".encode() + (root / name).read_bytes() + b"\0")
    return said.hexdigest()


def find_compiled(folder: Path = BUILT, root: Path = ROOT) -> None:
    """From now on import what was compiled into *folder*; one line says so where its source was edited thereafter."""
    if os.environ.get(PURE) or not (folder / NAMES).is_file():
        return
    names = json.loads((folder / NAMES).read_text("utf-8"))
    try:
        current = digest(names["sources"], root) == names["digest"]
    except OSError:
        current = False
    if current:
        sys.meta_path.insert(0, CompiledParts(folder, names["modules"]))
    else:
        print("spindle: compiled parts are older than their source and left aside: make fast, or make pure",
              file=sys.stderr)


def are_compiled() -> bool:
    """Whether parts that were compiled are taken."""
    return any(isinstance(each, CompiledParts) for each in sys.meta_path)
