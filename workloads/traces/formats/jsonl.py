"""JSON lines: an object a line, one field of which has the requested key, or a list of keys, in their order.

Mooncake's traces (Qin et al., FAST 2025) are such: ``hash_ids`` are the blocks of a prompt, ``timestamp`` milliseconds.
"""

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any

from spindle.sim.error import UserError, shown, unknown
from spindle.sim.request import READ
from spindle.sim.units import MS
from spindle.workloads.traces.faults import Wrong
from spindle.workloads.traces.formats.rows import MOST_KEYS
from spindle.workloads.traces.record import Record
from spindle.workloads.traces.shape import COMMA, Shape, word
from spindle.workloads.traces.text import TextFormat

HASHES = "hash_ids"
TIMES = {"timestamp": MS, "timestamp_ms": MS, "time_ms": MS, "time_s": 1.0, "time": 1.0}
"""Fields with the time of a request, and their units."""
LONGEST_KEY = 4096


class JsonLines:
    """*field* has the keys; *size*, if that is there, the bytes of each, *ttl* for how many seconds they are valid,
    and *tenant* or *device* their owner."""

    shape = Shape([word("line")], COMMA)

    def __init__(self, field: str = HASHES) -> None:
        self.field = field
        self._began: float | None = None

    def parse(self, line: str) -> Record | None:
        entry = self._object(line)
        if self.field not in entry:
            raise Wrong(str(unknown("field", self.field, entry)))
        value = entry[self.field]
        keys = value if isinstance(value, list) else [value]
        if len(keys) > MOST_KEYS:
            raise Wrong(f"one line asks for at most {MOST_KEYS} keys, not {len(keys)}")
        if not keys:
            return None
        tenant = entry.get("tenant", entry.get("device", ""))
        names = tuple(map(self._key, keys))
        size, ttl = self._size(entry), self._ttl(entry)
        return Record(self._time(entry), str(tenant)[:255], READ, 0, size, keys=names, ttl=ttl)

    def _object(self, line: str) -> Mapping[str, Any]:
        try:
            entry = json.loads(line)
        except json.JSONDecodeError as error:
            raise Wrong(f"this is no JSON: {error.msg}", column=error.colno) from None
        except (ValueError, RecursionError):
            raise Wrong("this is no JSON that can be read: too deep, or a number too long") from None
        if not isinstance(entry, dict):
            raise Wrong(f"a line must be an object in braces, not {shown(line)}")
        return entry

    def _key(self, key: object) -> str:
        if isinstance(key, bool) or not isinstance(key, str | int) or not 0 < len(str(key)) <= LONGEST_KEY:
            raise Wrong(f"a key must be a whole number or 1 to {LONGEST_KEY} characters, not {shown(str(key))}")
        return str(key)

    def _time(self, entry: Mapping[str, Any]) -> float | None:
        for name, unit in TIMES.items():
            if name in entry:
                now = entry[name]
                if isinstance(now, bool) or not isinstance(now, int | float) or abs(now) > 1e25 or not isfinite(now):
                    raise Wrong(f"{name} must be a number, not {shown(str(now))}")
                self._began = now if self._began is None else self._began
                return (now - self._began) * unit
        return None

    @staticmethod
    def _ttl(entry: Mapping[str, Any]) -> float | None:
        ttl = entry.get("ttl")
        if isinstance(ttl, bool) or not isinstance(ttl, int | float | None) or not abs(ttl or 0) < 1e25:
            raise Wrong(f"ttl must be a number of seconds, not {shown(str(ttl))}")
        return float(ttl) if ttl and ttl > 0 else None

    @staticmethod
    def _size(entry: Mapping[str, Any]) -> int:
        size = entry.get("size", 1)
        if isinstance(size, bool) or not isinstance(size, int):
            raise Wrong(f"size must be a whole number of bytes, not {shown(str(size))}")
        return size


def keyed(field: str) -> TextFormat:
    """The format of JSON lines of which *field* has the keys."""
    if not field:
        raise UserError("--keys must name a field")
    return TextFormat("jsonl", (".jsonl",), "a request is a line with a key", lambda: JsonLines(field))


JSONL = keyed(HASHES)
