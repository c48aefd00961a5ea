"""Tests files of binary records by hand: whole ones, parts of them, bad ones by their bytes, and the clock's begin."""

from collections.abc import Iterator
from struct import Struct

import numpy as np
import pytest

from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE
from spindle.workloads.traces.batch import Batch, NotSimpleError, Stretch
from spindle.workloads.traces.binary import BinaryFormat
from spindle.workloads.traces.faults import Checks, Faults, Wrong
from spindle.workloads.traces.formats.oracle import (
    LCS_HEADER,
    LCS_HEADER_BYTES,
    LCS_MAGIC,
    MAX_REQUESTS,
    NOT_USED_AGAIN,
    ORACLE,
    ORACLE_GENERAL,
    ObjectRecords,
    encode,
)
from spindle.workloads.traces.formats.vscsi import VSCSI_1
from spindle.workloads.traces.record import Record, TraceLimits, number_of

LAYOUT, LAYOUT_3, VSCSI = Struct("<IQIq"), Struct("<IQqIIq"), Struct("<IIIHHQQ")
NEVER = NOT_USED_AGAIN[0]
CHECKS = Checks(TraceLimits())


def row(time: int, item: int, size: int = 512, following: int = NEVER) -> bytes:
    return LAYOUT.pack(time, item, size, following)


def command(time: int, code: int = 0x28, version: int = 0x100) -> bytes:
    return VSCSI.pack(7, 512, 1, code, version, 1, time)


def parts(format: BinaryFormat, faults: Faults, *pieces: bytes) -> Iterator[Stretch]:
    return format.stretches("file", iter(pieces), faults, TraceLimits())


# Records in pieces.

@pytest.mark.parametrize("cut", [1, 24, 30, 60])
def test_records_of_pieces_are_joined(cut: int) -> None:
    whole, faults = b"".join(row(time, time) for time in (5, 6, 8)), Faults(0)
    found = list(parts(ORACLE_GENERAL, faults, whole[:cut], whole[cut:]))
    assert all(isinstance(part, Batch) for part in found if part)
    assert [record.time for part in found for record in (part.records() if isinstance(part, Batch) else part)] == [
        0.0, 1.0, 3.0]  # fmt: skip


def test_a_bad_record_is_named_by_its_number_and_byte() -> None:
    pieces = [row(5, 1) + row(6, 2)[:10], row(6, 2)[10:] + row(7, 3)[:4], row(7, 3)[4:] + row(8, 4, following=1)]
    with pytest.raises(UserError, match=r"^file: record 4 at byte 72: the object's next use, 1, must come after"):
        list(parts(ORACLE_GENERAL, Faults(0), *pieces))
    with pytest.raises(UserError, match=r"^file: record 2 at byte 24: the file ends 10 bytes after it begins"):
        list(parts(ORACLE_GENERAL, Faults(0), pieces[0]))
    faults = Faults(1)
    list(parts(VSCSI_1, faults, command(5), command(6, version=7), command(7, code=0), command(8, code=0)))
    assert (faults.bad, faults.others) == (1, 2)


@pytest.mark.parametrize(("version", "said"), [
    (1, "version 0 must be 1 (the bytes of its numbers stand in the other order)"), (0x700, "version 7 must be 1"),
])  # fmt: skip
def test_another_version_of_vscsi_is_refused(version: int, said: str) -> None:
    with pytest.raises(Wrong) as wrong:
        VSCSI_1.decoder().decode(command(5, version=version), 0)
    assert str(wrong.value) == said


def test_the_clock_begins_with_the_first_record_of_all_files() -> None:
    for format, make in ((ORACLE_GENERAL, lambda time: row(time, 1)), (VSCSI_1, command)):
        faults = Faults(0)
        next(iter(parts(format, faults, make(5), make(6))))
        assert faults.began == 5
        first = next(format.records("other", iter([make(7)]), faults, TraceLimits()))
        assert first.time == 2 / (1 if format is ORACLE_GENERAL else 1e6)
        alone = Faults(0)
        next(format.records("file", iter([make(9)]), alone, TraceLimits()))
        assert alone.began == 9
    idle = Faults(0)
    assert list(parts(VSCSI_1, idle, command(5, code=0))) == []
    assert idle.began == 5


# Objects of libCacheSim.

