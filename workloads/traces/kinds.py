"""Files that are no trace: their kinds by their beginnings, of ``kinds.toml``, with a sentence on each."""

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("kinds.toml")
MAX_HEAD = 4096
"""Bytes of a file's beginning by which its kind is known."""


def kind_text(head: bytes, table: str) -> str:
    """Describe the kind of file that begins with *head*, by that *table* of the file; empty if it is in none."""
    start = head[:MAX_HEAD]
    for pattern, says in _kinds()[table]:
        if pattern.search(start):
            return says
    if table == "unknown" and b"\0" in start:
        return "this is a binary file of no kind that is known here; --format names one that is"
    return ""


@cache
def _kinds() -> dict[str, Sequence[tuple[re.Pattern[bytes], str]]]:
    return {table: [(re.compile(kind["begins"].encode("latin-1")), kind["says"]) for kind in kinds]
            for table, kinds in tomllib.loads(TABLE.read_text("utf-8")).items()}  # fmt: skip
