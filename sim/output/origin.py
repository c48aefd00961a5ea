"""Where a result comes from: Spindle's version, its commit, and a digest of the source that computed it."""

import subprocess
from functools import cache
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed
from pathlib import Path

ROOT = Path(__file__).parents[2]
PARTS = ("sim", "workloads", "models")
UNKNOWN = "unknown"


def version() -> str:
    try:
        return installed("spindle")
    except PackageNotFoundError:
        return UNKNOWN


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
    """A digest of every file that Spindle is made of: an edited model is another one, committed or not."""
    digest = blake2b(digest_size=8)
    for path in sorted(path for part in PARTS for path in (ROOT / part).rglob("*.*")):
        if "__pycache__" not in path.parts and path.is_file():
            digest.update(f"{path.relative_to(ROOT).as_posix()}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()
