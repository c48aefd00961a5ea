"""Tests open files by hand: blocks and buffers of sequential files, and the key tree of KSAM (keyed) files."""

from itertools import pairwise
from random import Random

import pytest
import simpy
from hypothesis import given
from hypothesis import strategies as st

from spindle.models.hp3000.files import (
    KEY_BLOCK_BYTES,
    KEYS_A_BLOCK,
    KSAM_RECORD_BYTES,
    Buffers,
    KsamFile,
    RecordFile,
    default_buffers,
    size,
    tree,
)
from spindle.models.hp3000.memory import MpeSegment, SegmentKind
from spindle.sim.clock import Account, Wait
from spindle.sim.cpu import FcfsCpu
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.virtual import FixedService
from spindle.sim.machine import File, Machine, OpenFile
from spindle.sim.request import Span
from spindle.sim.units import KIB, MIB, MS
from tests.models.hp3000.image.test_hp3000_image import Rolled

DISC = 25 * MS
WHO = Account("user")


def segment(drive: Drive) -> MpeSegment:
    return MpeSegment("buffers", KIB, drive, Span(0, KIB), SegmentKind.DATA)


# Buffers ------------------------------------------------------------------------------------------


def test_the_blocks_used_last_stay() -> None:
    buffers = Buffers(2)
    assert [buffers.have(block) for block in (1, 2, 1, 3, 1, 2)] == [False, False, True, False, True, False]
    assert buffers.hits == 2


@pytest.mark.parametrize(("users", "paths", "buffers"), [
    (1, 1, 8), (2, 1, 8), (3, 1, 9), (4, 5, 9), (5, 6, 11), (18, 0, 16), (19, 0, 17), (120, 0, 17),
])  # fmt: skip
def test_image_has_buffers_by_its_users_and_paths(users: int, paths: int, buffers: int) -> None:
    assert default_buffers(users, paths) == buffers


# Sequential files ---------------------------------------------------------------------------------


@pytest.fixture
def records(env: simpy.Environment) -> RecordFile:
    """Ten blocks of 4 records of 100 bytes, and 50 bytes that hold no block."""
    drive = Drive(env, FixedService(DISC))
    return RecordFile(OpenFile(File("records", drive, [Span(0, 4050)])), 100, 4, Buffers(2), segment(drive))


def test_a_file_has_whole_blocks_and_its_reader_goes_round(records: RecordFile) -> None:
    assert records.blocks == 10
    assert [list(records.following(count)) for count in (2, 2, 1, 9, 0)] == [[0], [0], [1], [1, 2, 3], []]
    assert list(records.following(28)) == [3, 4, 5, 6, 7, 8, 9, 0]


def test_a_writer_fills_blocks(records: RecordFile) -> None:
    assert [list(records.complete_blocks(count)) for count in (3, 1, 4, 7, 2)] == [[], [0], [1], [2], [3]]


@given(st.lists(st.integers(0, 30), max_size=12))
def test_reading_on_never_leaves_a_block_out(counts: list[int]) -> None:
    env = simpy.Environment()
    drive = Drive(env, FixedService(DISC))
    file = RecordFile(OpenFile(File("f", drive, [Span(0, 4000)])), 100, 4, Buffers(2), segment(drive))
    read = [block for count in counts for block in file.following(count)]
    assert all(later in (block, (block + 1) % 10) for block, later in pairwise(read))
    assert len(read) <= sum(counts)


def test_an_editor_goes_on_behind_its_line_or_from_any_other(records: RecordFile) -> None:
    first = list(records.nearby(1, 1.0, Random(1)))
    assert first == [0]
    jumped = list(records.nearby(1, 0.0, Random(1)))
    assert jumped != first
    assert next(iter(records.nearby(1, 1.0, Random(1)))) - jumped[0] in (0, 1)


def test_an_editor_stays_for_the_share_of_draws_below_near(records: RecordFile) -> None:
    assert [list(records.nearby(2, 0.5, Rolled(*drawn))) for drawn in ((0.4,), (0.5, 0.25), (0.5, 0.999))] == [
        [0], [2], [9, 0]]  # of forty records the first two, the eleventh and twelfth, the last and the first


