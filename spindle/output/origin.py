"""Finds the origin of a result: the commit of a checkout, and a digest of the source that computed it."""

import subprocess
from functools import cache
from hashlib import blake2b

from spindle.folders import PACKAGE, source_files

ROOT = PACKAGE.parent
"""The top folder of a checkout."""
SOURCE_FOLDERS = ("sim", "workloads", "models", "spindle")
"""Folders of a checkout with source."""
UNKNOWN = "unknown"
"""The commit outside a checkout."""


@cache
def commit() -> str:
    """Return the checked out commit, with ``-dirty`` where source differs from it; unknown outside a clone of Spindle.
    """
    if not (ROOT / ".git").exists():  # above it may lie another project's repository
        return UNKNOWN
    try:
        changed = _git("diff", "--name-only", "HEAD", "--", *SOURCE_FOLDERS)
        return _git("rev-parse", "HEAD") + ("-dirty" if changed else "")
    except (OSError, subprocess.SubprocessError):
        return UNKNOWN


def _git(*arguments: str) -> str:
    command = ("git", "--no-optional-locks", *arguments)
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=10).stdout.strip()


@cache
def source() -> str:
    """Return a digest of all files of the package: an edit changes it, committed or not."""
    digest = blake2b(digest_size=8)
    for name, path in sorted(source_files()):
        digest.update(f"{name}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()
