"""A timeline of one run: the activity of each part, for ui.perfetto.dev, in Perfetto's format or Chrome's JSON.

It is written while the run goes on. Before the run begins it wraps the counters of the machine's parts. A run without a
timeline is not affected; one with it gives the same result, because it adds no event.
"""

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from struct import pack
from types import TracebackType
from typing import BinaryIO, Protocol, Self, runtime_checkable

from spindle.sim.cpu import Cpu
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.flash.drive import FlashDrive
from spindle.sim.error import UserError
from spindle.sim.machine import Machine
from spindle.sim.measure.load import Load, Window
from spindle.sim.measure.observer import Observer
from spindle.sim.measure.tracing.drives import Levels, Notes, TimelineTrace, TracedCounts, TracedLanes, nanoseconds
from spindle.sim.measure.tracing.jobs import TracedCpu, TracedLock, TracedOwners, TracedResponses, locks_of
from spindle.sim.memory import SharedMemory
from spindle.sim.terminal import Transaction

# A trace in Chrome's JSON format, for small runs and for other programs.
#
# Names from the Trace Event Format (docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU). It has
# processes and threads only, so that a track and its children become one process; times are in microseconds.

class ChromeJson:
    """Writes tracks, slices and counters into *file* as JSON, one event a line; methods as of PerfettoTrace."""

    def __init__(self, file: BinaryIO) -> None:
        self._write = file.write
        self._before = b'{"displayTimeUnit": "ms", "traceEvents": [\n'
        self._places: list[tuple[int, int]] = [(0, 0)]
        self._names: list[str] = [""]

    def track(self, name: str, parent: int = 0) -> int:
        track = self._place(name, parent)
        self._event("M", track, "thread_name", args={"name": name})
        self._event("M", track, "thread_sort_index", args={"sort_index": track})
        return track

    def counter(self, name: str, unit: str, parent: int = 0) -> int:
        return self._place(f"{name}, {unit}", parent)

    def _place(self, name: str, parent: int) -> int:
        track = len(self._places)
        self._places.append((self._places[parent][0] or track, track))
        self._names.append(name)
        if not parent:
            self._event("M", track, "process_name", args={"name": name})
            self._event("M", track, "process_sort_index", args={"sort_index": track})
        return track

    def begin(self, track: int, name: str, instant: int, notes: Notes = ()) -> None:
        self._event("B", track, name, instant, dict(notes))

    def end(self, track: int, instant: int) -> None:
        self._event("E", track, "", instant)

    def value(self, counter: int, instant: int, value: int) -> None:
        self._event("C", counter, self._names[counter], instant, {"value": value})

    def _event(
        self, kind: str, track: int, name: str = "", instant: int = 0, args: dict[str, str | int | float] | None = None
    ) -> None:
        process, thread = self._places[track]
        event = f'{{"ph": "{kind}", "ts": {instant // 1000}.{instant % 1000:03d}, "pid": {process}, "tid": {thread}'
        if name:
            event += f', "name": {json.dumps(name)}'
        if args:
            event += f', "args": {json.dumps(args)}'
        self._write(self._before + event.encode() + b"}")
        self._before = b",\n"

    def finish(self) -> None:
        self._write(self._before.removesuffix(b",\n") + b"\n]}\n")


# A trace in Perfetto's own format: packets of track events, in protobuf's encoding, written one after the other.
#
# Fields from the definitions in google/perfetto, protos/perfetto/trace: trace.proto, trace_packet.proto, and under
# track_event: track_descriptor.proto, counter_descriptor.proto, track_event.proto, debug_annotation.proto. The encoding
# is that of protobuf.dev/programming-guides/encoding.

_NUMBER, _DOUBLE, _BYTES = 0, 1, 2
"""Protobuf's wire types."""

_PACKET = 1
"""Fields of Trace."""
_TIMESTAMP, _SEQUENCE, _EVENT, _DESCRIPTOR = 8, 10, 11, 60
"""Fields of TracePacket; without a trusted_packet_sequence_id its event would be ignored."""
_UUID, _TRACK_NAME, _PARENT, _COUNTER, _CHILD_ORDERING, _RANK = 1, 2, 5, 8, 11, 12
"""Fields of TrackDescriptor."""
_EXPLICIT = 3
"""TrackDescriptor.ChildTracksOrdering: children in the order of their ranks."""
_UNIT, _UNIT_NAME = 3, 6
"""Fields of CounterDescriptor."""
_SIZE_BYTES = 3
"""CounterDescriptor.Unit."""
_ANNOTATION, _TYPE, _TRACK, _NAME, _VALUE = 4, 9, 11, 23, 30
"""Fields of TrackEvent."""
_BEGIN, _END, _COUNT = 1, 2, 4
"""TrackEvent.Type."""
_INT_VALUE, _DOUBLE_VALUE, _STRING_VALUE, _ANNOTATION_NAME = 4, 5, 6, 10
"""Fields of DebugAnnotation."""


