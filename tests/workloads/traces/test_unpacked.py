"""Tests the bytes to which a table unpacks, from headers made by hand: FlatBuffers' tables, and Parquet's footers."""

from collections.abc import Sequence
from struct import pack, pack_into
from types import SimpleNamespace

import pytest

from spindle.sim.error import UserError
from spindle.workloads.traces.record import TraceLimits
from spindle.workloads.traces.unpacked import (
    DICTIONARY,
    NOT_COMPRESSED,
    RECORDS,
    Unpacked,
    _size_of_message,
    parquet_columns,
)

LINK = bytes(4)
"""A field that leads to another table or list; *lead* says to which."""


class Flat:
    """A message of FlatBuffers: each table lies behind its list of places, or, if *upside* down, before it."""

    def __init__(self, upside: bool = False) -> None:
        self.bytes = bytearray(4)
        self._upside = upside

    def table(self, *fields: bytes | None) -> list[int]:
        """Write a table, and return its place and those of its fields."""
        at, slots = 4, []
        for each in fields:
            slots.append(0 if each is None else at)
            at += len(each or b"")
        places = pack(f"<HH{len(slots)}H", 4 + 2 * len(slots), at, *slots)
        begin = len(self.bytes)
        table = begin if self._upside else begin + len(places)
        body = pack("<i", -at if self._upside else len(places)) + b"".join(each or b"" for each in fields)
        self.bytes += body + places if self._upside else places + body
        return [table, *(table + slot for slot in slots)]

    def lead(self, field: int, place: int) -> None:
        pack_into("<I", self.bytes, field, place - field)

    def buffers(self, spans: Sequence[tuple[int, int]]) -> int:
        place = len(self.bytes)
        self.bytes += pack("<I", len(spans)) + b"".join(pack("<qq", *each) for each in spans)
        return place


def message(kind: int | None, spans: Sequence[tuple[int, int]] | None, rows: int | None = 5, packed: bool = False,
            has_batch: bool = True, upside: bool = False) -> memoryview:
    flat = Flat(upside)
    top = flat.table(b"\4\0", None if kind is None else bytes([kind]), LINK if has_batch else None)
    flat.lead(0, top[0])
    link = top[3]
    if has_batch and kind == DICTIONARY:
        outer = flat.table(bytes(8), None if rows == 99 else LINK)
        flat.lead(link, outer[0])
        link = outer[2]
    if has_batch and not (kind == DICTIONARY and rows == 99):
        batch = flat.table(None if rows is None else pack("<q", rows), LINK, None if spans is None else LINK,
                           LINK if packed else None)  # fmt: skip
        flat.lead(link, batch[0])
        if spans is not None:
            flat.lead(batch[3], flat.buffers(spans))
    return memoryview(bytes(flat.bytes))


SPANS = [(0, 100), (104, 20), (128, 0)]


@pytest.mark.parametrize("upside", [False, True])
@pytest.mark.parametrize("kind", [RECORDS, DICTIONARY])
def test_buffers_and_a_byte_for_each_row_count(kind: int, upside: bool) -> None:
    nothing = memoryview(b"")
    assert _size_of_message(message(kind, SPANS, upside=upside), nothing) == 125
    assert _size_of_message(message(kind, SPANS, None, upside=upside), nothing) == 120
    assert _size_of_message(message(kind, None, 7, upside=upside), nothing) == 7
    assert _size_of_message(message(kind, [], 7, upside=upside), nothing) == 7


def test_compressed_buffers_say_how_long_they_are() -> None:
    body = pack("<q", 1 << 40) + bytes(96) + pack("<q", NOT_COMPRESSED) + bytes(16)
    assert _size_of_message(message(RECORDS, SPANS, packed=True), memoryview(body)) == (1 << 40) + 20 + 5


def test_other_messages_have_no_size() -> None:
    nothing = memoryview(b"")
    for one in (message(1, SPANS), message(None, SPANS), message(RECORDS, SPANS, has_batch=False),
                message(DICTIONARY, SPANS, rows=99)):  # fmt: skip
        assert _size_of_message(one, nothing) == 0


def test_a_header_that_is_cut_is_damaged() -> None:
    whole = message(RECORDS, SPANS)
    for length in range(0, len(whole) - 16 * len(SPANS), 7):
        with pytest.raises(OSError, match="a header within it is damaged"):
            _size_of_message(whole[:length], memoryview(b""))


@pytest.mark.parametrize(("kind", "width"), [("BOOLEAN", 1), ("INT32", 4), ("FLOAT", 4), ("INT64", 8), ("DOUBLE", 8),
                                             ("INT96", 12), ("BYTE_ARRAY", 1)])  # fmt: skip
def test_columns_of_parquet_have_their_values_or_what_the_footer_says(kind: str, width: int) -> None:
    def column(values: int, unpacked: int) -> SimpleNamespace:
        return SimpleNamespace(num_values=values, physical_type=kind, total_uncompressed_size=unpacked,
                               total_compressed_size=3)  # fmt: skip

    groups = [[column(10, 5)], [column(10, 500)]]
    meta = SimpleNamespace(num_row_groups=2, num_columns=1,
                           row_group=lambda number: SimpleNamespace(column=groups[number].__getitem__))  # fmt: skip
    assert list(parquet_columns(meta)) == [(10 * width, 3), (500, 3)]


def test_pieces_of_a_bomb_are_counted_together() -> None:
    """At most ten times the 100 bytes of the file, in as many pieces as it comes."""
    unpacked = Unpacked("t.gz", 100, TraceLimits(ratio=10.0, ratio_from=0))
    assert list(unpacked.count([b"x" * 400, b"x" * 600])) == [b"x" * 400, b"x" * 600]
    with pytest.raises(UserError, match=r"t\.gz: more than 10 times as long when decompressed"):
        unpacked.add(1)
