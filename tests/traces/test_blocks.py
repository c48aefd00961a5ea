"""Tests the blocks that requests touch, by hand and in pieces."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE
from spindle.traces import blocks
from spindle.traces.blocks import (
    DEVICE_BLOCKS,
    BlockString,
    collect_references,
    references,
    references_and_deletes,
    split_deletes,
)
from spindle.traces.curve_answers import by_device, curve_answer, part_lines
from spindle.traces.opening import TraceOptions
from spindle.workloads.traces import record
from spindle.workloads.traces.record import Record, number_of


def request(first: int, length: int, device: str = "") -> Record:
    return Record(None, device, READ, first, length)


REQUESTS = [request(512, 512), request(1000, 25), request(0, 2048), request(1535, 2, "other"), request(1536, 1)]


def test_a_piece_is_full_of_as_many_blocks_and_empty_once_they_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "PIECE", 3)
    string = BlockString(512)
    assert (string.add("", 0, 1024), string.full, string.add("", 0, 1), string.full) == (2, False, 1, True)
    assert (string.take().tolist(), string.full, string.take().tolist()) == ([0, 1, 0], False, [])


def test_each_block_counts_once_a_request_and_devices_lie_apart() -> None:
    (found,) = references(REQUESTS, 512)
    assert found.tolist() == [1, 1, 2, 0, 1, 2, 3, DEVICE_BLOCKS + 2, DEVICE_BLOCKS + 3, 3]


def test_pieces_are_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    (whole,) = references(REQUESTS, 512)
    monkeypatch.setattr(blocks, "PIECE", 2)
    pieces = list(references(REQUESTS, 512))
    assert len(pieces) > 2
    assert np.concatenate(pieces).tolist() == whole.tolist()


def test_all_devices_of_a_trace_have_room() -> None:
    last = [request((1 << 60) - 512, 512, f"{number}") for number in range(1024)]
    (found,) = references(last, 512)
    assert len(set(found.tolist())) == 1024
    assert found.min() == DEVICE_BLOCKS - 1


def one_each(devices: int, first: int = 0) -> list[Record]:
    """A request of each of so many devices, for the same block."""
    return [request(first, 512, f"{number}") for number in range(devices)]


def by_string(requests: list[Record]) -> list[int]:
    string = BlockString(512)
    for each in requests:
        string.add(each.device, each.first, each.length)
    return string.take().tolist()


def test_no_two_of_very_many_devices_share_a_block() -> None:
    """64 bits have room for 2^51 blocks of each of 4,096 devices; those of the next ones lie 2^43 further."""
    for first in (0, (1 << 52) - 512):
        (found,) = references(one_each(9000, first), 512)
        assert len(set(found.tolist())) == 9000
        assert found.min() == first // 512
        assert found.tolist() == by_string(one_each(9000, first))
    assert by_string(one_each(4098))[-2:] == [1 << 43, (1 << 51) + (1 << 43)]


@pytest.mark.parametrize("count", [by_string, lambda requests: list(references(requests, 512))])
def test_devices_whose_blocks_might_be_the_same_are_refused(count: Callable[[list[Record]], object]) -> None:
    count(one_each(4096, 1 << 52))
    for requests in (one_each(4097, 1 << 52), [*one_each(1, 1 << 52), *one_each(4097)]):
        with pytest.raises(UserError, match=r"more than 4,096 devices has at most 8,796,093,022,208 blocks on each, "
                                            r"and this has one with 8,796,093,022,209: give a larger --block"):
            count(requests)


def test_deletes_are_marked() -> None:
    a, b = map(number_of, "ab")
    (found,) = references_and_deletes([asked("a", "b"), asked("b", "a", delete=True), asked("b")], 512)
    assert found.tolist() == [a, b, -b - 1, -a - 1, b]


def test_deletes_part_the_lives_of_a_block() -> None:
    """7 8 7, 7 is deleted, 8 7, both are deleted, 7: each life of 7 has a number of its own, below 2^62."""
    string = np.array([7, 8, 7, 7, 8, 7, 7, 8, 7])
    gone = np.array([False, False, False, True, False, False, True, True, False])
    found, drops = split_deletes(string, gone)
    second, third = found[4], found[5]
    assert found.tolist() == [7, 8, 7, 8, second, third]
    assert len({7, 8, int(second), int(third)}) == 4
    assert all(0 <= number < 1 << 62 for number in (second, third))
    assert second == (7 + 0x9E3779B97F4A7C15) % (1 << 62)
    assert third == (7 + 2 * 0x9E3779B97F4A7C15) % (1 << 62)
    assert (drops.places.tolist(), drops.blocks.tolist()) == ([3, 5, 5], [7, second, 8])
    assert drops.by_reference() == {3: [7], 5: [second, 8]}
    assert [bool(each) for each in (drops, blocks.NO_DROPS)] == [True, False]


def test_different_blocks_are_counted() -> None:
    assert [blocks.count_different(np.array(each, dtype=np.int64)) for each in ([], [3], [3, 3], [2, 3, 2, 1])] == [
        0, 1, 1, 3]  # fmt: skip


def test_progress_is_told_to_who_counts(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("op,lba_512,sectors\nR,0,1\nR,1,1\n")
    for count in (references, references_and_deletes):
        passed: list[int] = []
        assert sum(map(len, count(TraceOptions().open(path), 512, passed.append))) == 2
        assert sum(passed) == path.stat().st_size
    passed = []
    collect_references(TraceOptions().open(path), 512, None, passed.append)
    assert sum(passed) == path.stat().st_size


def test_there_may_be_no_requests() -> None:
    assert not list(references([], 512))
    with pytest.raises(UserError, match="512 is the least"):
        list(references([], 256))


def asked(*keys: str, delete: bool = False, unsized: bool = False) -> Record:
    return Record(None, "", READ, 0, 1, keys=keys, delete=delete, unsized=unsized)


@pytest.mark.parametrize("piece", [1, 2, 100])
def test_objects_are_the_same_in_pieces_of_any_size(monkeypatch: pytest.MonkeyPatch, piece: int) -> None:
    monkeypatch.setattr(blocks, "PIECE", piece)
    found = collect_references([asked("7"), asked("8", "7", "7"), asked("9")], 512)
    assert (found.blocks.tolist(), found.counts.tolist()) == ([*map(number_of, "78779")], [1, 3, 1])


@pytest.mark.parametrize("most", range(7))
def test_the_first_requests_are_taken(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(blocks, "PIECE", 2)
    assert collect_references(REQUESTS, 512, most or None).counts.tolist() == [1, 2, 4, 2, 1][: most or None]


def test_objects_without_a_size_are_counted_but_not_where_they_are_deleted() -> None:
    found = collect_references([asked("1", unsized=True), asked("1", delete=True, unsized=True), asked("2")], 512)
    assert (found.unsized, len(found.blocks), len(found.drops.blocks)) == (1, 2, 1)


def test_requests_have_so_many_blocks_on_average(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond 10 references no more than 4 for each request."""
    monkeypatch.setattr(record, "ALLOWED_REFERENCES", 10)
    monkeypatch.setattr(record, "MAX_MEAN_BLOCKS", 4)
    assert len(collect_references([request(0, 10 * 512)], 512).blocks) == 10
    assert len(collect_references([request(0, 4 * 512)] * 9, 512).blocks) == 36
    with pytest.raises(UserError):
        collect_references([request(0, 4 * 512)] * 9 + [request(0, 5 * 512)], 512)


def test_reads_and_writes_have_lines_of_their_own_where_there_are_both() -> None:
    for ops, labels in (((READ, READ), []), ((WRITE, WRITE), []), ((READ, WRITE), ["reads", "writes"])):
        string = collect_references([request(0, 512)._replace(op=op) for op in ops], 512)
        lines = part_lines("lru by device", by_device(curve_answer(string, [1]), string))
        assert [line.split()[0] for line in lines[3:]] == labels