def _varint(number: int) -> bytes:
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


_SHORT = [_varint(number) for number in range(1 << 7)]
_MIDDLE = [bytes((number & 0x7F | 0x80, number >> 7 | 0x80)) for number in range(1 << 14)]
"""Fourteen bits of a number that goes on: instants are long, and there are two of them for every slice."""


def varint(number: int) -> bytes:
    """Encode *number*, seven bits a byte, the lowest first; a negative one as 64 bits in two's complement."""
    if 0 <= number < 1 << 7:
        return _SHORT[number]
    if 1 << 28 <= number < 1 << 42:
        return _MIDDLE[number & 0x3FFF] + _MIDDLE[number >> 14 & 0x3FFF] + _varint(number >> 28)
    return _varint(number & 0xFFFF_FFFF_FFFF_FFFF)


def number(field: int, value: int) -> bytes:
    return varint(field << 3 | _NUMBER) + varint(value)


def chunk(field: int, data: bytes) -> bytes:
    """Encode a message or a string within another message."""
    return varint(field << 3 | _BYTES) + varint(len(data)) + data


@lru_cache(maxsize=10_000)
def text(field: int, value: str) -> bytes:
    return chunk(field, value.encode())


def _annotation(name: str, value: str | int | float) -> bytes:
    if isinstance(value, str):
        return _text_note(name, value)
    field = number(_INT_VALUE, value) if isinstance(value, int) else _DOUBLE_NEXT + pack("<d", value)
    return chunk(_ANNOTATION, text(_ANNOTATION_NAME, name) + field)


@lru_cache(maxsize=10_000)
def _text_note(name: str, value: str) -> bytes:
    return chunk(_ANNOTATION, text(_ANNOTATION_NAME, name) + text(_STRING_VALUE, value))


@lru_cache(maxsize=10_000)
def _event(kind: int, track: int, name: str) -> bytes:
    """The fields that all events of one kind and one *name* on one *track* share."""
    return number(_TYPE, kind) + number(_TRACK, track) + (text(_NAME, name) if name else b"")


_DOUBLE_NEXT = varint(_DOUBLE_VALUE << 3 | _DOUBLE)
_FROM = varint(_TIMESTAMP << 3 | _NUMBER)
_SAME = number(_SEQUENCE, 1)
_IN_TRACE = varint(_PACKET << 3 | _BYTES)


@lru_cache(maxsize=10_000)
def _plain(kind: int, track: int, name: str) -> bytes:
    """Encode the packet of an event without annotations, after its instant."""
    return _SAME + chunk(_EVENT, _event(kind, track, name))


class PerfettoTrace:
    """Writes tracks, slices and counters into *file*; instants are nanoseconds, in order on each track."""

    def __init__(self, file: BinaryIO) -> None:
        self._write = file.write
        self._tracks = 0

    def track(self, name: str, parent: int = 0) -> int:
        """Make a track, for slices or to hold other tracks; it follows its siblings in the order of their making."""
        return self._describe(name, parent, b"")

    def counter(self, name: str, unit: str, parent: int = 0) -> int:
        unit_field = number(_UNIT, _SIZE_BYTES) if unit == "bytes" else text(_UNIT_NAME, unit)
        return self._describe(name, parent, chunk(_COUNTER, unit_field))

    def _describe(self, name: str, parent: int, what: bytes) -> int:
        self._tracks += 1
        fields = number(_UUID, self._tracks) + text(_TRACK_NAME, name) + what
        if parent:
            fields += number(_PARENT, parent) + number(_RANK, self._tracks)
        self._write(chunk(_PACKET, chunk(_DESCRIPTOR, fields + number(_CHILD_ORDERING, _EXPLICIT))))
        return self._tracks

    def begin(self, track: int, name: str, instant: int, notes: Notes = ()) -> None:
        """Begin a slice on *track*, within the one that is open there, if any."""
        if notes:
            event = _event(_BEGIN, track, name) + b"".join([_annotation(*note) for note in notes])
            self._packet(instant, _SAME + chunk(_EVENT, event))
        else:
            self._packet(instant, _plain(_BEGIN, track, name))

    def end(self, track: int, instant: int) -> None:
        """End the open slice on *track* that began last."""
        self._packet(instant, _plain(_END, track, ""))

    def value(self, counter: int, instant: int, value: int) -> None:
        """Set *counter* to *value* from *instant* on."""
        self._packet(instant, _SAME + chunk(_EVENT, _event(_COUNT, counter, "") + number(_VALUE, value)))

    def _packet(self, instant: int, rest: bytes) -> None:
        body = _FROM + varint(instant) + rest
        self._write(_IN_TRACE + varint(len(body)) + body)

    def finish(self) -> None:
        """Write nothing: a trace is its packets, and needs no end."""