def test_a_block_is_read_and_written_whole(records: RecordFile, env: simpy.Environment) -> None:
    machine = Machine(env, {}, FcfsCpu(env))
    drive = records.segments[0].drive

    def work() -> Wait:
        yield from records.read(machine, 3, WHO)
        yield from records.write(machine, 9, WHO)

    env.process(work())
    env.run()
    counted = drive.counts.reading(env.now)
    assert (counted["bytes_read"], counted["bytes_written"]) == (400, 400)


# KSAM ---------------------------------------------------------------------------------------------


def test_the_tree_has_as_many_levels_as_the_file_needs() -> None:
    assert KEYS_A_BLOCK == 54  # 28 bytes an entry, three quarters of 2 KB
    assert tree(1) == tree(54) == [1]
    assert tree(55) == [1, 2]
    assert tree(54 * 54) == [1, 54]
    assert tree(54 * 54 + 1) == [1, 2, 55]
    assert size(55) == 3 * KEY_BLOCK_BYTES + 55 * KSAM_RECORD_BYTES


def keyed(env: simpy.Environment, count: int, buffers: int) -> tuple[KsamFile, Drive]:
    drive = Drive(env, FixedService(DISC, capacity=4 * MIB))
    file = OpenFile(File("keyed", drive, [Span(0, size(count))]))
    return KsamFile(file, count, Buffers(buffers), segment(drive)), drive


def test_the_way_to_a_record_leads_from_the_root_to_its_leaf(env: simpy.Environment) -> None:
    file, _ = keyed(env, 3000, 4)
    assert tree(3000) == [1, 2, 56]
    assert file.path(0) == [0, 1, 3]
    assert file.path(2999) == [0, 2, 58]
    assert file.path(1500) == [0, 2, 3 + 28]


def test_a_look_up_reads_the_key_blocks_that_are_in_no_buffer_and_the_record(env: simpy.Environment) -> None:
    file, drive = keyed(env, 3000, 4)
    machine = Machine(env, {}, FcfsCpu(env))
    taken = []

    def work() -> Wait:
        for seed in (1, 1, 4):
            began = env.now
            yield from file.find(machine, 0.0, Random(seed), WHO)
            taken.append(env.now - began)

    env.process(work())
    env.run()
    # Root, branch, leaf and record; the record alone; for another key of the other half, all but the root.
    assert [round(each / DISC) for each in taken] == [4, 1, 3]
    assert drive.counts.reading(env.now)["completed"] == 8


def test_the_next_key_lies_behind_the_last_or_anywhere(env: simpy.Environment) -> None:
    """Two in order; one of the middle, behind the last one the first again."""
    file, drive = keyed(env, 55, 4)
    asked = []
    start = drive.start
    drive.start = lambda access: (asked.append(access.span), start(access))[1]  # type: ignore[method-assign]

    def work() -> Wait:
        for drawn in ((0.4,), (0.4,), (0.5, 0.5), (0.5, 0.999), (0.4,)):
            yield from file.find(Machine(env, {}, FcfsCpu(env)), 0.5, Rolled(*drawn), WHO)

    env.process(work())
    env.run()
    records = [span.first - 3 * KEY_BLOCK_BYTES for span in asked if span.length == KSAM_RECORD_BYTES]
    assert records == [number * KSAM_RECORD_BYTES for number in (0, 1, 27, 54, 0)]
    blocks = [span for span in asked if span.length != KSAM_RECORD_BYTES]
    assert blocks == [Span(number * KEY_BLOCK_BYTES, KEY_BLOCK_BYTES) for number in (0, 1, 2)]


@given(st.integers(1, 20_000), st.data())
def test_the_way_to_any_record_stays_within_the_tree(count: int, data: st.DataObject) -> None:
    env = simpy.Environment()
    drive = Drive(env, FixedService(DISC, capacity=16 * MIB))
    file = KsamFile(OpenFile(File("keyed", drive, [Span(0, size(count))])), count, Buffers(4), segment(drive))
    path = file.path(data.draw(st.integers(0, count - 1)))
    first = 0
    for block, blocks in zip(path, tree(count), strict=True):
        assert first <= block < first + blocks
        first += blocks
