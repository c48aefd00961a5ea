"""Tests an array by hand: the requests to each drive and their accounts, the cost of an error, a rebuild."""

from collections.abc import Iterator
from dataclasses import replace
from math import log1p

import pytest
import simpy

from spindle.sim.clock import Account
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.layout import uniform
from spindle.sim.disc.raid import array as arrays
from spindle.sim.disc.raid.array import (
    MARK_STEP,
    SPEED_MARKS,
    Raid,
    _join_neighbours,
    _Progress,
    drive_or_array,
    rebuild,
)
from spindle.sim.disc.raid.bitmap import DAEMON_SLEEP, RUNS_UNTIL_CLEARED
from spindle.sim.disc.raid.delayed import BYPASS_THRESHOLD
from spindle.sim.disc.raid.layout import MAX_MEMBERS, RaidType
from spindle.sim.disc.raid.stripes import Band, Branches, Piece, bands_of
from spindle.sim.disc.sheets import HP7933
from spindle.sim.disc.write_cache import WriteCache
from spindle.sim.error import UserError
from spindle.sim.parts import LawBroken
from spindle.sim.request import READ, WRITE, Op, Request, Span, access
from spindle.sim.streams import stream
from spindle.sim.units import MIB
from tests.sim.watched_arrays import CHUNK, WatchedRaid
from tests.sim.watched_drives import DISC, SECTOR, Watched

HOST = Account("host")


def ask(array: Raid, op: Op, first: int, length: int) -> Request:
    return array.start(access(op, first, length, HOST))


