"""Origin of a result: Spindle's version, its commit, and a digest of the source that computed it."""

import os
import subprocess
from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = Path(__file__).parents[1]
PARTS = ("sim", "workloads", "models", "spindle")
"""The folders of a checkout that hold source."""
UNKNOWN = "unknown"


@cache
def commit() -> str:
    """The commit that is checked out, ``-dirty`` where source differs from it; unknown outside a clone of Spindle."""
    if not (ROOT / ".git").exists():  # above it may lie another project's repository
        return UNKNOWN
    try:
        return _git("rev-parse", "HEAD") + ("-dirty" if _git("diff", "--name-only", "HEAD", "--", *PARTS) else "")
    except (OSError, subprocess.SubprocessError):
        return UNKNOWN


def _git(*arguments: str) -> str:
    command = ("git", "--no-optional-locks", *arguments)
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=10).stdout.strip()


@cache
def source() -> str:
    """Return a digest of all files of the package: an edit changes it, committed or not."""
    digest = blake2b(digest_size=8)
    for path in sorted(source_files()):
        digest.update(f"{path.relative_to(PACKAGE).as_posix()}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()


def source_files() -> Iterator[Path]:
    """Every file of the package; in a checkout some of its folders are links."""
    for folder, inner, names in os.walk(PACKAGE, followlinks=True):
        inner[:] = [name for name in inner if name not in ("__pycache__", "notebooks")]
        yield from (Path(folder, name) for name in names)
