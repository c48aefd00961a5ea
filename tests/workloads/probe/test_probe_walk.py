"""Tests which records the file actions of Response Probe read and write, and in which order."""


import pytest

from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE, Op
from spindle.sim.streams import stream
from spindle.workloads.probe.bell import Bell
from spindle.workloads.probe.script import FileAction, Mode, ProbeFile
from spindle.workloads.probe.walk import ProbeWalk, Reference, steps
from tests.doubles import Same


def letters(text: str) -> tuple[Op, ...]:
    return tuple(READ if letter == "R" else WRITE for letter in text)


def walked(action: FileAction, times: int) -> list[tuple[str, int]]:
    walk = ProbeWalk(action, stream(1, "walk"))
    found = [each for _ in range(times) for each in walk.references()]
    assert all(each.first % action.record == 0 and each.size == action.record for each in found)
    return [("R" if each.operation is READ else "W", each.first // action.record) for each in found]


@pytest.mark.parametrize(
    ("text", "records"),
    [("R", [0]), ("W", [0]), ("RW", [0, 0]), ("RRWRR", [0, 1, 1, 2, 3]),
     ("WW", [0, 1]), ("RWW", [0, 0, 1]), ("WR", [0, 1])],
)
def test_a_write_after_a_read_rewrites_it(text: str, records: list[int]) -> None:
    """RRWRR is the book's own example."""
    assert [record for _, record in steps(letters(text))] == records


def test_in_sequence_it_wraps_at_the_end() -> None:
    action = FileAction(ProbeFile("f", 3 * 512 + 100), letters("RW"), 512)
    assert walked(action, 4) == [("R", 0), ("W", 0), ("R", 1), ("W", 1), ("R", 2), ("W", 2), ("R", 0), ("W", 0)]


def test_a_pattern_longer_than_the_file_goes_round() -> None:
    assert walked(FileAction(ProbeFile("f", 1024), letters("RRR"), 512), 2) == [
        ("R", 0), ("R", 1), ("R", 0), ("R", 1), ("R", 0), ("R", 1),
    ]  # fmt: skip
    assert [record for _, record in walked(FileAction(ProbeFile("f", 1536), letters("RR"), 512), 2)] == [0, 1, 2, 0]


def test_at_random_each_time_begins_where_the_seek_says() -> None:
    action = FileAction(ProbeFile("f", 100 * 4096), letters("RW"), 4096, Bell(50.0, 10.0, 99))
    found = walked(action, 500)
    reads, writes = found[::2], found[1::2]
    assert [record for _, record in reads] == [record for _, record in writes]
    assert len({record for _, record in reads}) > 30
    assert walked(FileAction(ProbeFile("f", 100 * 4096), letters("R"), 4096, Bell(7.0)), 2) == [("R", 7), ("R", 7)]


def test_a_reference_is_in_bytes() -> None:
    walk = ProbeWalk(FileAction(ProbeFile("f", 4 * 8192), record=8192, seek=Bell(3.0)), stream(1, "walk"))
    assert list(walk.references()) == [Reference(READ, 24576, 8192)]


def test_a_seek_behind_the_last_record_is_folded_back_at_it() -> None:
    """Three and a half deviations behind record 7, which is the last one: 3.5, and so 4."""
    action = FileAction(ProbeFile("f", 8 * 512), record=512, seek=Bell(7.0, 1.0))
    assert ProbeWalk(action, Same(0.75)).references() == [Reference(READ, 4 * 512, 512)]
    short = FileAction(ProbeFile("f", 8 * 512), record=512, seek=Bell(5.0, 1.0, 6.0))
    assert ProbeWalk(short, Same(0.75)).references() == [Reference(READ, 4 * 512, 512)]  # 8.5 is as far behind 6


def test_a_record_may_be_a_byte_or_the_whole_file() -> None:
    file = ProbeFile("f", 3)
    assert (FileAction(file, record=1).records, FileAction(file, record=3).records) == (3, 1)
    assert walked(FileAction(file, letters("W"), 1, Bell(2.0)), 1) == [("W", 2)]


def test_no_seek_leads_out_of_the_file() -> None:
    found = walked(FileAction(ProbeFile("f", 8 * 512), record=512, seek=Bell(7.0, 7.0)), 500)
    assert {record for _, record in found} == set(range(8))


def test_what_cannot_be_done_is_refused() -> None:
    file = ProbeFile("f", 4096)
    for make, what in (
        (lambda: FileAction(file, record=8192), "1 to 4096 bytes, not 8192"),
        (lambda: FileAction(file, record=0), "1 to 4096"),
        (lambda: FileAction(file, record=100, mode=Mode.UNBUFFERED), "whole sectors of 512"),
        (lambda: FileAction(file, ()), "nothing is done"),
        (lambda: FileAction(file, record=512, seek=Bell(8.0)), "the last record of f is 7, not 8"),
    ):
        with pytest.raises(UserError, match=what):
            make()
