"""Reads and writes the file of a study's kept rows: lines of JSON, compressed by xz in pieces.

New rows are a new piece at the end, and old pieces stay as they are: so each version in git takes little more room than
its new rows.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from lzma import FORMAT_XZ, LZMADecompressor, LZMAError, compress
from pathlib import Path

from spindle.output.files import write_whole

KEPT_SUFFIX = ".jsonl.xz"
UNREADABLE = (OSError, EOFError, LZMAError, ValueError, KeyError, TypeError, MemoryError, RecursionError)


@dataclass(frozen=True)
class KeptRow:
    """A kept run: *model* names the model numbers that made it, *row* is its result as text."""

    model: str
    platform: str
    function: str
    arguments: str
    seed: int
    row: str

    def check(self, name: str) -> str:
        """Return a digest by which edits of the line kept under *name* are found."""
        return blake2b("\0".join([name, *map(str, vars(self).values())]).encode(), digest_size=8).hexdigest()

    def line(self, name: str) -> str:
        return json.dumps({"key": name, **vars(self), "check": self.check(name)}, separators=(",", ":")) + "\n"


class KeptRowFile:
    """The file *path* of kept rows, if there is one: *rows* has the last of each key.

    *edited* counts lines that were changed by hand, which are ignored; *fault* is why the file cannot be read, or ''.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: dict[str, KeptRow] = {}
        self.lines = 0
        self.edited = 0
        self.fault = ""
        self._content = b""
        if path.exists():
            self._read()

    def _read(self) -> None:
        try:
            content = self.path.read_bytes()
            for text in b"".join(_pieces(content)).splitlines():
                self.lines += 1
                self._enter(**json.loads(text))
        except UNREADABLE as error:
            self.fault = " ".join(str(error).split())[:120] or type(error).__name__
            self.rows, self.lines, self.edited = {}, 0, 0
            return
        self._content = content

    def _enter(self, *, key: object, check: object, **fields: str | int) -> None:
        row = KeptRow(**fields)  # type: ignore[arg-type]
        texts = [key, *(value for name, value in vars(row).items() if name != "seed")]
        if all(isinstance(text, str) for text in texts) and row.check(str(key)) == check:
            self.rows[str(key)] = row
        else:
            self.edited += 1

    def keep(self, rows: Mapping[str, KeptRow]) -> None:
        """Keep *rows* in the file, new ones at its end; it is rewritten only if most of it is useless or wrong."""
        new = {name: row for name, row in rows.items() if self.rows.get(name) != row}
        if self._is_stale(rows, len(rows) - len(new)):
            self.path.unlink(missing_ok=True)
            self._content, new = b"", dict(rows)
        if new:
            piece = compress("".join(row.line(name) for name, row in new.items()).encode())
            write_whole(self.path, self._content + piece)

    def _is_stale(self, rows: Mapping[str, KeptRow], useful: int) -> bool:
        """Tell if the file is damaged, edited or of another model, or if more of its lines are useless than *rows*."""
        others = {row.model for row in self.rows.values()} - {row.model for row in rows.values()}
        return bool(self.fault or self.edited or others) or self.lines - useful > len(rows)


def _pieces(content: bytes) -> Iterator[bytes]:
    while content:
        reader = LZMADecompressor(FORMAT_XZ)
        yield reader.decompress(content)
        if not reader.eof:
            raise EOFError("it is cut short")
        content = reader.unused_data