@pytest.mark.parametrize(("following", "good"), [
    ([1, 2, 3], True), ([2, 2, NEVER], True), ([(1 << 63) - 1, MAX_REQUESTS - 1, 3], True), ([0, 2, 3], False),
    ([1, 1, 3], False), ([1, 2, 2], False), ([MAX_REQUESTS, 2, 3], False), ([-2, 2, 3], False),
])  # fmt: skip
def test_the_next_use_of_an_object_comes_later(following: list[int], good: bool) -> None:
    """One by one and by columns, all at once or with some that were read before."""
    rows = [row(5, 1, following=each) for each in following]
    one, at_once, some = (ObjectRecords(ORACLE, True) for _ in range(3))

    def read() -> None:
        for each in rows:
            one.decode(each, 0)

    def batches() -> None:
        some.batch(rows[0], CHECKS)
        some.batch(b"".join(rows[1:]), CHECKS)

    for act, error in ((read, Wrong), (lambda: at_once.batch(b"".join(rows), CHECKS), NotSimpleError),
                       (batches, NotSimpleError)):  # fmt: skip
        if good:
            act()
            continue
        with pytest.raises(error):
            act()


def test_sectors_are_bytes_of_a_device_and_objects_are_keys() -> None:
    content = row(5, 3, 1024) + row(7, 1 << 53, 512)
    for objects, found in ((False, [Record(0.0, "", READ, 1536, 1024), Record(2.0, "", READ, 1 << 62, 512)]),
                           (True, [Record(0.0, "", READ, 0, 1024, keys=("3",)),
                                   Record(2.0, "", READ, 0, 512, keys=(str(1 << 53),))])):  # fmt: skip
        alone, together = ObjectRecords(ORACLE, objects), ObjectRecords(ORACLE, objects)
        assert [alone.decode(content, at) for at in (0, 24)] == [(24, record) for record in found]
        batch = together.batch(content, Checks(TraceLimits(end=(1 << 63) - 1)))
        assert list(batch.records()) == found
        assert (batch.ttls.dtype, together.began) == (np.float64, 5)


def test_a_sector_beyond_63_bits_of_bytes_is_read_alone() -> None:
    with pytest.raises(NotSimpleError):
        ObjectRecords(ORACLE, False).batch(row(5, 1 << 54), CHECKS)
    _, record = ObjectRecords(ORACLE, False).decode(row(5, 1 << 54), 0)
    assert record == Record(0.0, "", READ, 1 << 63, 512)


def header(version: int, ends: bytes = LCS_MAGIC) -> bytes:
    return LCS_HEADER.pack(LCS_MAGIC, version, ends)


def test_a_header_says_the_version() -> None:
    records = ObjectRecords(None, True)
    assert records.columns is None
    assert records.decode(b"behind" + header(3)[:-1], 6) == (LCS_HEADER_BYTES, None)
    assert records.columns is None, "it waits for the whole header"
    assert records.decode(b"behind" + header(3), 6) == (LCS_HEADER_BYTES, None)
    assert records.size == LAYOUT_3.size
    content = LAYOUT_3.pack(5, 7, 9, 2 << 8 | 3, 1, NEVER) + LAYOUT_3.pack(6, 7, 9, 9, 0, NEVER)
    found = [Record(0.0, "2", WRITE, 0, 9, keys=("7",), ttl=1.0),
             Record(1.0, "", READ, 0, 9, keys=("7",), delete=True)]  # fmt: skip
    assert list(records.batch(content, CHECKS).records()) == found
    assert [records.decode(content, at)[1] for at in (0, LAYOUT_3.size)] == found


def test_objects_are_written_with_their_next_uses() -> None:
    """A delete is no use; the largest time and size have all of 32 bits."""
    most = 2**32 - 1
    records = [Record(0.0, "", READ, 0, 7, keys=("a", "b")), Record(1.0, "", READ, 0, 1, keys=("a",), delete=True),
               Record(2.0, "", READ, 0, most, keys=("b",)), Record(float(most), "", READ, 0, 0, keys=("a",))]
    rows = [LAYOUT.unpack(each) for each in encode(records)]
    a, b = number_of("a"), number_of("b")
    assert rows == [(0, a, 7, 3), (0, b, 7, 2), (2, b, most, -1), (most, a, 0, -1)]
    for record in (records[2]._replace(length=2**32), records[3]._replace(time=2.0**32)):
        with pytest.raises(UserError, match="32 bits for seconds and for bytes, and 4294967296 are more"):
            list(encode([record]))


@pytest.mark.parametrize("wrong", [header(9), header(0), header(3, bytes(8)), b"x" + header(3)])
def test_what_is_no_header(wrong: bytes) -> None:
    with pytest.raises(Wrong, match=r"^lcs (?:begins with|has a header that ends)"):
        ObjectRecords(None, True).decode(wrong, 0)