TracedDrive = TracedCounts | TracedLanes


@runtime_checkable
class Levelled(Protocol):
    """A part with present levels, by name; a name ends with its unit, as in ``used_bytes``."""

    def levels(self) -> Mapping[str, float]: ...


class TracedRun(Observer):
    """Observes one run, and writes the activity of its parts to *trace*; ``finish`` also ends that of a failed run."""

    def __init__(self, trace: TimelineTrace) -> None:
        self._trace = trace
        self._finish: list[Callable[[], None]] = []
        self._responses: TracedResponses

    def attend(self, machine: Machine, load: Load, window: Window) -> None:
        env, trace = machine.env, self._trace
        run, parts = trace.track("run"), machine.all_parts()
        levelled = {name: part.levels for name, part in parts if isinstance(part, Levelled)}
        cpus = [TracedCpu(part, trace, env, window.over) for _, part in parts if isinstance(part, Cpu)]
        counted = [traced_drive(part, trace, name) for name, part in parts if isinstance(part, Drive)]
        locks = [TracedLock(lock, trace, env) for lock in locks_of(part for _, part in parts)]
        names = {id(part): name for name, part in parts}
        for name, part in parts:
            if isinstance(part, SharedMemory):
                TracedOwners(part, trace, env, name, names)
        levels = Levels(levelled, trace, env)
        for each in counted:
            each.then = levels.look
        self._responses = TracedResponses(load, trace, env, levels.look)
        self._finish = [
            *(each.finish for each in counted), *(cpu.finish for cpu in cpus), *(lock.finish for lock in locks),
            levels.look, self._responses.finish, lambda: _periods(trace, run, window, env.now), trace.finish,
        ]  # fmt: skip

    def record(self, row: Transaction) -> None:
        self._responses.record(row)

    def finish(self) -> None:
        """Draw unfinished work up to the end of the run."""
        for finish in self._finish:
            finish()


class Timeline(Observer):
    """Observes one run and writes *path*: Chrome's JSON if it ends with ``.json``, else Perfetto's format.

    ``with`` finishes the file. A run that fails has its timeline up to there. *name* is the final file's name, for
    messages, if *path* is a draft.
    """

    def __init__(self, path: Path, name: Path | None = None) -> None:
        self._path = path
        self._name = name or path
        self._file: BinaryIO | None = None
        self._run: TracedRun

    def attend(self, machine: Machine, load: Load, window: Window) -> None:
        if self._file is not None:
            raise UserError(f"{self._name}: a timeline is of one run")
        try:
            self._file = self._path.open("wb")
        except OSError as error:
            raise self._unwritable(error) from error
        self._run = TracedRun(ChromeJson(self._file) if self._path.suffix == ".json" else PerfettoTrace(self._file))
        self._run.attend(machine, load, window)

    def record(self, row: Transaction) -> None:
        self._run.record(row)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._file is None:
            return
        try:
            with self._file:
                self._run.finish()
        except OSError as full:
            raise self._unwritable(full) from full

    def _unwritable(self, error: OSError) -> UserError:
        return UserError(f"cannot write {self._name}: {error.strerror}")


def traced_drive(drive: Drive, trace: TimelineTrace, name: str) -> TracedDrive:
    """Return the tracer of *drive*, whether it serves one request at a time or several."""
    return (TracedLanes if isinstance(drive, FlashDrive) else TracedCounts)(drive, trace, name)


def _periods(trace: TimelineTrace, run: int, window: Window, now: float) -> None:
    start, end = min(window.start, now), min(window.end, now)
    for name, begin, until in (("warm-up", 0.0, start), ("measured", start, end), ("tail", end, now)):
        if until > begin:
            trace.begin(run, name, nanoseconds(begin))
            trace.end(run, nanoseconds(until))
