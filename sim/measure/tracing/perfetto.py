"""Writes a timeline in Perfetto's own format: packets of track events, in protobuf's encoding, one after the other.

Fields from the definitions in google/perfetto, protos/perfetto/trace: trace.proto, trace_packet.proto, and under
track_event: track_descriptor.proto, counter_descriptor.proto, track_event.proto, debug_annotation.proto. The encoding
is that of protobuf.dev/programming-guides/encoding.
"""

from functools import lru_cache
from struct import pack
from typing import BinaryIO

from spindle.sim.measure.tracing.trace import Notes

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
"""Encoded fourteen bits of a longer number: instants are long, and there are two of them for every slice."""


def varint(number: int) -> bytes:
    """Encode *number*, seven bits a byte, the lowest first; a negative one as 64 bits in two's complement."""
    if 0 <= number < 1 << 7:
        return _SHORT[number]
    if number >= 1 << 28:
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
    """A trace written to *file*: tracks, slices and counters; instants are nanoseconds, in order on each track."""

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
