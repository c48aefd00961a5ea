"""Reads timelines back from their files, Perfetto's and Chrome's; Heard is a timeline in memory."""

import json
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from struct import unpack
from typing import Any, NamedTuple

from spindle.sim.measure.tracing.trace import Notes


class Slice(NamedTuple):
    name: str
    begin: int
    end: int
    depth: int
    notes: dict[str, Any]


class Read:
    """Slices and values by track, from events as they stand in a file; what does not nest is not taken."""

    def __init__(self) -> None:
        self.slices: dict[str, list[Slice]] = defaultdict(list)
        self.values: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self.units: dict[str, str] = {}
        self._open: dict[str, list[tuple[str, int, dict[str, Any]]]] = defaultdict(list)
        self._last: dict[str, int] = defaultdict(int)

    def event(self, kind: str, track: str, name: str, instant: int, said: dict[str, Any]) -> None:
        assert instant >= self._last[track], f"{track} goes back in time"
        self._last[track] = instant
        if kind == "B":
            self._open[track].append((name, instant, said))
        elif kind == "E":
            name, begin, notes = self._open[track].pop()
            self.slices[track].append(Slice(name, begin, instant, len(self._open[track]), notes))
        else:
            assert said["value"] >= 0
            self.values[track].append((instant, said["value"]))

    def done(self) -> "Read":
        assert not any(self._open.values()), "a slice has no end"
        for track, slices in self.slices.items():
            for outer in {each.depth for each in slices}:
                ordered = [each for each in slices if each.depth == outer]
                assert all(one.end <= other.begin for one, other in pairwise(ordered)), f"slices of {track} overlap"
        return self

    def seconds(self, track: str, name: str | None = None, start: float = 0.0, depth: int | None = None) -> float:
        """How long after *start* the slices of *track*, those called *name*, last together."""
        return sum(
            max(0, each.end - max(each.begin, nano(start))) for each in self.slices[track]
            if name in (None, each.name) and depth in (None, each.depth)
        ) / 1e9


def nano(seconds: float) -> int:
    return round(seconds * 1e9)


def fields(data: bytes) -> dict[int, list[Any]]:
    """A message by protobuf's rule: numbers as int, eight bytes as float, anything of a length as bytes."""
    found: dict[int, list[Any]] = defaultdict(list)
    at = 0

    def numeral() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        field, wire = divmod(numeral(), 8)
        assert wire in (0, 1, 2)
        if wire == 0:
            found[field].append(numeral())
            continue
        length = 8 if wire == 1 else numeral()
        assert at + length <= len(data), "a message is cut off"
        piece = data[at : at + length]
        at += length
        found[field].append(unpack("<d", piece)[0] if wire == 1 else piece)
    return found


def perfetto(path: Path) -> Read:
    read, names = Read(), {}
    for packet in map(fields, fields(path.read_bytes())[1]):
        if 60 in packet:
            said = fields(packet[60][0])
            names[said[1][0]] = name = said[2][0].decode()
            assert 5 not in said or said[5][0] in names, f"{name} comes before its parent"
            if 8 in said:
                counter = fields(said[8][0])
                read.units[name] = "bytes" if counter[3] == [3] else counter[6][0].decode()
            continue
        event = fields(packet[11][0])
        assert packet[10] == [1], "an event without a sequence is not taken"
        (kind,), (track,), (instant,) = event[9], event[11], packet[8]
        name = event[23][0].decode() if 23 in event else ""
        notes = {"value": event[30][0]} if kind == 4 else dict(map(note, event[4]))
        read.event({1: "B", 2: "E", 4: "C"}[kind], names[track], name, instant, notes)
    return read.done()


def note(data: bytes) -> tuple[str, Any]:
    said = fields(data)
    (value,) = [value.decode() if field == 6 else value for field in (4, 5, 6) for value in said.get(field, [])]
    return said[10][0].decode(), value


def chrome(path: Path) -> Read:
    """Instants are read as text, so that no nanosecond is lost."""
    read, names = Read(), {}
    for event in json.loads(path.read_text(), parse_float=str)["traceEvents"]:
        kind, name, said = event["ph"], event.get("name", ""), event.get("args", {})
        if kind == "M":
            if name == "thread_name":
                names[event["tid"]] = said["name"]
            continue
        track = names[event["tid"]] if kind != "C" else name.rpartition(", ")[0]
        read.event(kind, track, name, int(event["ts"].replace(".", "")), said)
    return read.done()


class Said(NamedTuple):
    name: str
    begin: float
    end: float
    notes: dict[str, Any]


class Heard:
    """A trace in memory, in seconds."""

    def __init__(self) -> None:
        self.names = [""]
        self.below: dict[str, str] = {}
        self.units: dict[str, str] = {}
        self.slices: dict[str, list[Said]] = defaultdict(list)
        self.values: dict[str, list[tuple[float, int]]] = defaultdict(list)
        self._open: dict[int, list[tuple[str, int, Notes]]] = defaultdict(list)

    def track(self, name: str, parent: int = 0) -> int:
        self.names.append(name)
        self.below[name] = self.names[parent]
        return len(self.names) - 1

    def counter(self, name: str, unit: str, parent: int = 0) -> int:
        self.units[name] = unit
        return self.track(name, parent)

    def begin(self, track: int, name: str, instant: int, notes: Notes = ()) -> None:
        self._open[track].append((name, instant, notes))

    def end(self, track: int, instant: int) -> None:
        name, begin, notes = self._open[track].pop()
        self.slices[self.names[track]].append(Said(name, begin / 1e9, instant / 1e9, dict(notes)))

    def value(self, counter: int, instant: int, value: int) -> None:
        self.values[self.names[counter]].append((instant / 1e9, value))

    def finish(self) -> None:
        assert not any(self._open.values())