def asked(array: WatchedRaid) -> list[list[tuple[Op, int, int]]]:
    """What each drive was asked for, in chunks."""
    return [[(one.op, one.span.first // CHUNK, one.span.length // CHUNK) for one in drive.asked]
            for drive in array.watched]


def fail_reads(array: Raid, *bad: bool) -> None:
    """Let the reads of members that end next be *bad* or not, in their order; all later ones are good."""
    drawn: Iterator[bool] = iter(bad)
    array.members.draw_read_error = lambda request: request.access.op is READ and next(drawn, False)  # type: ignore[method-assign]


def test_what_was_asked_for_is_counted(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "5", 4, bitmap=4 * CHUNK)
    for op, length in ((WRITE, 3), (WRITE, 6), (READ, 1), (READ, 2)):
        ask(array, op, 0, length * CHUNK)
    reading = Raid.reading(array)
    assert (reading["issued"], reading["completed"]) == (4.0, 0.0)
    env.run(1.0)
    reading = Raid.reading(array)
    assert reading.pop("number_seconds") == array.under_way.seconds() > 0.0
    assert reading.pop("busy") == sum(drive.busy() for drive in array.watched) > 0.0
    assert reading == {
        "issued": 4.0, "completed": 4.0, "reads": 2.0, "writes": 2.0, "bytes_read": 3.0 * CHUNK,
        "bytes_written": 9.0 * CHUNK, "degraded_reads": 0.0, "corrected": 0.0, "lost": 0.0, "rebuilt_bytes": 0.0,
        "full_writes": 3.0, "read_modify_writes": 0.0, "reconstruct_writes": 0.0, "waits": 2.0, "bitmap_writes": 1.0,
        "read_errors": 0.0,
    }  # fmt: skip


def test_littles_law_is_held_once_nothing_is_under_way(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "0", 2)
    env.run(1.0)
    ask(array, READ, 0, CHUNK)
    array._seconds = 1.0
    array.check()
    env.run()
    array.check = super(WatchedRaid, array).check  # type: ignore[method-assign]
    with pytest.raises(LawBroken, match="raid: Little's law"):
        array.check()
    array._seconds -= 1.0
    array.check()


@pytest.mark.parametrize(("first", "length"), [(-1, 2), (0, 0), (0, -1), (10, 0)])
def test_what_lies_on_no_array(env: simpy.Environment, first: int, length: int) -> None:
    array = WatchedRaid(env, "0", 2)
    with pytest.raises(UserError, match="not on an array"):
        ask(array, READ, first, length)
    ask(array, READ, array.capacity - 1, 1)
    env.run()
    assert [len(drive.asked) for drive in array.watched] == [0, 1]


def test_chunks_and_drives_are_what_they_must_be(env: simpy.Environment) -> None:
    RaidType("0", MAX_MEMBERS)
    assert RaidType(5, 3) == RaidType("5", 3)  # type: ignore[arg-type]
    RaidType("5", 3, 1)
    with pytest.raises(UserError, match="whole pages"):
        RaidType("5", 3, 0)
    with pytest.raises(UserError, match="takes 2 different drives"):
        Raid(env, RaidType("0", 2, CHUNK), [Watched(env)] * 2)
    RaidType("6", 4, delayed=True)
    RaidType("1", 2, bitmap=4096)
    for bitmap in (1, 2, 3, 2048, 4096 + 8192, -4096):
        with pytest.raises(UserError, match="power of two"):
            RaidType("1", 2, bitmap=bitmap)


def test_names_are_those_given(env: simpy.Environment) -> None:
    assert WatchedRaid(env, "0", 2).name == "raid"
    assert Raid(env, RaidType("0", 2, CHUNK), [Watched(env), Watched(env)], "mine").name == "mine"
    array = drive_or_array(env, HP7933, RaidType("5", 3), "disc")
    assert list(array) == ["disc", "disc1", "disc2", "disc3"]
    assert [part.name for part in array.values()] == list(array)
    whole = array["disc"]
    assert isinstance(whole, Raid)
    assert whole.members.drives == [*array.values()][1:]
    assert [drive.capacity for drive in [*array.values()][1:]] == [HP7933.layout.capacity] * 3
    alone = drive_or_array(env, HP7933, None)
    assert [(name, part.name) for name, part in alone.items()] == [("drive", "drive")]
    assert drive_or_array(env, HP7933, None, "mine")["mine"].name == "mine"
    assert list(drive_or_array(env, HP7933, RaidType("1", 2))) == ["drive", "drive1", "drive2"]


# Reads.

def test_only_neighbours_on_a_drive_are_joined() -> None:
    spans = [(0, Span(0, 4)), (1, Span(0, 4)), (0, Span(4, 4)), (0, Span(9, 1)), (1, Span(2, 4)), (0, Span(10, 2))]
    assert list(_join_neighbours(spans)) == [(0, Span(0, 8)), (1, Span(0, 4)), (0, Span(9, 3)), (1, Span(2, 4))]


def test_a_mirror_is_one_chunk_and_reads_what_is_in_step(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "1", 2)
    assert array.chunk == array.capacity == DISC.layout.capacity
    array.fail(0)
    array.members.rebuilt(0, 2 * CHUNK)
    for first in (0, 1, 2):  # the first drive has two chunks again, and is idle each time
        ask(array, READ, first * CHUNK, CHUNK)
        env.run()
    assert asked(array) == [[(READ, 0, 1), (READ, 1, 1)], [(READ, 2, 1)]]
    assert array.degraded_reads == 0


def test_a_failed_read_asks_for_the_same_bytes_of_the_others(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "5", 4)
    array.fail(1)
    ask(array, READ, CHUNK + 512, 256)
    ask(array, READ, 3 * CHUNK + CHUNK + 512, 256)  # the second row: its second chunk lies on the first drive
    env.run()
    assert array.degraded_reads == 1
    spans = [[one.span for one in drive.asked] for drive in array.watched]
    assert spans == [[Span(512, 256), Span(CHUNK + 512, 256)], [], [Span(512, 256)], [Span(512, 256)]]
    ask(array, READ, CHUNK, 256)
    env.run()
    assert array.degraded_reads == 2


@pytest.mark.parametrize("level", ["0", "1", "4", "5", "6", "10", "10f2", "10o2"])
def test_members_are_asked_in_the_name_of_whom_they_work_for(env: simpy.Environment, level: str) -> None:
    array = WatchedRaid(env, level, 4)
    ask(array, READ, 0, 5 * CHUNK)
    ask(array, WRITE, 0, 5 * CHUNK)
    env.run()
    if level != "0":
        array.fail(0)
        ask(array, READ, 0, 5 * CHUNK)
        fail_reads(array, True)
        ask(array, READ, 0, CHUNK)
        env.run()
    assert {one.account for drive in array.watched for one in drive.asked} == {HOST}


def test_as_many_are_read_as_are_needed_or_the_whole_row(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "6", 5)
    assert [drive for drive, _ in array.sources(0, Span(0, CHUNK))] == [1, 2, 3]
    assert [drive for drive, _ in array.sources(0, Span(0, CHUNK), whole=True)] == [1, 2, 3, 4]


def test_waits_of_a_request_have_a_length(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "5", 4)
    one, other = ask(array, WRITE, 0, CHUNK), ask(array, WRITE, 0, CHUNK)
    env.run()
    for request in (one, other):
        assert request.ledger is not None
        assert request.ledger.name == "raid"
        assert all(end > begin for _, begin, end in request.pieces())
        assert sum(end - begin for _, begin, end in request.pieces()) > 0.0
    assert sum(end - begin for _, begin, end in other.pieces()) == pytest.approx(env.now)


# Errors.

def test_a_bad_read_is_computed_from_the_others_and_written_again(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "5", 4)
    fail_reads(array, True)
    ask(array, READ, 0, CHUNK)
    env.run()
    assert (array.corrected, array.lost, array.degraded_reads) == (1, 0, 0)
    assert asked(array) == [[(READ, 0, 1), (WRITE, 0, 1)], [(READ, 0, 1)], [(READ, 0, 1)], [(READ, 0, 1)]]
    fail_reads(array, True)
    ask(array, READ, CHUNK, CHUNK)
    env.run()
    assert (array.corrected, array.lost) == (2, 0)


def test_an_error_while_another_is_computed_is_lost(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "5", 4)
    for _ in range(2):
        fail_reads(array, True, True, False, True)
        ask(array, READ, 0, CHUNK)
        env.run()
    assert (array.corrected, array.lost) == (2, 4)


@pytest.mark.parametrize(("level", "failed", "lost"), [("0", 0, 1), ("1", 3, 1), ("1", 2, 0), ("5", 1, 1), ("5", 0, 0),
                                                       ("6", 1, 0), ("6", 2, 1), ("10", 1, 1)])  # fmt: skip
def test_an_error_is_lost_where_nothing_is_left_to_compute_it_from(
    env: simpy.Environment, level: str, failed: int, lost: int
) -> None:
    array = WatchedRaid(env, level, 4)
    for drive in range(failed):
        array.fail(drive)
    chunk = {"0": 0, "1": 0, "5": 2, "6": 1, "10": 0}[level]
    fail_reads(array, True)
    ask(array, READ, chunk * CHUNK, CHUNK)
    env.run()
    assert (array.lost, array.corrected) == (lost, 1 - lost)


def test_a_bad_read_is_lost_if_one_of_its_rows_cannot_be_computed(env: simpy.Environment) -> None:
    """Of two rows the failed drive is in step again with the first alone."""
    array, done = WatchedRaid(env, "5", 4), list[int]()
    array.fail(1)
    array.members.rebuilt(1, CHUNK)
    fail_reads(array, True)
    array.read_member(0, Span(0, 2 * CHUNK), HOST, Branches(1, lambda trail: done.append(len(trail))))
    env.run()
    assert (array.lost, array.corrected, done) == (1, 0, [1])


def test_what_is_written_in_part_is_read_where_the_row_is_computed_anew(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "5", 3)
    ask(array, WRITE, 0, CHUNK + CHUNK // 2)
    env.run()
    assert asked(array) == [[(WRITE, 0, 1)], [(READ, 0, 1), (WRITE, 0, 1)], [(WRITE, 0, 1)]]
    assert array.stripes is not None
    assert array.stripes.ways == {"reconstruct_writes": 1}


# Writes, flushes, discards.

@pytest.mark.parametrize(("level", "drives", "first", "length", "rows"), [
    ("0", 2, 0, 1, (0, 1)), ("0", 2, 3, 2, (1, 2)), ("0", 2, 3, 1, (1, 1)), ("5", 4, 2, 1, (0, 1)),
    ("5", 4, 2, 2, (0, 2)), ("5", 4, 3, 3, (1, 1)), ("6", 4, 4, 2, (2, 1)), ("10", 4, 5, 1, (2, 1)),
    # Copies on three drives: chunk 7 is the positions 14 and 15, in rows 4 and 5.
    ("10", 3, 7, 1, (4, 2)), ("10", 3, 8, 1, (5, 1)), ("1", 2, 7, 1, (0, 50)),
])  # fmt: skip
def test_a_flush_is_of_the_rows_that_hold_the_bytes(
    env: simpy.Environment, level: str, drives: int, first: int, length: int, rows: tuple[int, int]
) -> None:
    array = WatchedRaid(env, level, drives)
    env.run(env.process(array.flush(Span(first * CHUNK, length * CHUNK))))
    there = Span(rows[0] * CHUNK, rows[1] * CHUNK)
    assert [drive.flushed for drive in array.watched] == [[there]] * drives


def test_a_flush_passes_over_drives_that_have_failed(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "5", 4)
    array.fail(1)
    array.members.rebuilt(1, 3 * CHUNK)
    env.run(env.process(array.flush(Span(0, 9 * CHUNK))))
    env.run(env.process(array.flush(Span(0, 9 * CHUNK + 1))))
    assert [len(drive.flushed) for drive in array.watched] == [2, 1, 2, 2]


def test_a_flush_waits_for_its_own_writes(env: simpy.Environment) -> None:
    drives = [Watched(env) for _ in range(2)]
    array = Raid(env, RaidType("0", 2, CHUNK), [WriteCache(drive, 8) for drive in drives])
    ask(array, WRITE, 40 * CHUNK, CHUNK)
    for first in (0, 2):
        ask(array, WRITE, first * CHUNK, CHUNK)
    env.run(env.process(array.flush(Span(0, CHUNK))))
    assert [span.first // CHUNK for span, _ in drives[0].written] == [20, 0]
    direct = WatchedRaid(env, "5", 4)
    far, near = ask(direct, WRITE, 90 * CHUNK, CHUNK), ask(direct, WRITE, 0, CHUNK)
    env.run(env.process(direct.flush(Span(0, CHUNK))))
    assert near.processed
    env.run(env.process(direct.flush(Span(90 * CHUNK, CHUNK))))
    assert far.processed


def test_discards_go_to_copies_and_not_to_parity(env: simpy.Environment) -> None:
    for level, there in (("1", [[Span(256, 512)]] * 3), ("5", [[]] * 3), ("10", [[Span(256, 512)]] * 2 + [[]])):
        array = WatchedRaid(env, level, 3)
        array.discard(Span(256, 512))
        assert [drive.discarded for drive in array.watched] == there


def test_a_byte_short_of_a_page_is_written_partly() -> None:
    for piece in (Piece(0, 0, 255), Piece(0, 1, 256)):
        assert list(bands_of(7, [piece], 256)) == [Band(7, 0, 256, (), (0,))]
    assert list(bands_of(7, [Piece(0, 0, 257)], 256)) == [Band(7, 0, 256, (0,), ()), Band(7, 256, 512, (), (0,))]


def test_bands_that_touch_do_not_overlap() -> None:
    one, other = Band(0, 0, 256, (0,), ()), Band(0, 256, 512, (0,), ())
    assert not one.overlaps(other)
    assert not other.overlaps(one)
    assert one.overlaps(one)
    assert not one.overlaps(one._replace(row=1))
    for pieces in ([Piece(0, 256, 512), Piece(1, 0, 256)], [Piece(1, 0, 256), Piece(0, 256, 512)]):
        assert list(bands_of(0, pieces, 256)) == [Band(0, 0, 256, (1,), ()), Band(0, 256, 512, (0,), ())]


def test_no_write_passes_those_that_wait(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "5", 4)
    stripes = array.stripes
    assert stripes is not None
    done: list[int] = []
    for number, row in enumerate((0, 0, 9)):  # the second waits for the first, and the third for the second
        ask(array, WRITE, 3 * row * CHUNK, 3 * CHUNK).callbacks.append(lambda _, number=number: done.append(number))  # type: ignore[misc]
    assert (stripes.waits, stripes._used) == (2, 1)
    env.run()
    assert done == [0, 1, 2]
    assert (stripes.waits, stripes._used, len(stripes._active)) == (2, 0, 0)


def test_the_stripe_cache_has_room_for_so_many_rows_of_pages(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "5", 4)  # 16 of a chunk each
    stripes = array.stripes
    assert stripes is not None
    for row in range(16):
        ask(array, WRITE, 3 * row * CHUNK, 3 * CHUNK)
    assert (stripes.waits, stripes._used) == (0, 16)
    ask(array, WRITE, 3 * 16 * CHUNK, 3 * CHUNK)
    assert (stripes.waits, stripes._used) == (1, 16)
    env.run()
    large = Raid(env, RaidType("5", 3, 4 * 4096, stripes=3), [Drive(env, HP7933) for _ in range(3)])
    assert large.stripes is not None
    ask(large, WRITE, 0, 8 * 4096)  # four rows of pages, of which the cache has three: it takes all
    assert large.stripes._used == 3
    ask(large, WRITE, 8 * 4096, 4096)
    assert large.stripes.waits == 1
    env.run()


# Members.

def test_a_drive_is_one_of_those_there_are(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "5", 4)
    for drive in (-1, 4):
        with pytest.raises(UserError, match=f"there is no drive {drive} among 4"):
            array.fail(drive)


def test_a_spare_is_as_large_as_what_is_in_use_and_has_no_data(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "1", 2, bitmap=4 * CHUNK)
    members = array.members
    assert members.first + members.capacity == DISC.layout.capacity
    with pytest.raises(UserError, match="drive 1 has not failed"):
        members.replace(1, Watched(env))
    members.fail(1)
    members.rebuilt(1, CHUNK)
    for size in (46_080, 49_920):  # smaller than the data, and than the data and the bitmap before them
        spare = Watched(env, disc=replace(DISC, layout=uniform(size // (5 * SECTOR), 1, 5, SECTOR)))
        with pytest.raises(UserError, match=f"a spare of {size} bytes is smaller than the 51200"):
            members.replace(1, spare)
    assert members.is_readable(1, CHUNK)
    members.replace(1, Watched(env))
    assert not members.is_readable(1, 1)


def test_a_drive_is_idle_once_all_that_it_was_asked_for_is_done(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "1", 2)
    for _ in range(2):
        array.members.ask(0, READ, Span(0, CHUNK), HOST, lambda _: None)
    env.run(0.012)
    assert len(array.watched[0].transferred) == 1
    assert array.members.nearest([(0, 0), (1, 40 * CHUNK)]) == (1, 40 * CHUNK)
    env.run()
    assert array.members.nearest([(0, 0), (1, 40 * CHUNK)]) == (0, 0)


def test_the_nearest_arm_is_that_which_ends_nearest(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "1", 2)
    array.members.ask(0, READ, Span(0, 20 * CHUNK), HOST, lambda _: None)
    array.members.ask(1, READ, Span(12 * CHUNK, CHUNK), HOST, lambda _: None)
    assert array.members.nearest([(0, 19 * CHUNK), (1, 19 * CHUNK)]) == (0, 19 * CHUNK)
    assert array.members.nearest([(0, 14 * CHUNK), (1, 14 * CHUNK)]) == (1, 14 * CHUNK)


def test_an_error_is_as_probable_as_bits_are_read(env: simpy.Environment) -> None:
    """One minus the chance that all bits are good: by hand from the number that is drawn first."""
    drawn, bit = stream(7, "unrecoverable").random(), 1e-6
    length = log1p(-drawn) / (8.0 * log1p(-bit))
    for more, bad in ((-1, False), (1, True)):
        array = Raid(env, RaidType("0", 2, CHUNK, unrecoverable=bit, seed=7), [Watched(env), Watched(env)])
        request = Request(env, access(READ, 0, round(length) + more, HOST))
        assert array.members.draw_read_error(request) is bad
        assert array.members.read_errors == bad


# Rebuilds.

def test_numbers_are_those_of_md() -> None:
    assert (arrays.MIN_REBUILD_RATE, arrays.MAX_REBUILD_RATE) == (1_024_000, 204_800_000)
    assert (arrays.REBUILD_REQUEST, arrays.SYNC_WINDOW, arrays.COPIES_AHEAD) == (524_288, 131_072, 2_097_152)
    assert (SPEED_MARKS, MARK_STEP, arrays.REBUILD_NAP) == (10, 3.0, 0.5)
    assert (BYPASS_THRESHOLD, DAEMON_SLEEP, RUNS_UNTIL_CLEARED) == (1, 5.0, 2)


def test_speed_is_that_since_the_mark_of_half_a_minute_ago(env: simpy.Environment) -> None:
    progress = _Progress(env)
    assert progress.speed() == 0.0
    progress.done = 1000
    assert progress.speed() == 1000.0  # a begun second is a whole one
    env.run(2.5)
    assert progress.speed() == 1000.0 / 3
    for mark in range(1, SPEED_MARKS):
        env.run(mark * MARK_STEP)
        progress.done = 1000 * mark
        assert progress.speed() == 1000 * mark / (MARK_STEP * mark + 1)
    env.run(SPEED_MARKS * MARK_STEP)
    progress.done = 1000 * SPEED_MARKS
    assert progress.speed() == 1000 * (SPEED_MARKS - 1) / (MARK_STEP * (SPEED_MARKS - 1) + 1)  # the oldest mark is gone
    late = _Progress(env)
    late.done = 600
    env.run(env.now + 1.0)
    assert late.speed() == 300.0


@pytest.mark.parametrize(("slowest", "fastest", "unit"), [
    (0.0, 1.0, CHUNK), (-1.0, 1.0, CHUNK), (2.0, 1.0, CHUNK), (1.0, 1.0, CHUNK - 1),
])  # fmt: skip
def test_what_is_no_rebuild(env: simpy.Environment, slowest: float, fastest: float, unit: int) -> None:
    array = WatchedRaid(env, "5", 3)
    array.fail(2)
    with pytest.raises(UserError, match="a rebuild needs"):
        next(iter(rebuild(array, 2, Watched(env), slowest, fastest, unit)))


def test_a_rebuild_may_be_as_slow_as_it_is_fast(env: simpy.Environment) -> None:
    array, spare = WatchedRaid(env, "5", 3), Watched(env)
    array.fail(2)
    env.process(rebuild(array, 2, spare, 1e6, 1e6, CHUNK))
    env.run()
    assert not array.members.is_degraded
    assert {one.account.name for one in spare.asked} == {"rebuild"}
    assert {one.account.name for drive in array.watched for one in drive.asked} == {"rebuild"}


def test_a_speed_that_is_reached_is_not_passed(env: simpy.Environment) -> None:
    """Three units fill the stripe cache; with the first done, the speed is just what is asked for and allowed."""
    array = WatchedRaid(env, "5", 3)
    array.fail(1)
    speed = 5.0 * CHUNK
    env.process(rebuild(array, 1, Watched(env), speed, speed, 5 * CHUNK))
    env.run(1e-6)
    ask(array, READ, 20 * CHUNK, 20 * CHUNK)
    env.run(0.2)
    lengths = [one.span.length // CHUNK for one in array.watched[2].asked if one.account is not HOST]
    assert lengths == [5, 5, 5, 5]


def test_a_rebuild_gives_way_once_to_what_came_and_went_meanwhile(
    env: simpy.Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host's read of the third drive is done before the first of three copies is; the second is waited for, too."""
    monkeypatch.setattr(arrays, "COPIES_AHEAD", 15 * CHUNK)
    seen = []
    for asks in (False, True):
        array, spare = WatchedRaid(env, "1", 3), Watched(env)
        array.fail(0)
        env.process(rebuild(array, 0, spare, 1.0, 1e9, 5 * CHUNK))
        env.run(env.now + 0.001)
        if asks:
            ask(array, READ, 0, 256)
        while not spare.written:
            env.step()
        env.run(env.now + 1e-6)
        seen.append([len(drive.asked) for drive in array.watched[1:]])
        env.run()
        assert not array.members.is_degraded
    assert seen == [[4, 0], [3, 1]]


def test_two_megabytes_of_copies_are_under_way(env: simpy.Environment) -> None:
    drives = [Watched(env, disc=HP7933) for _ in range(2)]
    array = Raid(env, RaidType("1", 2, failed=1, rebuild=1, stripes=1), drives)
    env.run(1e-6)
    assert [len(drive.asked) for drive in drives] == [0, 4]
    for number in range(200):
        ask(array, READ, number * MIB, 4096)
    env.run(8.0)
    assert arrays.SYNC_WINDOW in {one.span.length for one in drives[1].asked}
    assert not any(one.durable for one in drives[0].asked)


@pytest.mark.parametrize(("level", "drives", "read"), [("6", 5, [0, 1, 1, 1, 1]), ("5", 4, [0, 1, 1, 1]),
                                                       ("1", 3, [0, 1, 0])])  # fmt: skip
def test_a_rebuild_reads_whole_rows_with_parity_and_one_of_the_copies(
    env: simpy.Environment, level: str, drives: int, read: list[int]
) -> None:
    array, spare = WatchedRaid(env, level, drives), Watched(env)
    array.fail(0)
    env.process(rebuild(array, 0, spare, unit=CHUNK))
    env.run()
    rows = array.members.capacity // CHUNK
    assert [sum(span.length for span, _ in drive.transferred) for drive in array.watched] == [
        each * rows * CHUNK for each in read]
    assert sum(span.length for span, _ in spare.written) == rows * CHUNK


def test_a_rebuild_asks_for_a_window_while_the_host_asks(
    env: simpy.Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of five chunks at a time, and of one while the host has asked since, or waits, and a byte a second is enough."""
    monkeypatch.setattr(arrays, "SYNC_WINDOW", CHUNK)
    array, spare = WatchedRaid(env, "5", 3), Watched(env)
    array.fail(1)
    env.process(rebuild(array, 1, spare, 1.0, 1e9, unit=5 * CHUNK))

    def host() -> Iterator[simpy.Event]:
        yield env.timeout(0.02)
        for _ in range(3):
            yield ask(array, READ, 0, 256)

    env.process(host())
    env.run()
    lengths = [span.length // CHUNK for span, _ in spare.written]
    assert sum(lengths) == 50
    alone, third = WatchedRaid(env, "5", 3), Watched(env)
    alone.fail(1)
    env.process(rebuild(alone, 1, third, 1.0, 1e9, unit=5 * CHUNK))
    env.run()
    assert {span.length // CHUNK for span, _ in third.written} == {5}
    assert lengths[0] == 5
    assert 1 in lengths
    slow, other = WatchedRaid(env, "5", 3), Watched(env)
    slow.fail(1)
    env.process(rebuild(slow, 1, other, 1e9, 1e9, unit=5 * CHUNK))
    ask(slow, READ, 0, 256)
    env.run()
    assert {span.length // CHUNK for span, _ in other.written} == {5}


def test_a_flush_waits_for_no_read(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "0", 2)
    read = ask(array, READ, 0, CHUNK)
    env.run(env.process(array.flush(Span(0, CHUNK))))
    assert not read.processed
