"""Keeps tables as CSV, with a list in each folder of their origins: metadata, version, commit and digest."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import pandas as pd

from spindle.output.files import lock, write_whole
from spindle.output.origin import UNKNOWN
from spindle.output.tables import signature, table_in, table_text
from spindle.sim.error import UserError
from spindle.sim.inputs import read_whole

ORIGINS = "origins.json"
"""The file of a folder with the origins of its tables."""
DIGEST, COMMIT = "sha256", "commit"
"""Entries of an origin."""
Origin = dict[str, str]
"""The origin of a table: its metadata, the version and commit that made it, and a digest of its bytes."""


@dataclass(frozen=True)
class KeptTable:
    """A kept table: its *frame* and its *origin*."""

    frame: pd.DataFrame
    origin: Origin


def keep_table(frame: pd.DataFrame, path: Path, metadata: Mapping[str, object]) -> None:
    """Write *frame* as the CSV *path*, and its origin, with *metadata*, into the list of its folder.

    A table whose bytes are unchanged keeps its origin: the commit is the first that gave these bytes.
    """
    content = table_text(frame)
    origin = signature({name: str(value) for name, value in metadata.items()}) | {DIGEST: _digest(content)}
    with suppress(OSError):  # it is there, or write_whole has the better message
        path.parent.mkdir(parents=True)
    with _folder_locked(path.parent):
        origins = read_origins(path.parent)
        write_whole(path, content)
        before = origins.get(path.name, {})
        if before.get(COMMIT, UNKNOWN) == UNKNOWN or {**before, COMMIT: ""} != {**origin, COMMIT: ""}:
            there = {name: each for name, each in origins.items() if (path.parent / name).exists()}
            text = json.dumps({**there, path.name: origin}, indent=1, sort_keys=True, ensure_ascii=False)
            write_whole(path.parent / ORIGINS, f"{text}\n".encode("utf-8", "backslashreplace"))


def kept_table(path: Path) -> KeptTable:
    """Read a table that ``keep_table`` wrote; UserError if *path* has no origin, or was changed since."""
    with _folder_locked(path.parent, shared=True):
        text, origin = read_whole(path), read_origins(path.parent).get(path.name)
    if origin is None:
        raise UserError(f"{path} has no entry in {path.parent / ORIGINS}: make it again")
    if origin[DIGEST] != _digest(text.encode("utf-8")):
        raise UserError(f"{path} is not as it was written: its digest is not the one in {path.parent / ORIGINS}")
    return KeptTable(table_in(text, path), origin)


@dataclass(frozen=True)
class LastTable:
    """A kept table, *frame*; *stale* tells if its inputs have changed since."""

    frame: pd.DataFrame
    stale: bool


def last_table(path: Path, made_from: str, digest: Callable[[pd.DataFrame], str]) -> LastTable | None:
    """Read the table that ``keep_table`` wrote into *path*; None without a file.

    It is stale if the entry *made_from* of its metadata differs from *digest* of the table.
    """
    if not path.exists():
        return None
    table = kept_table(path)
    return LastTable(table.frame, table.origin.get(made_from) != digest(table.frame))


def read_origins(folder: Path) -> dict[str, Origin]:
    """Return the origin of each table kept in *folder*, by the name of its file."""
    path = folder / ORIGINS
    if not path.exists():
        return {}
    try:
        origins = json.loads(read_whole(path))
        return {name: {**{key: str(value) for key, value in origin.items()}, DIGEST: origin[DIGEST]}
                for name, origin in origins.items()}
    except (ValueError, AttributeError, KeyError, TypeError, RecursionError) as error:
        raise UserError(f"{path} does not say where tables come from: remove it, and make them anew") from error


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()


@contextmanager
def _folder_locked(folder: Path, shared: bool = False) -> Iterator[None]:
    """Lock *folder*, so that a table and its origin are written and read as one, if the file system has locks."""
    descriptor = None
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        lock(descriptor, shared)
    try:
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)
